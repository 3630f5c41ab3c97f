/*
 * blocks.h - the blocks of instructions that a plug-in has seen, which it finds again by their
 * place: QEMU may translate one often, one at a time. Each plug-in has a table of its own.
 */
#ifndef COHART_BLOCKS_H
#define COHART_BLOCKS_H

#include <stdint.h>
#include <stdlib.h>

#define BLOCK_BUCKETS 16384u

/* A plug-in's record of a block begins with this. */
struct block_place {
	struct block_place *next; /* in its bucket */
	uint64_t pc;
	uint64_t length; /* bytes or instructions, as the plug-in likes */
};

static struct block_place *block_buckets[BLOCK_BUCKETS];

/* The record, of so many bytes, of the block there; a new one is zeros but for its place. */
static void *block_at(uint64_t pc, uint64_t length, size_t bytes)
{
	struct block_place **bucket = &block_buckets[(pc / 2 * 31 + length) % BLOCK_BUCKETS];
	struct block_place *b;

	for (b = *bucket; b; b = b->next) {
		if (b->pc == pc && b->length == length)
			return b;
	}
	b = calloc(1, bytes);
	*b = (struct block_place){ *bucket, pc, length };
	*bucket = b;
	return b;
}

/* All of them, in an order of its own. */
static void block_each(void (*see)(void *block, void *data), void *data)
{
	for (unsigned i = 0; i < BLOCK_BUCKETS; i++) {
		for (struct block_place *b = block_buckets[i]; b; b = b->next)
			see(b, data);
	}
}

#endif
