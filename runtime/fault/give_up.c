/* give_up.c - to give up a hart, and the cleanup after it; see give_up.h. */
#include <errno.h>

#include <hal/alarm.h>
#include <hal/monitors.h>
#include <hal/time.h>

#include "../core/hook.h"
#include "../core/memory/block.h"
#include "../core/memory/slab.h"
#include "../core/sched/cleanup.h"
#include "../core/sched/counter.h"
#include "alarm.h"
#include "fault.h"
#include "give_up.h"

#define LOOK_US 1000

/* Used by hart 0 alone. */
static bool looking; /* look_at_lost() is a device of the executor's */
static struct co_device device;

/* The message that stops a lost hart, should it run again. */
static void halt(struct co_msg *m)
{
	(void)m;
	co_hart_stop();
}

/* If c has a record, the joiner of any of its batch is notified by that. */
static void give_up_child(const struct co *c)
{
	struct co_child *child = c->flags & CO_FLAG_CHILD ? co_child_of(c) : NULL;

	if (co_lost_usable(child, sizeof(*child)) && co_lost_queue(&c->batch->any))
		co_child_ended(c->batch, child, -EHOSTDOWN);
}

/* Notify the joiners of c, once, that it never ends. */
static void give_up_coroutine(struct co *c)
{
	struct co_batch *batch;
	void (*run)(struct co * c, enum co_cleanup_why why);
	bool last;

	if (!co_give_up(c, &batch, &last))
		return;
	/* The hart may not have stopped: co_last_clear(). */
	run = co_plain_load(&c->last.run);
	if (last && run)
		run(c, CO_CLEANUP_HOST_DOWN);
	if (batch) {
		/* relaxed: the counter publishes it. */
		co_atomic_or(&batch->ended, CO_ENDED_LOST, CO_RELAXED);
		give_up_child(c);
		co_lost_done(&batch->running);
	} else if (co_lost_queue(&c->joiner)) {
		co_wake_all(&c->joiner);
	}
}

/* The queue of an armed wait exists. */
static void leave_queue(struct co_waiter *w)
{
	if (w->queue && co_lost_queue(w->queue))
		(void)co_waitq_leave(w);
}

/* Take c out of its queues, so that no wake-up and no element is lost with it. */
static void end_wait(struct co *c)
{
	struct co_area *a = co_area_at(c->hart);
	/* relaxed: c's hart has stopped. */
	bool rests = co_atomic_load(&c->token, CO_RELAXED) & CO_RESTS;

	if (!co_token_take(&c->token))
		return;              /* it was woken already; wakers skip its nodes */
	c->wait_result = -EHOSTDOWN; /* for hooks */
	/* At rest, the queue is an earlier wait's. */
	if (!rests)
		leave_queue(&c->waiter);
	for (unsigned i = 0; i < CO_WAIT_NODES; i++) {
		if (a->node[i].waiter.token == &c->token)
			leave_queue(&a->node[i].waiter);
	}
}

/* Run all cleanups of c. */
static void run_cleanups(struct co *c)
{
	struct co_cleanup *entry;

	for (unsigned n = 0; n < CO_CLEANUPS_MOST && (entry = co_cleanup_at(c->cleanups)); n++) {
		if (!co_lost_usable(entry, sizeof(*entry)) || !entry->run)
			break;
		c->cleanups = entry->next;
		entry->run(entry, c, CO_CLEANUP_HOST_DOWN);
	}
	if (c->cleanups)
		co_report("cohart: the list of what '%s' on hart %u held is damaged at 0x%lx: what "
			  "follows stays held",
			  co_name(c), c->hart, (unsigned long)c->cleanups);
	c->cleanups = 0;
}

