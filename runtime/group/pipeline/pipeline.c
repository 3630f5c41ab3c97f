/*
 * pipeline.c - stages, each behind a channel that closes with the last worker of the stage before.
 *
 * A map looks like one worker to its neighbours: worker 0 takes from the channel and gives to the
 * next. Its workers are the members of a team.
 */
#include <cohart/pipeline.h>

#include <cohart/select.h>
#include <cohart/spm.h>

#include "../../core/core.h"
#include "../team/team.h"

/* The second word of a line. */
enum { MORE, END };

struct co_worker {
	struct co_stage *stage, *next; /* next NULL: this is the last one */
	bool first;
	unsigned rank;
	/* From here on: of a worker of a map. */
	struct co_member *me;
	bool open;      /* an item is taken and not given yet */
	bool ended;     /* not worker 0: the END has come */
	uint32_t taken; /* items; this, `passed` and `way` are worker 0's */
	uint32_t passed;
	struct {
		uintptr_t item;
		bool given;
	} way[CO_TEAM_DEPTH];
};

/* The start of a worker, in the public heap of the hart that runs the pipeline. */
struct start {
	struct co_child child;
	struct co_pipeline *p;
	struct co_stage *stage;
	unsigned rank;
};

static unsigned workers_of(const struct co_stage *s)
{
	return s->on.n ? s->on.n : 1;
}

unsigned co_worker_rank(const struct co_worker *me)
{
	return me->rank;
}

unsigned co_worker_ranks(const struct co_worker *me)
{
	return workers_of(me->stage);
}

/* ---- Map ---- */

/* Worker 0: pass on the items that all workers have done. */
static int pass_item_on(struct co_worker *w)
{
	int r = 0;

	co_items_report(w->me);
	while (r == 0 && w->passed != w->me->reported) {
		unsigned at = w->passed++ % CO_TEAM_DEPTH;

		if (w->way[at].given && w->next)
			r = co_chan_send(&w->next->in, &w->way[at].item);
	}
	return r;
}

/* Wait until at most `under_way` items are under way. */
static int pass_on_but(struct co_worker *w, uint32_t under_way)
{
	int r = pass_item_on(w);

	while (r == 0 && w->taken - w->passed > under_way) {
		r = co_items_await(w->me);
		if (r == 0)
			r = pass_item_on(w);
	}
	return r;
}

static int try_news(struct co_case *c)
{
	struct co_member *m = c->object;

	/* relaxed: a look before each wait will see it. */
	if (co_atomic_load(&m->broken, CO_RELAXED))
		return -EOWNERDEAD;
	return co_items_report(m) ? 0 : -EAGAIN;
}

static bool look_for_news(struct co_case *c)
{
	return co_items_ask(c->object, CO_LANE_QUEUED);
}

/* Worker 0: the next item from the channel; meanwhile others go on. */
static int receive_item(struct co_worker *w, uintptr_t *item)
{
	struct co_case cases[] = {
		CO_CASE_RECV(&w->stage->in, item),
		{ try_news, look_for_news, &w->me->queue, w->me, NULL, 0 },
	};
	int r;

	do {
		r = pass_item_on(w);
		if (r)
			return r;
		r = co_select(cases, 2);
		if (r < 0)
			return r;
	} while (r == 1 && !cases[1].result);
	return cases[r].result;
}

static int take_as_first(struct co_worker *w, uintptr_t *item)
{
	uintptr_t got;
	int r = pass_on_but(w, CO_TEAM_DEPTH - 1);

	if (r == 0)
		r = receive_item(w, &got);
	if (r == -EPIPE) {
		r = pass_on_but(w, 0);
		return r ? r : -EPIPE;
	}
	if (r == 0)
		r = co_items_put(w->me, (uintptr_t[CO_ITEM_WORDS]){ got, MORE });
	if (r)
		return r;
	w->way[w->taken++ % CO_TEAM_DEPTH].given = false;
	*item = got;
	return 0;
}

static int take_as_other(struct co_worker *w, uintptr_t *item)
{
	uintptr_t line[CO_ITEM_WORDS];
	int r;

	if (w->ended)
		return -EPIPE;
	r = co_items_take(w->me, line);
	if (r)
		return r;
	w->ended = line[1] == END;
	if (w->ended)
		return -EPIPE;
	*item = line[0];
	return 0;
}

/* The item that this worker has taken, if there is one, is done by it. */
static inline void finish_item(struct co_worker *w)
{
	w->me->done += w->open;
	w->open = false;
}

static int take_in_map(struct co_worker *w, uintptr_t *item)
{
	int r;

	finish_item(w);
	r = w->rank ? take_as_other(w, item) : take_as_first(w, item);
	w->open = r == 0;
	return r;
}

static int give_in_map(struct co_worker *w, uintptr_t item)
{
	if (w->rank) {
		finish_item(w);
		co_items_report(w->me);
		return 0;
	}
	CO_ASSERT_THAT(w->open, "worker 0 of a map gives once for each item that it takes");
	w->way[(w->taken - 1) % CO_TEAM_DEPTH].item = item;
	w->way[(w->taken - 1) % CO_TEAM_DEPTH].given = true;
	finish_item(w);
	return pass_item_on(w);
}

/*
 * End a worker of a map whose function has returned r. Returns r, or an error that came after it.
 */
