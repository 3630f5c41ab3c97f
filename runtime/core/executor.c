/*
 * executor.c - what a hart does: run what is ready, look at its messages and deadlines, sleep.
 *
 * A coroutine that gives way looks for the next one itself, on its own stack, and sleeps there if
 * there is none: a wake-up of the coroutine that slept last costs no switch. The executor's own
 * context runs only before the first coroutine and, at times, after the end of one.
 */
#include <errno.h>

#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

#include "core.h"

/* How long a device's interrupt may be missed. */
#define CO_DEVICE_US 1000

_Thread_local struct co_executor co_executor;

void co_executor_init(unsigned hart)
{
	struct co_executor *e = &co_executor;

	e->hart = hart;
	e->self = co_hart_at(hart);
	e->outlet.oldest = &e->self->inbox.stub;
}

void co_post(unsigned hart, struct co_msg *m)
{
	struct co_hart *h = co_hart_at(hart);

	co_inbox_push(&h->inbox, m);
	if (co_inbox_sleeps(&h->inbox))
		hal_ipi_ring(co_machine.bell[hart]);
}

int co_ready_self(struct co *c)
{
	c->msg.run = NULL;
	co_inbox_push(&co_executor.self->inbox, &c->msg);
	return 0;
}

int co_ready_away(struct co *c)
{
	c->msg.run = NULL;
	co_post(c->hart, &c->msg);
	return 0;
}

/* Take the one that runs out of the ring. Returns the next, where it begins now, or NULL. */
static struct co *ready_drop(struct co *c)
{
	struct co *next = c->next_ready;
	struct co *last = c->prev_ready;

	if (next == c)
		return NULL;
	last->next_ready = next;
	next->prev_ready = last;
	return next;
}

static void drain(struct co_executor *e)
{
	struct co *current = co_handlers_begin(e);
	struct co_msg *m;

	while ((m = co_inbox_take(&e->self->inbox, &e->outlet))) {
		if (m->run)
			m->run(m);
		else
			co_ready_push(co_of_msg(m));
	}
	co_handlers_end(e, current);
}

void co_poll(struct co_executor *e)
{
	if (co_inbox_glance(&e->outlet))
		drain(e);
	if (e->timers)
		co_timer_poll(e);
	if (e->devices)
		e->busy = e->device(e);
}

/* When to look next at what `device` looks after, at the latest. */
__attribute__((noinline)) static uint64_t device_next(uint64_t next)
{
	uint64_t soon = co_after_us(CO_DEVICE_US);

	return soon < next ? soon : next;
}

/*
 * Sleep until there may be something to do. A ring that came after hal_ipi_clear() is pending and
 * ends the wait at once; one from before belongs to a message that the look finds.
 */
static void idle(struct co_executor *e)
{
	struct co_inbox *inbox = &e->self->inbox;
	uint64_t next = e->devices ? device_next(co_timer_next(e)) : co_timer_next(e);
	enum co_idle kind = next == CO_FOREVER ? CO_IDLE : CO_IDLE_TIMED;
	bool look = e->hart == 0 && kind == CO_IDLE;

	hal_ipi_clear();
	co_inbox_doze(inbox, &e->outlet, kind);
	if (!co_inbox_ready(inbox, &e->outlet)) {
		if (look)
			next = co_after_us(CO_STUCK_US);
		/*
		 * In any case: what an earlier sleep has set may be due, or pending by an
		 * emulator's whim (QEMU 7.2 can keep a timer pending that was taken back as it came
		 * due).
		 */
		hal_time_wake_at(next);
		hal_irq_wait();
		if (look && hal_time_now() >= next && !co_inbox_ready(inbox, &e->outlet))
			co_stuck_look();
	}
	co_inbox_rouse(inbox);
}

/* The first that is ready, sleeping until there is one. */
static struct co *next_to_run(struct co_executor *e)
{
	for (;;) {
		co_poll(e);
		if (e->first)
			return e->first;
		if (!e->busy)
			idle(e);
	}
}

/*
 * The last thing a function does, so that it needs no frame of its own: what must be kept for
 * `from` beside its registers is put down, and taken up for `to`, before the switch.
 */
static inline void go_on_with(struct co_executor *e, struct co *from, struct co *to)
{
	from->err = errno;
	errno = to->err;
	e->current = to;
	hal_context_switch(&from->context, &to->context);
}

/* For c, which is in the ring no more: handlers, sleep, what comes next. */
__attribute__((noinline)) static void park_long(struct co_executor *e, struct co *c,
						struct co *next)
{
	e->first = next;
	c->err = errno; /* handlers have one too */
	e->current = NULL;
	next = next_to_run(e);
	errno = c->err;
	if (next == c)
		e->current = c;
	else
		go_on_with(e, c, next);
}

void co_park(struct co *c)
{
	struct co_executor *e = &co_executor;
	struct co *next = ready_drop(c);

	if (!next || e->attention || co_inbox_glance(&e->outlet))
		park_long(e, c, next);
	else
		go_on_with(e, c, next);
}

/* There is more to do than to switch. */
__attribute__((noinline)) static void yield_long(struct co_executor *e)
{
	struct co *c = e->current;
	int err = errno;

	CO_ASSERT(c);
	co_poll(e);
	errno = err;
	if (c->next_ready != c)
		go_on_with(e, c, c->next_ready);
}

void co_yield(void)
{
	struct co_executor *e = &co_executor;
	struct co *c = e->current;
	struct co *next;

	if (e->attention || co_inbox_glance(&e->outlet)) {
		yield_long(e);
		return;
	}
	next = c->next_ready;
	if (next != c)
		go_on_with(e, c, next);
}

void co_leave(struct co *c)
{
	struct co_executor *e = &co_executor;

	e->first = ready_drop(c);
	e->current = NULL;
	if (c->stack_class != CO_STACK_SPM) {
		/* Its stack may be another hart's the moment it is free: leave it first. */
		e->leaving = c;
		hal_context_jump(&e->idle);
	}
	/*
	 * Only this hart builds on its scratchpad stacks, and it does not before it has left this
	 * one: no message is run from here on.
	 */
	co_bury(c);
	if (e->first) {
		errno = e->first->err;
		e->current = e->first;
		hal_context_jump(&e->current->context);
	}
	hal_context_jump(&e->idle);
}

void co_executor_loop(void)
{
	struct co_executor *e = &co_executor;

	for (;;) {
		struct co *next = next_to_run(e);

		errno = next->err;
		e->current = next;
		hal_context_switch(&e->idle, &next->context);
		if (e->leaving) {
			co_bury(e->leaving);
			e->leaving = NULL;
		}
	}
}

struct co *co_self(void)
{
	return co_executor.current;
}

unsigned co_hart(void)
{
	return co_executor.hart;
}

uint64_t co_now(void)
{
	return hal_time_now();
}

uint64_t co_after_us(uint64_t us)
{
	uint64_t hz = hal_time_hz();
	uint64_t now = hal_time_now();
	uint64_t ticks;

	/* Whole seconds apart, so that the product fits. */
	if (us / 1000000 > (CO_FOREVER - now) / hz - 1)
		return CO_FOREVER;
	ticks = us / 1000000 * hz + (us % 1000000 * hz + 999999) / 1000000;
	return now + ticks;
}

uint64_t co_us(uint64_t ticks)
{
	uint64_t hz = hal_time_hz();

	return ticks / hz * 1000000 + ticks % hz * 1000000 / hz;
}

uint64_t co_instructions(void)
{
	return hal_cpu_instret();
}
