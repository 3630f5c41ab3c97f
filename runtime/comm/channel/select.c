/* select.c - one wait on several objects: each is tried, then waited for in all their queues. */
#include <cohart/select.h>

#include "../../core/sched/wait_inline.h"
#include "channel.h"

INLINE struct co_chan *co_case_chan(struct co_case *c)
{
	return c->object;
}

/*
 * Do senders claim by compare-and-swap, and have all elements that were sent been claimed? A
 * receiver that is the only one claims by a stamp, whose flag no tail has.
 */
INLINE bool is_empty(const struct co_chan *c)
{
	/* relaxed, both: none goes back; a closed tail has a flag. */
	return co_chan_way_of(c, CO_CHAN_SENDER) == CO_CLAIM_CAS &&
	       co_atomic_load(&c->ring.head, CO_RELAXED) ==
		       co_atomic_load(&c->ring.tail, CO_RELAXED);
}

int co_case_recv(struct co_case *c)
{
	return co_chan_try_recv(c->object, c->data);
}

int co_case_send(struct co_case *c)
{
	return co_chan_try_send(c->object, c->data);
}

static NOINLINE bool can_recv(struct co_chan *c)
{
	return co_chan_is_rendezvous(c) ? co_chan_rendezvous_can_recv(c)
					: co_chan_can_move(c, CO_CHAN_RECEIVER);
}

/* Straight code for the usual case: the next slot is marked, whatever its stage. */
INLINE bool look_at_chan(struct co_chan *c)
{
	struct co_ring *r = &c->ring;
	struct co_claimed h;

	if (co_chan_way_of(c, CO_CHAN_RECEIVER) != CO_CLAIM_CAS)
		return can_recv(c);
	/* acquire: as in co_mpmc_claim_one(). */
	h = co_ring_at(r, co_atomic_load(&r->head, CO_ACQUIRE), CO_RING_FULL);
	if (co_ring_mark(h))
		return co_ring_turn(h) >= 0; /* it acquires the tail for is_empty() */
	return co_ring_may_end(r) && co_chan_drained(c);
}

bool co_case_can_recv(struct co_case *c)
{
	return look_at_chan(c->object);
}

bool co_case_can_send(struct co_case *c)
{
	struct co_chan *chan = c->object;

	return co_chan_is_rendezvous(chan) ? co_chan_rendezvous_can_send(chan)
					   : co_chan_can_move(chan, CO_CHAN_SENDER);
}

static bool can_join(struct co_case *c)
{
	return co_has_ended(c->object);
}

static int try_join(struct co_case *c)
{
	return can_join(c) ? co_join(c->object, c->data) : -EAGAIN;
}

struct co_case co_case_join(struct co *c, intptr_t *result)
{
	CO_ASSERT_THAT(
		c && c != co_self() && !c->batch && !co_waitq_waits(&c->joiner),
		"co_case_join() is given another coroutine that co_spawn() has returned, and that nobody else joins");
	return (struct co_case){ try_join, can_join, &c->joiner, c, result, 0 };
}

static bool any_ended(struct co_case *c)
{
	return co_batch_any_ended(c->object);
}

static int try_join_any(struct co_case *c)
{
	return co_batch_try_join_any(c->object, c->data);
}

struct co_case co_case_batch(struct co_batch *b, struct co_child **child)
{
	CO_ASSERT_THAT(b && child, "co_case_batch() is given a batch, and where the child goes");
	return (struct co_case){ try_join_any, any_ended, &b->any, b, child, 0 };
}

/* Most cases receive from a channel, which is empty: for these no function is called. */
INLINE bool receives(const struct co_case *k)
{
	return k->attempt == co_case_recv;
}

/* Try the cases from k on. Returns the first that succeeds, or NULL. */
INLINE struct co_case *try_cases(struct co_case *k, const struct co_case *end)
{
	for (; k != end; k++) {
		int r;

		if (receives(k) && is_empty(co_case_chan(k)))
			continue;
		r = k->attempt(k);
		if (r != -EAGAIN) {
			k->result = r;
			return k;
		}
	}
	return NULL;
}

/* Try the cases from `first` on, then from 0. Returns the first that succeeds, or -EAGAIN. */
static NOINLINE int try_from(struct co_case *cases, unsigned n, unsigned first)
{
	struct co_case *from = cases + first;
	struct co_case *done = try_cases(from, cases + n);

	if (!done)
		done = try_cases(cases, from);
	return done ? (int)(done - cases) : -EAGAIN;
}

