/*
 * terrain_fp.c - a landscape out of noise, seen in perspective: each pixel's ray goes on by a part
 * of its height above the ground until it is below, and looks from there for the sun.
 */
#include <math.h>

#include "render.h"

/* In points of the ground: how far a ray goes, how high mountains and water may be. */
#define FAR(side) ((float)(side)*1.5f)
#define HIGH(side) ((float)(side)*0.1875f)
#define WATER(side) ((float)(side)*0.05f)

static const float sun[3] = { 0.6f, 0.5f, -0.6245f };

/* From 0 to 1, at a point of a lattice. Source: Wellons' lowbias32. */
static float noise(unsigned x, unsigned z, unsigned octave)
{
	uint32_t h = x * 0x9e3779b1u + z * 0x85ebca77u + octave * 0xc2b2ae3du;

	h = (h ^ h >> 16) * 0x7feb352du;
	h = (h ^ h >> 15) * 0x846ca68bu;
	return (float)((h ^ h >> 16) >> 8) / 16777216;
}

static float between(float a, float b, float at)
{
	return a + (b - a) * at;
}

void ground_row(float *ground, int side, int z)
{
	for (int x = 0; x < side; x++) {
		float sum = 0, size = 0.5f;

		/* Ridges of half the size at half the distance, and more where it is high. */
		for (int cell = side / 4, octave = 0; cell >= 1; cell /= 2, octave++) {
			unsigned i = (unsigned)(x / cell), j = (unsigned)(z / cell);
			unsigned last = (unsigned)(side / cell - 1), o = (unsigned)octave;
			float u = (float)(x % cell) / (float)cell;
			float v = (float)(z % cell) / (float)cell, n;

			u = u * u * (3 - 2 * u);
			v = v * v * (3 - 2 * v);
			n = between(between(noise(i, j, o), noise((i + 1) & last, j, o), u),
				    between(noise(i, (j + 1) & last, o),
					    noise((i + 1) & last, (j + 1) & last, o), u),
				    v);
			n = 1 - fabsf(2 * n - 1);
			sum += n * size * (octave ? 0.3f + sum : 1);
			size /= 2;
		}
		ground[x] = larger(sum * sum * HIGH(side), WATER(side));
	}
}

static float height(const struct picture_of *p, float x, float z)
{
	float fx = floorf(x), fz = floorf(z);
	int mask = p->side - 1, i = (int)fx & mask, j = (int)fz & mask;
	const float *a = p->ground + j * p->side, *b = p->ground + ((j + 1) & mask) * p->side;

	return between(between(a[i], a[(i + 1) & mask], x - fx),
		       between(b[i], b[(i + 1) & mask], x - fx), z - fz);
}

void terrain_view(struct picture_of *p, double angle, double tilt, double zoom)
{
	struct view *v = &p->view;
	float middle = (float)p->side / 2;

	view_make(v, angle, tilt);
	for (int i = 0; i < 3; i++) {
		v->right[i] *= 2 / (float)zoom / (float)p->width;
		v->up[i] *= 2 / (float)zoom / (float)p->width;
		v->from[i] = middle - v->along[i] * middle;
	}
	v->from[1] = larger(HIGH(p->side), height(p, v->from[0], v->from[2]) + 8);
}

/* How far along a ray the ground is: FAR, if there is none. */
static float meet(const struct picture_of *p, const float d[3])
{
	const float *from = p->view.from;
	float t = 1, before = 0, gap;

	while ((gap = from[1] + t * d[1] - height(p, from[0] + t * d[0], from[2] + t * d[2])) > 0) {
		before = t;
		t += gap * 0.4f + t * 0.002f;
		if (t > FAR(p->side) || (d[1] > 0 && from[1] + t * d[1] > HIGH(p->side)))
			return FAR(p->side);
	}
	for (int i = 0; i < 8; i++) {
		float half = (before + t) / 2;

		if (from[1] + half * d[1] > height(p, from[0] + half * d[0], from[2] + half * d[2]))
			before = half;
		else
			t = half;
	}
	return t;
}

