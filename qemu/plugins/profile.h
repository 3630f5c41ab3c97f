/* profile.h - what accesses cost on a machine: a file of profiles/. */
#ifndef LOCALITY_PROFILE_H
#define LOCALITY_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* Whose memory it is, as seen by the hart that touches it. */
enum place {
	PLACE_OWN,  /* its own scratchpad */
	PLACE_NEAR, /* that of a compute hart of its group */
	PLACE_BOSS, /* that of a management hart */
	PLACE_FAR,  /* that of a compute hart of another group */
	PLACE_MAIN,
	PLACES
};

enum kind { KIND_LOAD, KIND_STORE, KIND_ATOMIC, KINDS };

enum who { WHO_COMPUTE, WHO_MANAGE, WHOS };

struct cost {
	uint32_t cycles[KINDS]; /* until the hart goes on */
	uint32_t busy;          /* for which an atomic keeps its word from others' */
	uint32_t deliver;       /* from then until a store is seen there */
	bool given;
};

#define CACHE_LEVELS 2

/* What a hart keeps of main memory, the nearest level first; one of no bytes is not there. */
struct cache_level {
	uint32_t bytes, ways;
	uint32_t cycles; /* of a load that finds its line here */
};

struct profile {
	struct cost cost[WHOS][PLACES];
	struct cache_level cache[WHOS][CACHE_LEVELS];
	uint32_t line;   /* bytes of main memory that are fetched at once */
	uint32_t device; /* an access to a device */
	uint32_t grid;   /* harts in a row of the mesh; 0: distance does not matter */
	uint32_t hop;    /* cycles a step, one way */
	uint32_t dma_start;
	uint32_t dma_kib;    /* cycles for each 1024 bytes: a group's transfers share that speed */
	uint32_t dma_line;   /* a row passes in lines of so many bytes; 0: of one */
	uint32_t port_start; /* the same two for a port of a network; */
	uint32_t port_kib;   /* 0: ports are as engines */
	uint32_t main_gap;   /* cycles from one access of a group's compute harts to the next */
};

/* Read a profile; false after a message if it cannot be had. */
bool profile_read(const char *path, struct profile *p);

#endif
