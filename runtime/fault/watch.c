/*
 * watch.c - which harts still reach scheduling points. cohart/debug.h has the promises.
 *
 * Hart 0 finds another hart in one of these states:
 * - awake, no question pending: it is asked, unless it has slept since the last look;
 * - awake, a question pending: it has reached no scheduling point since;
 * - asleep with nothing to do: it is left alone, a question would only wake it;
 * - asleep with something to do (a message, or a coroutine whose rest is over): its doorbell got
 *   lost or is on the way, so it is rung again.
 *
 * A hart that stays in the second or the last state for the limit is silent. A look counts for two
 * periods at most, however late it comes: an emulator that stops all harts stops hart 0 too.
 */
#include <errno.h>

#include <cohart/debug.h>
#include <hal/alarm.h>
#include <hal/ipi.h>
#include <hal/time.h>

#include "../core/hook.h"
#include "../core/memory/image.h"
#include "../core/memory/slab.h"
#include "alarm.h"
#include "fault.h"
#include "give_up.h"

/* Looks within the limit; more where injected faults lose doorbells all the time. */
#define LOOKS (CO_FAULTS_ON ? 250 : 10)
#define BUDGET_LOOKS 4  /* looks within the smallest budget */
#define PERIOD_US 1000u /* least time between looks */
#define REPORTED 4      /* harts described in one look; further ones are only listed */

static uint64_t period;         /* ticks between looks */
static uint64_t limit;          /* ticks until a hart counts as silent */
static uint64_t lost_after;     /* ticks until a silent hart is given up */
static uint64_t last_look;      /* its time */
static uint32_t question = 1;   /* number of the last question; odd, so never 0 */
static struct co_a32 budget;    /* the smallest so far, in us; 0: no coroutine had one */
static struct co_notice notice; /* to hart 0: `budget` has become smaller */

static struct co_heartbeat *heartbeat(unsigned hart)
{
	return &co_hart_at(hart)->heartbeat;
}

/* Runs on the hart that was asked. */
static void answer(struct co_msg *m)
{
	struct co_heartbeat *p = co_container_of(m, struct co_heartbeat, msg);

	/* release: the message may be posted again; pairs with has_pending(). */
	co_atomic_store(&p->asked, 0, CO_RELEASE);
}

/* Does the hart sleep although a coroutine's rest is over? A guess, as co_inbox_pending(). */
static bool rests_no_more(unsigned hart)
{
	const struct co_hart *h = co_hart_at(hart);
	/* relaxed, both: hints. */
	uintptr_t idle = co_atomic_load(&h->inbox.idle, CO_RELAXED);

	if (idle > CO_IDLE &&
	    co_rest_waits_no_more(co_container_of((const struct co_a32 *)idle, struct co, token)))
		return true;
	if (idle == CO_BUSY || !co_atomic_load(&h->resting, CO_RELAXED))
		return false;
	for (const struct co *c = NULL; (c = co_block_next(hart, c));) {
		if (co_rest_waits_no_more(c))
			return true;
	}
	return false;
}

/* Has the hart not answered, or not woken for a message? If it sleeps, it is rung again. */
static bool has_pending(unsigned hart, bool slept)
{
	struct co_hart *h = co_hart_at(hart);

	if (co_inbox_pending(&h->inbox) || rests_no_more(hart)) {
		if (!slept)
			hal_ipi_ring(h->doorbell);
		/* A sleep with a deadline is fine: the pending work is for the hart itself. */
		return co_atomic_load(&h->heartbeat.asked, CO_RELAXED) ||
		       !co_inbox_timed(&h->inbox);
	}
	/* acquire: pairs with answer(). */
	return co_atomic_load(&h->heartbeat.asked, CO_ACQUIRE);
}

/* Make the message that asks a hart. */
static struct co_msg *ask_by(struct co_heartbeat *p, void (*run)(struct co_msg *))
{
	question += 2;
	co_atomic_store(&p->asked, question, CO_RELAXED); /* the message publishes it */
	p->msg.run = run;
	return &p->msg;
}

