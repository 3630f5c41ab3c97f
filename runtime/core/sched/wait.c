/*
 * wait.c - the only way to wait: a queue and a token (lf/waitq.h). The usual paths are inline:
 * wait_inline.h, park.h.
 *
 * A coroutine sleeps in place while no other of its hart is ready: co_sleep_in_place(). If one is,
 * or the hart wakes for something else, it is parked. The party that takes CO_ARMED out of the
 * token writes the result and makes the coroutine ready:
 *
 *	a waker on another hart   co_ready_away(): in place, by a ring; parked, by its message
 *	a waker on its hart       co_ready_push(): in the ring of ready coroutines
 *	clock and cancel          co_wait_end(), in the ring: co_deadline_poll(), end_waits()
 *	the waiter                co_wait_withdraw(): not parked, it finds that it need not wait,
 *	                          has been cancelled, or that its deadline has passed
 *
 * All but the first of these run on the waiter's hart, so never during its sleep in place: in
 * next_to_run() (executor.c), or while other coroutines of the hart run.
 */
#include <errno.h>

#include <hal/time.h>

#include "../core.h"
#include "../hook.h"
#include "../lf/rest.h"
#include "../lost.h"
#include "deadline.h"
#include "wait_inline.h"

bool co_waitq_usable(struct co_waitq *q)
{
	struct co_patience patience = co_patience_begin(CO_LOCKED_US);
	struct co_waiter *first;
	unsigned spins = 0;

	while (!co_waitq_try_lock(q, &first)) {
		if (!co_patience_lasts(&patience))
			return false;
		co_spin(&spins);
	}
	co_waitq_unlock(q, first);
	return true;
}

/* Out of line: inline, its loop would cost all paths registers. */
NOINLINE struct co_waiter *co_wait_lock(struct co_waitq *q)
{
	return co_waitq_lock(q);
}

struct co_waiter *co_wait_prepare(struct co_waitq *q, const void *object, const char *kind)
{
	struct co *c = co_executor.current;

	if (q)
		return co_wait_prepare_inline(q, object, kind, false, 0);
	CO_ASSERT_COROUTINE(c);
	co_wait_arm(c, NULL, object, kind);
	return &c->waiter;
}

struct co_waiter *co_wait_prepare_front(struct co_waitq *q, const void *object, const char *kind)
{
	return co_wait_prepare_inline(q, object, kind, true, 0);
}

/* Take w out of its queue; false if a waker has done so already. */
static NOINLINE bool leave_queue(struct co_waiter *w)
{
	return !w->queue || co_waitq_leave(w);
}

/* Out of line, since most coroutines sleep instead. */
NOINLINE bool co_wait_withdraw(struct co *c)
{
	enum co_withdrawn was = co_token_withdraw(&c->token);

	if (was == CO_WAS_TAKEN) {
		/* A waker is about to send this coroutine's message: wait for it. */
		c->shielded = true;
		co_park_long(&co_executor, c, NULL);
		c->shielded = false;
	}
	return was != CO_WAS_ARMED;
}

int co_wait_sleep(struct co *c, uint64_t deadline)
{
	return co_wait_sleep_inline(c, deadline);
}

int co_wait_abandon(struct co_waiter *w)
{
	struct co *c = co_waiter_co(w);

	if (!co_wait_withdraw(c)) {
		leave_queue(w);
		return 0;
	}
	if (c->wait_result == 0)
		co_wake_one(w->queue);
	return c->wait_result;
}

/* End the running coroutine's wait with that result, unless it has ended: that takes precedence. */
static NOINLINE int give_up(struct co *c, int result)
{
	if (co_wait_withdraw(c))
		return c->wait_result;
	leave_queue(&c->waiter);
	return result;
}

/* The caller was cancelled before the wait. */
NOINLINE int co_wait_refuse(struct co_waiter *w)
{
	co_hooks_needed(wait); /* all waits that a cancel ends have this call */
	return give_up(co_waiter_co(w), -ECANCELED);
}

/* The running coroutine's sleep with a deadline has resulted in r. */
INLINE int timer_over(int r)
{
	struct co_executor *e = &co_executor;
	struct co *c = e->current;

	return co_deadline(c) != CO_FOREVER ? co_deadline_take(e, c, r) : r; /* else it has come */
}

/* Has the deadline come, with nothing else to handle, as on hart 0 the watch? A shortcut. */
INLINE bool is_over(uint64_t deadline)
{
	return co_executor.hart && !co_has_more(&co_executor) && hal_time_now() >= deadline;
}

static NOINLINE int park_until_slowly(struct co *c, uint64_t deadline)
{
	struct co_executor *e = &co_executor;

	if (!c->timer)
		co_deadline_note(e, c);
	co_deadline_give(e, c, deadline);
	return timer_over(co_park_long(e, c, c));
}

