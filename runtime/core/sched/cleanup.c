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
		co_executor.current && c && run && co_spm_shared(c, sizeof(*c)),
		"co_cleanup_add() is given a function and memory that every hart may use, by a coroutine");
	CO_ASSERT_THAT(co_executor.current->cleanups != c, CO_CLEANUP_ANEW);
	co_cleanup_push(co_executor.current, c, run);
}

bool co_cleanup_holds(const struct co *self, const struct co_cleanup *c)
{
	const struct co_cleanup *l = self->cleanups;

	for (unsigned n = 0; l && l != c && n < CO_CLEANUPS_EVER; n++)
		l = l->next;
	return l == c;
}

static bool is_whole(const struct co *self)
{
	unsigned n = 0;

	for (const struct co_cleanup *l = self->cleanups; l; l = l->next) {
		if (!l->run || ++n > CO_CLEANUPS_EVER)
			return false;
	}
	return true;
}

static bool is_before(struct co_cleanup **first, struct co_cleanup **at)
{
	while (first != at && *first != *at)
		first = &(*first)->next;
	return first != at;
}

const struct co_cleanup *co_cleanup_cut(struct co *self)
{
	struct co_cleanup **at = &self->cleanups;
	const struct co_cleanup *bad;

	if (is_whole(self))
		return NULL;
	while (*at && (*at)->run && !is_before(&self->cleanups, at))
		at = &(*at)->next;
	bad = *at;
	*at = NULL;
	return bad;
}

static void check(struct co *self)
{
	const struct co_cleanup *bad = co_cleanup_cut(self);

	if (bad)
		co_fail("it has held something at 0x%lx while that was initialised, locked or "
			"opened anew: it is to let go of that first",
			(unsigned long)(uintptr_t)bad);
}

bool co_cleanup_search(struct co *self, struct co_cleanup *c)
{
	struct co_cleanup **at = &self->cleanups;

	for (unsigned n = 0; *at && *at != c && n < CO_CLEANUPS_EVER; n++)
		at = &(*at)->next;
	if (!*at || *at != c)
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
	const struct co_cleanup *bad = co_cleanup_cut(c);
	struct co_cleanup *entry;

	if (bad)
		co_report("cohart: what '%s' on hart %u held at 0x%lx was initialised, locked or "
			  "opened anew meanwhile: it stays held, and what was held before it",
			  co_name(c), c->hart, (unsigned long)(uintptr_t)bad);
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
	struct co_cleanup *c;

	CO_ASSERT_COROUTINE(co_executor.current);
	c = co_executor.current->cleanups;
	for (unsigned n = 0; c && n < CO_CLEANUPS_EVER; n++, c = c->next) {
		struct co_local *l = co_container_of(c, struct co_local, cleanup);

		if (co_cleanup_is_local(c) && l->key == key)
			return l;
	}
	return NULL;
}

void co_locals_end(struct co *c)
{
	struct co_cleanup **at = &c->cleanups;

	check(c);
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
