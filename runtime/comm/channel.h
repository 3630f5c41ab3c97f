/*
 * channel.h - what the channel's files know of each other: the claims of a side, behind one face.
 */
#ifndef COHART_COMM_CHANNEL_H
#define COHART_COMM_CHANNEL_H

#include <cohart/channel.h>

#include "../core/lf/ring.h"

/*
 * channel_ticket.c: a slot for the caller, with a credit behind it. Waits in the store of credits
 * until the deadline; 0 as deadline: not at all.
 * @return 0; -EAGAIN (deadline 0); -EPIPE; -ETIMEDOUT; -ECANCELED.
 */
int co_chan_ticket_reserve(struct co_chan *c, struct co_hold *h, uint64_t deadline);
int co_chan_ticket_peek(struct co_chan *c, struct co_hold *h, uint64_t deadline);
/* After a commit or a release of any side: the other side's credit. */
void co_chan_ticket_give(struct co_credit *credit);
/* After a close, or the last element behind one: all who wait for a credit look around. */
void co_chan_ticket_kick(struct co_credit *credit);

extern const char co_chan_room[]; /* what senders wait for, for people */

/* channel.c: what the other files build on. Copying calls, waiting if need be: */
int co_chan_send_long(struct co_chan *c, const void *elem, uint64_t deadline);
int co_chan_recv_long(struct co_chan *c, void *elem, uint64_t deadline);
/* A slot, waiting for it if need be. */
int co_chan_claim_slot(struct co_chan *c, struct co_hold *h, uint64_t deadline);
int co_chan_claim_element(struct co_chan *c, struct co_hold *h, uint64_t deadline);
/* Not waiting: -EAGAIN. */
int co_chan_try_slot(struct co_chan *c, struct co_hold *h);
int co_chan_try_element(struct co_chan *c, struct co_hold *h);
/* The slot is filled (has been read): let the other side know. */
void co_chan_put_done(struct co_chan *c, struct co_hold h);
void co_chan_take_done(struct co_chan *c, struct co_hold h);
/*
 * A stamp said that somebody waits: most likely in `queue`, but maybe in the other one. Returns 0.
 * What the mark says is acquired with it, so a relaxed look at the queues will do.
 */
int co_chan_wake(struct co_waitq *queue, struct co_waitq *other);
/* After a commit: its receivers first. */
int co_chan_wake_receivers(struct co_chan *c);
/*
 * The looks of one who has entered c->senders (c->receivers): true if it should try again. They
 * mark the slot that is waited for: who was woken and is done must look if others wait.
 */
bool co_chan_can_send(struct co_chan *c);
bool co_chan_can_recv(struct co_chan *c);
/* Closed, and nothing will come any more. For receivers. */
bool co_chan_drained(struct co_chan *c);

/*
 * channel_end.c: h is held by the coroutine whose notes these are; if one of them is c's, it says.
 */
void co_chan_lent(const struct co *self, const struct co_chan *c, struct co_hold h);
/*
 * On behalf of a lost hart: is c there, and can all its queues be used? Else it is left alone, and
 * a line says so (co_lost_queue()). On hart 0.
 */
bool co_chan_lost_usable(struct co_chan *c);

/* channel_lone.c: the only receiver waits in the berth, on CO_PATH_SINGLE_8. */
/*
 * `to` has been taken out of the berth, or is NULL: wake it if there is anything for it, an element
 * or a close.
 */
void co_chan_serve(struct co_chan *c, struct co *to);
/*
 * `to` has been taken out of the berth by the only sender, who has claimed no slot yet: send v,
 * though it lives on another hart; though it does not wait for this element. They return what
 * co_chan_send_u64() does.
 */
int co_chan_send_away(struct co_chan *c, uint64_t v, struct co *to);
int co_chan_send_behind(struct co_chan *c, uint64_t v, struct co *to);
/* A handler has called what may wait: a panic. */
int co_chan_from_handler(void);

/* channel_copy.c: co_chan_recv_u64() for one of many receivers. */
int co_chan_recv_cas_u64(struct co_chan *c, uint64_t *v);
/* A copy of any size. */
void co_chan_copy_any(void *to, const void *from, size_t bytes);

/*
 * What is not there faults before a slot is claimed: one that is never filled, or emptied, would
 * hold up all others for ever.
 */
static inline void co_chan_touch(const void *elem)
{
	(void)*(const volatile unsigned char *)elem;
}

static inline void co_chan_copy(void *to, const void *from, size_t bytes)
{
	uintptr_t low = (uintptr_t)to | (uintptr_t)from;

	if (bytes == sizeof(uint64_t) && low % sizeof(uint64_t) == 0)
		*(uint64_t *)to = *(const uint64_t *)from;
	else if (bytes == sizeof(uint32_t) && low % sizeof(uint32_t) == 0)
		*(uint32_t *)to = *(const uint32_t *)from;
	else
		co_chan_copy_any(to, from, bytes);
}

#endif
