/*
 * volume_fp.c - rays through a field: samples at equal distances, each a value between eight
 * points, its colour and how much goes through it.
 *
 * Both orders add the same samples to a ray, the nearest first: by pixels, each ray through the
 * whole field, or by bricks of the field, each into the pixels that it covers.
 *
 * Source: Levoy, IEEE Computer Graphics and Applications 8 (1988), 29; Marschner and Lobb,
 * Visualization '94, 100 (the signal).
 */
#include <math.h>

#include "machine.h"
#include "render.h"

/* By its series: the library's differs by machine. */
double cosine(double turns)
{
	double x, term = 1, sum = 1;

	turns -= (double)(long)turns;
	turns = turns < 0 ? -turns : turns;
	turns = turns > 0.5 ? 1 - turns : turns;
	x = turns * 6.283185307179586;
	for (int i = 1; i < 26; i += 2) {
		term *= -x * x / (i * (i + 1));
		sum += term;
	}
	return sum;
}

void view_make(struct view *v, double angle, double tilt)
{
	double ca = cosine(angle / 360), sa = cosine(angle / 360 - 0.25);
	double ct = cosine(tilt / 360), st = cosine(tilt / 360 - 0.25);

	*v = (struct view){ .right = { (float)ca, 0, (float)-sa },
			    .up = { (float)(st * sa), (float)ct, (float)(st * ca) },
			    .along = { (float)(ct * sa), (float)-st, (float)(ct * ca) } };
}

void view_fit(struct picture_of *p, double zoom)
{
	struct view *v = &p->view;
	const int *n = p->field.n;
	double far = 0, cells;

	for (int i = 0; i < 3; i++)
		far += (double)(n[i] - 1) * (n[i] - 1);
	far = sqrt(far);
	cells = far / (p->width < p->height ? p->width : p->height) / zoom; /* of a pixel */
	for (int i = 0; i < 3; i++) {
		v->right[i] *= (float)cells;
		v->up[i] *= (float)cells;
		v->from[i] = (float)(n[i] - 1) / 2 - v->along[i] * (float)(far / 2);
		v->along[i] *= STEP;
	}
}

void colours_make(struct colour *colour, unsigned level)
{
	for (int i = 0; i < 256; i++) {
		float opaque, cold = i < 127 ? (float)(127 - i) / 127 : 0;
		float warm = i > 127 && i < 255 ? (float)(i - 127) / 127 : 0;
		float rgb[3] = { 1 - cold, 1 - cold * 0.6f - warm * 0.8f, 1 - warm };

		opaque = (cold + warm) * 0.3f;
		if (level) {
			float up = (float)i / 255;

			opaque = i < (int)level ? 0 : i < (int)level + 8 ? 0.3f : 0.8f;
			rgb[0] = 1 - up * up;
			rgb[1] = 0.8f;
			rgb[2] = 0.3f + 0.7f * up;
		}
		for (int c = 0; c < 3; c++)
			colour[i].light[c] = rgb[c] * opaque;
		colour[i].through = 1 - opaque;
	}
}

void signal_plane(const int n[3], int z, uint8_t *points)
{
	double c = 2.0 * z / (n[2] - 1) - 1;

	for (int y = 0; y < n[1]; y++) {
		double up = 1 - cosine((2.0 * y / (n[1] - 1) - 1) / 4 - 0.25);

		for (int x = 0; x < n[0]; x++) {
			double a = 2.0 * x / (n[0] - 1) - 1;
			double ring = cosine(6 * cosine(sqrt(a * a + c * c) / 4));

			*points++ = (uint8_t)((up + 0.25 * (1 + ring)) / 2.5 * 255);
		}
	}
}

static const uint8_t *brick_at(const struct field *f, int x, int y, int z)
{
	return f->brick + (size_t)((z * f->bricks[1] + y) * f->bricks[0] + x) * BRICK_BYTES;
}

void brick_fill(const struct field *f, const uint8_t *points, int brick)
{
	int bx = brick % f->bricks[0], by = brick / f->bricks[0] % f->bricks[1];
	int bz = brick / f->bricks[0] / f->bricks[1];
	uint8_t *to = f->brick + (size_t)brick * BRICK_BYTES;

	for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
		int x = bx * BRICK + k % SIDE, y = by * BRICK + k / SIDE % SIDE;
		int z = bz * BRICK + k / SIDE / SIDE;

		if (x < f->n[0] && y < f->n[1] && z < f->n[2])
			to[k] = points[((size_t)z * (size_t)f->n[1] + (size_t)y) * (size_t)f->n[0] +
				       (size_t)x];
	}
}

