/*
 * stream.c - Emitter, Workers, Collector: see matvec.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "matvec.h"

#define DEPTH 4
#define TAG 100

/* One matrix under way; its address is the message. */
struct slot {
	alignas(CO_LINE) const void *matrix;
	unsigned k;     /* which of the stream */
	unsigned parts; /* that have come; the Collector's */
	alignas(CO_LINE) uint32_t result[M_MAX];
};

struct worker {
	alignas(CO_LINE) struct line line; /* to it */
	struct co *co;
	unsigned number;
	unsigned level;    /* in the tree; 1: a leaf */
	unsigned from, to; /* its rows */
	uint64_t cost;
	bool copied;
};

/* The stream that runs. Main memory. */
static struct {
	const struct setup *s;
	unsigned workers;
	struct slot slot[SLOTS];
	struct worker worker[WORKERS_MAX];
	struct line collector; /* to it, from all workers */
	struct costs costs;
	uint64_t first, last; /* completions */
	unsigned wrong;
} st;

CO_CHANNEL_AS(idle, struct slot *, SLOTS, CO_SPSC, CO_CLAIM_DEFAULT); /* Collector to Emitter */

unsigned workers_of(unsigned harts)
{
	unsigned n = harts > 3 ? harts - 2 : 1;

	return n < WORKERS_MAX ? n : WORKERS_MAX;
}

/* Hart 0 emits, the last one collects, the ones between work; fewer than 3 share. */
static unsigned worker_hart(unsigned w)
{
	return st.s->harts > 1 ? w + 1 : 0;
}

static unsigned collector_hart(void)
{
	return st.s->harts > 2 ? st.workers + 1 : 0;
}

/*
 * The tree lies on the row of workers depth first: worker j of level i sends to worker j + 1, whose
 * tree are the next 2^(i-1) - 1 ones, and to worker j + 2^(i-1), whose tree are the rest; both of
 * level i - 1.
 */
static void set_levels(void)
{
	unsigned top = 32 - (unsigned)__builtin_clz(st.workers);

	st.worker[0].level = top;
	for (unsigned j = 0; j < st.workers; j++) {
		unsigned level = st.worker[j].level, far = j + (1u << (level - 1));

		if (level > 1 && j + 1 < st.workers)
			st.worker[j + 1].level = level - 1;
		if (level > 1 && far < st.workers)
			st.worker[far].level = level - 1;
	}
}

/* The workers that get their matrices from this one: 0 to 2 of them. */
static unsigned children(const struct worker *w, unsigned child[2])
{
	unsigned far = w->number + (1u << (w->level - 1));
	unsigned n = 0;

	if (!st.s->tree || w->level == 1)
		return 0;
	if (w->number + 1 < st.workers)
		child[n++] = w->number + 1;
	if (far < st.workers)
		child[n++] = far;
	return n;
}

static int send_all(struct outlet *out, unsigned n, void *p)
{
	int r = 0;

	for (unsigned i = 0; i < n && r == 0; i++)
		r = outlet_send(&out[i], p);
	return r;
}

/* Emitter: hands out matrices to all workers, or to the root of their tree. */
static int emit(struct outlet *out, unsigned n)
{
	struct cost cost = { 0 };
	struct slot *slot;
	int r = 0;

	for (unsigned k = 0; k < st.s->length && r == 0; k++) {
		cost_start(&cost);
		r = co_chan_recv(&idle, &slot);
		if (r)
			return r;
		slot->matrix = numbers_matrix(k);
		slot->k = k;
		slot->parts = 0;
		r = send_all(out, n, slot);
		cost_stop(&cost);
	}
	st.costs.emitter = cost.least;
	if (r == 0)
		r = send_all(out, n, NULL);
	/* When all slots are back, all is done, and the circle is empty for the next stream. */
	for (unsigned i = 0; i < SLOTS && r == 0; i++)
		r = co_chan_recv(&idle, &slot);
	return r;
}

