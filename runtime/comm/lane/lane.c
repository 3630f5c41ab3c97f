/* lane.c - sleeps and wake-ups of lanes that are not inline. */
#include "lane.h"

NOINLINE int co_lane_wake_queued(const struct co_lane_waiter *w, uint32_t how)
{
	if (how & CO_LANE_CALLED)
		co_call(w->at, w->doorbell);
	return co_wake_known(w->queue);
}

int co_lane_wait(struct co_waitq *q, const void *object, const char *kind, uint64_t deadline,
		 co_lane_ask_fn *ask, void *arg)
{
	return co_lane_wait_inline(q, object, kind, deadline, ask, arg);
}
