/*
 * flow.c - messages through a link.
 *
 * Each call first looks at its own word; if it cannot go on, it raises the flag in its peer's
 * memory, looks again and sleeps (lf/link.h). Calls on the fast path, a receiver's first wait
 * included, are tail calls, so that no registers are saved for them.
 */
#include "../../core/sched/wait_inline.h"
#include "link.h"

/* Is the end open, and of this hart? */
static inline bool is_mine(const struct co_link_end *end)
{
	return end->hart == co_executor.hart;
}

#define END_IS_OPEN_HERE "an end of a link is open, and used on the hart that has opened it"
#ifdef CO_DEBUG
#define CHECK_END(end) CO_ASSERT_THAT(is_mine(end), END_IS_OPEN_HERE)
#else
#define CHECK_END(end) ((void)0)
#endif

/* The receiver may sleep in its queue. Returns 0. */
static NOINLINE int wake_rx(struct co_link_tx *tx, uint32_t how)
{
	if (how & CO_LINK_CALLED)
		co_call(tx->at, tx->doorbell);
	return co_wake_known(&tx->rx->wait);
}

/* Publish the message in the sender's slot. Returns 0, for tail calls. */
static inline int post_message(struct co_link_tx *tx)
{
	uint32_t how;

	co_link_post(&tx->cursor);
	how = co_link_sleeps(&tx->ack.wake);
	if (__builtin_expect(how == CO_LINK_CALLED, 1))
		return co_call(tx->at, tx->doorbell);
	return how ? wake_rx(tx, how) : 0;
}

/* The sender's slot is not free: wait for it. Returns 0, or why it will not be free. */
INLINE int await_room(struct co_link_tx *tx, uint64_t deadline, bool wait)
{
	int why = wait ? 0 : -EAGAIN;

	while (!co_link_may_send(&tx->ack, &tx->cursor, tx->depth)) {
		struct co_waiter *w;

		if (co_link_under_way(&tx->ack, &tx->cursor) >= CO_LINK_SHUT)
			return -EPIPE;
		if (why)
			return why;
		w = co_wait_prepare(&tx->from->room, tx->link, "room in a link");
		co_link_prepare_sleep(&tx->from->wake);
		why = co_link_full_now(&tx->ack, &tx->cursor, tx->depth)
			      ? co_wait_commit(w, deadline)
			      : co_wait_abandon(w);
	}
	return 0;
}

static NOINLINE int send_slow(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline,
			      bool wait)
{
	int r;

	CHECK_END(&tx->end);
	r = await_room(tx, deadline, wait);
	if (r)
		return r;
	co_link_copy(tx->cursor.slot->msg, msg, tx->words);
	return post_message(tx);
}

static inline int send(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline, bool wait)
{
	if (!co_link_may_send(&tx->ack, &tx->cursor, tx->depth))
		return send_slow(tx, msg, deadline, wait);
	co_link_copy(tx->cursor.slot->msg, msg, tx->words);
	return post_message(tx);
}

int co_link_try_send(struct co_link_tx *tx, const uintptr_t *msg)
{
	return send(tx, msg, 0, false);
}

int co_link_send_until(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline)
{
	return send(tx, msg, deadline, true);
}

int co_link_send(struct co_link_tx *tx, const uintptr_t *msg)
{
	return send(tx, msg, CO_FOREVER, true);
}

static int reserve(struct co_link_tx *tx, uintptr_t **msg, uint64_t deadline, bool wait)
{
	int r;

	CO_ASSERT_THAT(is_mine(&tx->end), END_IS_OPEN_HERE);
	r = await_room(tx, deadline, wait);
	if (r)
		return r;
	tx->reserved = true;
	*msg = tx->cursor.slot->msg;
	return 0;
}

int co_link_try_reserve(struct co_link_tx *tx, uintptr_t **msg)
{
	return reserve(tx, msg, 0, false);
}

int co_link_reserve_until(struct co_link_tx *tx, uintptr_t **msg, uint64_t deadline)
{
	return reserve(tx, msg, deadline, true);
}

int co_link_reserve(struct co_link_tx *tx, uintptr_t **msg)
{
	return reserve(tx, msg, CO_FOREVER, true);
}

void co_link_commit(struct co_link_tx *tx)
{
	CO_ASSERT_THAT(
		tx->reserved && is_mine(&tx->end),
		"co_link_commit() is called on the hart that has the end, after co_link_reserve()");
	tx->reserved = false;
	post_message(tx);
}

/* Wake f's sender. Returns its number, for tail calls. */
static NOINLINE int wake_tx(struct co_link_from *f)
{
	co_wake_known(&f->room);
	return (int)f->number;
}

/* Free the slot of f's message. Returns f's number. */
static inline int finish_message(struct co_link_rx *rx, struct co_link_from *f)
{
	rx->turn = f->next;
	co_link_done(&f->cursor, f->ack);
	return co_link_sleeps(&f->wake) ? wake_tx(f) : (int)f->number;
}

/* The next sender that has a message, each in turn; NULL: none has. */
static inline struct co_link_from *next_from(struct co_link_rx *rx)
{
	struct co_link_from *f = rx->turn;

	do {
		if (co_link_came(&f->cursor))
			return f;
		f = f->next;
	} while (f != rx->turn);
	return NULL;
}

/* Have all senders closed? Then all their messages are there. */
static inline bool is_link_over(struct co_link_rx *rx)
{
	/* acquire: pairs with the change in leave_place(). */
	return !co_atomic_load(&rx->left, CO_ACQUIRE);
}

static const char message[] = "message in a link";

