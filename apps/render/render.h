/*
 * render.h - what is drawn, from where, and how. Axes: x to the right, y up, z away from the
 * viewer. All of it is +, -, *, / and square roots, which round alike on all machines (cflags: no
 * fused multiplications).
 */
#ifndef RENDER_H
#define RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BRICK 16 /* cells of a brick along an axis; its points are one more */
#define SIDE (BRICK + 1)
#define BRICK_BYTES ((SIDE * SIDE * SIDE + 15) / 16 * 16)
#define TILE 32   /* pixels of a tile along an axis, at most */
#define STEP 0.5f /* cells from a sample to the next */

/* The library's are calls, which look for signaling numbers. */
static inline float larger(float a, float b)
{
	return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
	return a < b ? a : b;
}

enum scene { VOLUME, TERRAIN };
enum order { IMAGE, OBJECT };

/* Pixel (i, j)'s ray has the direction along + i * right + j * up (TERRAIN), or this origin. */
struct view {
	float from[3], right[3], up[3], along[3];
};

/* What a sample of some value adds to its ray: light times opacity; what goes through. */
struct colour {
	float light[3], through;
};

/* The field: bytes at n[0] x n[1] x n[2] points, in bricks that share their borders' points. */
struct field {
	int n[3], bricks[3];
	uint8_t *brick;
};

struct picture_of {
	enum scene scene;
	enum order order;
	int width, height, tile;
	struct view view;
	struct field field;
	struct colour colour[256];
	float least;   /* a ray that less than this goes through is done */
	float *ground; /* heights at side x side points, round at the edges; side is a power of 2 */
	int side;
	uint32_t *pixels; /* 0xRRGGBB, the highest row first */
	float *depth;     /* of each pixel: values along the ray (VOLUME), distance (TERRAIN) */
};

/* A ray of VOLUME. */
struct ray {
	float light[3], left, sum;
};

/* Of a thread, in its scratchpad, with numbers that would lie in main memory. */
struct near {
	struct picture_of p;
	float one, ambient, diffuse;
	struct ray ray[TILE * TILE];
	_Alignas(16) uint8_t brick[BRICK_BYTES];
};

/* volume_fp.c */
double cosine(double turns);
void view_make(struct view *v, double angle, double tilt);
void view_fit(struct picture_of *p, double zoom); /* VOLUME: all of it, by parallel rays */
void colours_make(struct colour *colour, unsigned level);
void signal_plane(const int n[3], int z, uint8_t *points);
void brick_fill(const struct field *f, const uint8_t *points, int brick);
void near_fill(struct near *near, const struct picture_of *p);
bool volume_tile(struct near *near, int left, int top);
double points_sum(const int n[3], const uint8_t *points);
double volume_seen(const struct picture_of *p);

/* terrain_fp.c */
void ground_row(float *ground, int side, int z);
void terrain_view(struct picture_of *p, double angle, double tilt, double zoom);
void terrain_tile(const struct picture_of *p, int left, int top);
/* How many points of the ground lie before what is drawn there, of `seen`. */
int terrain_hidden(const struct picture_of *p, int *seen);

#endif
