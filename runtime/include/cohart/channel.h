/*
 * channel.h - typed queues between coroutines of any hart.
 *
 * Example
 *	CO_CHANNEL(numbers, int, 16);                // a static channel of 16 ints
 *	...
 *	int r = co_chan_send(&numbers, &(int){ 42 });  // waits while it is full
 *	int x;
 *	r = co_chan_recv(&numbers, &x);                // waits while it is empty
 *
 * Elements of any size are copied in and out, or filled and read in place (co_chan_reserve(),
 * co_chan_peek()), one by one or in bulk. Any harts, management and compute alike. Order: elements
 * of one sender arrive in the order sent; what the sender wrote before is visible to the receiver
 * (release, paired with the receiver's acquire).
 *
 * Waiters are woken in the order they came. A receiver may be woken with its element (up to 16
 * bytes, where neither side claims by ticket). Else it is a hint: one that has not waited may be
 * faster, and a waiter that is woken for nothing waits on, ahead of those not woken yet.
 *
 * Modes: how many send and receive (MPMC by default; fewer is cheaper). Claims: how many of a side
 * agree which is next: compare-and-swap, or tickets, which add and never compare. By default a
 * channel takes tickets, on all its sides with many members, on a machine that has harts without
 * compare-and-swap (co_hart_has_cas()), and nowhere else. Waking one that sleeps takes swaps, too.
 *
 * Without room (capacity 0, or CO_RENDEZVOUS) sender and receiver meet: a send is done when a
 * receiver has the element, or a sender that fails has it still. Elements of any size, any number
 * on both sides, with or without compare-and-swap. _try_ succeeds only if one waits on the other
 * side at that moment, and not while another element is being handed over. A select that would
 * send waits as others do, but only a receiver that waits meets it, in a select or not. If a fault
 * ends a coroutine in the middle of a copy, or its hart is lost, the next ones can meet if it was
 * counted (co_chan_bind()): what it offered is withdrawn, what it was given is lost with it.
 *
 * Its memory may be given to another use once all calls on it have returned, wake-ups included:
 * join the coroutines that use it first.
 *
 * Channel and buffer lie in memory that every hart may use: static, main memory, or public
 * scratchpad (co_spm_alloc(): best in the consumer's), not on a scratchpad stack.
 * Source: seed A3 to A7.
 */
#ifndef COHART_CHANNEL_H
#define COHART_CHANNEL_H

#include <cohart/detail/base.h>
#include <cohart/detail/ring.h>
#include <cohart/detail/wait.h>
#include <cohart/detail/waitq.h>

CO_BEGIN_C
/* A build with NOCAS=1 has no compare-and-swap. */
#ifdef CO_NO_CAS
#define CO_CLAIM_HAS_CAS 0
#else
#define CO_CLAIM_HAS_CAS 1
#endif

/*
 * How many use it. More than one where one was promised lose elements: DEBUG=1 catches it.
 * CO_RENDEZVOUS: any number, and no room.
 */
enum co_chan_mode { CO_MPMC, CO_MPSC, CO_SPMC, CO_SPSC, CO_RENDEZVOUS };

/* DEBUG=1: the one that has a side that was promised to one. */
struct co_chan_user {
	struct co *co;
	uint32_t generation; /* the block may be another's by now */
};

struct co_chan {
	struct co_waitq receivers; /* wait for an element */
	struct co_ring ring;
	uint32_t elem_size; /* bytes */
	/* enum co_claim. By default it changes when a static channel is first used. */
	struct co_aword send_way;
	struct co_aword recv_way;
	uint32_t takes; /* what receivers that wait say: may an element be handed to them? */
	struct co_chan_user sender;
	struct co_chan_user receiver;
	alignas(CO_LINE) struct co_waitq senders;   /* wait for room */
	uint64_t shape;                             /* tickets: CO_RING_SHAPE() */
	alignas(CO_LINE) struct co_credit room;     /* tickets: free slots */
	alignas(CO_LINE) struct co_credit elements; /* tickets: full slots */
	struct co_a32 bound_senders;                /* co_chan_bind() */
	struct co_a32 bound_receivers;
};

/* Bytes of buffer that `capacity` elements of `elem_size` bytes need. */
#define CO_CHAN_BYTES(elem_size, capacity) \
	(CO_RING_STRIDE(elem_size) * (size_t)CO_CHAN_SLOTS(capacity))

/* The most elements a channel can have. */
#define CO_CHAN_CAPACITY_MAX (1u << 24)

/* A static channel of `count` elements (0: no room) of `type`, open and empty at first: MPMC. */
#define CO_CHANNEL(name, type, count) CO_CHANNEL_AS(name, type, count, CO_MPMC, CO_CLAIM_DEFAULT)