/* Ask a hart that has nothing pending, unless it sleeps or has slept. */
static void ask_hart(unsigned hart, bool slept, uint64_t now)
{
	struct co_hart *h = co_hart_at(hart);

	h->heartbeat.since = h->heartbeat.waited = 0;
	if (slept || co_atomic_load(&h->inbox.idle, CO_RELAXED) != CO_BUSY)
		return;
	h->heartbeat.since = now;
	co_post(hart, ask_by(&h->heartbeat, answer));
}

static void report_state(unsigned hart, uint64_t now, const char *what)
{
	co_report("cohart: watch: " HART " %s for %lu ms", HART_OF(hart), what,
		  co_ms(now - heartbeat(hart)->since));
}

/* Report where the hart is, if it takes the alarm. */
static void report_place(unsigned hart)
{
	struct co_heartbeat *p = heartbeat(hart);
	unsigned long pc, ra;
	const struct co *c;
	char buf[256];
	struct co_text t = { buf, sizeof(buf), 0 };

	/* Hart 0 has just left it itself, from its alarm. */
	if (hart && !co_alarm_ask(hart)) {
		co_report(
			co_alarms()
				? "  it does not take the alarm either: it stands still, or handles a trap"
				: "  where it is cannot be known on this board");
		return;
	}
	/* relaxed, all: co_alarm_ask() has acquired them. */
	pc = (unsigned long)co_atomic_load(&p->pc, CO_RELAXED);
	ra = (unsigned long)co_atomic_load(&p->ra, CO_RELAXED) - 1; /* in the call, not behind it */
	c = (const struct co *)co_atomic_load(&p->who, CO_RELAXED);
	co_text_add(&t, "  it is at pc 0x%lx, called from 0x%lx, in ", pc, ra);
	co_text_add(&t, c ? "'%s'" : "no coroutine", c ? co_name(c) : "");
	co_report("%s: make lines BOARD=%s IMAGE=%s ADDRS='0x%lx 0x%lx'", buf, co_board(), co_image,
		  pc, ra);
}

static void report_silent(unsigned hart, uint64_t now)
{
	bool sleeps = co_atomic_load(&co_hart_at(hart)->inbox.idle, CO_RELAXED) != CO_BUSY;

	if (co_fault_if_overflown)
		co_fault_if_overflown(hart);
	report_state(hart, now, sleeps ? "sleeps, though it was rung," : "has not given way");
	co_list_hart(hart);
	report_place(hart);
	co_trace_list(hart, CO_TRACE_REPORTED);
}

/* Report each hart whose silence has reached the limit, once. */
static void report_newly_silent(uint64_t now)
{
	char buf[256];
	struct co_text t = { buf, sizeof(buf), 0 };
	unsigned n = 0;

	for (unsigned hart = 1; hart < co_machine.harts; hart++) {
		if (heartbeat(hart)->waited < limit || co_hart_silent(hart))
			continue;
		if (n++ < REPORTED)
			report_silent(hart, now);
		else
			co_text_add(&t, " %u", hart);
		/* relaxed: for reports. */
		co_atomic_store(&heartbeat(hart)->silent, 1, CO_RELAXED);
	}
	if (n > REPORTED)
		co_report("cohart: watch: nor have these harts given way:%s", buf);
}

static void note_answer(unsigned hart, uint64_t now)
{
	if (!co_hart_silent(hart))
		return;
	report_state(hart, now, "goes on: it had not given way");
	co_atomic_store(&heartbeat(hart)->silent, 0, CO_RELAXED);
}

