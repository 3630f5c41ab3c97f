/*
 * tile.h - a loop over tiles as its members see it: sizes, and where things lie in a scratchpad.
 *
 * Inside, a loop has three dimensions, slow, middle and fast; of two, the middle one has a single
 * index, of one, the slow one too.
 */
#ifndef COHART_DATA_TILE_H
#define COHART_DATA_TILE_H

#include <cohart/dma.h>
#include <cohart/tile.h>

enum { SLOW, MID, FAST };

/* An array. */
struct tile_shape {
	uintptr_t at;
	size_t size;
	size_t stride[2]; /* in memory; of SLOW and MID */
	long extent[3], shift[3];
	uint16_t before[3], after[3];
	uint8_t edge[3];
	uint8_t access;
	bool fixed[3]; /* has index 0 alone */
	bool flat;     /* a layer is a row, so a run of layers is one transfer */
	size_t lead;   /* bytes of a row before its first own element, halo and padding */
	size_t row;    /* bytes from row to row in the scratchpad, */
	size_t layer;  /* from layer to layer, */
	size_t slots;  /* and room for so many layers, used in turn, */
	size_t buffer; /* that many bytes from the arena's start */
	size_t table;  /* where its table of layers is */
};

/* In the launcher's scratchpad; each member takes a copy. */
struct tile_plan {
	size_t bytes; /* of the plan with its shapes and the copy of `arg` */
	size_t arena; /* of a member: all below are offsets in it */
	size_t at_scratch, at_tiles, at_in, at_out;
	co_tile_fn *body;
	void *arg;
	size_t at_arg;            /* its copy, from the plan's start; 0: there is none */
	unsigned max_in, max_out; /* transfers of a block */
	unsigned dims;
	unsigned arrays;
	unsigned members;
	unsigned schedule;
	bool single;
	size_t block;
	long lower[3], n[3]; /* of the loop */
	long tile[3];
	size_t count[3]; /* tiles */
	size_t columns;  /* count[MID] * count[FAST]; a column's layers are done in their order */
	size_t layers;   /* columns * n[SLOW] */
	size_t tiles;    /* columns * count[SLOW] */
	struct tile_member_note *note;
	struct tile_shape shape[];
};

/* What a member tells the launcher, who keeps these. */
struct tile_member_note {
	size_t unit;    /* column and layer that it is at */
	size_t largest; /* free block of its heap, where that was too small; 0: it was not */
};

/* Where the loop's dimension d is inside. */
static inline unsigned tile_dim(unsigned dims, unsigned d)
{
	return d == dims - 1 ? FAST : d;
}

/* @return bytes of the plan for t; 0: it makes no sense. */
size_t tile_plan_bytes(const struct co_tiles *t);
/*
 * Fill in a plan of so many bytes for so many members with `room` bytes each.
 * @return 0; -EINVAL; -EFAULT; -ENOMEM: a tile of that size does not fit.
 */
int tile_plan_make(struct tile_plan *p, const struct co_tiles *t, unsigned members, size_t room);
/* Members that the loop's scope has. *room, if not NULL: what the fullest of their heaps has. */
unsigned tile_members(const struct co_tiles *t, size_t *room);
/* Indices of the loop's dimensions where a unit of work begins. */
void tile_unit_at(const struct tile_plan *p, size_t unit, long *at);
/* Bytes that a member keeps its own things in, at the arena's start. */
size_t tile_member_bytes(void);
/* What runs on each member. */
int tile_member(void *arg, struct co_part *part);

enum { TILE_FAILED = 1, TILE_CANCELED = 2 }; /* bits of `stop` */

#endif
