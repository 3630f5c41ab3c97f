/*
 * tile.h - a loop over tiles as its members see it. plan.c checks the loop and lays out a member's
 * scratchpad, move.c transfers tiles, tile.c starts the loop and does the blocks.
 *
 * Inside, a loop has three dimensions: slow, middle and fast. In a loop of two dimensions the
 * middle one has a single index; in a loop of one dimension the slow one has, too.
 */
#ifndef COHART_DATA_TILE_H
#define COHART_DATA_TILE_H

#include <cohart/dma.h>
#include <cohart/tile.h>

enum { SLOW, MID, FAST };

/* An array, and its ring of layers in a member's arena. */
struct tile_shape {
	uintptr_t at;
	size_t size;
	size_t stride[2]; /* in memory; of SLOW and MID */
	long extent[3], shift[3];
	uint16_t before[3], after[3];
	uint8_t edge[3];
	uint8_t access;
	bool fixed[3]; /* it has index 0 alone */
	bool flat;     /* a layer is a row, so one transfer can bring several layers */
	size_t lead;   /* bytes of a row before its first own element: halo and padding */
	size_t row;    /* bytes from row to row in the arena */
	size_t layer;  /* bytes from layer to layer in the arena */
	size_t slots;  /* layers that the ring has room for */
	size_t buffer; /* offset of the ring in the arena */
	size_t table;  /* offset of the table of layers in the arena */
};

/* In the launcher's scratchpad; each member takes a copy. */
struct tile_plan {
	size_t bytes; /* of the plan with its shapes and the copy of `arg` */
	size_t arena; /* bytes; the offsets below are from its start */
	size_t at_scratch, at_tiles, at_in, at_out;
	co_tile_fn *body;
	void *arg;
	size_t at_arg;    /* offset of its copy in the plan; 0: there is none */
	unsigned max_out; /* transfers of a block to memory */
	unsigned dims;
	unsigned arrays;
	unsigned members;
	unsigned schedule;
	bool single;
	size_t block;
	long lower[3], n[3]; /* of the loop */
	long tile[3];
	size_t count[3]; /* tiles */
	size_t layers;   /* of all columns, each count[MID] * count[FAST] of them, done in order */
	size_t tiles;
	size_t room; /* what the first member without room for an arena has; else 0 */
	struct tile_shape shape[];
};

/* Where the loop's dimension d is inside. */
static inline unsigned tile_dim(unsigned dims, unsigned d)
{
	return d == dims - 1 ? FAST : d;
}

/* @return bytes of the plan for t; 0: it makes no sense. */
size_t tile_plan_bytes(const struct co_tiles *t);
/* Fill in a plan for members with `room` bytes each. @return 0; -EINVAL; -EFAULT; -ENOMEM. */
int tile_plan_make(struct tile_plan *p, const struct co_tiles *t, unsigned members, size_t room);
/* Bytes of one block that the fullest heap of the scope's harts has room for. */
size_t tile_room(const struct co_parallel *p);
/* Bytes that a member keeps its own state in, at the arena's start. */
size_t tile_member_bytes(void);

/* A block's indices. */
struct tile_box {
	long from[3], to[3];
};

/* Transfers that are waited for together. */
struct tile_pool {
	struct co_counter running;
	struct co_dma *d;
	unsigned n;
};

/* Where an array's layers are of two blocks: the one that is worked on, and the next. */
struct tile_ring {
	size_t first[2]; /* slot of the first layer, halo included */
	long fresh[2];   /* the first layer that was brought in for it; those before were there */
};

/* The tiles of a member's blocks, on their way between memory and its arena. */
struct tile_flow {
	const struct tile_plan *p;
	unsigned char *arena;
	struct tile_pool in, out[2];
	struct tile_box box[2];
	struct tile_ring ring[CO_TILE_ARRAYS];
};

/* Begin to bring in what box[which] reads; `after`: less what box[!which] has brought. */
void tile_bring(struct tile_flow *f, unsigned which, bool after);
/* Fill the halo of a block that has arrived, where it lies outside of the arrays. */
void tile_edges(struct tile_flow *f, unsigned which);
/* Write the tables of the block's layers. */
void tile_show(struct tile_flow *f, unsigned which);
/* Begin to write back what the block has written. */
void tile_put(struct tile_flow *f, unsigned which);
/* Wait for a pool; it is empty then. @return 0; the first error of a transfer. */
int tile_wait(struct tile_pool *q);

#endif
