/*
 * leave.c - mailboxes that end with a coroutine: in its stack, in its scratchpad memory, or opened
 * by it.
 */
#include "../../core/memory/slab.h"
#include "../../core/sched/cleanup.h"
#include "../../core/sched/wait_inline.h"
#include "queue.h"

/* Does p lie in c's stack or scratchpad memory? */
static bool has(const struct co *c, uintptr_t p)
{
	size_t bytes;

	return p - co_stack_of(c, &bytes) < bytes || co_spm_owns(c, p);
}

bool co_mail_owner(const void *p, struct co **owner)
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

/*
 * c ends: close the mailbox if it, or its storage, lies in c's stack, or if c has faulted. It may
 * be overwritten already.
 */
static void user_ends(struct co_local *l, struct co *c, enum co_cleanup_why why)
{
	struct co_mail_user *user = co_container_of(l, struct co_mail_user, local);
	struct co_mail_entry *e = user->of, **link = &mine()->open;
	size_t bytes;
	uintptr_t low = co_stack_of(c, &bytes);

	l->key = NULL;
	if (why == CO_CLEANUP_HOST_DOWN) /* its hart's mailboxes are shut: send.c */
		return;
	if (why == CO_CLEANUP_END && !lies_in(e, low, bytes))
		return;
	if ((uintptr_t)e->box - low >= bytes) {
		e->box->ended = true;
		e->box->used = 0;
	}
	end_waits_in(e);
	while (*link != e)
		link = &(*link)->next;
	co_mail_take_out(link);
}

void co_mail_users_add(struct co_mail_entry *e, struct co *const users[CO_MAIL_USERS])
{
	for (unsigned i = 0; i < CO_MAIL_USERS; i++) {
		struct co *c = users[i];
		bool again = (i > 0 && c == users[0]) || (i > 1 && c == users[1]);

		e->user[i].of = e;
		e->user[i].local.key = NULL;
		if (c && !again)
			co_local_push(c, &e->user[i].local, c, user_ends);
	}
}

void co_mail_users_remove(struct co_mail_entry *e)
{
	for (unsigned i = 0; i < CO_MAIL_USERS; i++) {
		struct co *c = (struct co *)(uintptr_t)e->user[i].local.key;

		if (c)
			(void)co_cleanup_search(c, &e->user[i].local.cleanup);
	}
}
