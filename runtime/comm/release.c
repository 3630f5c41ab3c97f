/*
 * release.c - what a coroutine held that is no more.
 */
#include <cohart/mutex.h>

#include "../core/lost.h"
#include "barrier.h"
#include "channel.h"
#include "confined.h"
#include "link.h"
#include "mail.h"
#include "release.h"

void co_comm_release(struct co *c)
{
	co_mutexes_release(c);
	co_seats_release(c, false);
}

/* A hint that there is room, or an element, may have gone to c: it is for somebody else. */
static void pass_on(struct co_chan *chan, struct co *c)
{
	if (!co_chan_lost_usable(chan))
		return;
	/* A credit that comes back is a hint to those who wait for several things. */
	if (!chan->plain)
		co_chan_ticket_lost(chan, &c->waiter);
	co_wake_one(&chan->senders);
	co_wake_one(&chan->receivers);
}

void co_comm_lost(struct co *c)
{
	/* relaxed, all: its own hart's, which has stopped. */
	bool waits = co_atomic_load(&c->state, CO_RELAXED) == CO_WAITING;
	const char *kind = (const char *)co_atomic_load(&c->waits_kind, CO_RELAXED);
	void *object = (void *)co_atomic_load(&c->waits_for, CO_RELAXED);

	if (waits && (kind == co_chan_room || kind == co_chan_element))
		pass_on(object, c);
	co_mutexes_lost(c);
	/* One that it was given it does not hold before it has run. */
	if (kind == co_wait_mutex)
		co_mutex_lost(object, c);
	co_ends_lost(c);
	co_seats_release(c, true);
	co_confined_lost(c);
}

void co_comm_hart_lost(unsigned hart)
{
	co_barrier_hart_lost(hart);
	co_link_hart_lost();
	co_mail_hart_lost(hart);
}
