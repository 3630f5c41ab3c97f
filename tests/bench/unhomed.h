/*
 * unhomed.h - a link of one message whose words all lie in one place: what homed links
 * (cohart/link.h) are compared with, and no more than that takes. One sender, one receiver, a word.
 * Source: seed C, "plain shared memory".
 */
#ifndef BENCH_UNHOMED_H
#define BENCH_UNHOMED_H

#include <cohart/detail/wait.h>

#include "../../runtime/core/core.h"
#include "../../runtime/comm/lf/lane.h"

/* Zero-filled is valid, but for the cursors. */
struct unhomed {
	alignas(CO_LINE) struct co_lane_ack ack;
	struct co_a32 wake; /* the sender sleeps */
	struct co_lane_slot slot;
	uintptr_t word; /* the slot's */
	struct co_waitq room, message;
	/* Each side's own. */
	alignas(CO_LINE) struct co_lane_cursor tx;
	alignas(CO_LINE) struct co_lane_cursor rx;
};

static inline void unhomed_init(struct unhomed *u)
{
	*u = (struct unhomed){ 0 };
	co_lane_cursor_init(&u->tx, &u->slot, sizeof(u->slot) + sizeof(u->word), 1);
	u->rx = u->tx;
}

static inline int unhomed_send(struct unhomed *u, uintptr_t word)
{
	while (!co_lane_has_room(&u->ack, u->tx.count, 1)) {
		struct co_waiter *w = co_wait_prepare(&u->room, u, "room in a link");
		int r;

		co_lane_ask(&u->wake, CO_LANE_QUEUED);
		r = co_lane_full_now(&u->ack, u->tx.count, 1) ? co_wait_commit(w, CO_FOREVER)
							      : co_wait_abandon(w);
		if (r)
			return r;
	}
	u->word = word;
	co_lane_publish(&u->slot.ready);
	co_lane_cursor_next(&u->tx);
	if (co_lane_asked(&u->ack.wake))
		co_wake_known(&u->message);
	return 0;
}

static inline int unhomed_recv(struct unhomed *u, uintptr_t *word)
{
	while (!co_lane_came(&u->slot.ready)) {
		struct co_waiter *w = co_wait_prepare(&u->message, u, "message in a link");
		int r;

		co_lane_ask(&u->ack.wake, CO_LANE_QUEUED);
		r = co_lane_came_now(&u->slot.ready) ? co_wait_abandon(w)
						     : co_wait_commit(w, CO_FOREVER);
		if (r)
			return r;
	}
	*word = u->word;
	co_lane_done(&u->rx, &u->ack);
	if (co_lane_asked(&u->wake))
		co_wake_known(&u->room);
	return 0;
}

#endif
