/*
 * walk.c - see walk.h. A photon goes up or down from scattering to scattering, at random, until it
 * leaves the cloud or is swallowed: mostly after a few, sometimes after thousands (the time of
 * first passage falls off with the power 3/2 alone).
 */
#include "walk.h"

#define SWALLOWED 4096u /* one in so many scatterings */
#define EVEN_STEPS 64

/* Domes: where, how far, how thick, in parts of 256 of the sky's size. */
static const struct {
	int x, y, radius;
	unsigned thick;
} domes[] = { { 70, 60, 60, 400 }, { 110, 80, 40, 250 }, { 60, 90, 30, 150 } };

unsigned thickness(const struct sky *sky, unsigned x, unsigned y)
{
	unsigned most = 0;

	if (sky->even)
		return EVEN_STEPS;
	for (unsigned i = 0; i < sizeof(domes) / sizeof(*domes); i++) {
		int dx = (int)(x * 256 / sky->size) - domes[i].x;
		int dy = (int)(y * 256 / sky->size) - domes[i].y;
		int r2 = domes[i].radius * domes[i].radius, far = dx * dx + dy * dy;
		unsigned thick = far < r2 ? domes[i].thick * (unsigned)(r2 - far) / (unsigned)r2
					  : 0;

		most = thick > most ? thick : most;
	}
	return most;
}

/* Marsaglia's xorshift. */
static inline uint32_t next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

unsigned pixel(const struct sky *sky, unsigned x, unsigned y, uint64_t *steps)
{
	uint32_t state = ((y * sky->size + x) * 2654435761u) ^ (sky->seed * 40503u) ^ 0x9e3779b9u;
	unsigned thick = thickness(sky, x, y);
	unsigned up = 0;
	uint64_t n = 0;

	state = state ? state : 1;
	for (unsigned i = 0; i < sky->photons && thick; i++) {
		uint64_t before = n;
		unsigned depth = 0;

		if (sky->even) {
			for (; n < before + EVEN_STEPS; n++)
				depth += next(&state) & 1;
			up += depth > EVEN_STEPS / 2;
			continue;
		}
		/* Below zero is beyond `thick`, too. */
		while (depth < thick) {
			uint32_t bits = next(&state);

			n++;
			if (bits >> 8 < (1u << 24) / SWALLOWED)
				break;
			depth += bits & 1 ? 1u : -1u;
		}
		up += depth == -1u;
	}
	*steps += n;
	return up;
}
