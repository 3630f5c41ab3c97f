/*
 * unhomed.h - a link of one message whose words all lie in one place: what homed links
 * (cohart/link.h) are compared with, and no more than that takes. One sender, one receiver, a word.
 * Source: seed C, "plain shared memory".
 */
#ifndef BENCH_UNHOMED_H
#define BENCH_UNHOMED_H

#include <cohart/detail/wait.h>

#include "../../runtime/core/core.h"
#include "../../runtime/core/lf/link.h"

/* Zero-filled is valid, but for the cursors. */
struct unhomed {
	alignas(CO_LINE) struct co_link_ack ack;
	struct co_a32 wake; /* the sender sleeps */
	struct co_link_slot slot;
	uintptr_t word; /* the slot's */
	struct co_waitq room, message;
	/* Each side's own. */
	alignas(CO_LINE) struct co_link_cursor tx;
	alignas(CO_LINE) struct co_link_cursor rx;
};

static inline void unhomed_init(struct unhomed *u)
{
	*u = (struct unhomed){ 0 };
	co_link_cursor_init(&u->tx, &u->slot, sizeof(u->slot) + sizeof(u->word), 1);
	u->rx = u->tx;
}

static inline int unhomed_send(struct unhomed *u, uintptr_t word)
{
	while (!co_link_may_send(&u->ack, &u->tx, 1)) {
		struct co_waiter *w = co_wait_prepare(&u->room, u, "room in a link");
		int r;

		co_link_prepare_sleep(&u->wake);
		r = co_link_full_now(&u->ack, &u->tx, 1) ? co_wait_commit(w, CO_FOREVER)
							 : co_wait_abandon(w);
		if (r)
			return r;
	}
	u->word = word;
	co_link_post(&u->tx);
	if (co_link_sleeps(&u->ack.wake))
		co_wake_known(&u->message);
	return 0;
}

static inline int unhomed_recv(struct unhomed *u, uintptr_t *word)
{
	while (!co_link_came(&u->rx)) {
		struct co_waiter *w = co_wait_prepare(&u->message, u, "message in a link");
		int r;

		co_link_prepare_sleep(&u->ack.wake);
		r = co_link_came_now(&u->rx) ? co_wait_abandon(w) : co_wait_commit(w, CO_FOREVER);
		if (r)
			return r;
	}
	*word = u->word;
	co_link_done(&u->rx, &u->ack);
	if (co_link_sleeps(&u->wake))
		co_wake_known(&u->room);
	return 0;
}

#endif