static int end_in_map(struct co_worker *w, int r)
{
	uintptr_t rest;

	finish_item(w);
	if (w->rank == 0 && (r == 0 || r == -EPIPE)) {
		r = pass_on_but(w, 0);
		if (r == 0 || r == -EPIPE)
			r = co_items_put(w->me, (uintptr_t[CO_ITEM_WORDS]){ 0, END });
	}
	/*
	 * A worker other than 0 may return early: it takes the remaining items, and does nothing.
	 */
	while ((r == 0 || r == -EPIPE) && w->rank && !w->ended)
		r = take_in_map(w, &rest);
	if (r && r != -EPIPE)
		co_team_break(w->me);
	co_team_close(w->me);
	return r;
}

/* ---- Workers ---- */

int co_worker_take(struct co_worker *me, uintptr_t *item)
{
	if (me->me)
		return take_in_map(me, item);
	return me->first ? -EPIPE : co_chan_recv(&me->stage->in, item);
}

int co_worker_give(struct co_worker *me, uintptr_t item)
{
	if (me->me)
		return give_in_map(me, item);
	return me->next ? co_chan_send(&me->next->in, &item) : 0;
}

static int run_stage(struct co_worker *w)
{
	struct co_stage *s = w->stage;
	int r;

	if (!s->map)
		return s->fn(w, s->arg);
	r = co_team_open(&s->team, w->rank, &w->me);
	if (r)
		return r;
	co_items_begin(w->me);
	return end_in_map(w, s->fn(w, s->arg));
}

static intptr_t run_worker(void *arg)
{
	struct start *s = arg;
	struct co_pipeline *p = s->p;
	struct co_worker w = { .stage = s->stage, .rank = s->rank, .first = s->stage == p->stages };
	int r;

	w.next = s->stage + 1 == p->stages + p->n ? NULL : s->stage + 1;
	r = co_event_wait(&p->go);
	if (r)
		return r;
	r = run_stage(&w);
	/* acq_rel: the last worker sees that all have ended; pairs with itself. */
	if (co_atomic_add(&w.stage->left, -1u, CO_ACQ_REL) == 1)
		co_chan_close(&w.stage->in);
	return r == -EPIPE ? 0 : r;
}

/* ---- Run ---- */

static int prepare_stage(struct co_stage *s, const struct co_stage *before)
{
	bool many_give = before && !before->map && workers_of(before) > 1;
	bool many_take = !s->map && workers_of(s) > 1;

	CO_ASSERT_SHARED(s, sizeof(*s), "the list of a pipeline's stages");
	if (!s->fn || (s->map && (!before || !s->on.n)))
		return -EINVAL;
	for (unsigned i = 0; i < s->on.n; i++) {
		if (s->on.harts[i] >= co_machine.harts)
			return -EINVAL;
	}
	s->left = (struct co_a32){ workers_of(s) };
	s->team = (struct co_team){ .scope = s->on, .form = s->form };
	return co_chan_init_as(&s->in, s->items, sizeof(s->items), sizeof(uintptr_t),
			       many_give ? (many_take ? CO_MPMC : CO_MPSC)
					 : (many_take ? CO_SPMC : CO_SPSC),
			       CO_CLAIM_DEFAULT);
}

static int start_stage(struct co_pipeline *p, unsigned number, struct start *start)
{
	struct co_stage *s = &p->stages[number];
	int r = 0;

	for (unsigned i = 0; i < workers_of(s) && r == 0; i++) {
		struct co_attr attr = { .name = s->name ? s->name : "worker",
					.on = CO_ON_HART(s->on.n ? s->on.harts[i] : co_hart()) };

		/* In a map, worker 0 alone gives, so it alone is a sender. */
		if (number + 1 < p->n && (i == 0 || !s->map))
			attr.sends = (struct co_sends)CO_SENDS(&s[1].in);
		start[i] = (struct start){ .p = p, .stage = s, .rank = i };
		r = co_batch_spawn_child(&p->workers, &attr, run_worker, &start[i],
					 &start[i].child);
	}
	return r;
}

/* Does it follow from another worker's end? */
static bool is_consequence(int error)
{
	return error == -EOWNERDEAD || error == -ECANCELED;
}

/* Wait for all workers; a worker that has failed ends the rest. */
static int join_all(struct co_pipeline *p, int error)
{
	struct co_child *c;
	int r;

	if (error)
		co_batch_cancel(&p->workers);
	while ((r = co_batch_join_any(&p->workers, &c)) == 0) {
		int e = c->status ? c->status : (int)c->result;

		if (e)
			co_batch_cancel(&p->workers);
		if (e && (!error || (is_consequence(error) && !is_consequence(e))))
			error = e;
	}
	if (r != -ECHILD) {
		co_batch_cancel(&p->workers);
		co_counter_wait_shielded(&p->workers.running);
		return r;
	}
	r = co_batch_join(&p->workers);
	return error ? error : r;
}

int co_pipeline_run(struct co_pipeline *p)
{
	struct start *start;
	unsigned n = 0;
	int r;

	CO_ASSERT_SHARED(p, sizeof(*p), "a struct co_pipeline");
	r = p->n ? 0 : -EINVAL;
	p->go = (struct co_event){ 0 };
	p->workers = (struct co_batch){ 0 };
	for (unsigned i = 0; i < p->n && r == 0; i++) {
		r = prepare_stage(&p->stages[i], i ? &p->stages[i - 1] : NULL);
		n += workers_of(&p->stages[i]);
	}
	if (r)
		return r;
	start = co_spm_alloc(n * sizeof(*start), CO_LINE);
	if (!start)
		return -ENOMEM;
	n = 0;
	for (unsigned i = 0; i < p->n && r == 0; i++) {
		r = start_stage(p, i, &start[n]);
		n += workers_of(&p->stages[i]);
	}
	if (r == 0)
		co_event_set(&p->go);
	r = join_all(p, r);
	co_spm_free(start);
	return r;
}
