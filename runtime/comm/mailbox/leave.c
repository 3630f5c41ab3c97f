/*
 * leave.c - mailboxes that end with a coroutine: in its stack, in its scratchpad memory, or opened
 * by it.
 */
#include "../../core/hook.h"
#include "../../core/memory/slab.h"
#include "../../core/sched/wait_inline.h"
#include "queue.h"

/* If p lies in c's stack, have c call the hook. */
static bool will_call(struct co *c, uintptr_t p)
{
	size_t bytes;

	if (!c || p - co_stack_of(c, &bytes) >= bytes)
		return false;
	c->flags |= CO_FLAG_LISTED;
	return true;
}

bool co_mail_will_leave(const void *p)
{
	uintptr_t address = (uintptr_t)p;
	int hart = co_hart_owning(p);
	struct co_stack_place place;

	if (hart >= 0 && (unsigned)hart != co_executor.hart)
		return false;
	if (will_call(co_executor.current, address) || !co_stack_find(address, &place))
		return true;
	for (struct co *c = NULL; (c = co_block_next(co_executor.hart, c));) {
		/* acquire: where c's stack is; pairs with launch(). */
		if (co_refs_live(co_atomic_load(&c->refs, CO_ACQUIRE)) && will_call(c, address))
			return true;
	}
	return false;
}

/* Does the mailbox, or its storage, lie in [low, low + bytes)? */
static bool lies_in(const struct co_mail_entry *e, uintptr_t low, size_t bytes)
{
	return (uintptr_t)e->box - low < bytes || (uintptr_t)e->storage - low < bytes;
}

/* Does c, or that node of a wait of several, wait in the mailbox? */
static bool waits_in(const struct co_mail_entry *e, const struct co_waiter *w)
{
	return w->queue == &e->box->queue ||
	       (w->queue == &e->from->leader && e->from->leads == e->box);
}

/* End the waits in the mailbox, which may have been overwritten, by -EOWNERDEAD. */
static void end_waits_in(const struct co_mail_entry *e)
{
	static struct co_waitq nowhere;
	struct co_node *node = co_area()->node;

	for (struct co *c = NULL; (c = co_block_next(co_executor.hart, c));) {
		if (!co_sleeps(c) || !waits_in(e, &c->waiter))
			continue;
		if (c->waiter.queue == &e->box->queue)
			c->waiter.queue = NULL;
		co_wait_end(c, -EOWNERDEAD);
	}
	for (struct co_waiter *w; node < co_area()->node + CO_WAIT_NODES; node++) {
		w = &node->waiter;
		if (!waits_in(e, w))
			continue;
		co_waiter_init(w); /* it leaves a queue in which it is not */
		w->queue = &nowhere;
		co_wait_end(co_container_of(w->token, struct co, token),
			    co_wait_any_ended(w->place));
	}
}

/* Did c open it, or does it lie in c's scratchpad memory, which is freed after a fault? */
static bool goes_with(const struct co_mail_entry *e, const struct co *c)
{
	return e->opener == c || co_spm_owns(c, (uintptr_t)e->box) ||
	       co_spm_owns(c, (uintptr_t)e->storage);
}

/*
 * The hook `leaves`: close each mailbox in c's stack, or with its storage there, and if c has
 * faulted each that goes with c.
 */
static void close_of(struct co *c)
{
	struct co_mail_entry **link = &mine()->open, *e;
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);

	while ((e = *link)) {
		bool faulted = c->flags & CO_FLAG_FAULTED && goes_with(e, c);

		if (e->opener == c)
			e->opener = NULL;
		if (!lies_in(e, low, bytes) && !faulted) {
			link = &e->next;
			continue;
		}
		if ((uintptr_t)e->box - low >= bytes) {
			e->box->ended = true;
			e->box->used = 0;
		}
		end_waits_in(e);
		co_mail_take_out(link);
	}
}

CO_HOOKS = { .leaves = close_of };
