/*
 * alarm.c - the handler of the alarm (hal/alarm.h): it stores the interrupted place for reports,
 * ends a coroutine that has exceeded its budget, and calls the hook `alarm` of the layers above.
 *
 * Time is measured only when it matters: while hart 0's question (watch.c) stays unanswered, hart 0
 * rings the alarm, and from the first alarm on this hart measures how long its coroutine has left
 * that question unanswered.
 *
 * A coroutine is ended, and a lost hart stopped, only in the program's own code. In the runtime or
 * in a library it may hold a lock or have linked half a message: the alarm comes again shortly.
 */
#include <cohart/debug.h>
#include <hal/alarm.h>
#include <hal/monitors.h>
#include <hal/time.h>
#include <hal/trap.h>

#include "../core/hook.h"
#include "../core/lost.h"
#include "../core/memory/image.h"
#include "alarm.h"
#include "fault.h"

#define MOMENT_US 20u
#define STOP_TRIES 200u /* alarms until a lost hart is stopped anywhere: 40 ms */

/* The coroutine whose time is measured. */
static _Thread_local struct {
	struct co *who;
	uint32_t generation;
	uint32_t question;
	uint64_t since;
	unsigned tries; /* alarms that did not find it in the program's code */
} suspect;

static bool alarms; /* this board has alarms; written while harts boot */

void co_alarm_init(unsigned hart)
{
	int r = hal_alarm_init_hart(hart);

	if (hart)
		return;
	alarms = r == 0;
	co_alarm_handler = co_alarm;
}

bool co_alarms(void)
{
	return alarms;
}

/* relaxed, all: `want` publishes them. */
static void store_place(struct co_heartbeat *p, const struct hal_trap *t, const struct co *c)
{
	co_atomic_store(&p->pc, hal_trap_pc(t), CO_RELAXED);
	co_atomic_store(&p->ra, hal_trap_ra(t), CO_RELAXED);
	co_atomic_store(&p->who, (uintptr_t)c, CO_RELAXED);
	/* release: pairs with co_alarm_ask(). */
	co_atomic_store(&p->want, 0, CO_RELEASE);
}

bool co_alarm_ask(unsigned hart)
{
	struct co_heartbeat *p = &co_hart_at(hart)->heartbeat;
	struct co_patience patience = co_patience_begin(CO_ALARM_US);
	unsigned spins = 0;

	if (!alarms)
		return false;
	co_atomic_store(&p->want, 1, CO_RELAXED);
	hal_alarm_ring(hart);
	while (co_atomic_load(&p->want, CO_ACQUIRE) && co_patience_lasts(&patience))
		co_spin(&spins);
	return !co_atomic_load(&p->want, CO_ACQUIRE);
}

/*
 * The time of the first alarm that found c running with `question` unanswered; `now` for a new
 * pair.
 */
static uint64_t kept_since(struct co *c, uint32_t question, uint64_t now)
{
	uint32_t generation = c ? co_atomic_load(&c->generation, CO_RELAXED) : 0;

	if (suspect.who != c || suspect.generation != generation || suspect.question != question) {
		suspect.who = c;
		suspect.generation = generation;
		suspect.question = question;
		suspect.since = now;
		suspect.tries = 0;
	}
	return suspect.since;
}

/* Set the next alarm; the delay varies, so that alarms do not hit one place of a loop each time. */
static void try_again(unsigned tries)
{
	hal_alarm_at(co_after_us(MOMENT_US + 7 * (tries % 50)));
}

/* Stop this hart, which is lost, in the program's code, or anywhere after STOP_TRIES alarms. */
static void stop_soon(uintptr_t pc)
{
	static _Thread_local unsigned tries;

	/* `stopped`: it has halted already. relaxed: this hart's own word. */
	if (co_atomic_load(&co_executor.self->stopped, CO_RELAXED) || co_image_program(pc) ||
	    ++tries > STOP_TRIES)
		co_hart_stop();
	try_again(tries);
}

/* Has c exceeded its budget, and can it be ended at pc? *kept: ticks so far. */
static bool overdue(struct co_executor *e, struct co *c, uintptr_t pc, uint64_t *kept)
{
	uint32_t question = co_atomic_load(&e->self->heartbeat.asked, CO_RELAXED);
	uint64_t now = hal_time_now();
	uint32_t budget = 0; /* none */

	/* relaxed: this hart alone writes it. */
	if (c && question && co_noted(c))
		budget = co_atomic_load(&c->budget, CO_RELAXED);
	/* Called for every coroutine: a coroutine without a budget resets the time too. */
	*kept = now - kept_since(c, question, now);
	if (!budget || *kept < (uint64_t)budget << CO_COARSE_SHIFT)
		return false;
	if (co_image_program(pc))
		return true;
	/* 50 times on a compute hart: then hart 0 rings the next alarm. */
	suspect.tries = suspect.tries % 50 + 1;
	if (e->hart || suspect.tries < 50)
		try_again(suspect.tries);
	return false;
}

/* For the layers above: co_hooks.alarm. */
static void call_hooks(const struct co_executor *e, uintptr_t pc)
{
	static _Thread_local unsigned tries;
	bool can = e->current && !e->handling && co_image_program(pc);
	bool again = false;

	for (const struct co_hooks *h = __hooks_start; h < __hooks_end; h++) {
		if (h->alarm)
			again |= h->alarm(can);
	}
	tries = again ? tries + 1 : 0;
	if (again)
		try_again(tries);
}

const char *co_alarm(const struct hal_trap *t)
{
	static _Thread_local char why[64];
	struct co_executor *e = &co_executor;
	struct co_text text = { why, sizeof(why), 0 };
	uint64_t kept;
	bool over;

	if (!e->self)
		return NULL;
	if (BOARD_MONITORS && hal_monitors_busy()) {
		try_again(0);
		return NULL;
	}
	if (co_hart_lost(e->hart)) {
		stop_soon(hal_trap_pc(t));
		return NULL;
	}
	store_place(&e->self->heartbeat, t, e->current);
	if (e->hart == 0)
		co_watch_tick();
	over = overdue(e, e->current, hal_trap_pc(t), &kept);
	call_hooks(e, hal_trap_pc(t)); /* always: an alarm that a hook set does not ring again */
	if (!over)
		return NULL;
	suspect.who = NULL;
	co_text_add(&text, "watchdog: %lu ms without giving way", co_ms(kept));
	return why;
}

int co_watch_budget(uint64_t us)
{
	struct co *c = co_executor.current;
	uint64_t ticks = us ? co_after_us(us) - hal_time_now() : 0;

	CO_ASSERT_COROUTINE(c);
	if (!alarms)
		return -ENOTSUP;
	if (us > CO_BUDGET_MAX_US || (us && us < CO_BUDGET_MIN_US))
		return -EINVAL;
	/* relaxed: only this hart's alarm reads it. */
	co_note_as(c, co_atomic_load(&c->generation, CO_RELAXED));
	co_atomic_store(&c->budget, co_coarse(ticks) + !!us, CO_RELAXED);
	if (us)
		co_watch_for_budget((uint32_t)us);
	return 0;
}