/* The same in a mode; `claim` is an enum co_claim but CO_CLAIM_SINGLE. See co_chan_init_as(). */
#define CO_CHANNEL_AS(name, type, count, mode, claim)                                            \
	CO_STATIC_ASSERT(CO_CHAN_VALID(count, mode, claim),                                      \
			 "see co_chan_init_as() for what can be");                               \
	alignas(CO_LINE) static unsigned char name##_buffer[CO_CHAN_BYTES(sizeof(type), count)]; \
	static struct co_chan name = CO_CHAN(name##_buffer, sizeof(type), count, mode, claim)

/* ---- What these macros are made of; not for programs ---- */

/* Without room there still is one, to pass elements through. */
#define CO_CHAN_SLOTS(capacity) ((capacity) ? (capacity) : 1)

/*
 * How a side of that mode claims, given the claim of sides with many members; `one`: the mode in
 * which it alone has one. Where the other side takes tickets, it takes some, too: its credits.
 */
#define CO_CHAN_CLAIM(mode, claim, one)                     \
	((mode) == CO_RENDEZVOUS ? CO_CLAIM_RENDEZVOUS      \
	 : (mode) == CO_SPSC     ? CO_CLAIM_SINGLE          \
	 : (mode) == (one)       ? CO_CHAN_CLAIM_ONE(claim) \
				 : (claim))
#define CO_CHAN_CLAIM_ONE(claim)                             \
	((claim) == CO_CLAIM_DEFAULT  ? CO_CLAIM_DEFAULT_ONE \
	 : (claim) == CO_CLAIM_TICKET ? CO_CLAIM_TICKET      \
				      : CO_CLAIM_SINGLE)

/* What co_chan_init_as() finds out at run time. */
#define CO_CHAN_VALID(n, mode, claim)                                            \
	((n) <= CO_CHAN_CAPACITY_MAX && ((mode) != CO_RENDEZVOUS || (n) == 0) && \
	 ((mode) == CO_SPSC || ((claim) == CO_CLAIM_CAS && CO_CLAIM_HAS_CAS) ||  \
	  (claim) == CO_CLAIM_TICKET || (claim) == CO_CLAIM_DEFAULT))

#define CO_CHAN(memory, bytes, n, mode, claim)                                       \
	CO_CHAN_OF(memory, bytes, CO_CHAN_SLOTS(n),                                  \
		   CO_CHAN_CLAIM((n) == 0 ? CO_RENDEZVOUS : (mode), claim, CO_SPMC), \
		   CO_CHAN_CLAIM((n) == 0 ? CO_RENDEZVOUS : (mode), claim, CO_MPSC))

/* The fields of struct co_chan in their order: C++ has no designators before C++20. */
#define CO_CHAN_OF(memory, bytes, n, send, recv)                                 \
	{                                                                        \
		{ { 0 } },                                                       \
			CO_RING(memory, bytes, n, ((send)&CO_CLAIM_SINGLE) != 0, \
				((recv)&CO_CLAIM_SINGLE) != 0),                  \
			(bytes), { (send) }, { (recv) }, CO_CHAN_TAKES(bytes),   \
			CO_CHAN_REST(bytes, n)                                   \
	}

#define CO_CHAN_TAKES(bytes) \
	((bytes) <= CO_WAITER_VALUE_BYTES ? CO_WAITER_TAKES : CO_WAITER_TAKES_HERE)

#define CO_CHAN_REST(bytes, n)                                                       \
	{ NULL, 0 }, { NULL, 0 }, { { 0 } }, CO_RING_SHAPE(bytes, n), CO_CREDITS(n), \
		CO_CREDITS(0), { 0 },                                                \
	{                                                                            \
		0                                                                    \
	}

/* ---- Calls ---- */

/*
 * Make a channel of what fits in the buffer; it is open and empty. Zero-filled memory is none.
 * @param buffer     8-byte aligned, used until the channel is; the caller's
 * @param bytes      its size: CO_CHAN_BYTES(elem_size, capacity); a rest too small for an element
 *                   is left unused
 * @param elem_size  bytes an element, at least 1
 * @return 0; -EINVAL if elem_size is 0, the buffer is NULL or misaligned, not even one element
 *         fits, or more than CO_CHAN_CAPACITY_MAX would. *c is untouched on error.
 * Context: any, before it is used. Asserted: shared memory.
 */
CO_MUST_CHECK int co_chan_init(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size);

/*
 * The same in a mode. CO_RENDEZVOUS: of a buffer of CO_CHAN_BYTES(elem_size, 0), the rest unused.
 * @param claim  how the members of a side that has many agree: CO_CLAIM_CAS (which not every hart
 *               may have), CO_CLAIM_TICKET (an only member beside them takes tickets, too),
 *               CO_CLAIM_DEFAULT
 * @return also -EINVAL: no such mode or claim.
 * Context: as above.
 */
CO_MUST_CHECK int co_chan_init_as(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size,
				  enum co_chan_mode mode, enum co_claim claim);

/*
 * Copy an element in. Waits while the channel is full.
 * @param elem  elem_size bytes; may be on the caller's stack. Where there is no memory at elem it
 *              faults before a slot is claimed; one that only ends where there is none leaves the
 *              slot claimed: the others wait for it
 * @return 0; -EPIPE: closed (before or during the wait); -ECANCELED; -ETIMEDOUT (_until) at the
 *         deadline, also one that has passed, if there still is no room; -EAGAIN (_try_) if there
 *         is none; -EPROTO: the other side is confined (cohart/sandbox.h) and has broken the ring.
 *         On error nothing was sent.
 * Context: coroutine; _try_: also inbox handlers.
 */
CO_MUST_CHECK int co_chan_send(struct co_chan *c, const void *elem);
CO_MUST_CHECK int co_chan_send_until(struct co_chan *c, const void *elem, uint64_t deadline);
CO_MUST_CHECK int co_chan_try_send(struct co_chan *c, const void *elem);

/*
 * Copy the oldest element out. Waits while the channel is empty.
 * @param elem  elem_size bytes; untouched on error. Where there is no memory it faults as above
 * @return 0; -EPIPE: closed and drained; -ECANCELED, -ETIMEDOUT, -EAGAIN, -EPROTO as above.
 * Context: as above.
 */
CO_MUST_CHECK int co_chan_recv(struct co_chan *c, void *elem);
CO_MUST_CHECK int co_chan_recv_until(struct co_chan *c, void *elem, uint64_t deadline);
CO_MUST_CHECK int co_chan_try_recv(struct co_chan *c, void *elem);

/*
 * In place: a slot to fill, or to read, that is the caller's alone until it commits or releases it.
 *
 * Example
 *	struct co_chan_slot s;
 *	r = co_chan_reserve(&frames, &s);
 *	if (r == 0) {
 *		draw(s.data);              // elem_size bytes, 8-byte aligned
 *		co_chan_commit(&frames, &s);
 *	}
 *
 * A slot that is held holds up those behind it: receivers wait for the elements in their order.
 * @return as the copying calls, and -ENOTSUP where either side claims by tickets, or there is no
 *         room: nobody may hold a slot for longer than a copy takes; *s is untouched on error.
 *         co_chan_commit() and co_chan_release() must follow, from the same coroutine.
 *
 * If a fault ends a coroutine that holds slots and is counted by co_chan_bind(), or its hart is
 * lost, they are released, up to CO_CHAN_HELD of each end: what it peeked at counts as received;
 * what it had reserved is the channel's end. It is closed there, receivers get what comes before,
 * then -EPIPE, and what was sent behind it is lost. Others' slots stay held, and hold up the rest.
 *
 * Context: coroutine; _try_, co_chan_commit(), co_chan_release(): also inbox handlers. A slot that
 * has been released already is asserted against. Order: a commit releases what was written to the
 * slot to the one that peeks at it; a release, that it was read, to its next reserver.
 */
struct co_chan_slot {
	void *data;
	uintptr_t stamp; /* the ring's */
};

CO_MUST_CHECK int co_chan_reserve(struct co_chan *c, struct co_chan_slot *s);
CO_MUST_CHECK int co_chan_reserve_until(struct co_chan *c, struct co_chan_slot *s,
					uint64_t deadline);
CO_MUST_CHECK int co_chan_try_reserve(struct co_chan *c, struct co_chan_slot *s);
void co_chan_commit(struct co_chan *c, struct co_chan_slot *s);

CO_MUST_CHECK int co_chan_peek(struct co_chan *c, struct co_chan_slot *s);
CO_MUST_CHECK int co_chan_peek_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline);
CO_MUST_CHECK int co_chan_try_peek(struct co_chan *c, struct co_chan_slot *s);
void co_chan_release(struct co_chan *c, struct co_chan_slot *s);

