/*
 * kernel_fp.c - a kernel that computes with floating point, as compute harts run them: where the
 * management hart has no FPU, a file of such a name alone is built for one.
 */
#include "kernel.h"

uint64_t kernel_mix(uint32_t seed, unsigned turns, void (*pause)(void))
{
	double a = seed, b = seed / 3.0;

	/* A rotation: the seed is never forgotten. */
	for (unsigned i = 0; i < turns; i++) {
		double c = 0.6 * a - 0.8 * b;

		pause();
		b = 0.8 * a + 0.6 * b;
		a = c;
	}
	return (uint64_t)(int64_t)(a * 4096) ^ (uint64_t)(int64_t)(b * 1048576) << 20;
}
