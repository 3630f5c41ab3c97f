/* owner.c - memory that goes with a coroutine, and the waits in an object there. */
#include "../memory/slab.h"
#include "owner.h"
#include "wait_inline.h"

/* Does p lie in c's stack or scratchpad memory? */
static bool has(const struct co *c, uintptr_t p)
{
	size_t bytes;

	return p - co_stack_of(c, &bytes) < bytes || co_spm_owns(c, p);
}

bool co_owner_of(const void *p, struct co **owner)
{
	uintptr_t address = (uintptr_t)p;
	int hart = co_hart_owning(p);
	struct co_stack_place place;
	bool on_stack = co_stack_find(address, &place);
	struct co *c = co_executor.current;

	*owner = NULL;
	if (hart < 0 && !on_stack)
		return true;
	if (hart >= 0 && (unsigned)hart != co_executor.hart)
		return false;
	if (c && has(c, address)) {
		*owner = c;
		return true;
	}
	if (!on_stack && !co_spm_owned(address))
		return true;
	for (c = NULL; (c = co_block_next(co_executor.hart, c));) {
		/* acquire: where c's stack is; pairs with launch(). */
		if (co_refs_live(co_atomic_load(&c->refs, CO_ACQUIRE)) && has(c, address)) {
			*owner = c;
			return true;
		}
	}
	return !on_stack;
}

void co_waits_end_in(const struct co_waitq *q, int result, bool intact)
{
	static struct co_waitq nowhere;
	struct co_node *node = co_area()->node;

	for (struct co *c = NULL; (c = co_block_next(co_executor.hart, c));) {
		if (!co_sleeps(c) || c->waiter.queue != q)
			continue;
		if (!intact)
			c->waiter.queue = NULL;
		co_wait_end(c, result);
	}
	for (struct co_waiter *w; node < co_area()->node + CO_WAIT_NODES; node++) {
		w = &node->waiter;
		if (w->queue != q)
			continue;
		if (!intact) {
			co_waiter_init(w); /* it leaves a queue in which it is not */
			w->queue = &nowhere;
		}
		co_wait_end(co_container_of(w->token, struct co, token),
			    co_wait_any_ended(w->place));
	}
}
