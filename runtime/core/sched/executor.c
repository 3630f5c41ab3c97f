/*
 * executor.c - a hart's scheduler: run ready coroutines, handle messages and deadlines, sleep.
 *
 * A coroutine that pauses or waits picks the next one itself, on its own stack, and sleeps there if
 * no coroutine is ready: waking the coroutine that slept last costs no switch. The executor's own
 * context runs only before the first coroutine and, at times, after the end of one.
 */
#include <errno.h>

#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

#include "../core.h"
#include "../hook.h"
#include "../lf/rest.h"
#include "../lf/start_slot.h"
#include "park.h"
#include "deadline.h"
#include "../timeline.h"

/* Longest sleep while a device is busy, in case its interrupt is missed. */
#define CO_DEVICE_US 1000

uint64_t co_look_next = CO_FOREVER;
void (*co_look)(uint64_t now);

static inline void allow_sleep(struct co_executor *e, bool allowed)
{
	e->quiet = allowed ? &e->self->inbox.stub.next : NULL;
}

void co_executor_init(unsigned hart)
{
	struct co_executor *e = &co_executor;

	e->hart = hart;
	e->self = co_hart_at(hart);
	e->spm = co_machine.spm;
	e->spm_end = co_machine.spm_end;
	e->beside = e->spm - e->spm_end;
	e->spm_public = CO_SPM_SHARED_BYTES;
	e->outlet.oldest = &e->self->inbox.stub;
	co_rest_init_call(&e->self->call);
	e->stack_top = co_hart_stacks(hart) + CO_EXECUTOR_STACK + CO_EXECUTOR_STACK_BYTES;
	co_atomic_store(&e->always, 1, CO_RELAXED);
	e->timer = e->few_timers;
	e->soonest = e->alarm = CO_FOREVER;
	allow_sleep(e, hart != 0);
	co_attend(e);
}

/* Handle m, unless it is NULL, and all further messages. */
static NOINLINE void drain_all(struct co_executor *e, struct co_msg *m)
{
	struct co *current = co_handlers_begin(e);

	for (; m || (m = co_inbox_take(&e->self->inbox, &e->outlet)); m = NULL) {
		if (m->run) {
			m->run(m);
		} else {
			co_ready_append(e, co_ready_first(e), co_of_msg(m));
		}
	}
	co_handlers_end(e, current);
}

/* Handle messages. The usual case, a single one that wakes a coroutine, needs no frame. */
static void drain(struct co_executor *e)
{
	struct co_inbox *inbox = &e->self->inbox;
	struct co_msg *m;

	if (co_inject(CO_INJECT_WAKE))
		return;
	m = co_inbox_take(inbox, &e->outlet);
	if (!m || m->run) {
		drain_all(e, m);
		return;
	}
	co_ready_append(e, co_ready_first(e), co_of_msg(m));
	if (co_inbox_done(inbox, &e->outlet))
		co_attend(e);
	else
		drain_all(e, NULL);
}

static inline void look_around(uint64_t now)
{
	if (now >= co_look_next)
		co_look(now);
}

static NOINLINE void look_at_devices(struct co_executor *e)
{
	bool busy = false;

	for (const struct co_device *d = e->device; d; d = d->next)
		busy |= d->look(e);
	e->busy = busy;
}

/* Handle deadlines, devices and the watch. */
static NOINLINE void attend(struct co_executor *e)
{
	if (e->resting)
		co_rest_poll(e);
	co_deadline_poll(e);
	if (e->devices)
		look_at_devices(e);
	if (e->hart == 0)
		look_around(hal_time_now());
}

static inline void poll(struct co_executor *e)
{
	if (co_inbox_glance(&e->outlet))
		drain(e);
	if (e->attention)
		attend(e);
}

void co_poll(struct co_executor *e)
{
	poll(e);
}

/* Is there a device that this hart is to look at, though nothing may end its sleep? */
static inline bool device_is_silent(const struct co_executor *e)
{
	return e->devices > e->ringing;
}

/* The end of a sleep while a device may be busy. */
static NOINLINE uint64_t device_next(const struct co_executor *e, uint64_t next)
{
	uint64_t soon = co_after_us(CO_DEVICE_US);

	return device_is_silent(e) && soon < next ? soon : next;
}

static inline void sleep_until(uint64_t next)
{
	/*
	 * Set it even for CO_FOREVER: the last sleep's alarm may be due (and QEMU 7.2 can keep a
	 * timer pending that was cancelled just when it came due).
	 */
	hal_time_wake_at(next);
	hal_irq_wait();
}

