/*
 * cleanup.c - a coroutine's end list: the objects to release if it ends early, and its co_locals,
 * which end with it in any case. The list of a free control block is empty.
 */
#include "../core.h"
#include "cleanup.h"

static void check_new(const struct co_cleanup *c, bool has_function)
{
	CO_ASSERT_THAT(
		co_executor.current && c && has_function && co_spm_shared(c, sizeof(*c)),
		"co_cleanup_add() is given a function and memory that every hart may use, by a coroutine");
	CO_ASSERT_THAT(co_cleanup_at(co_executor.current->cleanups) != c, CO_CLEANUP_ANEW);
}

void co_cleanup_add(struct co_cleanup *c,
		    void (*run)(struct co_cleanup *, struct co *, enum co_cleanup_why))
{
	check_new(c, run);
	co_cleanup_push(co_executor.current, c, run);
}

bool co_cleanup_holds(const struct co *self, const struct co_cleanup *c)
{
	const struct co_cleanup *l = co_cleanup_at(self->cleanups);

	for (unsigned n = 0; l && l != c && n < CO_CLEANUPS_EVER; n++)
		l = co_cleanup_at(l->next);
	return l == c;
}

static bool is_whole(const struct co *self)
{
	const struct co_cleanup *l;
	unsigned n = 0;

	for (uintptr_t at = self->cleanups; (l = co_cleanup_at(at)); at = l->next) {
		if (!l->run || ++n > CO_CLEANUPS_EVER)
			return false;
	}
	return true;
}

static bool is_before(uintptr_t *first, uintptr_t *at)
{
	while (first != at && *first != *at)
		first = &co_cleanup_at(*first)->next;
	return first != at;
}

const struct co_cleanup *co_cleanup_cut(struct co *self)
{
	uintptr_t *at = &self->cleanups;
	const struct co_cleanup *bad;

	if (is_whole(self))
		return NULL;
	while ((bad = co_cleanup_at(*at)) && bad->run && !is_before(&self->cleanups, at))
		at = &co_cleanup_at(*at)->next;
	*at = 0;
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
	uintptr_t *at = &self->cleanups;

	for (unsigned n = 0; *at && co_cleanup_at(*at) != c && n < CO_CLEANUPS_EVER; n++)
		at = &co_cleanup_at(*at)->next;
	if (!*at || co_cleanup_at(*at) != c)
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
	while ((entry = co_cleanup_at(c->cleanups))) {
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
	check_new(&l->cleanup, true);
	co_local_push(co_executor.current, l, key, end);
}

struct co_local *co_local_find(const void *key)
{
	struct co_cleanup *c;

	CO_ASSERT_COROUTINE(co_executor.current);
	c = co_cleanup_at(co_executor.current->cleanups);
	for (unsigned n = 0; c && n < CO_CLEANUPS_EVER; n++, c = co_cleanup_at(c->next)) {
		struct co_local *l = co_container_of(c, struct co_local, cleanup);

		if (c->run == co_local_run && l->key == key)
			return l;
	}
	return NULL;
}

void co_locals_end(struct co *c)
{
	uintptr_t *at = &c->cleanups;

	check(c);
	while (*at) {
		struct co_cleanup *l = co_cleanup_at(*at);

		if (!(*at & CO_CLEANUP_ALWAYS)) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		l->run(l, c, CO_CLEANUP_END);
		at = &c->cleanups; /* it may have changed the list */
	}
	co_end_check(c);
	c->cleanups = 0; /* objects that it has not released stay held */
}
