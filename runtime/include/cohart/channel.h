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
 * Elements of any size are copied in and out. Any number of senders and receivers, on any harts,
 * management and compute alike. Order: elements of one sender arrive in the order sent; what the
 * sender wrote before is visible to the receiver (release, paired with the receiver's acquire).
 *
 * Channel and buffer lie in memory that every hart may use: static, main memory, or public
 * scratchpad (co_spm_alloc(): best in the consumer's), not on a scratchpad stack.
 * Source: seed A3, A6 (MPMC), A7.
 */
#ifndef COHART_CHANNEL_H
#define COHART_CHANNEL_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/assert.h>
#include <cohart/ring.h>
#include <cohart/wait.h>

struct co_chan {
	struct co_ring ring;
	uint32_t elem_size;                         /* bytes */
	alignas(CO_LINE) struct co_waitq senders;   /* wait for room */
	alignas(CO_LINE) struct co_waitq receivers; /* wait for an element */
};

/* Bytes of buffer that `capacity` elements of `elem_size` bytes need. */
#define CO_CHAN_BYTES(elem_size, capacity) (CO_RING_STRIDE(elem_size) * (size_t)(capacity))

/* The most elements a channel can have. */
#define CO_CHAN_CAPACITY_MAX (1u << 24)

/* A static channel of `count` elements of `type`, open and empty from the start. */
#define CO_CHANNEL(name, type, count)                                                            \
	static alignas(CO_LINE) unsigned char name##_buffer[CO_CHAN_BYTES(sizeof(type), count)]; \
	static struct co_chan name = { .ring = CO_RING(name##_buffer, sizeof(type), count),      \
				       .elem_size = sizeof(type) }

/*
 * Make a channel of what fits in the buffer; it is open and empty.
 * @param buffer     8-byte aligned, used until the channel is; the caller's
 * @param bytes      its size: CO_CHAN_BYTES(elem_size, capacity); a rest too small for an element
 *                   is left unused
 * @param elem_size  bytes an element, at least 1
 * @return 0; -EINVAL if elem_size is 0, the buffer is NULL or misaligned, not even one element
 *         fits, or more than CO_CHAN_CAPACITY_MAX would. *c is untouched on error.
 * Context: any, before anybody uses it. Asserted: shared memory.
 */
CO_MUST_CHECK int co_chan_init(struct co_chan *c, void *buffer, size_t bytes, size_t elem_size);

/*
 * Copy an element in. Waits while the channel is full.
 * @param elem  elem_size bytes; may be on the caller's stack
 * @return 0; -EPIPE: closed (before or during the wait); -ECANCELED; -ETIMEDOUT (_until) at the
 *         deadline, also one that has passed, if there still is no room; -EAGAIN (_try_) if there
 *         is none. On error nothing was sent.
 * Context: coroutine; _try_: also inbox handlers.
 */
CO_MUST_CHECK int co_chan_send(struct co_chan *c, const void *elem);
CO_MUST_CHECK int co_chan_send_until(struct co_chan *c, const void *elem, uint64_t deadline);
CO_MUST_CHECK int co_chan_try_send(struct co_chan *c, const void *elem);

/*
 * Copy the oldest element out. Waits while the channel is empty.
 * @param elem  elem_size bytes; untouched on error
 * @return 0; -EPIPE: closed and drained; -ECANCELED, -ETIMEDOUT, -EAGAIN as above.
 * Context: as above.
 */
CO_MUST_CHECK int co_chan_recv(struct co_chan *c, void *elem);
CO_MUST_CHECK int co_chan_recv_until(struct co_chan *c, void *elem, uint64_t deadline);
CO_MUST_CHECK int co_chan_try_recv(struct co_chan *c, void *elem);

/*
 * No more sends: they fail with -EPIPE, those that wait too. Receivers drain what is there, then
 * get
 * -EPIPE. Closing twice changes nothing. A send on another hart that is under way at that moment
 * either fails, or its element is received.
 * Context: coroutine.
 */
void co_chan_close(struct co_chan *c);

/* Elements in it, a moment ago. Context: any. */
size_t co_chan_count(const struct co_chan *c);

#endif
