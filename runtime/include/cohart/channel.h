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
 * co_chan_peek()), one by one or in bulk. All harts, management and compute alike, can use a
 * channel. Order: elements of one sender arrive in the order sent; the sender's writes before a
 * send are visible to the receiver (release, paired with the receiver's acquire).
 *
 * Waiters are woken in the order in which they began to wait. A receiver's wake-up may be a
 * hand-over of its element (up to 16 bytes, where neither side claims by ticket). Any other wake-up
 * is a hint: a coroutine that has not waited may be faster, and a waiter that was woken in vain
 * waits again, ahead of waiters that have not been woken yet.
 *
 * The mode says how many coroutines send and receive (MPMC by default; fewer is cheaper). The claim
 * says how several members of a side share out positions: by compare-and-swap, or by tickets, which
 * need atomic adds alone. By default a channel uses tickets, on all its sides with many members, on
 * a machine that has harts without compare-and-swap (co_hart_has_cas()), and on no other machine.
 * A wake-up of a coroutine that sleeps also needs swaps.
 *
 * Without room (capacity 0, or CO_RENDEZVOUS) sender and receiver meet: a send is done when a
 * receiver has the element; a sender whose send fails still has it. Elements may have any size, and
 * both sides any number of members, with or without compare-and-swap. A _try_ call succeeds only if
 * a coroutine of the opposite side waits at that moment, and not while another element is being
 * handed over. A select that would send waits like a sender, but only a receiver that waits, in a
 * select or not, meets it. If a fault ends a coroutine in the middle of a copy, or its hart is
 * lost, later ones can meet only if it was counted (co_chan_bind()): the element that it offered is
 * withdrawn, the element that it was given is lost.
 *
 * A channel's memory may be given to another use once all calls on the channel have returned,
 * wake-ups included: first join the coroutines that use it.
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
 * How many senders and receivers a channel has. A second sender or receiver, where the mode allows
 * one, loses elements; a DEBUG=1 build catches it. CO_RENDEZVOUS: any number, and no room.
 */
enum co_chan_mode { CO_MPMC, CO_MPSC, CO_SPMC, CO_SPSC, CO_RENDEZVOUS };

/* DEBUG=1: the only user of a side that has one member. */
struct co_chan_user {
	struct co *co;
	uint32_t generation; /* a later coroutine may have the control block by now */
};

struct co_chan {
	struct co_waitq receivers; /* wait for an element */
	struct co_ring ring;
	uint32_t elem_size; /* bytes */
	/* enum co_claim. The first use of a static channel replaces CO_CLAIM_DEFAULT. */
	struct co_aword send_way;
	struct co_aword recv_way;
	uint32_t takes; /* CO_WAITER_TAKES...: how a waiting receiver can be handed an element */
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

/* A static channel in a mode; `claim`: any enum co_claim that co_chan_init_as() takes. */
#define CO_CHANNEL_AS(name, type, count, mode, claim)                                            \
	CO_STATIC_ASSERT(CO_CHAN_VALID(count, mode, claim) && sizeof(type) > 0,                  \
			 "see co_chan_init_as() for what can be");                               \
	alignas(CO_LINE) static unsigned char name##_buffer[CO_CHAN_BYTES(sizeof(type), count)]; \
	static struct co_chan name = CO_CHAN(name##_buffer, sizeof(type), count, mode, claim)

/* ---- Parts of these macros; not for programs ---- */

/* A channel without room has one slot, through which elements pass. */
#define CO_CHAN_SLOTS(capacity) ((capacity) ? (capacity) : 1)

/*
 * How a side claims in a mode, if sides with many members claim by `claim`; `one`: the mode in
 * which this side alone has one member. Opposite a side with tickets it uses tickets, too, since it
 * needs their credits.
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

/* Does co_chan_init_as() accept these arguments? For a check at compile time. */
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
 * Make a channel of as many elements as fit in the buffer; it is open and empty. Zero-filled memory
 * is no channel.
 * @param buffer     8-byte aligned, the caller's; in use as long as the channel
 * @param bytes      its size: CO_CHAN_BYTES(elem_size, capacity); a rest too small for an element
 *                   is left unused
 * @param elem_size  bytes an element, at least 1
 * @return 0; -EINVAL: elem_size is 0, the buffer is NULL or misaligned, not even one element fits,
 *         or more than CO_CHAN_CAPACITY_MAX would. *c is untouched on error.
 * Context: any, before the channel is used. Asserted: shared memory.
 */
CO_MUST_CHECK int co_chan_init(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size);

/*
 * Make a channel in a mode, as co_chan_init() does. CO_RENDEZVOUS uses CO_CHAN_BYTES(elem_size, 0)
 * of the buffer.
 * @param claim  how a side of many members claims: CO_CLAIM_CAS (some machines have harts without
 *               compare-and-swap), CO_CLAIM_TICKET (an only member on the opposite side uses
 *               tickets, too), CO_CLAIM_DEFAULT
 * @return as co_chan_init(); -EINVAL also if the mode or claim does not exist.
 * Context: as co_chan_init().
 */
CO_MUST_CHECK int co_chan_init_as(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size,
				  enum co_chan_mode mode, enum co_claim claim);

/*
 * Copy an element in. Waits while the channel is full.
 * @param elem  elem_size bytes; may be on the caller's stack. An elem that begins where no memory
 *              is mapped faults before a slot is claimed; an elem that only ends there leaves the
 *              slot claimed, and all users of the channel wait for it
 * @return 0; -EPIPE: closed (before or during the wait); -ECANCELED; -ETIMEDOUT (_until): still no
 *         room at the deadline, which may have passed before the call; -EAGAIN (_try_): no room;
 *         -EPROTO: the opposite side is confined and has broken the ring. On
 *         error nothing was sent.
 * Context: coroutine; _try_: also inbox handlers.
 */
CO_MUST_CHECK int co_chan_send_until(struct co_chan *c, const void *elem, uint64_t deadline);
CO_MUST_CHECK int co_chan_try_send(struct co_chan *c, const void *elem);

CO_MUST_CHECK static inline int co_chan_send(struct co_chan *c, const void *elem)
{
	return co_chan_send_until(c, elem, CO_FOREVER);
}

/*
 * Copy the oldest element out. Waits while the channel is empty.
 * @param elem  elem_size bytes; untouched on error. Faults as co_chan_send() where no memory is
 *              mapped
 * @return 0; -EPIPE: closed and drained; -ECANCELED, -ETIMEDOUT, -EAGAIN, -EPROTO as
 *         co_chan_send(), with an empty channel for a full one.
 * Context: as co_chan_send().
 */
CO_MUST_CHECK int co_chan_recv_until(struct co_chan *c, void *elem, uint64_t deadline);
CO_MUST_CHECK int co_chan_try_recv(struct co_chan *c, void *elem);

CO_MUST_CHECK static inline int co_chan_recv(struct co_chan *c, void *elem)
{
	return co_chan_recv_until(c, elem, CO_FOREVER);
}

/*
 * Claim a slot to fill, or to read, in place: it is the caller's alone until the commit or release.
 *
 * Example
 *	struct co_chan_slot s;
 *	r = co_chan_reserve(&frames, &s);
 *	if (r == 0) {
 *		draw(s.data);              // elem_size bytes, 8-byte aligned
 *		co_chan_commit(&frames, &s);
 *	}
 *
 * A claimed slot delays the slots behind it: receivers take elements in order.
 * @return as co_chan_send() and co_chan_recv(); -ENOTSUP: a side claims by tickets, or the channel
 *         has no room: there a slot may be held no longer than a copy takes. *s is untouched on
 *         error. After 0 the claiming coroutine must call co_chan_commit() or co_chan_release().
 *
 * If a fault ends a coroutine that is counted by co_chan_bind(), or its hart is lost, the slots
 * that it holds are released, up to CO_CHAN_HELD of each end. A slot that it peeked at counts as
 * received. A slot that it had reserved becomes the channel's end: the channel is closed there,
 * receivers get the elements before that slot, then -EPIPE, and elements sent behind it are lost.
 * Slots of a coroutine that is not counted stay claimed, and delay all slots behind them.
 *
 * Context: coroutine; _try_, co_chan_commit(), co_chan_release(): also inbox handlers. A slot that
 * has been released already is asserted against. Order: a commit releases the caller's writes to
 * the slot, for the receiver that peeks at it; a release orders the caller's reads before the
 * writes of the slot's next sender.
 */
struct co_chan_slot {
	void *data;
	uintptr_t stamp; /* the ring's */
};

CO_MUST_CHECK int co_chan_reserve_until(struct co_chan *c, struct co_chan_slot *s,
					uint64_t deadline);
CO_MUST_CHECK int co_chan_try_reserve(struct co_chan *c, struct co_chan_slot *s);
void co_chan_commit(struct co_chan *c, struct co_chan_slot *s);

CO_MUST_CHECK static inline int co_chan_reserve(struct co_chan *c, struct co_chan_slot *s)
{
	return co_chan_reserve_until(c, s, CO_FOREVER);
}

CO_MUST_CHECK int co_chan_peek_until(struct co_chan *c, struct co_chan_slot *s, uint64_t deadline);
CO_MUST_CHECK int co_chan_try_peek(struct co_chan *c, struct co_chan_slot *s);
void co_chan_release(struct co_chan *c, struct co_chan_slot *s);

CO_MUST_CHECK static inline int co_chan_peek(struct co_chan *c, struct co_chan_slot *s)
{
	return co_chan_peek_until(c, s, CO_FOREVER);
}

/*
 * Send or receive in bulk: a side claims as many slots as are available in one step; without room
 * (CO_RENDEZVOUS), one by one. By compare-and-swap the slots are consecutive, and the opposite side
 * sees them when all have been copied; by tickets elements of other members may lie in between, and
 * the first slots may be seen before the last is copied.
 * @param elems  n consecutive elements
 * @return send: n when all are sent, fewer (at least 1) if a close, a cancel or the deadline came
 *         in between; recv: 1..n, as many as were available (only the first is waited for); else an
 *         error as of co_chan_send_until() or co_chan_recv_until(), and no element has moved. n is
 *         1..INT_MAX (asserted).
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
 * Close: later sends, and sends that wait, fail with -EPIPE. Receivers drain the channel, then get
 * -EPIPE. A second close changes nothing (it may return before the first does). A send on another
 * hart that is under way at that moment either fails, or its element is received. In the
 * single-sender modes the sender should close: after a close by anybody else, a receiver may get
 * -EPIPE just before the element of a send under way arrives. Without room there is nothing to
 * drain: an element that was offered but not taken stays with its sender.
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

/* The most slots of an end that are released if its coroutine ends early. */
#define CO_CHAN_HELD 4

struct co_chan_end {
	struct co_chan_note *note; /* in public scratchpad */
};

/*
 * Count the calling coroutine as a sender, a receiver or both, until co_chan_unbind() or a fault
 * that ends it. When a side's last counted coroutine is gone, the channel is closed: receivers
 * drain it, then get -EPIPE; senders get -EPIPE. The loss of a counted coroutine's hart
 * (cohart/debug.h) closes the channel at once. A starter that unbinds before its children are
 * bound closes the channel: the `sends` of struct co_attr counts them before they start.
 * @param sides  a set of CO_CHAN_SENDS and CO_CHAN_RECEIVES (asserted)
 * @param end    the coroutine's own, usually on its stack; unbind before that memory goes
 * @return 0; -ENOMEM: this hart's public scratchpad has no room for a note of it; the coroutine is
 *         not counted
 * Context: coroutine. Cost: that of a co_spm_alloc(); sends and receives cost no more.
 */
CO_MUST_CHECK int co_chan_bind(struct co_chan *c, unsigned sides, struct co_chan_end *end);

/* End the counting. Context: the counted coroutine (asserted). Order: release, by the close. */
void co_chan_unbind(struct co_chan_end *end);

/*
 * The `sends` of a struct co_attr: coroutines started with it count as senders of the channel.
 *
 * Example
 *	const struct co_attr attr = { .on = CO_ON_ANY, .sends = CO_SENDS(&results) };
 */
#define CO_SENDS(chan)                                               \
	{                                                            \
		co_chan_add_sender, 1 ? (chan) : (struct co_chan *)0 \
	}
void co_chan_add_sender(struct co *c, void *chan); /* a spawn calls it */

/* @return elements in the channel, maybe out of date; without room 0. Context: any. */
size_t co_chan_count(const struct co_chan *c);

/* @return the elements that the channel has room for; without room 0. Context: any. */
size_t co_chan_capacity(const struct co_chan *c);

/*
 * @return true: closed, for good, and sends return -EPIPE; elements may be left to receive. False:
 *         open, maybe out of date.
 * Context: any. Order: none; the -EPIPE of a send or a receive has one.
 */
bool co_chan_closed(const struct co_chan *c);
CO_END_C

#ifdef __cplusplus
/*
 * In C++: a static channel of n elements of T (MPMC, open and empty from the start) that takes and
 * gives values. A send with a narrowing conversion, as of a double to an int, does not compile.
 *
 * Example
 *	static co_channel<int, 16> numbers;
 *	int x, r = numbers.send(42);
 *	if (r == 0)
 *		r = numbers.recv(x);
 *	struct co_case cases[] = { CO_CASE_RECV(&numbers.chan, &x), ... };
 *
 * @return, Context, Order, Cost: as co_chan_send(), co_chan_recv() and so on.
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
	size_t count() const
	{
		return co_chan_count(&chan);
	}
	size_t capacity() const
	{
		return co_chan_capacity(&chan);
	}
	bool closed() const
	{
		return co_chan_closed(&chan);
	}
};
#endif

#endif