/* Has the wait of the coroutine on whose stack this hart sleeps ended? */
static inline bool delivered(const struct co *place)
{
	return place && co_token_delivered(&place->token);
}

/* Has another hart sent a message or a coroutine to start, or ended the wait? */
static inline bool called(struct co_executor *e, const struct co *place)
{
	struct co_inbox *inbox = &e->self->inbox;

	/* For a coroutine in the start slot this hart has been rung. */
	return co_inbox_ready(inbox, &e->outlet) || co_start_slot_full(inbox) || delivered(place);
}

/* sleep_until() for hart 0, which watches all harts meanwhile. */
static void sleep_watching(struct co_executor *e, const struct co *place, uint64_t next)
{
	while (co_look_next < next) {
		uint64_t look = co_look_next;

		e->alarm = look;
		hal_time_wake_at(look);
		hal_irq_wait();
		if (hal_time_now() < look)
			return; /* another interrupt has ended the sleep */
		co_look(hal_time_now());
		/* Nobody watches this hart: a word may have come whose ring was lost. */
		if (e->resting)
			co_rest_poll(e);
		/* The watch may have given up a hart and woken waiters. */
		if (e->first || device_is_silent(e) || called(e, place))
			return;
	}
	e->alarm = next;
	sleep_until(next);
}

/*
 * Sleep until there may be something to do. The doorbell is cleared after the sleep, before the
 * looks at messages, the token and rests: a doorbell that is rung while the hart is awake stays
 * pending, and ends the next sleep at once. Returns the coroutine in the start slot, or NULL; its
 * giver may have taken it back.
 */
static NOINLINE struct co *idle(struct co_executor *e, const struct co *place)
{
	struct co_inbox *inbox = &e->self->inbox;
	uint64_t next;
	enum co_idle kind;
	bool look;

	if (e->sorted < e->notes)
		co_deadline_sort(e);
	next = e->devices ? device_next(e, e->soonest) : e->soonest;
	kind = next == CO_FOREVER ? CO_IDLE : CO_IDLE_TIMED;
	look = e->hart == 0 && kind == CO_IDLE && !e->input;

	co_inbox_prepare_sleep(inbox, &e->outlet, kind, place ? &place->token : NULL);
	if (!called(e, place)) {
		if (look)
			next = co_after_us(CO_STUCK_US);
		if (e->hart == 0) {
			allow_sleep(e, next != CO_FOREVER);
			sleep_watching(e, place, next);
		} else {
			sleep_until(next);
		}
		hal_ipi_clear();
		if (look && !e->first && hal_time_now() >= next && !called(e, place))
			co_hooks_call(idle);
	}
	co_inbox_set_awake(inbox);
	return co_start_slot_take(inbox);
}

/*
 * Return the first ready coroutine, sleeping until there is one. `place`: the waiting coroutine on
 * whose stack this runs, while its wait may be ended in place; or NULL.
 */
INLINE struct co *next_to_run(struct co_executor *e, struct co *place)
{
	for (;;) {
		struct co *given = NULL;

		poll(e);
		if (place && (e->first || delivered(place))) {
			if (!co_token_leave_place(&place->token))
				co_ready_append(e, co_ready_first(e), place);
			place = NULL;
		}
		if (e->first)
			return e->first;
		if (e->hart && co_may_sleep(e))
			given = co_hart_sleep(&e->self->inbox, place ? &place->token : NULL, true);
		else if (!e->busy)
			given = idle(e, place);
		/* Handlers that ran in hart 0's sleep may have made others ready. */
		if (given && e->first)
			co_start_msg(&given->msg);
		else if (given)
			co_start_alone(e, given);
	}
}

/* Is there nothing to attend to but the timeline, which needs no look? Not on hart 0. */
static inline bool only_notes(const struct co_executor *e)
{
	const struct co_executor only = { .devices = 1 };

	return e->hart && e->attention == only.attention;
}

/* As co_may_sleep(), but for the timeline. */
static inline bool may_sleep_noting(const struct co_executor *e)
{
	return only_notes(e) && &e->outlet.oldest->next == e->quiet;
}

/* next_to_run() that is noted. */
static NOINLINE struct co *next_noting(struct co_executor *e)
{
	if (e->first)
		co_timeline_wakes(e->first); /* by the end of the coroutine that ran */
	for (;;) {
		struct co *given = NULL;

		if (co_inbox_glance(&e->outlet))
			drain(e);
		if (!only_notes(e)) /* a message may have started a device */
			attend(e);
		if (e->first)
			break;
		if (may_sleep_noting(e))
			given = co_hart_sleep(&e->self->inbox, NULL, true);
		else if (!e->busy)
			given = idle(e, NULL);
		if (given)
			co_start_msg(&given->msg);
	}
	co_timeline_run(e->first, e->first);
	return e->first;
}

