/* coroutine_local.c - coroutine-local storage: cleanups that run at each end of a coroutine. */
#include "../core.h"
#include "cleanup.h"

static void run_local(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_local *l = co_container_of(c, struct co_local, cleanup);

	if (l->end)
		l->end(l, of, why);
}

void co_local_add(struct co_local *l, const void *key,
		  void (*end)(struct co_local *l, struct co *of, enum co_cleanup_why why))
{
	co_cleanup_add(&l->cleanup, run_local);
	l->key = key;
	l->end = end;
	co_executor.current->flags |= CO_FLAG_LOCAL;
}

struct co_local *co_local_find(const void *key)
{
	CO_ASSERT_COROUTINE(co_executor.current);
	for (struct co_cleanup *c = co_executor.current->cleanups; c; c = c->next) {
		struct co_local *l = co_container_of(c, struct co_local, cleanup);

		if (c->run == run_local && l->key == key)
			return l;
	}
	return NULL;
}

void co_locals_end(struct co *c)
{
	struct co_cleanup **at = &c->cleanups;

	while (*at) {
		struct co_cleanup *l = *at;

		if (l->run != run_local) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		run_local(l, c, CO_CLEANUP_END);
		at = &c->cleanups; /* it may have changed the list */
	}
	c->flags &= (uint16_t)~CO_FLAG_LOCAL;
	co_end_check(c);
}