static unsigned next_turn(unsigned n)
{
	static _Thread_local unsigned turn;

	return turn++ % n;
}

int co_select_try(struct co_case *cases, unsigned n)
{
	CO_ASSERT_THAT(n && n <= CO_WAIT_ANY_MAX, "a select has 1 to CO_WAIT_ANY_MAX cases");
	return try_from(cases, n, next_turn(n));
}

/*
 * Enter each queue and look, until something has changed; then sleep until a hint, or an element,
 * which takes precedence over a change and a cancel.
 * @return the case's number, and CO_WOKEN_WITH if it is done: take_value(); -EAGAIN: something has
 *         changed; -ENOBUFS: no nodes; -ETIMEDOUT, -ECANCELED
 */
static int sleep_on(struct co_case *cases, unsigned n, uint64_t deadline)
{
	struct co *self = co_executor.current;
	const struct co_case *end = cases + n;
	struct co_wait_any any;
	struct co_case *k = cases;
	bool ready = false, room;
	size_t i = 0;
	int r;

	co_wait_any_begin_inline(&any, self, k->object, "one of several, the first");
	do {
		i++;
		if (receives(k)) {
			struct co_chan *c = co_case_chan(k);

			room = co_wait_any_enter_inline(&any, i, self, &c->receivers, c->takes);
			ready = room && look_at_chan(c);
		} else {
			room = co_wait_any_enter_inline(&any, i, self, k->queue, 0);
			ready = room && k->look(k);
		}
	} while (++k != end && room && !ready);
	r = co_wait_any_commit_inline(&any, self, ready || !room, deadline);
	return r != -EAGAIN || room ? r : -ENOBUFS;
}

/* A hint may be unused, or stand for more than one change: pass it on. */
static void pass_on(struct co_case *c)
{
	if (co_waitq_any(c->queue) && c->look(c))
		co_wake_one(c->queue);
}

/* A sender has handed over an element for that case, or its mailbox has ended. */
static int take_value(struct co_case *cases, int number)
{
	struct co_case *k = &cases[number];
	const struct co_chan *c = co_case_chan(k);

	k->result = receives(k) ? 0 : -EOWNERDEAD;
	if (k->result)
		return number;
	if (!co_chan_copy_short(k->data, co_executor.current->value, k->data, c->elem_size))
		(void)co_chan_take_value(c, k->data);
	return number;
}

static NOINLINE int wait_for_one(struct co_case *cases, unsigned n, uint64_t deadline)
{
	int hint, done;

	do {
		hint = sleep_on(cases, n, deadline);
		if (hint >= CO_WOKEN_WITH)
			return take_value(cases, hint - CO_WOKEN_WITH);
		if (hint == -ENOBUFS)
			return hint;
		done = try_from(cases, n, hint >= 0 ? (unsigned)hint : next_turn(n));
		if (hint >= 0)
			pass_on(&cases[hint]);
		else if (hint != -EAGAIN)
			return done >= 0 ? done : hint;
	} while (done == -EAGAIN);
	return done;
}

/* The case k, the first to be tried, could not be done. */
static NOINLINE int try_others(struct co_case *cases, unsigned n, uint64_t deadline,
			       const struct co_case *k)
{
	int done = try_from(cases, n, (unsigned)(k - cases));

	return done != -EAGAIN ? done : wait_for_one(cases, n, deadline);
}

static NOINLINE int try_first(struct co_case *cases, unsigned n, uint64_t deadline,
			      struct co_case *k)
{
	int r = k->attempt(k);

	if (r == -EAGAIN)
		return try_others(cases, n, deadline, k);
	k->result = r;
	return (int)(k - cases);
}

/* The first case from k on that is more than to receive from an empty channel, or `end`. */
INLINE struct co_case *skip_empty(struct co_case *k, const struct co_case *end)
{
	while (k != end && receives(k) && is_empty(co_case_chan(k)))
		k++;
	return k;
}

/* All calls are last, so that nothing is saved for them. */
int co_select_until(struct co_case *cases, unsigned n, uint64_t deadline)
{
	struct co_case *end = cases + n, *from, *k;

	CO_ASSERT_THAT(n && n <= CO_WAIT_ANY_MAX, "a select has 1 to CO_WAIT_ANY_MAX cases");
	from = cases + next_turn(n);
	k = skip_empty(from, end);
	if (k == end) {
		k = skip_empty(cases, from);
		if (k == from)
			return wait_for_one(cases, n, deadline);
	}
	return try_first(cases, n, deadline, k);
}
