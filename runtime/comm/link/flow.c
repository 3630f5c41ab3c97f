/*
 * flow.c - messages through a link.
 *
 * Each call first looks at its own word; if it cannot go on, it raises the flag in its peer's
 * memory, looks again and sleeps (comm/lane/lane.h). Calls on the fast path, a receiver's first
 * wait included, are tail calls, so that no registers are saved for them.
 */
#include "../../core/timeline.h"
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

/* Publish the message in the sender's slot. Returns 0, for tail calls. */
static inline int post_message(struct co_link_tx *tx)
{
	struct co_a32 *ready = &tx->cursor.slot->ready;

	co_lane_cursor_next(&tx->cursor);
	co_lane_publish(ready);
	return co_lane_wake(&tx->ack.wake, &tx->receiver);
}

static const char message[] = "message in a link";

INLINE bool has_room(struct co_link_tx *tx)
{
	return co_lane_has_room(&tx->ack, tx->cursor.count, tx->depth);
}

/* A co_lane_ask_fn: a sender's flag and look. */
static bool ask_for_room(void *end, uint32_t how)
{
	struct co_link_tx *tx = end;

	co_lane_ask(&tx->from->wake, how);
	return !co_lane_full_now(&tx->ack, tx->cursor.count, tx->depth);
}

static bool ask_noting(void *end, uint32_t how)
{
	return ask_for_room(end, how | CO_LINK_NOTED);
}

INLINE int await_by(co_lane_ask_fn *ask, struct co_link_tx *tx, uint64_t deadline, bool wait)
{
	int why = wait ? 0 : -EAGAIN;

	while (!has_room(tx)) {
		if (co_lane_under_way(&tx->ack, tx->cursor.count) >= CO_LANE_SHUT)
			return -EPIPE;
		if (why)
			return why;
		why = co_lane_wait(&tx->from->room, tx->link, "room in a link", deadline, ask, tx);
	}
	return 0;
}

/* await_room() with a timeline. */
static NOINLINE int await_noting(struct co_link_tx *tx, uint64_t deadline, bool wait)
{
	int r = await_by(ask_noting, tx, deadline, wait);

	if (!r)
		co_timeline_sent(message, tx->from, tx->cursor.count,
				 tx->words * sizeof(uintptr_t));
	return r;
}

/* The sender's slot is not free: wait for it. Returns 0, or why it will not be free. */
static int await_room(struct co_link_tx *tx, uint64_t deadline, bool wait)
{
	return tx->at_once ? await_by(ask_for_room, tx, deadline, wait)
			   : await_noting(tx, deadline, wait);
}

static NOINLINE int send_slow(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline,
			      bool wait)
{
	int r;

	CHECK_END(&tx->end);
	r = await_room(tx, deadline, wait);
	if (r)
		return r;
	co_lane_copy(tx->cursor.slot->msg, msg, tx->words);
	return post_message(tx);
}

static inline int send(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline, bool wait)
{
	if (!co_lane_has_room(&tx->ack, tx->cursor.count, tx->at_once))
		return send_slow(tx, msg, deadline, wait);
	co_lane_copy(tx->cursor.slot->msg, msg, tx->words);
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

/* Wake f's sender, or note its message. Returns its number, for tail calls. */
static NOINLINE int wake_otherwise(struct co_link_from *f, uint32_t how)
{
	if (how & CO_LINK_NOTED) {
		co_timeline_received(message, f, f->cursor.count - 1);
		/* relaxed: it publishes nothing; bits of the sender stay set. */
		co_atomic_or(&f->wake, CO_LINK_NOTED, CO_RELAXED);
	}
	co_lane_wake_by(&f->sender, how & ~CO_LINK_NOTED);
	return (int)f->number;
}

static NOINLINE int wake_tx(struct co_link_from *f, uint32_t how)
{
	if (how != CO_LANE_CALLED)
		return wake_otherwise(f, how);
	co_lane_wake_by(&f->sender, CO_LANE_CALLED);
	return (int)f->number;
}

/* Free the slot of f's message. Returns f's number. */
static inline int finish_message(struct co_link_rx *rx, struct co_link_from *f)
{
	uint32_t how;

	rx->turn = f->next;
	co_lane_done(&f->cursor, f->ack);
	how = co_lane_asked(&f->wake);
	return how ? wake_tx(f, how) : (int)f->number;
}

/* The next sender that has a message, each in turn; NULL: none has. */
static inline struct co_link_from *next_from(struct co_link_rx *rx)
{
	struct co_link_from *f = rx->turn;

	do {
		if (co_lane_came(&f->cursor.slot->ready))
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

/*
 * The queue is locked, for a call, too: raise each sender's flag (new senders have theirs) and look
 * again. True: there is a message, or an end.
 */
INLINE bool raise_flags(struct co_link_rx *rx, uint32_t how)
{
	struct co_link_from *const last = rx->last;

	for (struct co_link_from *f = rx->from; f <= last; f++) {
		if (f->tx)
			co_lane_ask(&f->ack->wake, how);
		if (co_lane_came_now(&f->cursor.slot->ready))
			return true;
	}
	/* relaxed: the lock, here and in leave_place(), orders it. */
	return !co_atomic_load(&rx->left, CO_RELAXED);
}

/* raise_flags() for a receiver that will be called, and has locked the queue. */
INLINE bool raise_and_unlock(struct co_link_rx *rx, struct co_waiter *first)
{
	bool came = raise_flags(rx, CO_LANE_CALLED);

	co_waitq_unlock(&rx->wait, first);
	return came;
}

/* A co_lane_ask_fn: the receiver's. */
INLINE bool ask_senders(void *end, uint32_t how)
{
	struct co_link_rx *rx = end;

	return how == CO_LANE_QUEUED ? raise_flags(rx, how)
				     : raise_and_unlock(rx, co_wait_lock(&rx->wait));
}

/* ask_senders() of a first wait, without a call: it does not sleep if another hart is at the queue.
 */
INLINE bool ask_first(void *end, uint32_t how)
{
	struct co_link_rx *rx = end;
	struct co_waiter *first;

	(void)how;
	return !co_waitq_try_lock(&rx->wait, &first) || raise_and_unlock(rx, first);
}

/* Find a message, or wait for one. `why`: 0, or the error to return rather than wait. */
static int await_message(struct co_link_rx *rx, uint64_t deadline, int why,
			 struct co_link_from **from)
{
	while (!(*from = next_from(rx))) {
		if (is_link_over(rx))
			return (*from = next_from(rx)) ? 0 : -EPIPE;
		if (why)
			return why;
		why = co_lane_wait(&rx->wait, rx->link, message, deadline, ask_senders, rx);
	}
	return 0;
}

INLINE int take_message(struct co_link_rx *rx, struct co_link_from *f, uintptr_t *msg)
{
	co_lane_copy(msg, f->cursor.slot->msg, rx->words);
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
	return receive_woken(
		rx, msg, deadline,
		co_lane_wait_queued(&rx->wait, rx->link, message, deadline, ask_senders, rx));
}

/* There is no message. A first wait that senders end by calls is here, all calls last. */
static NOINLINE int receive_later(struct co_link_rx *rx, uintptr_t *msg, uint64_t deadline)
{
	if (rx->peeked)
		return receive_on(rx, msg, deadline, 0);
	if (!co_lane_wait_called(rx->link, message, deadline, ask_first, rx))
		return receive_queued(rx, msg, deadline);
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
