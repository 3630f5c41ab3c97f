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

/* channel.c: what the other files build on. */
int co_chan_claim_slot(struct co_chan *c, struct co_hold *h, uint64_t deadline);
int co_chan_claim_element(struct co_chan *c, struct co_hold *h, uint64_t deadline);
/* Not waiting: -EAGAIN. */
int co_chan_try_slot(struct co_chan *c, struct co_hold *h);
int co_chan_try_element(struct co_chan *c, struct co_hold *h);
/* The slot is filled (has been read): let the other side know. */
void co_chan_put_done(struct co_chan *c, struct co_hold h);
void co_chan_take_done(struct co_chan *c, struct co_hold h);
/* The stamp said that somebody waits. Returns 0. */
int co_chan_wake(struct co_chan *c);
/*
 * The looks of one who has entered c->senders (c->receivers): true if it should try again. They
 * mark the slot that is waited for: who was woken and is done must look if others wait.
 */
bool co_chan_can_send(struct co_chan *c);
bool co_chan_can_recv(struct co_chan *c);
/* Closed, and nothing will come any more. For receivers. */
bool co_chan_drained(struct co_chan *c);

#endif
