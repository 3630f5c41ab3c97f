/* walk.h - one photon's way through a cloud. */
#ifndef MONTECARLO_WALK_H
#define MONTECARLO_WALK_H

#include <stdbool.h>
#include <stdint.h>

/* The sky: size x size pixels, each of which is hit by so many photons. */
struct sky {
	unsigned size, photons, seed;
	bool even; /* no cloud: each photon takes as many steps */
};

/* How many scatterings thick the cloud is there. 0: there is none. */
unsigned thickness(const struct sky *sky, unsigned x, unsigned y);

/*
 * All photons of a pixel, by random numbers that depend on the pixel and the seed alone.
 * @param steps  that they took in all are added
 * @return how many came back up
 */
unsigned pixel(const struct sky *sky, unsigned x, unsigned y, uint64_t *steps);

#endif
