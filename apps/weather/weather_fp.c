/*
 * weather_fp.c - what the air in a tile does in a part of a step: finite volumes, with values at
 * the edges of cells from four cells around (fourth order), and a damping in proportion to the
 * third difference, which keeps the field smooth (hyperviscosity).
 *
 * All cells are computed by vectors, what a line has too few of are computed for nothing: so a
 * cell's result does not depend on where its tile begins and ends, and is the same to the bit on
 * any number of harts.
 */
#include <math.h>

#include <cohart/vector.h>

#include "weather.h"

/* Values at an edge, and third differences, of as many edges as a vector has lanes. */
struct edge {
	co_f64x2 value[VARS], third[VARS];
};

/* From the four cells around: p[0], p[step], ... of each variable. */
static inline void edge_of(struct edge *e, const double *p, size_t var, size_t step,
			   const struct numbers *k)
{
	for (unsigned v = 0; v < VARS; v++, p += var) {
		co_f64x2 a = co_f64x2_load(p), b = co_f64x2_load(p + step);
		co_f64x2 c = co_f64x2_load(p + 2 * step), d = co_f64x2_load(p + 3 * step);

		e->value[v] = k->seven_12ths * (b + c) - k->one_12th * (a + d);
		e->third[v] = k->three * (b - c) + (d - a);
	}
}

/*
 * (1 + x)^gamma - 1: the pressure's deviation, by the binomial series, which is exact to the last
 * bits for such x as weather has; beyond that the library is asked.
 */
static inline co_f64x2 power_less_1(co_f64x2 x, const struct numbers *k)
{
	co_f64x2 s = co_f64x2_splat(k->one);

	for (unsigned i = TERMS; i >= 2; i--)
		s = k->series[i] * x * s + k->one;
	s = k->gamma * x * s;
	for (unsigned lane = 0; lane < CO_F64_LANES; lane++) {
		if (x[lane] > k->small || x[lane] < -k->small)
			s[lane] = pow(1.0 + x[lane], k->gamma) - 1.0;
	}
	return s;
}

/*
 * What flows through an edge. `with` is the momentum across it, `along` the other one.
 */
static inline void flux_of(const struct edge *e, unsigned with, unsigned along, double dens,
			   double rt, double over_rt, double p, const struct numbers *k,
			   co_f64x2 flux[VARS])
{
	co_f64x2 speed = e->value[with] / (e->value[DENS] + dens);
	co_f64x2 more_p = p * power_less_1(e->value[RHOT] * over_rt, k);

	flux[DENS] = e->value[with] - k->damping * e->third[DENS];
	flux[with] = e->value[with] * speed + more_p - k->damping * e->third[with];
	flux[along] = e->value[along] * speed - k->damping * e->third[along];
	flux[RHOT] = (e->value[RHOT] + rt) * speed - k->damping * e->third[RHOT];
}

/* The wind that makes waves: a push up in a small round place. */
static double push(const struct tile *t, const struct numbers *k, long x, long z)
{
	double a = (((double)x + 0.5) * k->dx - k->x0) / k->radius;
	double b = (((double)z + 0.5) * k->dz - k->z0) / k->radius;
	double far = sqrt(a * a + b * b) * M_PI_2;

	(void)t;
	return far <= M_PI_2 ? 0.01 * cos(far) * cos(far) : 0;
}

static void push_row(const struct tile *t, const struct numbers *k, long row)
{
	double *w = t->state + (size_t)row * t->state_row + WMOM * t->state_var;

	for (long x = 0; k->waves && x < t->cols; x++)
		w[x] += k->dt * push(t, k, t->x + x, t->z + row) * t->rest[row].dens;
}

static void flux_line(double *to, size_t var, const co_f64x2 flux[VARS])
{
	for (unsigned v = 0; v < VARS; v++, to += var)
		co_f64x2_store(to, flux[v]);
}

void sweep_x(const struct tile *t, const struct numbers *k)
{
	size_t var = (size_t)t->cols + 4;

	for (long row = 0; row < t->rows; row++) {
		const double *from = t->from + (size_t)row * t->from_row - HALO;
		double *state = t->state + (size_t)row * t->state_row;
		const double *before = t->before + (size_t)row * t->before_row;
		struct rest rest = t->rest[row];

		for (long i = 0; i <= t->cols; i += CO_F64_LANES) {
			co_f64x2 flux[VARS];
			struct edge e;

			edge_of(&e, from + i, t->from_var, 1, k);
			flux_of(&e, UMOM, WMOM, rest.dens, rest.rt, rest.over_rt, rest.p, k, flux);
			flux_line(t->flux + i, var, flux);
		}
		for (unsigned v = 0; v < VARS; v++) {
			double *s = state + v * t->state_var;
			const double *b = before + v * t->before_var;
			const double *f = t->flux + v * var;

			for (long i = 0; i < t->cols; i += CO_F64_LANES)
				co_f64x2_store(s + i,
					       co_f64x2_load(b + i) +
						       k->minus_dt_d * (co_f64x2_load(f + i + 1) -
									co_f64x2_load(f + i)));
		}
		push_row(t, k, row);
	}
}

