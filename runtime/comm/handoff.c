/* handoff.c - the rare parts of handoff.h. */
#include "handoff.h"

struct co_waiter *co_handoff_first(struct co_waitq *q)
{
	struct co_waiter *w = co_wait_lock(q);

	while (w && !co_token_take(w->token))
		w = co_waitq_unlink(w, w);
	return w;
}

int co_handoff_wait_long(struct co_waitq *q, void *object, const char *kind,
			 bool (*take)(void *object), uint64_t deadline)
{
	struct co_waiter *first = co_wait_lock(q);

	if (!take(object))
		return co_handoff_enter(q, first, object, kind, deadline);
	co_waitq_unlock(q, first);
	return 0;
}
