/*
 * irq.c - interrupt lines of devices.
 *
 * A hart that lines are open for looks at them when a sleep has ended and in scheduling points
 * (look_at_lines(), a `device` of the executor): a line that has come is masked at the controller,
 * and a waiter is woken. So a line is a condition and a queue: the look makes the condition true,
 * and then looks for waiters; a waiter enters the queue, and then looks at the condition.
 *
 * The state of a line: QUIET, the controller lets it come; HANDLED, masked by its handler; CAME,
 * masked; SERVED, masked, and a coroutine serves its device. Its hart alone leaves QUIET and
 * HANDLED; the other changes are made with the queue's lock. A coroutine that unmasks a line holds
 * that lock and has seen that the line has not ended; a handler unmasks its line, and then has left
 * it. The coroutine that ends a line says so with the lock held, closes it, waits until its handler
 * has left it, and closes it once more if the handler was there: no closed line is unmasked.
 *
 * Lines of a hart are in a list, which coroutines of all harts change: its lock is held for a
 * look, or for a change. A hart that has stopped looks no more.
 *
 * A line with a handler is never looked for: it comes in a trap (line_came()), at any moment,
 * also while its hart holds one of these locks. The handler takes none: it makes the state HANDLED,
 * and rings its own hart, whose next look makes it CAME and wakes a waiter.
 */
#include <errno.h>

#include <cohart/hart.h>
#include <cohart/irq.h>
#include <hal/console.h>
#include <hal/ipi.h>
#include <hal/irq.h>

#include "../../core/hart_var.h"
#include "../../core/hook.h"
#include "../../core/lost.h"
#include "../../core/sched/wait_inline.h"
#include "../../fault/alarm.h"

enum { QUIET, CAME, SERVED, HANDLED };

static const char key;
static const char kind[] = "interrupt";

/* Of a hart. */
struct lines {
	struct co_a32 locked;
	struct co_irq *first;
	struct co_notice changed;
	struct co_aword handles; /* number of the line whose handler runs, + 1; or 0 */
};
CO_HART_VAR(struct lines, lines);

/* 1: the line is open, or about to be. */
static struct co_a32 taken[HAL_LINES];
/* struct co_irq *: the line is open, and has a handler; or 0. */
static struct co_aword handled[HAL_LINES];
/*
 * Held while lines are opened or closed: hal_line_open() wants one caller at a time. A line that
 * comes at once may interrupt its holder, and the handler may fault: hart + 1 of the holder says
 * whose it was, so that hart 0 gives it back. Nothing else faults in between.
 */
static struct co_a32 controller, controls;

/* The lock of words that its holder uses for a few instructions. */
static void lock(struct co_a32 *l)
{
	unsigned spins = 0;

	/* acquire: the words as the last holder has left them; pairs with unlock(). */
	while (co_atomic_swap(l, 1, CO_ACQUIRE))
		co_spin(&spins);
}

static void unlock(struct co_a32 *l)
{
	/* release: pairs with lock(). */
	co_atomic_store(l, 0, CO_RELEASE);
}

static void lock_controller(void)
{
	lock(&controller);
	co_atomic_store(&controls, co_executor.hart + 1, CO_RELAXED); /* read by hart_lost() */
}

static void unlock_controller(void)
{
	co_atomic_store(&controls, 0, CO_RELAXED);
	unlock(&controller);
}

/* ---- The line's hart ---- */

/* Has it come? Then a waiter looks. */
static bool look_at(struct co_irq *irq)
{
	/*
	 * relaxed: QUIET is seen late at worst, and then the line is still masked or just open; of
	 * a handler's the doorbell is pending.
	 */
	uint32_t state = co_atomic_load(&irq->state, CO_RELAXED);

	if (irq->handler ? state != HANDLED : state != QUIET || !hal_line_take(irq->number))
		return false;
	/* seq_cst: before the look for waiters; pairs with may_take(). */
	co_atomic_store(&irq->state, CAME, CO_SEQ_CST);
	co_wake_one(&irq->queue);
	return true;
}

