/*
 * flow_fp.c - an incompressible flow, in a box of side 2 pi that repeats, by its Fourier modes.
 *
 * The nonlinear term is u x curl u, less its gradient part; it is multiplied in space, and modes
 * with a wave number of n / 3 or more are left out, so that no product comes back as another mode
 * (Orszag's rule of two thirds). Steps are Runge and Kutta's of fourth order, and viscosity is
 * integrated exactly.
 *
 * Source: seed E14; Orszag, Patterson, Physical Review Letters 28 (1972), 76; Taylor, Green,
 * Proceedings of the Royal Society A 158 (1937), 499.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../common/machine.h"
#include "turbulence.h"

struct mode {
	int k[3], square; /* of k */
	bool kept;
	uint64_t place; /* in the whole grid */
};

static int modes(const struct box *b)
{
	return b->x.n * b->wave_y.n * b->n;
}

/* The mode at this place of the rank's arrays. */
static struct mode mode_at(const struct box *b, int i)
{
	int z = i % b->n, y = i / b->n % b->wave_y.n + b->wave_y.from;
	int x = i / b->n / b->wave_y.n + b->x.from;
	struct mode m = { .k = { wave(x, b->n), wave(y, b->n), wave(z, b->n) }, .kept = true };

	for (int d = 0; d < 3; d++) {
		m.square += m.k[d] * m.k[d];
		m.kept &= 3 * abs(m.k[d]) < b->n;
	}
	m.place = ((uint64_t)x * GRID_MOST + (uint64_t)y) * GRID_MOST + (uint64_t)z;
	return m;
}

static struct z times_i(double k, struct z v)
{
	return (struct z){ -k * v.im, k * v.re };
}

/* a + i b */
static struct z pair(struct z a, struct z b)
{
	return (struct z){ a.re - b.im, a.im + b.re };
}

/*
 * Of the velocity w, by modes, to velocity and vorticity in space: what is real in space shares an
 * array with another. Then w[0] is ux and uy, w[1] uz and the vorticity's x, w[2] its y and z.
 */
static void to_velocities(struct flow *f)
{
	struct box *b = &f->box;

	for (int i = 0; i < modes(b); i++) {
		const struct mode m = mode_at(b, i);
		struct z u = f->w[0][i], v = f->w[1][i], w = f->w[2][i];
		int x = m.k[0], y = m.k[1], z = m.k[2];

		f->w[0][i] = pair(u, v);
		f->w[1][i] = pair(w, sub(times_i(y, w), times_i(z, v)));
		f->w[2][i] =
			pair(sub(times_i(z, u), times_i(x, w)), sub(times_i(x, v), times_i(y, u)));
	}
	for (int d = 0; d < 3; d++)
		to_space(b, &f->w[d]);
}

/* w becomes the slope of the velocity w but for viscosity. */
static void slope(struct flow *f)
{
	struct box *b = &f->box;
	int n = b->z.n * b->y.n * b->n;

	to_velocities(f);
	for (int i = 0; i < n; i++) {
		double u = f->w[0][i].re, v = f->w[0][i].im, w = f->w[1][i].re;
		double x = f->w[1][i].im, y = f->w[2][i].re, z = f->w[2][i].im;

		f->w[0][i] = (struct z){ v * z - w * y, 0 };
		f->w[1][i] = (struct z){ w * x - u * z, 0 };
		f->w[2][i] = (struct z){ u * y - v * x, 0 };
	}
	for (int d = 0; d < 3; d++)
		to_waves(b, &f->w[d]);
	for (int i = 0; i < modes(b); i++) {
		const struct mode m = mode_at(b, i);
		struct z along = { 0, 0 };

		for (int d = 0; d < 3; d++) {
			along.re += m.k[d] * f->w[d][i].re;
			along.im += m.k[d] * f->w[d][i].im;
		}
		for (int d = 0; d < 3; d++) {
			struct z *w = &f->w[d][i];
			double k = m.square ? (double)m.k[d] / m.square : 0;

			w->re = m.kept && m.square ? w->re - k * along.re : 0;
			w->im = m.kept && m.square ? w->im - k * along.im : 0;
		}
	}
}

/* Of a stage: sum = A u + B sum + C w, then w = D u + E w; each may decay for 0 to 2 half steps. */
struct stage {
	double u_sum, sum, w_sum, u, w;
	int decay_u_sum, decay_w_sum, decay_u, decay_w;
};

static double combine(const struct stage *s, const double *decay, double h, double u, double *sum,
		      double w)
{
	*sum = s->u_sum * decay[s->decay_u_sum] * u + s->sum * *sum +
	       s->w_sum * h * decay[s->decay_w_sum] * w;
	return s->u * decay[s->decay_u] * u + s->w * h * decay[s->decay_w] * w;
}

void flow_step(struct flow *f)
{
	/* On the stack, which can be in a scratchpad: all modes read it. */
	const struct stage stages[4] = {
		{ 1, 0, 1.0 / 6, 1, 0.5, 2, 2, 1, 1 },
		{ 0, 1, 1.0 / 3, 1, 0.5, 0, 1, 1, 0 },
		{ 0, 1, 1.0 / 3, 1, 1, 0, 1, 2, 1 },
		{ 0, 1, 1.0 / 6, 0, 0, 0, 0, 0, 0 },
	};
	struct box *b = &f->box;

	for (int d = 0; d < 3; d++)
		memcpy(f->w[d], f->u[d], b->room * sizeof(struct z));
	for (int k = 0; k < 4; k++) {
		slope(f);
		for (int i = 0; i < modes(b); i++) {
			const struct mode m = mode_at(b, i);
			double half = m.kept ? f->decay[m.square] : 0;
			const double decay[3] = { 1, half, half * half };

			for (int d = 0; d < 3; d++) {
				struct z u = f->u[d][i], *sum = &f->sum[d][i];
				struct z *w = &f->w[d][i];

				w->re = combine(&stages[k], decay, f->step, u.re, &sum->re, w->re);
				w->im = combine(&stages[k], decay, f->step, u.im, &sum->im, w->im);
			}
		}
	}
	for (int d = 0; d < 3; d++)
		memcpy(f->u[d], f->sum[d], b->room * sizeof(struct z));
}

