/*
 * tile_move.h - the tiles of a member's blocks, on their way between memory and its arena.
 */
#ifndef COHART_DATA_TILE_MOVE_H
#define COHART_DATA_TILE_MOVE_H

#include "dma.h"
#include "tile.h"

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

/* Where two blocks, the one that is worked on and the next, have an array's layers. */
struct tile_ring {
	size_t first[2]; /* slot of the first layer, halo included */
	long fresh[2];   /* the first layer that was brought in for it; others were there */
};

struct tile_flow {
	const struct tile_plan *p;
	unsigned char *arena;
	struct tile_pool in, out[2];
	struct tile_box box[2];
	struct tile_ring ring[CO_TILE_ARRAYS];
};

/*
 * Begin to bring in what block box[which] reads. If `after`, box[!which] comes before it, and
 * their common layers are there.
 */
void tile_bring(struct tile_flow *f, unsigned which, bool after);
/* Fill the halo of a block that has arrived, where its arrays have ended. */
void tile_edges(struct tile_flow *f, unsigned which);
/* Write the tables of the block's layers. */
void tile_show(struct tile_flow *f, unsigned which);
/* Begin to write back what the block has written. */
void tile_put(struct tile_flow *f, unsigned which);
/* Wait for a pool; it is empty then. @return 0; the first error of a transfer. */
int tile_wait(struct tile_pool *q);

#endif