/* Nothing is kept in registers, which the switch would save once more. */
NOINLINE int co_wait_park_until(struct co *c, uint64_t deadline)
{
	struct co_executor *e = &co_executor;
	struct co *next = c->next_ready;

	if (next == c && is_over(deadline))
		return give_up(c, -ETIMEDOUT);
	if (next == c || !c->timer)
		return park_until_slowly(c, deadline);
	co_deadline_give(e, c, deadline);
	return timer_over(co_may_go_on(e) ? co_park_for(e, c, next) : co_park_slowly(e, c, c));
}

NOINLINE int co_wait_sleep_timed(struct co *c, uint64_t deadline)
{
	if (co_wait_in_place_until(c, deadline))
		return c->wait_result;
	return is_over(deadline) ? give_up(c, -ETIMEDOUT) : co_wait_park_until(c, deadline);
}

int co_wait_commit(struct co_waiter *w, uint64_t deadline)
{
	return co_wait_commit_inline(w, deadline);
}

int co_wait_commit_shielded(struct co_waiter *w, uint64_t deadline)
{
	struct co *c = co_waiter_co(w);
	int result;

	c->shielded = true;
	result = co_wait_sleep_inline(c, deadline);
	c->shielded = false;
	return result;
}

/* `rests` is a ring, which begins with the rest to be looked at next. */
INLINE void set_rests(struct co_executor *e, struct co_rest *r)
{
	e->rests = r;
	e->resting = r != NULL;
	co_atomic_store(&e->self->resting, e->resting, CO_RELAXED); /* a hint */
	co_attend(e);
}

INLINE void rest_link(struct co_executor *e, struct co_rest *r)
{
	struct co_rest *first = e->rests ? e->rests : r, *last = e->rests ? first->prev : r;

	r->next = first;
	r->prev = last;
	last->next = first->prev = r;
	if (first == r)
		set_rests(e, r);
}

/* The wait on r is over. */
INLINE void rest_unlink(struct co_executor *e, struct co_rest *r)
{
	/* relaxed: its hart's alone. The bit that is left says whether the waiter is in place. */
	co_atomic_and(&r->co->token, CO_IN_PLACE, CO_RELAXED);
	r->co = NULL;
	r->prev->next = r->next;
	r->next->prev = r->prev;
	if (r->next == r)
		set_rests(e, NULL);
	else if (e->rests == r)
		e->rests = r->next;
}

/*
 * The rest that c waits on, or NULL. relaxed: its hart writes it; other harts read it for reports.
 */
static inline struct co_rest *rest_of(const struct co *c)
{
	return (struct co_rest *)co_atomic_load(&c->rest, CO_RELAXED);
}

void co_wait_end(struct co *c, int result)
{
	/* relaxed: its own hart sets it. */
	bool rests = co_atomic_load(&c->token, CO_RELAXED) & CO_RESTS;

	if (!co_token_take(&c->token))
		return;
	/* A woken waiter must be in no queue, and not among `rests`. */
	if (rests)
		rest_unlink(&co_executor, rest_of(c));
	else if (c->waiter.queue)
		co_waitq_leave(&c->waiter);
	c->wait_result = result;
	co_ready_push(c);
}

int co_wake(struct co_waiter *w)
{
	return co_wake_inline(w);
}

NOINLINE int co_wake_next(struct co_waitq *q, int none)
{
	struct co_waiter *w = co_waitq_pick(q);

	return w ? co_wake_inline(w) : none;
}

int co_wake_known(struct co_waitq *q)
{
	return co_wake_first(q, 0);
}

bool co_wake_one(struct co_waitq *q)
{
	return co_waitq_any(q) && co_wake_first(q, -EAGAIN) == 0;
}

unsigned co_waitq_wake_all(struct co_waitq *q, struct co_waiter *first)
{
	struct co_waiter *woken = NULL, **end = &woken;
	struct co_waiter *w = first;
	unsigned n = 0;

	while (w) {
		struct co_waiter *next = co_plain_load(&w->next);

		co_plain_store(&w->next, w);
		/* A node whose token is taken belongs to the taker until the wake. */
		if (co_token_take(w->token)) {
			co_plain_store(end, w);
			end = &w->prev;
		}
		w = next != first ? next : NULL;
	}
	co_plain_store(end, NULL);
	co_waitq_unlock(q, NULL);
	for (w = woken; w; w = woken, n++) {
		woken = co_plain_load(&w->prev);
		co_wake_inline(w);
	}
	return n;
}

NOINLINE unsigned co_wake_all_after(struct co_waitq *q)
{
	return co_waitq_wake_all(q, co_waitq_lock(q));
}

unsigned co_wake_all(struct co_waitq *q)
{
	return co_waitq_any(q) ? co_wake_all_after(q) : 0;
}