/* A number of these bits and their place, as good as drawn. */
static uint64_t mix(double value, uint64_t place)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = (bits ^ place * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	return (bits ^ bits >> 31) * 0x94d049bb133111ebu;
}

void flow_state(struct flow *f, struct state *s)
{
	struct box *b = &f->box;
	uint64_t hash = 0;
	double divergence = 0;

	memset(s, 0, sizeof(*s));
	for (int i = 0; i < modes(b); i++) {
		const struct mode m = mode_at(b, i);
		double re = 0, im = 0, all = 0;
		int64_t energy;

		for (int d = 0; d < 3; d++) {
			struct z u = f->u[d][i];

			all += u.re * u.re + u.im * u.im;
			re += m.k[d] * u.re;
			im += m.k[d] * u.im;
			hash += mix(u.re, m.place * 8 + (unsigned)d) +
				mix(u.im, m.place * 8 + 4 + (unsigned)d);
		}
		if (!(all < 1)) { /* or it is not a number */
			s->wild++;
			continue;
		}
		energy = (int64_t)rint(all / 2 / ENERGY_UNIT);
		s->energy += energy;
		s->enstrophy += (int64_t)rint(all / 2 * m.square / ENSTROPHY_UNIT);
		s->spectrum[(int)(sqrt(m.square) + 0.5)] += energy;
		divergence = fmax(divergence, fmax(fabs(re), fabs(im)));
	}
	s->hash = (int64_t)hash;
	MPI_Allreduce(MPI_IN_PLACE, s, (int)(offsetof(struct state, divergence) / sizeof(int64_t)),
		      MPI_INT64_T, MPI_SUM, b->comm);
	MPI_Allreduce(&divergence, &s->divergence, 1, MPI_DOUBLE, MPI_MAX, b->comm);
}

void flow_slice(struct flow *f, double *plane)
{
	struct box *b = &f->box;
	int n = b->n, z = n / 4 - b->z.from;
	double *mine = calloc((size_t)n * (size_t)n, sizeof(*mine));

	if (!mine) {
		MPI_Abort(b->comm, 1);
		return;
	}
	for (int d = 0; d < 3; d++)
		memcpy(f->w[d], f->u[d], b->room * sizeof(struct z));
	to_velocities(f);
	for (int i = 0; z >= 0 && z < b->z.n && i < b->y.n * n; i++) {
		int at = z * b->y.n * n + i;
		double x = f->w[1][at].im, y = f->w[2][at].re, w = f->w[2][at].im;

		mine[b->y.from * n + i] = sqrt(x * x + y * y + w * w);
	}
	MPI_Reduce(mine, plane, n * n, MPI_DOUBLE, MPI_SUM, 0, b->comm);
	free(mine);
}

/* exp(x) for x from -0.05 to 0, the same for all: see root_of_one(). */
static double small_exp(double x)
{
	double sum = 1, term = 1;

	for (int i = 1; i < 12; i++)
		sum += term *= x / i;
	return sum;
}

/*
 * u = sin x cos y cos z, v = -cos x sin y cos z: eight modes, +-i / 8 each. x and y are a 16th and
 * three of a turn off, or all modes would be imaginary for ever, and half of what is computed 0.
 */
static void begin(struct flow *f)
{
	struct box *b = &f->box;

	for (int i = 0; i < modes(b); i++) {
		const struct mode m = mode_at(b, i);
		bool one = m.square == 3 && abs(m.k[0]) == 1 && abs(m.k[1]) == 1;
		struct z off = { 0, 0 };

		if (one) {
			off = root_of_one((16 + m.k[0] + 3 * m.k[1]) & 15, 16);
			off = (struct z){ off.re / 8, off.im / 8 };
		}
		f->u[0][i] = times_i(-m.k[0], off);
		f->u[1][i] = times_i(m.k[1], off);
		f->u[2][i] = (struct z){ 0, 0 };
	}
}

const char *flow_init(struct flow *f, int n, double viscosity, double step, MPI_Comm comm)
{
	const char *wrong = box_init(&f->box, n, comm);
	int most = (n - 1) / 3, squares = 3 * most * most + 1, good;

	if (wrong)
		return wrong;
	f->step = step;
	f->decay = get_memory((size_t)squares * sizeof(*f->decay));
	f->u[0] = get_memory(9 * f->box.room * sizeof(struct z));
	good = f->u[0] && f->decay;
	MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
	if (!good || !f->u[0] || !f->decay)
		return "no memory for the grid";
	for (int d = 0; d < 3; d++) {
		f->u[d] = f->u[0] + 3 * (size_t)d * f->box.room;
		f->sum[d] = f->u[d] + f->box.room;
		f->w[d] = f->sum[d] + f->box.room;
	}
	f->decay[0] = 1;
	f->decay[1] = small_exp(-viscosity * step / 2);
	for (int k = 2; k < squares; k++)
		f->decay[k] = f->decay[k - 1] * f->decay[1];
	begin(f);
	return NULL;
}
