/* kernel.h - a kernel for tests, in a file as kernels have to be in: *_fp.c. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

/* A number made of the seed by that many turns; what is in registers is alive across pause(). */
uint64_t kernel_mix(uint32_t seed, unsigned turns, void (*pause)(void));

#endif