struct co_msg *co_lost_message(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);
	struct co_msg *m;

	if (!co_hart_past(hart) || !co_lost_usable(h->left.oldest, sizeof(*m)))
		return NULL;
	/* acquire: as in co_inbox_take(), which looks at both of them. */
	m = (struct co_msg *)co_atomic_load(&h->left.oldest->next, CO_ACQUIRE);
	return m && !co_lost_usable(m, sizeof(*m)) ? NULL : co_inbox_take(&h->inbox, &h->left);
}

/* Number of transfers under way that its coroutines have begun. */
static unsigned transfers(unsigned hart)
{
	unsigned n = 0;

	for (struct co *c = NULL; (c = co_block_next(hart, c));)
		/* acquire: what an ended transfer wrote; pairs with the mover's decrement. */
		n += co_atomic_load(&c->transfers, CO_ACQUIRE);
	return n;
}

static void tell_joiners(unsigned hart, unsigned under_way)
{
	if (under_way)
		co_report(
			"cohart: %u transfers or calls of hart %u, which is lost, do not end: what they "
			"write should not be used for anything else",
			under_way, hart);
	/* seq_cst: before the looks for joiners; pairs with co_hart_notified(). */
	co_atomic_store(&co_hart_at(hart)->notified, 1, CO_SEQ_CST);
}

/*
 * Clean up after a lost hart as far as possible by now: its coroutines wait no more, the rooms
 * above wake the waiters for its objects, and joiners are notified. Each step can be repeated:
 * other harts may just be spawning there, or posting.
 * @return false: no look has to follow
 */
static bool look_at_hart(unsigned hart)
{
	bool late = co_us(hal_time_now() - co_hart_at(hart)->lost_at) >= CO_LOST_TRANSFERS_US;
	bool notified = co_hart_notified(hart);
	unsigned under_way;

	co_lost_look(true);
	co_lost_each(hart, end_wait);
	co_hooks_call(hart_lost, hart);
	co_lost_each(hart, run_cleanups);
	under_way = transfers(hart);
	if (!notified && (late || !under_way))
		tell_joiners(hart, under_way);
	if (co_hart_notified(hart)) {
		for (struct co *c = NULL; (c = co_block_next(hart, c));)
			give_up_coroutine(c);
		co_blocks_close(hart);
	}
	co_lost_look(false);
	co_hart_at(hart)->looked = late && notified;
	return !co_hart_at(hart)->looked;
}

/* Hart 0's executor calls it between coroutines and every millisecond, until all is done. */
static bool look_at_lost(struct co_executor *e)
{
	static uint64_t next;
	bool more = false;

	if (hal_time_now() < next)
		return false;
	next = co_after_us(LOOK_US);
	for (unsigned hart = 1; hart < co_machine.harts; hart++)
		more |= co_hart_lost(hart) && !co_hart_at(hart)->looked && look_at_hart(hart);
	if (!more) {
		co_lost_forget();
		looking = false;
		e->device = device.next; /* all others are added at boot */
		e->devices--;
		co_attend(e);
	}
	return false;
}

static void look_on(struct co_executor *e)
{
	if (looking)
		return;
	looking = true;
	co_device_add(&device, look_at_lost);
	e->devices++;
	co_attend(e);
}

/* Wait until the hart has taken the alarm, if it can, or has halted by itself. */
static void await_stop(unsigned hart)
{
	struct co_patience patience = co_patience_begin(CO_LOST_US);
	unsigned spins = 0;

	if (co_alarms())
		hal_alarm_ring(hart);
	while (!co_hart_past(hart) && co_patience_lasts(&patience))
		co_spin(&spins);
}

bool co_hart_lose(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	if (!co_hart_mark_lost(hart))
		return false;
	co_debug_stop("lost hart");
	co_blocks_close(hart);
	h->lost_msg.run = halt;
	co_post(hart, &h->lost_msg);
	await_stop(hart);
	if (BOARD_MONITORS)
		hal_monitors_lose_hart(hart);
	h->lost_at = hal_time_now();
	(void)look_at_hart(hart);
	look_on(&co_executor);
	return true;
}