static bool look_at_lines(struct co_executor *e)
{
	struct lines *l = co_hart_var_of(lines, e->self);
	bool found;

	lock(&l->locked);
	do { /* the most urgent first */
		found = false;
		for (struct co_irq *irq = l->first; irq; irq = irq->next)
			found |= look_at(irq);
	} while (found);
	unlock(&l->locked);
	return false;
}

/* hal_line_came(). */
static void line_came(unsigned number)
{
	struct co_executor *e = &co_executor;
	struct co *current = e->current;
	struct lines *l = co_hart_var_of(lines, e->self);
	struct co_irq *irq;

	/* seq_cst, both: said before the line is looked up; pairs with end_line(). */
	co_atomic_store(&l->handles, number + 1, CO_SEQ_CST);
	irq = (struct co_irq *)co_atomic_load(&handled[number], CO_SEQ_CST);
	if (irq && irq->hart == e->hart && !co_hart_lost(e->hart)) {
		bool wakes;

		/* A handler belongs to no coroutine: a fault in it ends none. */
		e->current = NULL;
		e->handling++;
		wakes = irq->handler(irq->arg);
		e->handling--;
		e->current = current;
		if (wakes) {
			/* relaxed: read by this hart's look. */
			co_atomic_store(&irq->state, HANDLED, CO_RELAXED);
			hal_ipi_send(e->hart);
		} else {
			hal_line_unmask(number);
		}
	}
	/* release: the handler's last use of *irq; pairs with end_line(). */
	co_atomic_store(&l->handles, 0, CO_RELEASE);
}

/* In a handler of the hart: its list has changed. */
static void lines_changed(struct co_msg *m)
{
	static _Thread_local struct co_device device;
	static _Thread_local bool looks;
	struct co_executor *e = &co_executor;
	struct lines *l = co_hart_var_of(lines, e->self);
	bool any;

	co_notice_taken(co_container_of(m, struct co_notice, msg));
	lock(&l->locked);
	any = l->first;
	unlock(&l->locked);
	if (any == looks)
		return;
	if (!device.look) {
		co_device_add(&device, look_at_lines);
		hal_line_ready();
	}
	looks = any;
	e->devices += any ? 1 : -1;
	e->ringing += any ? 1 : -1;
	co_attend(e);
}

/* ---- Opening and closing ---- */

/* False: the hart has stopped, maybe with the lock of its list, and nobody locks it any more. */
static bool lock_unless_past(struct co_a32 *l, unsigned hart)
{
	unsigned spins = 0;

	while (!co_hart_past(hart)) {
		if (!co_atomic_swap(l, 1, CO_ACQUIRE)) /* pairs with unlock() */
			return true;
		co_spin(&spins);
	}
	return false;
}

/* Change the list of irq's hart, which nobody else uses if it is lost. Context: `controller`. */
static void change_list(struct co_irq *irq, bool add)
{
	struct lines *l = co_hart_var(lines, irq->hart);
	struct co_irq **at = &l->first;
	bool past = !lock_unless_past(&l->locked, irq->hart);

	while (*at && *at != irq)
		at = &(*at)->next;
	if (add)
		*at = irq;
	else if (*at)
		*at = irq->next;
	if (past)
		return;
	unlock(&l->locked);
	co_notify(irq->hart, &l->changed, lines_changed);
}

/*
 * After `handled` was cleared: wait until the line is not in its handler, nor on its way there.
 * Returns 0, or -EHOSTDOWN: it is, and its hart is lost, but has not stopped.
 */
static int await_handler(const struct co_irq *irq)
{
	struct co_aword *handles = &co_hart_var(lines, irq->hart)->handles;
	unsigned spins = 0;

	/* seq_cst: after `handled` was cleared; also acquires a handler's end: line_came(). */
	while (hal_line_busy(irq->number) ||
	       co_atomic_load(handles, CO_SEQ_CST) == irq->number + 1) {
		if (co_hart_past(irq->hart))
			return 0;
		if (co_hart_lost(irq->hart))
			return -EHOSTDOWN;
		co_spin(&spins);
	}
	return 0;
}

