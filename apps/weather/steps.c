/*
 * steps.c - steps by all compute harts: each has its tiles, brings one after the other into its
 * scratchpad, the next while it works on this one, and waits for the others after each part of a
 * step.
 *
 * A step goes along one axis and then along the other, in turn; along each it is made of three
 * parts (Runge and Kutta's, with a third, a half and all of the time). Each part reads one field
 * with its halo and writes another; the harts start once for all steps, and a barrier is between
 * parts.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "weather.h"

#define PARTS 6
#define BUFFERS 3
#define OWN_COST 60 /* cells that a tile costs beside its own */

enum { FROM, LEFT, RIGHT, REST, STATE, OUT, MOVES };

/* What is the same for all. */
static struct plan {
	struct field field;
	long rows, cols;   /* of a tile */
	long down, across; /* tiles */
	unsigned first, steps;
	long harts;
	bool alone; /* a hart by itself, which copies and waits for nobody */
} plan;

static struct co_parallel loop;
static struct co_a32 failed; /* somebody has no room for tiles */

/* A hart's own. */
struct mine {
	struct plan plan;              /* a copy: one read of main memory */
	struct numbers numbers[PARTS]; /* x: a third, a half, all; z */
	double *from[2], *state[BUFFERS], *flux;
	struct rest *rest[2];
	const struct rest *rest_near; /* all rows of it; NULL: a tile brings its own */
	struct co_dma *moves;         /* BUFFERS x MOVES */
	size_t var[2];                /* from a line to the next: of `from`, of `state` */
	unsigned part;
	double *source, *before, *into; /* of this part: fields in main memory */
};

/* ---- Tiles ---- */

static long even(long n)
{
	return n + (n & 1);
}

static size_t from_bytes(long rows, long cols)
{
	long x = rows * VARS * (even(cols) + 6), z = (rows + 2 * HALO) * VARS * (even(cols) + 6);

	return (size_t)(x > z ? x : z) * sizeof(double) + 64;
}

static size_t state_bytes(long rows, long cols)
{
	return (size_t)(rows * VARS * even(cols)) * sizeof(double) + 64;
}

static size_t need(long rows, long cols)
{
	return 2 * from_bytes(rows, cols) + BUFFERS * state_bytes(rows, cols) +
	       2 * VARS * (size_t)(cols + 4) * sizeof(double) +
	       2 * (size_t)(rows + 2 * HALO) * sizeof(struct rest) +
	       BUFFERS * MOVES * sizeof(struct co_dma) + sizeof(struct mine) + 16 * 64;
}

/*
 * The tiles that let the busiest hart be ready first. None has a single row or column, not even the
 * last: its neighbour's halo would reach across it. Returns 0 or -ENOMEM.
 */
static int choose_tiles(struct plan *p, size_t room)
{
	size_t most = p->field.buffer ? p->field.buffer : room;
	long best = 0;

	for (long rows = HALO; rows <= 32 && rows <= p->field.nz; rows++) {
		for (long cols = 4; cols <= p->field.nx; cols += 2) {
			long down = (p->field.nz + rows - 1) / rows;
			long across = (p->field.nx + cols - 1) / cols;
			long each = (down * across + p->harts - 1) / p->harts;
			long cost = each * ((rows + 1) * cols + rows * (cols + 2) + OWN_COST);

			if (need(rows, cols) > room || from_bytes(rows, cols) > most)
				break;
			if ((best && cost >= best) || p->field.nz % rows == 1 ||
			    p->field.nx % cols == 1)
				continue;
			best = cost;
			p->rows = rows;
			p->cols = cols;
			p->down = down;
			p->across = across;
		}
	}
	return best ? 0 : -ENOMEM;
}

/* No cell around it is beyond the field. */
static bool is_inner(const struct field *f, const struct tile *t, bool z)
{
	return z ? !t->bottom && !t->top : t->x > 0 && t->x + t->cols < f->nx;
}

/* One hart by itself computes where the fields lie; at their edges it reads a copy. */
static void put_in_place(const struct mine *m, struct tile *t, bool z)
{
	const struct field *f = &m->plan.field;
	size_t first = line_of(f, t->z, 0) + (size_t)t->x, var = (size_t)f->nx;

	t->state = m->into + first;
	t->before = m->before + first;
	t->state_var = t->before_var = var;
	t->state_row = t->before_row = VARS * var;
	t->rest = f->rest + t->z;
	if (!is_inner(f, t, z))
		return;
	t->from = m->source + first;
	t->from_var = var;
	t->from_row = VARS * var;
}

