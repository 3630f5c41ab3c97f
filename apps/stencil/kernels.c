/*
 * kernels.c - what each kernel is made of.
 */
#include "rows.h"

#define ROW(name) .row = { row_##name, row_##name##_scalar }
#define BORDER(z) .begin = { z, 1, 1 }, .end = { z, 1, 1 }
#define SECTIONS(name)                            \
	.section = { [PLAIN] = name " plain",     \
		     [MANAGER] = name " manager", \
		     [DIRECT] = name " direct",   \
		     [TILED] = name " tiled" }

static const struct pass madd[] = { {
	ROW(madd),
	.n_in = 3,
	.in = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } },
	.out = 2,
} };

#define AROUND_2D                                                                         \
	.n_in = 3, .in = { { 0, 0, -1 }, { 0, 0, 0 }, { 0, 0, 1 } }, .out = 1, .left = 1, \
	.right = 1, BORDER(0)

static const struct pass five[] = { { ROW(five), AROUND_2D, .k = { 0.5, 0.125 } } };
static const struct pass nine[] = { { ROW(nine), AROUND_2D, .k = { 0.5, 0.1, 0.025 } } };
static const struct pass heat[] = { { ROW(heat), AROUND_2D, .k = { 0.125 } } };
static const struct pass jacobi[] = { { ROW(jacobi), AROUND_2D, .k = { 0.2 } } };

static const struct pass seven[] = { {
	ROW(seven),
	.n_in = 5,
	.in = { { 0, -1, 0 }, { 0, 0, -1 }, { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } },
	.out = 1,
	.left = 1,
	.right = 1,
	BORDER(1),
	.k = { 0.4, 0.1 },
} };

static const struct pass twenty_seven[] = { {
	ROW(twenty_seven),
	.n_in = 9,
	.in = { { 0, -1, -1 },
		{ 0, -1, 0 },
		{ 0, -1, 1 },
		{ 0, 0, -1 },
		{ 0, 0, 0 },
		{ 0, 0, 1 },
		{ 0, 1, -1 },
		{ 0, 1, 0 },
		{ 0, 1, 1 } },
	.out = 1,
	.left = 1,
	.right = 1,
	BORDER(1),
	.k = { 0.35, 0.025 },
} };

/* Arrays: ex, ey, hz. The first constant of the first pass is the step's number. */
static const struct pass fdtd[] = {
	{ ROW(fdtd_edge), .out = 1, .first_row_alone = true },
	{ ROW(fdtd_y), .n_in = 3, .in = { { 1, 0, 0 }, { 2, 0, -1 }, { 2, 0, 0 } }, .out = 1,
	  .begin = { 0, 1, 0 }, .k = { 0.5 } },
	{ ROW(fdtd_x), .n_in = 2, .in = { { 0, 0, 0 }, { 2, 0, 0 } }, .out = 0, .left = 1,
	  .begin = { 0, 0, 1 }, .k = { 0.5 } },
	{ ROW(fdtd_z), .n_in = 4, .in = { { 2, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 1, 0, 1 } },
	  .out = 2, .right = 1, .end = { 0, 1, 1 }, .k = { 0.7 } },
};

/* Of miniWeather: one of each of its three types. */
static const struct pass shift[] = { {
	ROW(shift),
	.n_in = 1,
	.in = { { 0, 0, 0 } },
	.out = 1,
	.left = 2,
	.begin = { 0, 0, 2 },
} };

static const struct pass apply[] = { {
	ROW(apply),
	.n_in = 2,
	.in = { { 0, 0, 0 }, { 1, 0, 0 } },
	.out = 2,
	.k = { 0.5 },
} };

/* Arrays: density, momentum, flux of momentum. */
static const struct pass flux[] = { {
	ROW(flux),
	.n_in = 2,
	.in = { { 0, 0, 0 }, { 1, 0, 0 } },
	.out = 2,
	.left = 2,
	.right = 1,
	.begin = { 0, 0, 2 },
	.end = { 0, 0, 1 },
	.k = { 7, 1.0 / 12, 0.25 },
} };

const struct kernel kernels[KERNELS] = {
	{ "madd", 2, 3, false, 1, madd, plain_madd, SECTIONS("madd") },
	{ "5-point", 2, 2, true, 1, five, plain_five, SECTIONS("5-point") },
	{ "9-point", 2, 2, true, 1, nine, plain_nine, SECTIONS("9-point") },
	{ "heat-2d", 2, 2, true, 1, heat, plain_heat, SECTIONS("heat-2d") },
	{ "jacobi-2d", 2, 2, true, 1, jacobi, plain_jacobi, SECTIONS("jacobi-2d") },
	{ "fdtd-2d", 2, 3, false, 4, fdtd, plain_fdtd, SECTIONS("fdtd-2d") },
	{ "7-point", 3, 2, true, 1, seven, plain_seven, SECTIONS("7-point") },
	{ "27-point", 3, 2, true, 1, twenty_seven, plain_twenty_seven, SECTIONS("27-point") },
	{ "shift", 2, 2, false, 1, shift, plain_shift, SECTIONS("shift") },
	{ "apply", 2, 3, false, 1, apply, plain_apply, SECTIONS("apply") },
	{ "flux", 2, 3, false, 1, flux, plain_flux, SECTIONS("flux") },
};
