/*
 * stream.c - Emitter, Workers, Collector: see matvec.h. A pipeline of three stages, of which the
 * second is a map.
 */
#include <errno.h>
#include <string.h>

#include "cost.h"
#include "matvec.h"

/* One matrix under way; its address is the item. */
struct slot {
	alignas(CO_LINE) const void *matrix;
	unsigned k; /* which of the stream */
	alignas(CO_LINE) uint32_t result[M_MAX];
};

/* What each Worker notes. */
struct note {
	uint64_t cost;
	bool copied;
};

/* The stream that runs. Main memory. */
static struct {
	const struct setup *s;
	unsigned workers;
	unsigned harts[WORKERS_MAX + 1]; /* the Workers', and the Collector's */
	struct slot slot[SLOTS];
	struct note note[WORKERS_MAX];
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

/* ---- What carries the addresses ---- */

static struct mail mail_of(unsigned rank)
{
	return (struct mail){
		.harts = st.harts, .workers = st.workers, .rank = rank, .tree = st.s->tree
	};
}

/* The mailbox of a rank, if it is that; `mail` is NULL if not. */
static int take(struct co_worker *me, struct mail *mail, uintptr_t *item)
{
	return mail ? mail_take(mail, item) : co_worker_take(me, item);
}

static int give(struct co_worker *me, struct mail *mail, uintptr_t item)
{
	return mail ? mail_done(mail) : co_worker_give(me, item);
}

/* Emitter: to the first Worker; 0: no more. */
static int emit_one(struct co_worker *me, uintptr_t item)
{
	struct mail to = mail_of(0);

	if (st.s->by_mail)
		return mail_send(&to, 0, item, 0);
	return item ? co_worker_give(me, item) : 0;
}

/* ---- Emitter, Workers, Collector ---- */

/* Emitter: hands out matrices. */
static int emit(struct co_worker *me, void *arg)
{
	struct cost cost = { 0 };
	struct slot *slot;
	int r = 0;

	(void)arg;
	for (unsigned k = 0; k < st.s->length && r == 0; k++) {
		cost_start(&cost);
		r = co_chan_recv(&idle, &slot);
		if (r)
			return r;
		slot->matrix = numbers_matrix(k);
		slot->k = k;
		r = emit_one(me, (uintptr_t)slot);
		cost_stop(&cost);
	}
	st.costs.emitter = cost.least;
	if (r == 0)
		r = emit_one(me, 0);
	/* When all slots are back, all is done, and the circle is empty for the next stream. */
	for (unsigned i = 0; i < SLOTS && r == 0; i++)
		r = co_chan_recv(&idle, &slot);
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

/* A Worker's rows, and what it has in its scratchpad. */
struct bench {
	unsigned from, to;
	void *part, *vector; /* part NULL: no room */
};

static void compute(const struct bench *b, struct slot *slot)
{
	size_t row_bytes = st.s->m * sizeof(uint32_t);
	const void *rows = (const char *)slot->matrix + b->from * row_bytes;

	if (b->part) {
		fetch(b->part, rows, (b->to - b->from) * row_bytes);
		rows = b->part;
	}
	multiply(st.s->type, st.s->m, rows, b->vector, slot->result, b->from, b->to);
}

static int compute_all(struct co_worker *me, struct mail *mail, const struct bench *b,
		       uint64_t *instructions)
{
	struct cost taken = { 0 }, rest = { 0 };
	uintptr_t item;
	int r = 0;

	while (r == 0) {
		cost_start(&taken);
		r = take(me, mail, &item);
		cost_stop(&taken);
		if (r)
			break;
		cost_start(&rest);
		compute(b, (struct slot *)item);
		r = give(me, mail, item);
		cost_stop(&rest);
	}
	*instructions = taken.least + rest.least;
	return r;
}

static int bring_vector(struct bench *b, unsigned rank)
{
	size_t bytes;

	b->from = rank * st.s->m / st.workers;
	b->to = (rank + 1) * st.s->m / st.workers;
	b->vector = co_spm_alloc(st.s->m * sizeof(uint32_t), CO_LINE);
	if (!b->vector)
		return -ENOMEM;
	fetch(b->vector, numbers_vector(), st.s->m * sizeof(uint32_t));
	bytes = (size_t)(b->to - b->from) * st.s->m * sizeof(uint32_t);
	b->part = st.s->in_place || !bytes ? NULL : co_spm_alloc(bytes, CO_LINE);
	st.note[rank].copied = b->part != NULL;
	return 0;
}

static int work(struct co_worker *me, void *arg)
{
	unsigned rank = co_worker_rank(me);
	struct mail box = mail_of(rank), *mail = st.s->by_mail ? &box : NULL;
	struct bench b;
	int r = bring_vector(&b, rank);

	(void)arg;
	if (r == 0 && mail)
		r = mail_open(mail);
	if (r)
		return r;
	r = compute_all(me, mail, &b, &st.note[rank].cost);
	if (mail)
		mail_close(mail);
	co_spm_free(b.part);
	co_spm_free(b.vector);
	return r;
}

/* For `make run LOCALITY=`: from the first completion to the last. */
static const char *section(void)
{
	return st.workers > 1 ? "map" : "map of one";
}

/* Collector: a result. */
static int collect_one(struct slot *slot)
{
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

static int collect_all(struct co_worker *me, struct mail *mail)
{
	struct cost cost = { 0 };
	int r = 0;

	for (unsigned i = 0; i < SLOTS && r == 0; i++)
		r = co_chan_send(&idle, &(struct slot *){ &st.slot[i] });
	while (r == 0) {
		uintptr_t item;

		cost_start(&cost);
		r = take(me, mail, &item);
		if (r)
			break;
		r = collect_one((struct slot *)item);
		cost_stop(&cost);
	}
	st.costs.collector = cost.least;
	return r;
}

static int collect(struct co_worker *me, void *arg)
{
	struct mail box = mail_of(st.workers), *mail = st.s->by_mail ? &box : NULL;
	int r = mail ? mail_open(mail) : 0;

	(void)arg;
	if (r)
		return r;
	r = collect_all(me, mail);
	if (mail)
		mail_close(mail);
	return r;
}

/* Hart 0 emits, the last one collects, the ones between work; fewer than 3 share. */
int run_stream(const struct setup *s, struct outcome *o)
{
	static struct co_stage stages[3];
	static struct co_pipeline p = { .stages = stages, .n = 3 };
	int r;

	memset(&st, 0, sizeof(st));
	st.s = s;
	st.workers = workers_of(s->harts);
	for (unsigned i = 0; i <= WORKERS_MAX; i++)
		st.harts[i] = i + 1 < s->harts ? i + 1 : 0;
	stages[0] = (struct co_stage){ .fn = emit, .name = "emitter" };
	stages[1] = (struct co_stage){ .fn = work,
				       .name = "worker",
				       .on = { st.harts, st.workers },
				       .map = !s->by_mail,
				       .form = s->tree ? CO_TEAM_TREE : CO_TEAM_LINEAR };
	stages[2] = (struct co_stage){ .fn = collect,
				       .name = "collector",
				       .on = { &st.harts[st.workers], 1 } };
	r = co_pipeline_run(&p);
	if (r)
		return r;
	*o = (struct outcome){ .workers = st.workers,
			       .wrong = st.wrong,
			       .ticks = st.last - st.first,
			       .costs = st.costs };
	for (unsigned i = 0; i < st.workers; i++) {
		o->copied += st.note[i].copied;
		if (st.note[i].cost > o->costs.worker)
			o->costs.worker = st.note[i].cost;
	}
	return 0;
}