/*
 * In bulk: a side takes as many slots as are there in one step; without room (CO_RENDEZVOUS), one
 * by one. By compare-and-swap they are a row, which the other side sees when all of it has been
 * copied; by tickets others' elements may lie in between, and the first be seen before the last.
 * @param elems  n elements, one after the other
 * @return send: n when all are sent, fewer (at least 1) if it was closed, cancelled or the deadline
 *         came in between; recv: 1..n as many as there were, waiting for the first alone; else the
 *         error as above, nothing moved. n is 1..INT_MAX (asserted).
 * Context, order: as co_chan_send_until() and co_chan_recv_until().
 */
CO_MUST_CHECK int co_chan_send_many_until(struct co_chan *c, const void *elems, size_t n,
					  uint64_t deadline);
CO_MUST_CHECK int co_chan_recv_many_until(struct co_chan *c, void *elems, size_t n,
					  uint64_t deadline);

CO_MUST_CHECK static inline int co_chan_send_many(struct co_chan *c, const void *elems, size_t n)
{
	return co_chan_send_many_until(c, elems, n, CO_FOREVER);
}

CO_MUST_CHECK static inline int co_chan_recv_many(struct co_chan *c, void *elems, size_t n)
{
	return co_chan_recv_many_until(c, elems, n, CO_FOREVER);
}