/*
 * The queue is locked: raise each sender's flag (new ones have theirs) and look again. False: there
 * is a message, or an end.
 */
INLINE bool raise_flags(struct co_link_rx *rx, uint32_t how)
{
	struct co_link_from *const last = rx->last;

	for (struct co_link_from *f = rx->from; f <= last; f++) {
		if (f->tx)
			co_link_prepare(&f->ack->wake, how);
		if (co_link_came_now(&f->cursor))
			return false;
	}
	/* relaxed: the lock, here and in leave_place(), orders it. */
	return co_atomic_load(&rx->left, CO_RELAXED) != 0;
}

/*
 * The queue is locked, and `first` its first waiter: look again, and begin a wait. NULL: one should
 * look, and the queue is unlocked.
 */
INLINE struct co_waiter *prepare_rx(struct co_link_rx *rx, struct co *self, struct co_waiter *first)
{
	if (raise_flags(rx, CO_LINK_QUEUED))
		return co_wait_begin(self, &rx->wait, first, rx->link, message, false, 0);
	co_waitq_unlock(&rx->wait, first);
	return NULL;
}

/* Find a message, or wait for one. `why`: 0, or the error to return rather than wait. */
static int await_message(struct co_link_rx *rx, uint64_t deadline, int why,
			 struct co_link_from **from)
{
	while (!(*from = next_from(rx))) {
		struct co_waiter *w;

		if (is_link_over(rx))
			return (*from = next_from(rx)) ? 0 : -EPIPE;
		if (why)
			return why;
		w = prepare_rx(rx, co_executor.current, co_waitq_lock(&rx->wait));
		why = w ? co_wait_commit(w, deadline) : 0;
	}
	return 0;
}

INLINE int take_message(struct co_link_rx *rx, struct co_link_from *f, uintptr_t *msg)
{
	co_link_copy(msg, f->cursor.slot->msg, rx->words);
	return finish_message(rx, f);
}

/* Go on after a wait that has ended with `why`, or there was none. */
static NOINLINE int receive_on(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline, int why)
{
	struct co_link_from *f;
	int r;

	CO_ASSERT_THAT(!rx->peeked,
		       "a message that was peeked at is released before the next is received");
	CHECK_END(&rx->end);
	r = await_message(rx, deadline, why, &f);
	return r ? r : take_message(rx, f, msg);
}

/* The first wait has ended with `why`. */
INLINE int receive_woken(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline, int why)
{
	struct co_link_from *f = next_from(rx);

	return why || !f ? receive_on(rx, msg, deadline, why) : take_message(rx, f, msg);
}

/* There is no message, and the hart has other things to do. The first wait, all calls last. */
static NOINLINE int receive_queued(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_waiter *first;

	if (!co_waitq_try_lock(&rx->wait, &first) || !prepare_rx(rx, self, first))
		return receive_on(rx, msg, deadline, 0);
	return receive_woken(rx, msg, deadline, co_wait_commit_inline(&self->waiter, deadline));
}

/* There is no message. A first wait that senders end by calls is here, all calls last. */
static NOINLINE int receive_later(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_hart *h = co_executor.self;
	struct co_waiter *first;
	bool came;

	if (rx->peeked)
		return receive_on(rx, msg, deadline, 0);
	if (!co_call_may(self, deadline) || !co_waitq_try_lock(&rx->wait, &first))
		return receive_queued(rx, msg, deadline);
	co_call_expect(h, self, rx->link, message);
	came = !raise_flags(rx, CO_LINK_CALLED);
	co_waitq_unlock(&rx->wait, first);
	co_call_await(h, self, came);
	return receive_woken(rx, msg, deadline, 0);
}

INLINE int receive(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline, bool wait)
{
	struct co_link_from *f = next_from(rx);

	if (f && !rx->peeked)
		return take_message(rx, f, msg);
	return wait ? receive_later(rx, msg, deadline) : receive_on(rx, msg, 0, -EAGAIN);
}

int co_link_try_recv(struct co_link_rx *rx, uintptr_t *msg)
{
	return receive(rx, msg, 0, false);
}

int co_link_recv_until(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline)
{
	return receive(rx, msg, deadline, true);
}

int co_link_recv(struct co_link_rx *rx, uintptr_t *msg)
{
	return receive(rx, msg, CO_FOREVER, true);
}

static int peek(struct co_link_rx *rx, const uintptr_t **msg, uint64_t deadline, bool wait)
{
	struct co_link_from *f = rx->peeked;
	int r = 0;

	CO_ASSERT_THAT(is_mine(&rx->end), END_IS_OPEN_HERE);
	if (!f)
		r = await_message(rx, deadline, wait ? 0 : -EAGAIN, &f);
	if (r)
		return r;
	rx->peeked = f;
	*msg = f->cursor.slot->msg;
	return (int)f->number;
}

int co_link_try_peek(struct co_link_rx *rx, const uintptr_t **msg)
{
	return peek(rx, msg, 0, false);
}

int co_link_peek_until(struct co_link_rx *rx, const uintptr_t **msg, uint64_t deadline)
{
	return peek(rx, msg, deadline, true);
}

int co_link_peek(struct co_link_rx *rx, const uintptr_t **msg)
{
	return peek(rx, msg, CO_FOREVER, true);
}

void co_link_release(struct co_link_rx *rx)
{
	struct co_link_from *f = rx->peeked;

	CO_ASSERT_THAT(
		f && is_mine(&rx->end),
		"co_link_release() is called on the hart that has the end, after co_link_peek()");
	rx->peeked = NULL;
	finish_message(rx, f);
}