static void look_at_hart(unsigned hart, uint64_t now, uint64_t passed)
{
	struct co_heartbeat *s = heartbeat(hart);
	/* relaxed: a value that is a little old does no harm. */
	uint32_t epoch = co_atomic_load(&co_hart_at(hart)->inbox.epoch, CO_RELAXED);
	bool slept = epoch != s->epoch;

	s->epoch = epoch;
	if (co_hart_lost(hart)) {
		s->since = s->waited = 0;
		return;
	}
	if (has_pending(hart, slept)) {
		if (co_atomic_load(&s->budgets, CO_RELAXED))
			hal_alarm_ring(hart);
		/* If it has slept since, something else is pending now. */
		if (s->since && !slept) {
			s->waited += passed;
		} else {
			s->since = now;
			s->waited = 0;
		}
		return;
	}
	note_answer(hart, now);
	ask_hart(hart, slept, now);
}

/* Give up a hart that has been silent for too long. */
static void give_up_hart(unsigned hart, uint64_t now)
{
	if (!co_hart_lose(hart))
		return;
	co_report("cohart: watch: " HART " is given up, after %lu ms: its coroutines are lost%s",
		  HART_OF(hart), co_ms(now - heartbeat(hart)->since),
		  co_atomic_load(&co_hart_at(hart)->stopped, CO_RELAXED)
			  ? ""
			  : ", and what they held stays held, for it does not take the alarm");
}

static void look_at_harts(uint64_t now)
{
	uint64_t passed = now - last_look < 2 * period ? now - last_look : 2 * period;

	co_look_next = now + period;
	last_look = now;
	if (co_alarms())
		hal_alarm_at(co_look_next + period); /* unless a scheduling point comes first */
	for (unsigned hart = 1; hart < co_machine.harts; hart++)
		look_at_hart(hart, now, passed);
	report_newly_silent(now);
	for (unsigned hart = 1; hart < co_machine.harts; hart++) {
		if (heartbeat(hart)->waited >= lost_after) /* never true for CO_FOREVER */
			give_up_hart(hart, now);
	}
}

static uint64_t look_time;

static void look_aside(void)
{
	look_at_harts(look_time);
	co_dump_look();
	co_knot_look(look_time);
}

/* The stack is that of a coroutine of hart 0, and may be a small one that is all but full. */
static void look(uint64_t now)
{
	look_time = now;
	co_aside(look_aside);
}

int co_watch_give_up(uint64_t us)
{
	CO_ASSERT_THAT(co_executor.hart == 0, "co_watch_give_up() is called on hart 0");
	if (!co_alarms() || limit == CO_FOREVER)
		return -ENOTSUP;
	if (us && us < co_us(limit))
		return -EINVAL;
	lost_after = us ? co_after_us(us) - hal_time_now() : CO_FOREVER;
	return 0;
}

bool co_hart_gone(unsigned hart)
{
	CO_ASSERT_THAT(hart < co_machine.harts,
		       "there is a hart of that number (co_harts() of them)");
	return co_hart_lost(hart);
}

/* The period is a fraction of the limit and of the smallest budget. */
static void set_period(void)
{
	uint64_t hz = hal_time_hz();
	uint32_t us = co_atomic_load(&budget, CO_RELAXED);
	uint64_t most = us ? us * hz / (1000000 * BUDGET_LOOKS) : CO_FOREVER;

	period = limit / LOOKS < most ? limit / LOOKS : most;
	if (period < PERIOD_US * hz / 1000000)
		period = PERIOD_US * hz / 1000000;
	last_look = hal_time_now();
	co_look = look;
	co_look_next = last_look + period;
	hal_alarm_at(co_look_next);
}

static void start_watch(void)
{
	lost_after = limit = CO_FOREVER;
	if (!co_options.watch_ms)
		return;
	limit = (uint64_t)co_options.watch_ms * hal_time_hz() / 1000;
	if (co_machine.harts > 1 || co_alarms())
		set_period();
}

/* Hart 0's alarm has posted a question to hart 0, which has reached a scheduling point now. */
static void note_scheduling_point(struct co_msg *m)
{
	uint64_t now = hal_time_now();

	answer(m);
	note_answer(0, now);
	if (now >= co_look_next)
		look(now);
}

