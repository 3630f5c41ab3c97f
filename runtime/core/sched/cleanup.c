/*
 * cleanup.c - a coroutine's list of objects to release if it ends early. The list is empty for each
 * new coroutine (launch() in spawn.c).
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
