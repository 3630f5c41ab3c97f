/*
 * confined_user.c - what confined code calls (cohart/sandbox.h): runs without privilege, in a
 * domain. It accesses its arguments, its stack and the buffers of its channels, and nothing of the
 * runtime's.
 */
#include <cohart/sandbox.h>

#include "../core/compiler.h"
#include "../comm/lf/spsc.h"
#include "../comm/channel/channel.h"
#include "confined.h"

void co_user_exit(intptr_t result)
{
	for (;;)
		hal_user_call(CO_USER_RETURN, (uintptr_t)result, 0, 0, 0);
}

int co_user_pause(void)
{
	return (int)hal_user_call(CO_USER_PAUSE, 0, 0, 0, 0);
}

int co_user_sleep_us(uintptr_t us)
{
	return (int)hal_user_call(CO_USER_SLEEP, us, 0, 0, 0);
}

uint64_t co_user_after_us(uintptr_t us)
{
	uint64_t deadline = CO_FOREVER;

	hal_user_call(CO_USER_AFTER, us, (uintptr_t)&deadline, 0, 0);
	return deadline;
}

unsigned co_user_hart(void)
{
	return (unsigned)hal_user_call(CO_USER_HART, 0, 0, 0, 0);
}

int co_user_print(const char *text, size_t bytes)
{
	return (int)hal_user_call(CO_USER_PRINT, (uintptr_t)text, bytes, 0, 0);
}

/* Wait until it may be the turn of this end's next slot. */
static int await_slot(struct co_user_end *e, const struct co_claimed *h, uint64_t deadline)
{
	uintptr_t offset = (uintptr_t)h->slot - (uintptr_t)e->ring.slots;

	if (!e->ring.stride)
		return -EINVAL;
	return (int)hal_user_call(CO_USER_AWAIT, e->number, offset / e->ring.stride, h->stamp,
				  deadline == CO_FOREVER ? 0 : (uintptr_t)&deadline);
}

static int claim_slot(struct co_user_end *e, unsigned side, struct co_claimed *h)
{
	struct co_ring *r = &e->ring;
	bool mine;

	if (e->side != side)
		return -EINVAL;
	mine = side == CO_CHAN_SENDS ? co_single_claim(r, &r->tail, &r->put, CO_RING_WAITED, h)
				     : co_single_claim(r, &r->head, &r->took, CO_RING_WAITED, h);
	return mine ? 0 : -EAGAIN;
}

/* Move an element, and wait for its slot as long as `why`, the error to end with, is 0. */
INLINE int move_element(struct co_user_end *e, unsigned side, void *elem, int why,
			uint64_t deadline)
{
	struct co_claimed h;
	bool wakes;
	int r;

	while ((r = claim_slot(e, side, &h)) == -EAGAIN && !why)
		why = await_slot(e, &h, deadline);
	if (r)
		return r == -EAGAIN ? why : r;
	if (side == CO_CHAN_SENDS) {
		co_chan_copy(co_slot_payload(h.slot), elem, e->elem_size);
		wakes = co_ring_commit(h);
	} else {
		co_chan_copy(elem, co_slot_payload(h.slot), e->elem_size);
		wakes = co_ring_release(&e->ring, h);
	}
	if (wakes)
		hal_user_call(CO_USER_WAKE, e->number, 0, 0, 0);
	return 0;
}

int co_user_try_send(struct co_user_end *e, const void *elem)
{
	return move_element(e, CO_CHAN_SENDS, (void *)(uintptr_t)elem, -EAGAIN, 0);
}

int co_user_send_until(struct co_user_end *e, const void *elem, uint64_t deadline)
{
	return move_element(e, CO_CHAN_SENDS, (void *)(uintptr_t)elem, 0, deadline);
}

int co_user_send(struct co_user_end *e, const void *elem)
{
	return co_user_send_until(e, elem, CO_FOREVER);
}

int co_user_try_recv(struct co_user_end *e, void *elem)
{
	return move_element(e, CO_CHAN_RECEIVES, elem, -EAGAIN, 0);
}

int co_user_recv_until(struct co_user_end *e, void *elem, uint64_t deadline)
{
	return move_element(e, CO_CHAN_RECEIVES, elem, 0, deadline);
}

int co_user_recv(struct co_user_end *e, void *elem)
{
	return co_user_recv_until(e, elem, CO_FOREVER);
}

int co_user_close(struct co_user_end *e)
{
	return (int)hal_user_call(CO_USER_CLOSE, e->number, 0, 0, 0);
}
