/*
 * ways.c - a pass on one hart, and by all compute harts that read and write main memory.
 */
#include "stencil.h"

void pass_range(const struct pass *p, const struct space *s, long from[AXES], long to[AXES])
{
	for (unsigned d = 0; d < AXES; d++) {
		from[d] = p->begin[d];
		to[d] = s->n[d] - p->end[d];
	}
	if (p->first_row_alone)
		to[Y] = 1;
}

/* The box of a pass, where it lies. */
static void do_box(const struct pass *p, const struct space *s, bool scalar, const long from[AXES],
		   const long to[AXES])
{
	const double *in[ROWS_MAX];

	for (long z = from[Z]; z < to[Z]; z++) {
		for (long y = from[Y]; y < to[Y]; y++) {
			for (unsigned i = 0; i < p->n_in; i++)
				in[i] = s->array[p->in[i].array] +
					at(s, z + p->in[i].dz, y + p->in[i].dy, from[X]);
			p->row[scalar](s->array[p->out] + at(s, z, y, from[X]), in,
				       (size_t)(to[X] - from[X]), p->k);
		}
	}
}

void pass_alone(const struct pass *p, const struct space *s, const struct setup *how)
{
	long from[AXES], to[AXES];

	pass_range(p, s, from, to);
	do_box(p, s, how->scalar, from, to);
}

static struct {
	struct pass pass;
	struct space space;
	bool scalar;
	struct co_parallel loop;
} direct;

/* A hart without a cache reads what says how but once. */
static int body(void *arg, struct co_part *part)
{
	struct pass pass = direct.pass;
	struct space space = direct.space;

	(void)arg;
	do_box(&pass, &space, direct.scalar, part->from, part->to);
	return 0;
}

int pass_direct(const struct pass *p, const struct space *s, const struct setup *how)
{
	long from[AXES], to[AXES];

	pass_range(p, s, from, to);
	direct.pass = *p;
	direct.space = *s;
	direct.scalar = how->scalar;
	direct.loop = (struct co_parallel){ .name = "stencil, direct",
					    .body = body,
					    .dims = AXES,
					    .schedule = how->schedule,
					    .block = how->block };
	for (unsigned d = 0; d < AXES; d++)
		direct.loop.range[d] = (struct co_range){ from[d], to[d], 1 };
	return co_parallel_for(&direct.loop);
}