static intptr_t emitter(void *arg)
{
	static struct outlet out[WORKERS_MAX];
	unsigned n = st.s->tree ? 1 : st.workers;
	int r = 0;

	(void)arg;
	for (unsigned i = 0; i < n && r == 0; i++)
		r = outlet_open(&out[i], &st.worker[i].line);
	if (r == 0)
		r = emit(out, n);
	for (unsigned i = 0; i < n && r == 0; i++)
		outlet_close(&out[i]);
	return r;
}

/*
 * Bring words into the scratchpad. Two at a time, and opaque to the compiler, which would make a
 * call of memcpy() of it; the C library's may go byte by byte.
 */
static void fetch(void *to, const void *from, size_t bytes)
{
	uint64_t *t = to;
	const uint64_t *f = from;

	for (; bytes >= sizeof(*t); bytes -= sizeof(*t)) {
		*t++ = *f++;
		__asm__ volatile("" : "+r"(t));
	}
}

struct bench {
	void *part, *vector; /* in the scratchpad; part NULL: no room */
	struct inlet in;
	struct outlet next[2], collector;
	unsigned children;
};

static int compute(struct worker *w, struct bench *b, struct slot *slot)
{
	size_t row_bytes = st.s->m * sizeof(uint32_t);
	const void *rows = (const char *)slot->matrix + w->from * row_bytes;

	if (b->part) {
		fetch(b->part, rows, (w->to - w->from) * row_bytes);
		rows = b->part;
	}
	multiply(st.s->type, st.s->m, rows, b->vector, slot->result, w->from, w->to);
	return outlet_send(&b->collector, slot);
}

static int work(struct worker *w, struct bench *b)
{
	struct cost receive = { 0 }, rest = { 0 };
	void *slot;
	int r;

	for (;;) {
		cost_start(&receive);
		r = inlet_recv(&b->in, &slot);
		cost_stop(&receive);
		if (r)
			return r;
		cost_start(&rest);
		r = send_all(b->next, b->children, slot);
		if (r)
			return r;
		if (!slot)
			break;
		r = compute(w, b, slot);
		cost_stop(&rest);
		if (r)
			return r;
	}
	w->cost = receive.least + rest.least;
	return outlet_send(&b->collector, NULL);
}

static int open_bench(struct worker *w, struct bench *b)
{
	size_t bytes = (size_t)(w->to - w->from) * st.s->m * sizeof(uint32_t);
	unsigned child[2] = { 0, 0 };
	unsigned n = children(w, child);
	int r = inlet_open(&b->in, &w->line);

	for (unsigned i = 0; i < n && r == 0; i++)
		r = outlet_open(&b->next[i], &st.worker[child[i]].line);
	if (r == 0)
		r = outlet_open(&b->collector, &st.collector);
	if (r)
		return r;
	b->children = n;
	b->vector = co_spm_alloc(st.s->m * sizeof(uint32_t), CO_LINE);
	if (!b->vector)
		return -ENOMEM;
	fetch(b->vector, numbers_vector(), st.s->m * sizeof(uint32_t));
	b->part = st.s->in_place || !bytes ? NULL : co_spm_alloc(bytes, CO_LINE);
	w->copied = b->part != NULL;
	return 0;
}

static intptr_t worker(void *arg)
{
	struct worker *w = arg;
	struct bench b;
	int r;

	memset(&b, 0, sizeof(b));
	r = open_bench(w, &b);
	if (r == 0)
		r = work(w, &b);
	if (r)
		return r;
	for (unsigned i = 0; i < b.children; i++)
		outlet_close(&b.next[i]);
	outlet_close(&b.collector);
	inlet_close(&b.in);
	co_spm_free(b.part);
	co_spm_free(b.vector);
	return 0;
}

/* For `make run LOCALITY=`: from the first completion to the last. */
static const char *section(void)
{
	return st.workers > 1 ? "map" : "map of one";
}

/* Collector: one more part of a result; the last one completes it. */
static int collect_part(struct slot *slot)
{
	if (++slot->parts < st.workers)
		return 0;
	st.last = co_now();
	if (slot->k == 0) {
		st.first = st.last;
		co_mark_begin(section());
	} else if (slot->k == st.s->length - 1) {
		co_mark_end(section(), st.s->length - 1);
	}
	if (!numbers_right(slot->k, slot->result))
		st.wrong++;
	return co_chan_send(&idle, &slot);
}

