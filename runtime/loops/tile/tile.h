/*
 * tile.h - a loop over tiles as its members see it. plan.c checks the loop and lays out a member's
 * scratchpad, move.c transfers tiles, tile.c starts the loop and does the blocks.
 *
 * Inside, a loop has three dimensions: slow, middle and fast. In a loop of two dimensions the
 * middle one has a single index; in a loop of one dimension the slow one has, too.
 */
#ifndef COHART_LOOPS_TILE_H
#define COHART_LOOPS_TILE_H

#include <cohart/dma.h>
#include <cohart/tile.h>

enum { SLOW, MID, FAST };

/* An array and its ring of layers in a member's arena. */
struct co_tile_shape {
	uintptr_t at;
	size_t size;
	size_t stride[2]; /* in memory; of SLOW and MID */
	long extent[3], shift[3];
	uint16_t before[3], after[3];
	uint8_t edge[3];
	uint8_t access;
	bool fixed[3]; /* it has index 0 only */
	bool flat;     /* a layer is a row, so one transfer can bring several layers */
	size_t lead;   /* bytes of a row before its first own element: halo and padding */
	size_t row;    /* bytes from row to row in the arena */
	size_t layer;  /* bytes from layer to layer in the arena */
	size_t slots;  /* layers that the ring has room for */
	size_t buffer; /* offset of the ring in the arena */
	size_t table;  /* offset of the table of layers in the arena */
};

/* The plan, in the launcher's scratchpad; each member has a copy. */
struct co_tile_plan {
	size_t bytes; /* of the plan with its shapes and the copy of `arg` */
	size_t arena; /* bytes; the offsets below are from its start */
	size_t at_scratch, at_tiles, at_in, at_out;
	co_tile_fn *body;
	void *arg;
	size_t at_arg;    /* offset of its copy in the plan; 0: not copied */
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
	size_t layers;   /* of all count[MID] * count[FAST] columns, in order */
	size_t tiles;
	size_t room; /* bytes of the first member without room for an arena; else 0 */
	struct co_tile_shape shape[];
};

/* The plan's dimension of the loop's dimension d. */
static inline unsigned co_tile_dim(unsigned dims, unsigned d)
{
	return d == dims - 1 ? FAST : d;
}

/* Bytes of the plan for t; 0: t is invalid. */
size_t co_tile_plan_bytes(const struct co_tiles *t);
/* Fill in a plan for members with `room` bytes each. @return 0; -EINVAL; -EFAULT; -ENOMEM. */
int co_tile_plan_make(struct co_tile_plan *p, const struct co_tiles *t, unsigned members,
		      size_t room);
/* The largest block of memory that each hart of the scope can allocate. */
size_t co_tile_room(const struct co_parallel *p);
/* Bytes of a member's own state, at the arena's start. */
size_t co_tile_member_bytes(void);

/* A block's indices. */
struct co_tile_box {
	long from[3], to[3];
};

/* Transfers that are waited for together. */
struct co_tile_pool {
	struct co_counter running;
	struct co_dma *d;
	unsigned n;
};

/* An array's layers of two blocks: the current one and the next. */
struct co_tile_ring {
	size_t first[2]; /* slot of the first layer, halo included */
	long fresh[2];   /* the first layer brought in for it; earlier layers were there */
};

/* The transfers of a member's tiles. */
struct co_tile_flow {
	const struct co_tile_plan *p;
	unsigned char *arena;
	struct co_tile_pool in, out[2];
	struct co_tile_box box[2];
	struct co_tile_ring ring[CO_TILE_ARRAYS];
};

/* Begin to bring in what box[which] reads; `after`: without what box[!which] has brought in. */
void co_tile_bring(struct co_tile_flow *f, unsigned which, bool after);
/* Fill the halo of a block outside of the arrays, after the block has arrived. */
void co_tile_edges(struct co_tile_flow *f, unsigned which);
/* Write the tables of the block's layers. */
void co_tile_show(struct co_tile_flow *f, unsigned which);
/* Begin to write back the block's results. */
void co_tile_put(struct co_tile_flow *f, unsigned which);
/* Wait for all transfers of a pool. Returns 0, or the first error of one. */
int co_tile_wait(struct co_tile_pool *q);

#endif