/* Tile number t: where it is, and in which buffers. */
static struct tile tile_of(const struct mine *m, long t, bool z)
{
	const struct plan *p = &m->plan;
	struct tile tile = { .x = t % p->across * p->cols, .z = t / p->across * p->rows };

	tile.cols = p->field.nx - tile.x < p->cols ? p->field.nx - tile.x : p->cols;
	tile.rows = p->field.nz - tile.z < p->rows ? p->field.nz - tile.z : p->rows;
	tile.bottom = tile.z == 0;
	tile.top = tile.z + tile.rows == p->field.nz;
	tile.from_var = m->var[0];
	tile.from_row = VARS * m->var[0];
	tile.from = m->from[t % 2] + HALO + (z ? HALO * tile.from_row : 0);
	tile.state_var = m->var[1];
	tile.state_row = VARS * m->var[1];
	tile.state = m->state[t % BUFFERS];
	tile.before = tile.state;
	tile.before_var = tile.state_var;
	tile.before_row = tile.state_row;
	tile.rest = m->rest_near ? m->rest_near + HALO + tile.z : m->rest[t % 2] + HALO;
	tile.flux = m->flux;
	if (p->alone)
		put_in_place(m, &tile, z);
	return tile;
}

/* ---- Moving ---- */

/*
 * One hart by itself copies what is at the edges. Not by memcpy(), which goes by bytes where the C
 * library is built for size.
 */
static int copy(const struct co_dma *d)
{
	for (size_t row = 0; row < d->rows; row++) {
		const uint64_t *from = (const void *)((const char *)d->from + row * d->from_stride);
		uint64_t *to = (void *)((char *)d->to + row * d->to_stride);

		for (size_t i = 0; i < d->bytes / sizeof(*to); i++) {
			to[i] = from[i];
			__asm__ volatile(""); /* a loop that compilers do not take for memcpy() */
		}
	}
	return 0;
}

static struct co_dma *move_of(const struct mine *m, long t, unsigned which)
{
	return &m->moves[(unsigned long)t % BUFFERS * MOVES + which];
}

/* Begin to move `lines` lines of `cells` cells. */
static int move(struct mine *m, long t, unsigned which, struct co_dma how, long lines, long cells)
{
	struct co_dma *d = move_of(m, t, which);

	how.rows = (size_t)lines;
	how.bytes = (size_t)cells * sizeof(double);
	*d = how;
	return m->plan.alone ? copy(d) : co_dma_start(d);
}

/* The cells of a tile with those around them. In x the field is round. */
static int fetch_from(struct mine *m, long t, const struct tile *tile, bool z)
{
	const struct field *f = &m->plan.field;
	long low = tile->z - (z && !tile->bottom ? HALO : 0);
	long rows = tile->z + tile->rows + (z && !tile->top ? HALO : 0) - low;
	long left = z || tile->x == 0 ? 0 : HALO;
	long right = z || tile->x + tile->cols == f->nx ? 0 : HALO;
	const double *row = m->source + line_of(f, low, 0);
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): buffers are its own */
	double *to = (double *)tile->from - (tile->z - low) * (long)tile->from_row;
	struct co_dma how = { .from_stride = (size_t)f->nx * sizeof(double),
			      .to_stride = tile->from_var * sizeof(double) };
	int r;

	how.to = to - left;
	how.from = row + tile->x - left;
	r = move(m, t, FROM, how, rows * VARS, left + tile->cols + right);
	if (r == 0 && !z && !left) {
		how.to = to - HALO;
		how.from = row + f->nx - HALO;
		r = move(m, t, LEFT, how, rows * VARS, HALO);
	}
	if (r == 0 && !z && !right) {
		how.to = to + tile->cols;
		how.from = row;
		r = move(m, t, RIGHT, how, rows * VARS, HALO);
	}
	return r;
}

static struct co_dma state_move(const struct mine *m, const struct tile *t, double *main, bool out)
{
	const struct field *f = &m->plan.field;
	size_t wide = (size_t)f->nx * sizeof(double), tight = t->state_var * sizeof(double);
	double *there = main + line_of(f, t->z, 0) + t->x;

	return out ? (struct co_dma){ .to = there,
				      .from = t->state,
				      .to_stride = wide,
				      .from_stride = tight }
		   : (struct co_dma){
			     .to = t->state, .from = there, .to_stride = tight, .from_stride = wide
		     };
}