static intptr_t collector(void *arg)
{
	struct cost cost = { 0 };
	unsigned ended = 0;
	struct inlet in;
	int r = inlet_open(&in, &st.collector);

	(void)arg;
	for (unsigned i = 0; i < SLOTS && r == 0; i++)
		r = co_chan_send(&idle, &(struct slot *){ &st.slot[i] });
	while (r == 0 && ended < st.workers) {
		void *slot;

		cost_start(&cost);
		r = inlet_recv(&in, &slot);
		if (r == 0 && slot)
			r = collect_part(slot);
		else
			ended++;
		cost_stop(&cost);
	}
	st.costs.collector = cost.least * st.workers;
	if (r == 0)
		inlet_close(&in);
	return r;
}

/* Set up the lines and the rows of each worker. */
static void lay_out(const struct setup *s)
{
	memset(&st, 0, sizeof(st));
	st.s = s;
	st.workers = workers_of(s->harts);
	st.collector = (struct line){ .by = s->by,
				      .senders = st.workers,
				      .depth = s->by == BY_CHANNEL ? 64 : 1,
				      .tag = TAG };
	for (unsigned i = 0; i < st.workers; i++) {
		st.worker[i].number = i;
		st.worker[i].from = i * s->m / st.workers;
		st.worker[i].to = (i + 1) * s->m / st.workers;
		st.worker[i].line = (struct line){
			.by = s->by, .senders = 1, .depth = DEPTH, .tag = TAG + 100 + 2 * i
		};
	}
	set_levels();
}

/* Who takes part. Each sends its result when it ends: one that fails leaves the others waiting. */
static struct co *all[WORKERS_MAX + 2];
CO_CHANNEL(results, intptr_t, 64);
_Static_assert(WORKERS_MAX + 2 <= 64, "results takes those of all");

static struct part {
	co_fn *fn;
	void *arg;
} parts[WORKERS_MAX + 2];

static intptr_t take_part(void *arg)
{
	const struct part *p = arg;
	intptr_t result = p->fn(p->arg);

	return co_chan_try_send(&results, &result); /* there is room, and it may be cancelled */
}

static int spawn(unsigned *n, const char *name, unsigned hart, co_fn *fn, void *arg)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(hart) };
	int r;

	parts[*n] = (struct part){ fn, arg };
	r = co_spawn(&all[*n], &attr, take_part, &parts[*n]);

	*n += r == 0;
	return r;
}

/* Wait for all; the first error ends all. */
static int join_all(unsigned n, int error)
{
	bool asked = false;

	for (unsigned i = 0; i < n; i++) {
		intptr_t result = 0;
		int r;

		for (unsigned k = 0; k < n && error && !asked; k++)
			co_cancel(all[k]);
		asked = error != 0;
		r = co_chan_recv(&results, &result);
		if (!error)
			error = r ? r : (int)result;
	}
	for (unsigned i = 0; i < n; i++) {
		int r = co_join(all[i], NULL);

		if (!error)
			error = r;
	}
	return error;
}

int run_stream(const struct setup *s, struct outcome *o)
{
	unsigned n = 0;
	int r;

	lay_out(s);
	r = spawn(&n, "collector", collector_hart(), collector, NULL);
	for (unsigned i = 0; i < st.workers && r == 0; i++)
		r = spawn(&n, "worker", worker_hart(i), worker, &st.worker[i]);
	if (r == 0)
		r = spawn(&n, "emitter", 0, emitter, NULL);
	r = join_all(n, r);
	if (r)
		return r;
	*o = (struct outcome){ .workers = st.workers,
			       .wrong = st.wrong,
			       .ticks = st.last - st.first,
			       .costs = st.costs };
	for (unsigned i = 0; i < st.workers; i++) {
		o->copied += st.worker[i].copied;
		if (st.worker[i].cost > o->costs.worker)
			o->costs.worker = st.worker[i].cost;
	}
	return 0;
}