void near_fill(struct near *near, const struct picture_of *p)
{
	near->p = *p;
	near->one = 1;
	near->ambient = 0.25f;
	near->diffuse = 0.75f;
}

/* The value between the points around, and its slope there: light comes from the viewer. */
static inline void add_sample(const struct near *near, const uint8_t *c, const float at[3],
			      struct ray *ray)
{
	const float x = at[0], y = at[1], z = at[2];
	float dx00 = (float)(c[1] - c[0]), dx10 = (float)(c[SIDE + 1] - c[SIDE]);
	float v00 = (float)c[0] + x * dx00, v10 = (float)c[SIDE] + x * dx10;
	float dx01, dx11, v01, v11, low, high, value, slope[3], size, facing, light;
	const struct colour *colour;

	c += SIDE * SIDE;
	dx01 = (float)(c[1] - c[0]);
	dx11 = (float)(c[SIDE + 1] - c[SIDE]);
	v01 = (float)c[0] + x * dx01;
	v11 = (float)c[SIDE] + x * dx11;
	low = v00 + y * (v10 - v00);
	high = v01 + y * (v11 - v01);
	value = low + z * (high - low);
	ray->sum += value;
	colour = &near->p.colour[(int)value];
	if (colour->through >= near->one)
		return;
	dx00 += y * (dx10 - dx00);
	dx01 += y * (dx11 - dx01);
	slope[0] = dx00 + z * (dx01 - dx00);
	slope[1] = (v10 - v00) + z * ((v11 - v01) - (v10 - v00));
	slope[2] = high - low;
	size = slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2];
	light = near->one;
	if (size > 0) {
		/* `along` is a step long. */
		facing = slope[0] * near->p.view.along[0] + slope[1] * near->p.view.along[1] +
			 slope[2] * near->p.view.along[2];
		facing = (facing < 0 ? -facing : facing) / sqrtf(size);
		light = near->ambient + near->diffuse * (facing + facing);
	}
	light *= ray->left;
	for (int i = 0; i < 3; i++)
		ray->light[i] += light * colour->light[i];
	ray->left *= colour->through;
}

#define LEVEL 1e-3f /* of a ray's step: along an axis it is nearly level */

/* The samples of a ray in a box of cells: from one brick, or (NULL) from any. */
static void march(const struct near *near, const uint8_t *brick, const int low[3],
		  const int high[3], const float from[3], struct ray *ray)
{
	const float *along = near->p.view.along;
	float first = 0, last = 1e6f, bottom[3], top[3];

	for (int i = 0; i < 3; i++) {
		float a, b;

		bottom[i] = (float)low[i];
		top[i] = (float)high[i];
		/* Rounding of `from` would be many samples then: what is in the box decides. */
		if (along[i] < LEVEL && along[i] > -LEVEL)
			continue;
		a = (bottom[i] - from[i]) / along[i];
		b = (top[i] - from[i]) / along[i];
		first = larger(first, smaller(a, b));
		last = smaller(last, larger(a, b));
	}
	if (last < first)
		return;
	/* Rounding may take one too many on each side: what is in the box decides. */
	for (int k = (int)first - 1; k <= (int)last + 1 && ray->left > near->p.least; k++) {
		float at[3];
		int cell[3];
		bool in = true;

		for (int i = 0; i < 3; i++) {
			at[i] = from[i] + (float)k * along[i];
			in &= at[i] >= bottom[i] && at[i] < top[i];
			cell[i] = (int)at[i];
			at[i] -= (float)cell[i];
		}
		if (in)
			add_sample(near,
				   (brick ? brick
					  : brick_at(&near->p.field, cell[0] / BRICK,
						     cell[1] / BRICK, cell[2] / BRICK)) +
					   (cell[2] % BRICK * SIDE + cell[1] % BRICK) * SIDE +
					   cell[0] % BRICK,
				   at, ray);
	}
}

struct tile {
	int left, top, wide, high;
};

static void march_all(struct near *near, const struct tile *t, const uint8_t *brick,
		      const int low[3], const int high[3])
{
	const struct picture_of *p = &near->p;
	const struct view *v = &p->view;

	for (int y = 0; y < t->high; y++) {
		float j = (float)(p->height - 1 - 2 * (t->top + y)) / 2;

		for (int x = 0; x < t->wide; x++) {
			float i = (float)(2 * (t->left + x) + 1 - p->width) / 2, from[3];

			for (int a = 0; a < 3; a++)
				from[a] = v->from[a] + i * v->right[a] + j * v->up[a];
			march(near, brick, low, high, from, &near->ray[y * TILE + x]);
		}
	}
}