static void close_line(const struct co_irq *irq)
{
	lock_controller();
	hal_line_close(irq->number);
	unlock_controller();
}

static void end_line(struct co_irq *irq, int why)
{
	struct co_waiter *first = co_wait_lock(&irq->queue);
	int r = 0;

	/* seq_cst: before the look for waiters; pairs with may_take(). */
	co_atomic_store(&irq->ended, (uint32_t)-why, CO_SEQ_CST);
	co_waitq_unlock(&irq->queue, first);
	/* seq_cst: before the look at the handler; pairs with line_came(). */
	co_atomic_store(&handled[irq->number], 0, CO_SEQ_CST);
	lock_controller();
	change_list(irq, false);
	unlock_controller();
	close_line(irq);
	if (irq->handler) {
		/* One that ends until then has unmasked the line, and is the last. */
		r = await_handler(irq);
		close_line(irq);
	}
	/* release: the line is closed; pairs with open_line(). Else its number stays taken. */
	if (r == 0)
		co_atomic_store(&taken[irq->number], 0, CO_RELEASE);
	co_wake_all(&irq->queue);
}

static void end_with_opener(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	(void)of;
	(void)why; /* short, so hart 0 may do it for a hart that is lost */
	end_line(co_container_of(l, struct co_irq, local), -ECANCELED);
}

static int open_line(unsigned number, unsigned hart, co_irq_fn *handler, void *arg,
		     struct co_irq *irq)
{
	int r;

	CO_ASSERT_THAT(co_self() && irq && co_spm_shared(irq, sizeof(*irq)),
		       "a line is opened by a coroutine, in memory that every hart may use");
	if (!hal_line_open || (handler && !co_alarms()))
		return -ENOTSUP;
	if (number >= HAL_LINES || hart >= co_harts())
		return -EINVAL;
	if (co_hart_lost(hart))
		return -EHOSTDOWN;
	/* acquire: the last opener's end; pairs with end_line(). */
	if (number == hal_console_line || co_atomic_swap(&taken[number], 1, CO_ACQUIRE))
		return -EBUSY;
	*irq = (struct co_irq){ .number = number, .hart = hart, .handler = handler, .arg = arg };
	/* seq_cst: *irq, before the line comes; pairs with line_came(). */
	if (handler)
		co_atomic_store(&handled[number], (uintptr_t)irq, CO_SEQ_CST);
	lock_controller();
	r = hal_line_open(number, hart, handler);
	if (r == 0)
		change_list(irq, true);
	unlock_controller();
	if (r)
		co_atomic_store(&handled[number], 0, CO_RELAXED); /* no line of it has come */
	if (r)
		co_atomic_store(&taken[number], 0, CO_RELEASE);
	else
		co_local_add(&irq->local, &key, end_with_opener);
	return r;
}

int co_irq_open(unsigned number, unsigned hart, struct co_irq *irq)
{
	return open_line(number, hart, NULL, NULL, irq);
}

int co_irq_handler(unsigned number, unsigned hart, co_irq_fn *handler, void *arg,
		   struct co_irq *irq)
{
	CO_ASSERT_THAT(handler, "co_irq_handler() is given a handler");
	hal_line_handler(line_came);
	return open_line(number, hart, handler, arg, irq);
}

void co_irq_close(struct co_irq *irq)
{
	CO_ASSERT_THAT(co_cleanup_remove(&irq->local.cleanup),
		       "the caller has opened the line, and has not closed it");
	end_line(irq, -ECANCELED);
}

int co_irq_priority(struct co_irq *irq, unsigned priority)
{
	return hal_line_priority(irq->number, priority);
}

/* ---- Waiting ---- */

/* Is it worth while to try? */
static bool may_take(const struct co_irq *irq)
{
	/* seq_cst, both: after the entry into the queue; pairs with look_at() and end_line(). */
	return co_atomic_load(&irq->state, CO_SEQ_CST) == CAME ||
	       co_atomic_load(&irq->ended, CO_SEQ_CST);
}