static int fetch(struct mine *m, long t, bool z)
{
	struct tile tile = tile_of(m, t, z);
	size_t rest = (size_t)(tile.rows + 2 * HALO) * sizeof(struct rest);
	int r;

	if (m->plan.alone)
		return is_inner(&m->plan.field, &tile, z) ? 0 : fetch_from(m, t, &tile, z);
	for (unsigned i = FROM; i <= STATE; i++)
		move_of(m, t, i)->bytes = 0;
	r = fetch_from(m, t, &tile, z);
	if (r == 0 && !m->rest_near)
		r = move(m, t, REST,
			 (struct co_dma){ .to = m->rest[t % 2],
					  .from = m->plan.field.rest + tile.z - HALO,
					  .to_stride = rest,
					  .from_stride = rest },
			 1, (long)(rest / sizeof(double)));
	if (r == 0)
		r = move(m, t, STATE, state_move(m, &tile, m->before, false), tile.rows * VARS,
			 tile.cols);
	return r;
}

/* Wait for the moves first..last of a tile that have begun. */
static int settle(struct mine *m, long t, unsigned first, unsigned last)
{
	int r = 0;

	for (unsigned i = first; i <= last && !m->plan.alone; i++) {
		struct co_dma *d = move_of(m, t, i);
		int e = d->bytes ? co_dma_wait(d) : 0;

		r = r ? r : e;
	}
	return r;
}

/* ---- A part of a step ---- */

static uint64_t start(const struct mine *m, const char *name)
{
	return m->plan.field.timers ? co_stopwatch_start(name) : 0;
}

static void stop(const struct mine *m, const char *name, uint64_t since)
{
	if (m->plan.field.timers)
		co_stopwatch_stop(name, since);
}

static void compute(struct mine *m, long t, bool z)
{
	const char *name = z ? "along z" : "along x";
	struct tile tile = tile_of(m, t, z);
	uint64_t since = start(m, name);

	if (z) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		halo_z(&tile, (double *)tile.from);
		sweep_z(&tile, &m->numbers[m->part]);
	} else {
		halo_x(&tile, (double *)tile.from, &m->numbers[m->part]);
		sweep_x(&tile, &m->numbers[m->part]);
	}
	stop(m, name, since);
}

static int arrive(struct mine *m, long t)
{
	uint64_t since = start(m, "tile to come");
	int r = settle(m, t, FROM, STATE);

	stop(m, "tile to come", since);
	return r;
}

static int do_tiles(struct mine *m, long first, long last, bool z)
{
	int r = first < last ? fetch(m, first, z) : 0;
	long t;

	for (t = first; t < last && r == 0; t++) {
		struct tile tile = tile_of(m, t, z);

		/* Two tiles back: its buffer is the next one's. */
		if (t - 2 >= first)
			r = settle(m, t - 2, OUT, OUT);
		if (r == 0 && t + 1 < last)
			r = fetch(m, t + 1, z);
		if (r == 0)
			r = arrive(m, t);
		if (r)
			break;
		compute(m, t, z);
		if (!m->plan.alone)
			r = move(m, t, OUT, state_move(m, &tile, m->into, true), tile.rows * VARS,
				 tile.cols);
	}
	/* After an error all that has begun, else the last results. */
	for (long i = t - 2 < first ? first : t - 2; i < last && i <= t + 1; i++) {
		int e = settle(m, i, r ? FROM : OUT, OUT);

		r = r ? r : e;
	}
	return r;
}

/* From which field to which: a third and a half of the way are tried first. */
static void choose_fields(struct mine *m, unsigned stage)
{
	const struct field *f = &m->plan.field;
	double *const source[] = { f->now, f->tmp, f->next };
	double *const into[] = { f->tmp, f->next, f->now };

	m->source = source[stage];
	m->before = f->now;
	m->into = into[stage];
}

static int meet(const struct mine *m)
{
	uint64_t since = start(m, "barrier");
	int r = co_barrier_computes();

	stop(m, "barrier", since);
	return r;
}

/* All steps of member number `me`. Those that have failed still come to the barriers. */
static int do_steps(struct mine *m, long me)
{
	long tiles = m->plan.down * m->plan.across;
	long first = me * tiles / m->plan.harts, last = (me + 1) * tiles / m->plan.harts;
	int r = 0, e;

	for (unsigned s = m->plan.first; s < m->plan.first + m->plan.steps; s++) {
		for (unsigned part = 0; part < PARTS; part++) {
			bool z = part / 3 != s % 2;

			m->part = z * 3 + part % 3;
			choose_fields(m, part % 3);
			if (r == 0)
				r = do_tiles(m, first, last, z);
			if (m->plan.alone)
				continue;
			e = meet(m);
			if (e)
				return e;
		}
	}
	return r;
}

