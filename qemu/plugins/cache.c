/*
 * cache.c - see cache.h. Whether what a cache has is what memory has is not known here.
 */
#include "cache.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* Put the line first in its set. Returns whether it was there. */
static bool use(uint64_t *set, unsigned ways, uint64_t line)
{
	unsigned i = 0;
	bool found;

	while (i < ways - 1 && set[i] != line)
		i++;
	found = set[i] == line;
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = line;
	return found;
}

uint32_t cache_access(struct cache *c, const struct cache_level *levels, uint64_t line)
{
	uint32_t cycles = 0;

	for (unsigned i = 0; i < CACHE_LEVELS && levels[i].bytes; i++) {
		uint64_t lines = levels[i].bytes / setup.profile.line;
		uint64_t set = line % (lines / levels[i].ways);

		if (!c->lines[i])
			c->lines[i] = calloc(lines, sizeof(*c->lines[i]));
		if (use(c->lines[i] + set * levels[i].ways, levels[i].ways, line + 1) && !cycles)
			cycles = levels[i].cycles;
	}
	return cycles;
}