/* Leave a state for another; one that becomes QUIET is unmasked. False: it is in neither. */
static bool leave_state(struct co_irq *irq, uint32_t from, uint32_t to)
{
	struct co_waiter *first;
	bool is_so;

	/* relaxed: a look; the second one is with the lock. */
	if (co_atomic_load(&irq->state, CO_RELAXED) != from)
		return false;
	first = co_wait_lock(&irq->queue);
	/* acquire: the line was taken before; pairs with look_at(). */
	is_so = co_atomic_load(&irq->state, CO_ACQUIRE) == from;
	if (is_so)
		co_atomic_store(&irq->state, to, CO_RELAXED);
	/* relaxed: the lock orders it; end_line(). */
	if (is_so && to == QUIET && !co_atomic_load(&irq->ended, CO_RELAXED))
		hal_line_unmask(irq->number);
	co_waitq_unlock(&irq->queue, first);
	return is_so;
}

int co_irq_try_wait(struct co_irq *irq)
{
	/* relaxed: after 0 all was said by the wake-up or the lock. */
	uint32_t ended = co_atomic_load(&irq->ended, CO_RELAXED);

	if (ended)
		return -(int)ended;
	return leave_state(irq, CAME, SERVED) ? 0 : -EAGAIN;
}

void co_irq_done(struct co_irq *irq)
{
	(void)leave_state(irq, SERVED, QUIET);
}

/* Take the line, or let it come. */
static int take_or_unmask(struct co_irq *irq)
{
	int r = co_irq_try_wait(irq);

	if (r == -EAGAIN)
		co_irq_done(irq);
	return r;
}

int co_irq_wait_until(struct co_irq *irq, uint64_t deadline)
{
	int r = take_or_unmask(irq);

	while (r == -EAGAIN) {
		struct co_waiter *w = co_wait_prepare(&irq->queue, irq, kind);

		r = may_take(irq) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
		if (r == 0)
			r = co_irq_try_wait(irq);
	}
	return r;
}

int co_irq_wait(struct co_irq *irq)
{
	return co_irq_wait_until(irq, CO_FOREVER);
}

static int try_case(struct co_case *c)
{
	return take_or_unmask(c->object);
}

static bool look_at_case(struct co_case *c)
{
	return may_take(c->object);
}

struct co_case co_case_irq(struct co_irq *irq)
{
	return (struct co_case){ try_case, look_at_case, &irq->queue, irq, NULL, 0 };
}

/* ---- Lost harts, and reports ---- */

/* Lines come no more to a hart that has stopped. They stay open until their openers close them. */
static void hart_lost(unsigned hart)
{
	struct co_irq *irq;

	if (!co_hart_past(hart))
		return;
	/* relaxed: the hart's last store, if it had it. */
	if (co_atomic_load(&controls, CO_RELAXED) == hart + 1)
		unlock_controller();
	lock_controller(); /* of the list: change_list() */
	for (irq = co_hart_var(lines, hart)->first; irq; irq = irq->next) {
		/* seq_cst: as in end_line(). */
		if (!co_atomic_load(&irq->ended, CO_RELAXED)) {
			co_atomic_store(&irq->ended, EHOSTDOWN, CO_SEQ_CST);
			co_wake_all(&irq->queue);
		}
	}
	unlock_controller();
}

/*
 * A coroutine that waits for a line is not stuck: a device will wake it. All harts sleep; one that
 * wakes meanwhile may change a list, so that the answer is late by a look.
 */
RACY static bool is_awaited(const struct co_stuck *w)
{
	for (unsigned hart = 0; !w->kind && hart < co_machine.harts; hart++) {
		const struct co_irq *irq = co_hart_var(lines, hart)->first;

		for (; irq && !co_hart_lost(hart); irq = irq->next) {
			if (co_waitq_waits(&irq->queue))
				return true;
		}
	}
	return false;
}

CO_HOOKS = { .hart_lost = hart_lost, .explain = is_awaited };