/* Does a brick cover some of a tile? By the sphere around it. */
static bool covers(const struct picture_of *p, const struct tile *t, const int low[3])
{
	const struct view *v = &p->view;
	float i = 0, j = 0, size = 0, i_off, j_off, half = (float)BRICK / 2;

	for (int a = 0; a < 3; a++) {
		float off = (float)low[a] + half - v->from[a];

		i += off * v->right[a];
		j += off * v->up[a];
		size += v->right[a] * v->right[a];
	}
	i_off = i / size + (float)(p->width - 2 * t->left - t->wide) / 2;
	j_off = j / size - (float)(p->height - 2 * t->top - t->high) / 2;
	half = half * 1.7321f / sqrtf(size) + 1;
	return fabsf(i_off) <= half + (float)t->wide / 2 &&
	       fabsf(j_off) <= half + (float)t->high / 2;
}

/* The nearest bricks first. */
static bool by_bricks(struct near *near, const struct tile *t)
{
	const struct field *f = &near->p.field;
	const float *along = near->p.view.along;
	int at[3], low[3], high[3];

	for (int k = 0; k < f->bricks[0] * f->bricks[1] * f->bricks[2]; k++) {
		at[0] = k % f->bricks[0];
		at[1] = k / f->bricks[0] % f->bricks[1];
		at[2] = k / f->bricks[0] / f->bricks[1];
		for (int a = 0; a < 3; a++) {
			at[a] = along[a] < 0 ? f->bricks[a] - 1 - at[a] : at[a];
			low[a] = at[a] * BRICK;
			high[a] = low[a] + BRICK < f->n[a] - 1 ? low[a] + BRICK : f->n[a] - 1;
		}
		if (!covers(&near->p, t, low))
			continue;
		if (co_dma_copy(near->brick, brick_at(f, at[0], at[1], at[2]), BRICK_BYTES))
			return false;
		march_all(near, t, near->brick, low, high);
	}
	return true;
}

bool volume_tile(struct near *near, int left, int top)
{
	const struct picture_of *p = &near->p;
	const struct tile t = { left, top, p->width - left < p->tile ? p->width - left : p->tile,
				p->height - top < p->tile ? p->height - top : p->tile };
	const int *n = near->p.field.n, high[3] = { n[0] - 1, n[1] - 1, n[2] - 1 };

	for (int k = 0; k < t.high * TILE; k++)
		near->ray[k] = (struct ray){ .left = near->one };
	if (p->order == IMAGE)
		march_all(near, &t, NULL, (const int[3]){ 0, 0, 0 }, high);
	else if (!by_bricks(near, &t))
		return false;
	for (int y = 0; y < t.high; y++) {
		for (int x = 0; x < t.wide; x++) {
			const struct ray *ray = &near->ray[y * TILE + x];
			size_t at = (size_t)(t.top + y) * (size_t)p->width + (size_t)(t.left + x);
			uint32_t rgb = 0;

			/* On a dark ground. */
			for (int c = 0; c < 3; c++) {
				float light = (ray->light[c] + ray->left * 0.1f) * 255;

				rgb = rgb << 8 | (light < 255 ? (uint32_t)light : 255);
			}
			p->pixels[at] = rgb;
			if (p->depth)
				p->depth[at] = ray->sum;
		}
	}
	return true;
}

/* The field's sum between its points: those at a side have half of a cell along that axis. */
double points_sum(const int n[3], const uint8_t *points)
{
	double sum = 0;

	for (int z = 0; z < n[2]; z++) {
		for (int y = 0; y < n[1]; y++) {
			double half = (z % (n[2] - 1) ? 1 : 0.5) * (y % (n[1] - 1) ? 1 : 0.5);

			for (int x = 0; x < n[0]; x++)
				sum += half * (x % (n[0] - 1) ? 1 : 0.5) * *points++;
		}
	}
	return sum;
}

/* The same sum as the picture has it: rays that go through all see all, from everywhere. */
double volume_seen(const struct picture_of *p)
{
	double seen = 0, pixel = 0;

	for (size_t i = 0; i < (size_t)p->width * (size_t)p->height; i++)
		seen += (double)p->depth[i];
	for (int a = 0; a < 3; a++)
		pixel += (double)(p->view.right[a] * p->view.right[a]);
	return seen * (double)STEP * pixel;
}
