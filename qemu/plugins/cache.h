/* cache.h - which lines of main memory a hart's caches have room for. */
#ifndef LOCALITY_CACHE_H
#define LOCALITY_CACHE_H

#include <stdint.h>

#include "profile.h"

/* Of each level its sets, one after the other; in a set the line used last is first. 0: none. */
struct cache {
	uint64_t *lines[CACHE_LEVELS];
};

/*
 * The line is used: it is in all levels then, in place of those not used for longest.
 * @return what a load costs where it was found; 0: nowhere
 */
uint32_t cache_access(struct cache *c, const struct cache_level *levels, uint64_t line);

#endif