/*
 * Hart 0 has not given way since its last alarm: do all of a look that an alarm may do, which in
 * the middle of a line of output is the report that it is silent alone.
 */
static void look_in_alarm(uint64_t now, bool in_program)
{
	struct co_heartbeat *p = heartbeat(0);
	int before = errno; /* the interrupted code's */

	if (p->waited >= (in_program ? limit : 4 * limit) && !co_hart_silent(0)) {
		co_atomic_store(&p->silent, 1, CO_RELAXED); /* relaxed: this hart's own */
		report_silent(0, now);
	}
	if (in_program) {
		co_dump_look_in_alarm();
		co_knot_look(now);
	}
	errno = before;
}

void co_watch_tick(void)
{
	static uint64_t last;
	struct co_heartbeat *p = &co_executor.self->heartbeat;
	uintptr_t pc = co_atomic_load(&p->pc, CO_RELAXED);
	uint64_t now = hal_time_now();
	uint64_t passed = now - last; /* alarms for other reasons come in between */

	last = now;

	/* A stray alarm while nothing is watched: do not set the next one. */
	if (!period)
		return;
	hal_alarm_at(now + period);
	/* relaxed, both: only this hart uses them. */
	if (co_atomic_load(&p->asked, CO_RELAXED)) {
		heartbeat(0)->waited += passed < 2 * period ? passed : 2 * period;
		look_in_alarm(now, co_image_program(pc));
		return;
	}
	heartbeat(0)->since = now;
	heartbeat(0)->waited = 0;
	co_inbox_push(&co_executor.self->inbox, ask_by(p, note_scheduling_point));
}

/* Runs on hart 0. */
static void look_more_often(struct co_msg *m)
{
	co_notice_taken(co_container_of(m, struct co_notice, msg));
	set_period();
}

void co_watch_for_budget(uint32_t us)
{
	uint32_t least = co_atomic_load(&budget, CO_RELAXED);

	co_atomic_store(&co_executor.self->heartbeat.budgets, 1, CO_RELAXED);
	if (least && least <= us)
		return;
	/* relaxed: of two harts at once the larger budget may win; looks are a bit rare then. */
	co_atomic_store(&budget, us, CO_RELAXED);
	if (co_executor.hart == 0)
		set_period();
	else
		co_notify(0, &notice, look_more_often);
}

bool co_hart_silent(unsigned hart)
{
	CO_ASSERT_THAT(hart < co_machine.harts,
		       "there is a hart of that number (co_harts() of them)");
	return co_atomic_load(&heartbeat(hart)->silent, CO_RELAXED);
}

static const char *state_of(unsigned hart)
{
	uintptr_t idle = co_atomic_load(&co_hart_at(hart)->inbox.idle, CO_RELAXED);

	if (co_hart_lost(hart))
		return "is lost";
	if (!hart)
		return "is this one";
	return idle == CO_BUSY         ? "is awake"
	       : idle == CO_IDLE_TIMED ? "sleeps until a deadline"
				       : "sleeps";
}

void co_watch_report(unsigned hart)
{
	CO_ASSERT_THAT(hart < co_machine.harts,
		       "there is a hart of that number (co_harts() of them)");
	CO_ASSERT_THAT(co_executor.hart == 0, "co_watch_report() is called on hart 0");
	if (!co_hart_lost(hart) && co_atomic_load(&heartbeat(hart)->asked, CO_RELAXED))
		co_report("cohart: watch: " HART " %s and has not answered for %lu ms",
			  HART_OF(hart), state_of(hart),
			  co_ms(hal_time_now() - heartbeat(hart)->since));
	else
		co_report("cohart: watch: " HART " %s", HART_OF(hart), state_of(hart));
	co_list_hart(hart);
	co_trace_list(hart, CO_TRACE_REPORTED);
}

CO_HOOKS = { .hart_boot = co_alarm_init, .machine_up = start_watch };