static float lit(const struct picture_of *p, const float at[3], const float up[3])
{
	float facing = (up[0] * sun[0] + up[1] * sun[1] + up[2] * sun[2]) /
		       sqrtf(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]);
	float t = 1;

	while (facing > 0 && at[1] + t * sun[1] < HIGH(p->side)) {
		if (height(p, at[0] + t * sun[0], at[2] + t * sun[2]) > at[1] + t * sun[1])
			facing = 0;
		t += 1 + t * 0.1f;
	}
	return 0.3f + 0.7f * larger(facing, 0);
}

static uint32_t pixel(const struct picture_of *p, const float d[3], float t)
{
	static const float water[3] = { 0.15f, 0.35f, 0.6f }, grass[3] = { 0.3f, 0.5f, 0.2f };
	static const float rock[3] = { 0.5f, 0.45f, 0.4f }, snow[3] = { 1, 1, 1 };
	const float sky[3] = { 0.7f - d[1], 0.8f - d[1] / 2, 1 }, *colour = grass;
	float at[3], up[3], light = 1, haze = 1;
	uint32_t rgb = 0;

	if (t < FAR(p->side)) {
		for (int i = 0; i < 3; i++)
			at[i] = p->view.from[i] + t * d[i];
		up[0] = height(p, at[0] - 0.5f, at[2]) - height(p, at[0] + 0.5f, at[2]);
		up[1] = 1;
		up[2] = height(p, at[0], at[2] - 0.5f) - height(p, at[0], at[2] + 0.5f);
		if (at[1] < WATER(p->side) + 0.01f)
			colour = water;
		else if (up[0] * up[0] + up[2] * up[2] > 0.8f)
			colour = rock;
		else if (at[1] > HIGH(p->side) * 0.6f)
			colour = snow;
		light = lit(p, at, up);
		haze = t / FAR(p->side) * (t / FAR(p->side));
	}
	for (int c = 0; c < 3; c++) {
		float x = between(colour[c] * light, sky[c], haze) * 255;

		rgb = rgb << 8 | (x < 0 ? 0 : x < 255 ? (uint32_t)x : 255);
	}
	return rgb;
}

void terrain_tile(const struct picture_of *p, int left, int top)
{
	const struct view *v = &p->view;

	for (int y = top; y < top + p->tile && y < p->height; y++) {
		float j = (float)(p->height - 1 - 2 * y) / 2, d[3], t;

		for (int x = left; x < left + p->tile && x < p->width; x++) {
			float i = (float)(2 * x + 1 - p->width) / 2;
			size_t at = (size_t)y * (size_t)p->width + (size_t)x;

			for (int a = 0; a < 3; a++)
				d[a] = v->along[a] + i * v->right[a] + j * v->up[a];
			t = meet(p, d);
			p->pixels[at] = pixel(p, d, t);
			if (p->depth)
				p->depth[at] = t;
		}
	}
}

static float dot(const float a[3], const float b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The nearest that is drawn at a pixel or beside it: a point of an outline may be beside it. */
static float nearest(const struct picture_of *p, int x, int y)
{
	float least = FAR(p->side);

	for (int j = y - 1; j <= y + 1; j++) {
		for (int i = x - 1; i <= x + 1; i++) {
			if (i >= 0 && j >= 0 && i < p->width && j < p->height)
				least = smaller(least, p->depth[j * p->width + i]);
		}
	}
	return least;
}

int terrain_hidden(const struct picture_of *p, int *seen)
{
	const struct view *v = &p->view;
	int nearer = 0;

	*seen = 0;
	for (int k = 0; k < p->side * p->side; k++) {
		int z = k / p->side;
		float off[3] = { (float)(k - z * p->side) - v->from[0], p->ground[k] - v->from[1],
				 (float)z - v->from[2] };
		float t = dot(off, v->along), i, j;

		if (t < 2 || t > FAR(p->side) * 0.9f)
			continue;
		i = dot(off, v->right) / dot(v->right, v->right) / t + (float)p->width / 2;
		j = (float)p->height / 2 - dot(off, v->up) / dot(v->up, v->up) / t;
		if (i < 0 || j < 0 || i >= (float)p->width || j >= (float)p->height)
			continue;
		*seen += 1;
		nearer += t < nearest(p, (int)i, (int)j) * 0.98f - 1;
	}
	return nearer;
}
