/*
 * leave.c - mailboxes that end with a coroutine: in its stack, in its scratchpad memory, or opened
 * by it.
 */
#include "../../core/sched/cleanup.h"
#include "../../core/sched/owner.h"
#include "queue.h"

/* Does the mailbox, or its storage, lie in [low, low + bytes)? */
static bool lies_in(const struct co_mail_entry *e, uintptr_t low, size_t bytes)
{
	return (uintptr_t)e->box - low < bytes || (uintptr_t)e->storage - low < bytes;
}

/* End the waits in the mailbox, which may have been overwritten, by -EOWNERDEAD. */
static void end_waits_in(const struct co_mail_entry *e)
{
	co_waits_end_in(&e->box->queue, -EOWNERDEAD, false);
	if (e->from->leads == e->box)
		co_waits_end_in(&e->from->leader, -EOWNERDEAD, true);
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
