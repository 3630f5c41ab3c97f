/* kernel.h - kernels for tests, in files as kernels have to be in: *_fp.c. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

/* A number made of the seed by that many turns; what is in registers is alive across pause(). */
uint64_t kernel_mix(uint32_t seed, unsigned turns, void (*pause)(void));

/* Vectors of floating point that are right, of KERNEL_VECTORS. */
#define KERNEL_VECTORS 25
unsigned kernel_vectors(void);

#endif