_Static_assert(CO_WAIT_ANY_MAX <= CO_WAIT_NODES, "a hart has the nodes of one wait");

NOINLINE struct co_node *co_wait_first_node(struct co_executor *e)
{
	struct co_node *node = co_area()->node;

	co_hooks_needed(wait); /* all waits for several have this call */
	if (e->nodes_made)
		return NULL;
	e->nodes_made = true;
	for (unsigned i = CO_WAIT_NODES; i--;) {
		co_waiter_init(&node[i].waiter);
		node[i].more = e->free_node;
		e->free_node = &node[i];
	}
	return node;
}

void co_wait_any_begin(struct co_wait_any *a, const void *object, const char *kind)
{
	co_wait_any_begin_inline(a, co_executor.current, object, kind);
	a->count = 0;
}

bool co_wait_any_enter(struct co_wait_any *a, struct co_waitq *q)
{
	CO_ASSERT_THAT(a->count < CO_WAIT_ANY_MAX,
		       "a coroutine waits for at most CO_WAIT_ANY_MAX objects at once");
	if (!co_wait_any_enter_inline(a, a->count + 1, co_executor.current, q, 0))
		return false;
	a->count++;
	return true;
}

void co_wait_forget(struct co *c)
{
	struct co_executor *e = &co_executor;
	struct co_node *first = e->free_node, *end = first;
	struct co_waitq *hinted = NULL;
	/*
	 * relaxed: c runs here. Its token is 0, unless it was between prepare and commit, and not
	 * woken meanwhile.
	 */
	uint32_t token = co_atomic_load(&c->token, CO_RELAXED);

	while (end && end->waiter.queue) /* it was about to wait for several */
		end = end->more;
	if (!token && first == end)
		return;
	e->free_node = end;
	if (co_wait_withdraw(c) && c->wait_result == 0)
		hinted = c->woken_by->queue;
	if (!(token & CO_RESTS)) /* else the queue is an earlier wait's */
		leave_queue(&c->waiter);
	else if (rest_of(c) && rest_of(c)->co == c)
		rest_unlink(e, rest_of(c));
	while (first != end) {
		struct co_node *n = first;

		first = n->more;
		co_wait_any_drop(&n->waiter);
		n->more = e->free_node;
		e->free_node = n;
	}
	if (hinted) /* pass the wake-up on */
		co_wake_one(hinted);
}

int co_wait_any_commit(struct co_wait_any *a, bool ready, uint64_t deadline)
{
	return co_wait_any_commit_inline(a, co_executor.current, ready, deadline);
}

/* ---- Rests ---- */

const char co_wait_barrier[] = "barrier";
const char co_wait_mutex[] = "mutex";

int co_rest_slowly(struct co *c, struct co_rest *r, uint64_t deadline)
{
	c->waiter.queue = NULL;
	if (co_wait_canceled(c))
		return co_wait_refuse(&c->waiter);
	r->co = c;
	rest_link(&co_executor, r);
	return co_wait_go_on(c, deadline);
}

/*
 * End r, which is over, and every further rest that is over, or for which an ended rest is enough.
 */
static NOINLINE void end_rests(struct co_executor *e, struct co_rest *r)
{
	const struct co_rest *last = r->prev, *come = NULL;
	struct co_rest *next = r;

	do {
		struct co *c = next->co;
		bool with;

		r = next;
		next = r->next;
		with = come && co_rest_with(r, come);
		if (!with && !co_rest_over(r))
			continue;
		if (!come && r->with && !co_rest_stopped(r))
			come = r;
		rest_unlink(e, r);
		c->wait_result = with;
		co_ready_push(c);
	} while (r != last);
}

void co_rest_poll(struct co_executor *e)
{
	struct co_rest *r = e->rests;
	/* In each switch one look, however many rest; where nothing else is to be done, all. */
	const struct co_rest *last = e->current || e->first ? r : r->prev;

	e->rests = last->next;
	while (!co_rest_over(r)) {
		if (r == last)
			return;
		r = r->next;
	}
	end_rests(e, r);
}

bool co_rest_waits_no_more(const struct co *c)
{
	const struct co_rest *r;

	/* relaxed, all: hints. Unless the caller has acquired them with the number of its sleep. */
	if (!co_sleeps(c) || !(co_atomic_load(&c->token, CO_RELAXED) & CO_RESTS))
		return false;
	r = rest_of(c);
	return r && co_rest_pending(r); /* NULL: the first one of its hart is being begun */
}

int co_sleep_until(uint64_t deadline)
{
	int result = co_wait_commit(co_wait_prepare(NULL, NULL, "sleep"), deadline);

	return result == -ETIMEDOUT ? 0 : result;
}

int co_sleep_us(uint64_t us)
{
	return co_sleep_until(co_after_us(us));
}
