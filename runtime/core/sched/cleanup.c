/*
 * cleanup.c - a coroutine's end list: the objects to release if it ends early, and its co_locals,
 * which end with it in any case. The list of a free control block is empty.
 */
#include "../core.h"
#include "cleanup.h"

void co_cleanup_add(struct co_cleanup *c,
		    void (*run)(struct co_cleanup *, struct co *, enum co_cleanup_why))
{
	CO_ASSERT_THAT(
		co_executor.current && run && co_spm_shared(c, sizeof(*c)),
		"co_cleanup_add() is given a function and memory that every hart may use, by a coroutine");
	co_cleanup_push(co_executor.current, c, run);
}

bool co_cleanup_search(struct co *self, struct co_cleanup *c)
{
	struct co_cleanup **at = &self->cleanups;

	while (*at && *at != c)
		at = &(*at)->next;
	if (!*at)
		return false;
	*at = c->next;
	return true;
}

bool co_cleanup_remove(struct co_cleanup *c)
{
	CO_ASSERT_COROUTINE(co_executor.current);
	return co_cleanup_search(co_executor.current, c);
}

void co_cleanup_fault(struct co *c)
{
	struct co_cleanup *entry;

	while ((entry = c->cleanups)) {
		c->cleanups = entry->next;
		entry->run(entry, c, CO_CLEANUP_FAULT);
	}
}

void co_local_run(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_local *l = co_container_of(c, struct co_local, cleanup);

	if (l->end)
		l->end(l, of, why);
}

void co_local_add(struct co_local *l, const void *key,
		  void (*end)(struct co_local *l, struct co *of, enum co_cleanup_why why))
{
	co_cleanup_add(&l->cleanup, co_local_run);
	l->key = key;
	l->end = end;
}

struct co_local *co_local_find(const void *key)
{
	CO_ASSERT_COROUTINE(co_executor.current);
	for (struct co_cleanup *c = co_executor.current->cleanups; c; c = c->next) {
		struct co_local *l = co_container_of(c, struct co_local, cleanup);

		if (co_cleanup_is_local(c) && l->key == key)
			return l;
	}
	return NULL;
}

void co_locals_end(struct co *c)
{
	struct co_cleanup **at = &c->cleanups;

	while (*at) {
		struct co_cleanup *l = *at;

		if (!co_cleanup_is_local(l)) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		co_local_run(l, c, CO_CLEANUP_END);
		at = &c->cleanups; /* it may have changed the list */
	}
	co_end_check(c);
	c->cleanups = NULL; /* objects that it has not released stay held */
}