/* c, which waits, has found `next` to run: switch to it, or return if that is c. */
INLINE int go_on_as(struct co_executor *e, struct co *c, struct co *next)
{
	errno = c->err;
	if (next == c) {
		e->current = c;
		return c->wait_result;
	}
	if (next->fresh)
		hal_context_init(&next->context, next->stack_top, co_entry);
	return co_go_on_with(e, c, next);
}

/* Park c, whose wait is noted. */
static NOINLINE int park_noted(struct co_executor *e, struct co *c)
{
	struct co *next;

	e->first = co_ready_drop(c);
	c->err = errno;
	e->current = NULL;
	next = next_noting(e);
	return go_on_as(e, c, next);
}

/* co_park_slowly() with a timeline. */
static NOINLINE int park_noting(struct co_executor *e, struct co *c, struct co *place)
{
	struct co *next = c->next_ready;

	if (place && !co_token_leave_place(&c->token))
		return c->wait_result;
	co_timeline_wait(c, co_wait_kind(c));
	if (!place || !may_sleep_noting(e))
		return park_noted(e, c);
	if (next != c) {
		co_ready_unlink(c, next);
		co_timeline_run(next, next);
		c->err = errno;
		return go_on_as(e, c, next);
	}
	co_token_note_place(&c->token);
	if (!co_sleep_on(e, c, CO_FOREVER, true) && co_token_leave_noted(&c->token))
		return park_noted(e, c);
	co_timeline_run(c, c);
	return c->wait_result;
}

NOINLINE int co_park_slowly(struct co_executor *e, struct co *c, struct co *place)
{
	struct co *next;

	if (__builtin_expect(e->trace != NULL, 0))
		return park_noting(e, c, place);
	e->first = co_ready_drop(c);
	c->err = errno; /* handlers may change it */
	e->current = NULL;
	next = next_to_run(e, place);
	return go_on_as(e, c, next);
}

/*
 * Park c, which runs: run handlers, switch to the next ready coroutine, or sleep. `place`: as in
 * next_to_run().
 */
NOINLINE int co_park_long(struct co_executor *e, struct co *c, struct co *place)
{
	struct co *next = c->next_ready;

	/* The rest is out of line, so that this needs no frame. */
	return place && next != c && co_may_go_on(e) ? co_park_for(e, c, next)
						     : co_park_slowly(e, c, place);
}

/* pause_slowly() with a timeline. */
static NOINLINE void pause_noting(struct co_executor *e, struct co *c)
{
	int err = errno;

	co_timeline_wakes(c);
	co_poll(e);
	errno = err;
	if (c->next_ready == c)
		return;
	co_timeline_run(c, c->next_ready);
	co_go_on_with(e, c, c->next_ready);
}

/* Pause where messages, deadlines or a device are to be handled. */
static NOINLINE void pause_slowly(struct co_executor *e)
{
	struct co *c = e->current;
	int err = errno;

	CO_ASSERT_COROUTINE(c);
	if (__builtin_expect(e->trace != NULL, 0)) {
		pause_noting(e, c);
		return;
	}
	co_poll(e);
	errno = err;
	if (c->next_ready != c)
		co_go_on_with(e, c, c->next_ready);
}

/* Pause where messages, deadlines or a device may have to be handled. */
static NOINLINE void pause_long(struct co_executor *e)
{
	struct co *c = e->current;

	if (c && c->next_ready != c && co_may_go_on(e))
		co_go_on_with(e, c, c->next_ready);
	else
		pause_slowly(e);
}

void co_pause(void)
{
	struct co_executor *e = &co_executor;
	struct co *c = e->current;
	struct co *next;

	if (co_has_more(e)) {
		pause_long(e);
		return;
	}
	next = c->next_ready;
	if (next != c)
		co_go_on_with(e, c, next);
}

/* Runs on the executor's stack from its top; the coroutine that it enters never returns here. */
void co_executor_loop(void)
{
	struct co_executor *e = &co_executor;

	if (e->leaving) {
		co_finish(e->leaving);
		e->leaving = NULL;
	}
	co_enter(e, e->trace ? next_noting(e) : next_to_run(e, NULL));
}