/* Fluxes through the lower edges of a row: from the two rows below and the two above them. */
static void flux_below(const struct tile *t, const struct numbers *k, long row, double *to)
{
	const double *from = t->from + ((size_t)row - HALO) * t->from_row;
	struct rest rest = t->rest[row];
	bool solid = (t->bottom && row == 0) || (t->top && row == t->rows);
	size_t var = (size_t)t->cols + 4;

	for (long i = 0; i < t->cols; i += CO_F64_LANES) {
		co_f64x2 flux[VARS];
		struct edge e;

		edge_of(&e, from + i, t->from_var, t->from_row, k);
		if (solid) /* nothing goes through */
			e.value[WMOM] = e.third[DENS] = co_f64x2_splat(0);
		flux_of(&e, WMOM, UMOM, rest.edge_dens, rest.edge_rt, rest.edge_over_rt,
			rest.edge_p, k, flux);
		flux_line(to + i, var, flux);
	}
}

void sweep_z(const struct tile *t, const struct numbers *k)
{
	size_t var = (size_t)t->cols + 4;
	double *below = t->flux, *above = t->flux + VARS * var;

	flux_below(t, k, 0, below);
	for (long row = 0; row < t->rows; row++) {
		const double *dens = t->from + (size_t)row * t->from_row;
		double *state = t->state + (size_t)row * t->state_row;
		const double *before = t->before + (size_t)row * t->before_row;
		double *swap = below;

		flux_below(t, k, row + 1, above);
		for (unsigned v = 0; v < VARS; v++) {
			double *s = state + v * t->state_var;
			const double *b = before + v * t->before_var;

			for (long i = 0; i < t->cols; i += CO_F64_LANES) {
				co_f64x2 more = co_f64x2_load(above + v * var + i) -
						co_f64x2_load(below + v * var + i);

				more = co_f64x2_load(b + i) + k->minus_dt_d * more;
				if (v == WMOM)
					more -= k->dt_g * co_f64x2_load(dens + i);
				co_f64x2_store(s + i, more);
			}
		}
		push_row(t, k, row);
		below = above;
		above = swap;
	}
}

/* INJECTION: what is left of the field is, near the top, a jet of cold air. */
void halo_x(const struct tile *t, double *from, const struct numbers *k)
{
	for (long row = 0; k->jet && t->x == 0 && row < t->rows; row++) {
		double *cells = from + (size_t)row * t->from_row;
		double dens = t->rest[row].dens, rt = t->rest[row].rt;

		if (fabs(((double)(t->z + row) + 0.5) * k->dz - k->jet_z) > k->jet_radius)
			continue;
		for (long i = -HALO; i < 0; i++) {
			double r = cells[i] + dens;

			cells[(long)(UMOM * t->from_var) + i] = r * 50;
			cells[(long)(RHOT * t->from_var) + i] = r * 298 - rt;
		}
	}
}

/* Beyond solid ground: as the row at it, but nothing moves up or down. */
static void halo_row(const struct tile *t, double *from, long row, long edge)
{
	double *to = from + row * (long)t->from_row;
	const double *as = from + edge * (long)t->from_row;
	double u = t->rest[row].dens / t->rest[edge].dens;

	for (long i = 0; i < t->cols; i++) {
		to[DENS * t->from_var + (size_t)i] = as[DENS * t->from_var + (size_t)i];
		to[UMOM * t->from_var + (size_t)i] = as[UMOM * t->from_var + (size_t)i] * u;
		to[WMOM * t->from_var + (size_t)i] = 0;
		to[RHOT * t->from_var + (size_t)i] = as[RHOT * t->from_var + (size_t)i];
	}
}

void halo_z(const struct tile *t, double *from)
{
	for (long i = 1; i <= HALO; i++) {
		if (t->bottom)
			halo_row(t, from, -i, 0);
		if (t->top)
			halo_row(t, from, t->rows - 1 + i, t->rows - 1);
	}
}

void numbers_make(struct numbers *k, const struct field *f, bool z, unsigned over)
{
	double d = z ? f->dz : f->dx, dt = f->dt / over;

	k->seven_12ths = 7.0 / 12;
	k->one_12th = 1.0 / 12;
	k->three = 3.0;
	k->one = 1.0;
	k->damping = -0.05 * d / (16 * dt);
	k->minus_dt_d = -dt / d;
	k->dt = dt;
	k->dt_g = z ? dt * 9.8 : 0;
	k->gamma = 1.40027894002789400278940027894;
	k->small = 0.1;
	for (unsigned i = 2; i <= TERMS; i++)
		k->series[i] = (k->gamma - i + 1) / i;
	k->waves = f->which == GRAVITY_WAVES;
	k->dx = f->dx;
	k->dz = f->dz;
	k->x0 = f->dx * (double)f->nx / 8;
	k->z0 = 1000;
	k->radius = 500;
	k->jet = f->which == INJECTION;
	k->jet_z = 0.75 * f->dz * (double)f->nz;
	k->jet_radius = f->dz * (double)f->nz / 16;
}