static int take_memory(struct mine *m)
{
	const struct plan *p = &m->plan;
	bool good = true;

	for (unsigned i = 0; i < BUFFERS; i++) {
		good &= !!(m->state[i] = co_spm_alloc(state_bytes(p->rows, p->cols), 16));
		if (i >= 2)
			continue;
		good &= !!(m->from[i] = co_spm_alloc(from_bytes(p->rows, p->cols), 16));
		good &= !!(m->rest[i] = co_spm_alloc(
				   (size_t)(p->rows + 2 * HALO) * sizeof(struct rest), 16));
	}
	good &= !!(m->flux = co_spm_alloc(2 * VARS * (size_t)(p->cols + 4) * sizeof(double), 16));
	good &= !!(m->moves = co_spm_alloc(BUFFERS * MOVES * sizeof(*m->moves), 16));
	if (!good)
		return -ENOMEM;
	memset(m->moves, 0, BUFFERS * MOVES * sizeof(*m->moves));
	return 0;
}

static void give_back(struct mine *m)
{
	for (unsigned i = 0; i < BUFFERS; i++) {
		co_spm_free(m->state[i]);
		co_spm_free(i < 2 ? m->from[i] : NULL);
		co_spm_free(i < 2 ? m->rest[i] : NULL);
	}
	co_spm_free(m->flux);
	co_spm_free(m->moves);
	co_spm_free(m);
}

static struct mine *make_mine(void)
{
	static const unsigned over[3] = { 3, 2, 1 };
	struct mine *m = co_spm_alloc(sizeof(*m), 16);

	if (!m)
		return NULL;
	memset(m, 0, sizeof(*m));
	m->plan = plan;
	if (plan.field.rest_near && !plan.alone) {
		m->rest_near = co_spm_array_get(plan.field.rest_near);
		if (!m->rest_near) {
			co_spm_free(m);
			return NULL;
		}
	}
	m->var[0] = (size_t)even(plan.cols) + 6;
	m->var[1] = (size_t)even(plan.cols);
	for (unsigned i = 0; i < PARTS; i++)
		numbers_make(&m->numbers[i], &m->plan.field, i >= 3, over[i % 3]);
	return m;
}

/* Who cannot begin would be waited for: nobody does then. */
static int begin_together(int r)
{
	int e;

	/* relaxed, both: the barrier publishes. */
	if (r)
		co_atomic_store(&failed, 1, CO_RELAXED);
	e = co_barrier_computes();
	if (e || r)
		return e ? e : r;
	return co_atomic_load(&failed, CO_RELAXED) ? -ENOMEM : 0;
}

static int body(void *arg, struct co_part *part)
{
	struct co_barrier *all;
	unsigned number;
	bool bound;
	struct mine *m;
	int r;

	(void)arg;
	/* All harts meet at the machine's barrier: nobody comes if one of them is lost. */
	if ((long)part->members != plan.harts)
		return -EHOSTDOWN;
	/* And nobody waits there for one that a fault has ended. */
	bound = !plan.alone && co_barrier_of(CO_BARRIER_COMPUTES, &all, &number) == 0;
	if (bound)
		co_barrier_bind(all, number);
	m = make_mine();
	r = m ? take_memory(m) : -ENOMEM;
	if (!plan.alone)
		r = begin_together(r);
	if (r == 0)
		r = do_steps(m, part->from[0]);
	if (m)
		give_back(m);
	if (bound)
		co_barrier_unbind(all, number);
	return r;
}

static int prepare(struct field *f, unsigned first, unsigned steps, long harts, unsigned hart)
{
	size_t rest = (size_t)(f->nz + 2 * HALO) * sizeof(struct rest);
	struct co_spm_use use;
	size_t room;

	co_spm_use(hart, &use);
	co_atomic_store(&failed, 0, CO_RELAXED);
	plan = (struct plan){ .field = *f, .first = first, .steps = steps, .harts = harts };
	room = use.heap_bytes - use.used - use.heap_bytes / 16;
	/* Of the first run it is yet to come, of later ones it is in use. */
	if (f->rest_near && !first)
		room -= rest < room ? rest : room;
	return choose_tiles(&plan, room);
}

int run_steps(struct field *f, unsigned first, unsigned steps)
{
	long harts = 0;
	int r;

	for (unsigned g = 0; g < co_groups(); g++)
		harts += (long)co_group(g)->computes;
	assert(harts > 0); /* each group has one */
	r = prepare(f, first, steps, harts, co_group(0)->compute);
	if (r)
		return r;
	loop = (struct co_parallel){
		.name = "weather", .body = body, .dims = 1, .range = { { 0, harts, 1 } }
	};
	return co_parallel_for(&loop);
}

int run_alone(struct field *f, unsigned first, unsigned steps)
{
	int r = prepare(f, first, steps, 1, co_hart());

	if (r)
		return r;
	plan.alone = true;
	return body(NULL, &(struct co_part){ .from = { 0 }, .members = 1 });
}