/*
 * No more sends: they fail with -EPIPE, those that wait too. Receivers drain what is there, then
 * get -EPIPE. Closing twice changes nothing (the second call may be back before the first is). A
 * send on another hart that is under way at that moment either fails, or its element is received;
 * but in the single-sender modes it is the sender that should close: a receiver may get -EPIPE
 * just before the element of a send under way arrives. Without room nothing is there to drain: what
 * a sender offers stays with it, what a receiver has been given is the receiver's.
 * Context: coroutine.
 */
void co_chan_close(struct co_chan *c);

/*
 * Counted ends: a channel that closes when its last user has ended.
 *
 * Example
 *	struct co_chan_end end;
 *	r = co_chan_bind(&numbers, CO_CHAN_SENDS, &end);
 *	... r = co_chan_send(&numbers, &n) ...
 *	co_chan_unbind(&end);
 */
#define CO_CHAN_SENDS 1u
#define CO_CHAN_RECEIVES 2u

struct co_chan_note;

/* Claimed slots of an end, at a time, that are released if its coroutine ends early. */
#define CO_CHAN_HELD 4

struct co_chan_end {
	struct co_chan_note *note; /* in public scratchpad */
};

/*
 * Count this coroutine as one that sends, receives or both, until co_chan_unbind() or a fault that
 * ends it. When the last one is gone of those that were counted on a side, the channel is closed:
 * receivers drain it, then get -EPIPE, senders get -EPIPE. The loss of its hart (cohart/debug.h)
 * closes the channel, whatever else is counted. A starter that gives up its own count before its
 * children have taken theirs closes the channel: struct co_attr counts them before they start.
 * @param sides  CO_CHAN_SENDS, CO_CHAN_RECEIVES (asserted)
 * @param end    the coroutine's own, mostly on its stack; it unbinds before that memory goes
 * @return 0; -ENOMEM: there is no room in this hart's public scratchpad to note it, so it does not
 *         count
 * Context: coroutine. Cost: that of a co_spm_alloc(). The calls that send and receive cost what
 * they did.
 */
CO_MUST_CHECK int co_chan_bind(struct co_chan *c, unsigned sides, struct co_chan_end *end);

/* Context: the coroutine that was counted (asserted). Order: release, by the close. */
void co_chan_unbind(struct co_chan_end *end);

/* Elements in it, a moment ago; without room 0. Context: any. */
size_t co_chan_count(const struct co_chan *c);
CO_END_C

#ifdef __cplusplus
/*
 * In C++: a static channel of n elements of T (MPMC, open and empty from the start) that takes and
 * gives values. What would lose something as a T, a double for an int, does not compile.
 *
 * Example
 *	static co_channel<int, 16> numbers;
 *	int x, r = numbers.send(42);
 *	if (r == 0)
 *		r = numbers.recv(x);
 *	struct co_case cases[] = { CO_CASE_RECV(&numbers.chan, &x), ... };
 *
 * @return, Context, Order, Cost: as the calls of the same name.
 */
template <class T, unsigned n> struct co_channel {
	CO_STATIC_ASSERT(__is_trivially_copyable(T), "elements are copied as bytes");
	alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(T), n)] = {};
	struct co_chan chan = CO_CHAN(buffer, sizeof(T), n, CO_MPMC, CO_CLAIM_DEFAULT);

	template <class V> CO_MUST_CHECK auto send(const V &v) -> decltype(T{ v }, 0)
	{
		const T elem{ v };
		return co_chan_send(&chan, &elem);
	}
	template <class V>
	CO_MUST_CHECK auto send_until(const V &v, uint64_t deadline) -> decltype(T{ v }, 0)
	{
		const T elem{ v };
		return co_chan_send_until(&chan, &elem, deadline);
	}
	template <class V> CO_MUST_CHECK auto try_send(const V &v) -> decltype(T{ v }, 0)
	{
		const T elem{ v };
		return co_chan_try_send(&chan, &elem);
	}
	CO_MUST_CHECK int recv(T &elem)
	{
		return co_chan_recv(&chan, &elem);
	}
	CO_MUST_CHECK int recv_until(T &elem, uint64_t deadline)
	{
		return co_chan_recv_until(&chan, &elem, deadline);
	}
	CO_MUST_CHECK int try_recv(T &elem)
	{
		return co_chan_try_recv(&chan, &elem);
	}
	void close()
	{
		co_chan_close(&chan);
	}
};
#endif

#endif
