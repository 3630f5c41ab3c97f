/*
 * hart.c - the hart that a file runs on: its number, its coroutine, the clock, a message to another
 * hart, a bounded spin. It needs nothing of the scheduler.
 */
#include <hal/irq.h>
#include <hal/time.h>

#include "core.h"
#include "timeline.h"

_Thread_local struct co_executor co_executor;

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

/* Rounded up, where the product has 64 bits. Mostly a microsecond is a known number of ticks. */
INLINE uint64_t ticks_of(uint64_t us, uint64_t hz)
{
	if (__builtin_constant_p(hz) && hz % 1000000 == 0)
		return us * (hz / 1000000);
	return (us * hz + 999999) / 1000000;
}

uint64_t co_ticks(uint64_t us)
{
	uint64_t hz = hal_time_hz();

	/* Whole seconds separately, so that the product does not overflow. */
	if (us / 1000000 > CO_FOREVER / hz - 1)
		return CO_FOREVER;
	return us / 1000000 * hz + ticks_of(us % 1000000, hz);
}

uint64_t co_after_us(uint64_t us)
{
	uint64_t now = hal_time_now(), deadline;

	if (!(us >> 32)) /* the usual case */
		return now + ticks_of(us, hal_time_hz());
	return __builtin_add_overflow(now, co_ticks(us), &deadline) ? CO_FOREVER : deadline;
}

#define MOMENT_US 1000u

struct co_patience co_patience_begin(uint32_t us)
{
	uint64_t now = hal_time_now();

	return (struct co_patience){ .looked = now, .left = co_after_us(us) - now };
}

bool co_patience_lasts(struct co_patience *p)
{
	uint64_t now = hal_time_now(), passed = now - p->looked;
	uint64_t most = co_after_us(MOMENT_US) - now;

	p->looked = now;
	passed = passed < most ? passed : most;
	p->left -= passed < p->left ? passed : p->left;
	return p->left;
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

void co_post(unsigned hart, struct co_msg *m)
{
	struct co_hart *h = co_hart_at(hart);

	co_inbox_push(&h->inbox, m);
	if (co_inbox_sleeps(&h->inbox))
		co_ring(h->doorbell);
}

int co_ready_self(struct co *c)
{
	c->msg.run = NULL;
	co_inbox_push(&co_executor.self->inbox, &c->msg);
	return 0;
}

int co_ready_parked(struct co *c)
{
	if (__builtin_expect(co_executor.trace != NULL, 0) && co_timeline_wake(c))
		return 0;
	c->msg.run = NULL;
	co_post(c->hart, &c->msg);
	return 0;
}

int co_ready_away(struct co *c)
{
	if (!co_token_deliver(&c->token))
		return co_ready_parked(c);
	co_ring(c->doorbell);
	return 0;
}

/*
 * Spins before each sleep of co_spin(). The awaited hart is a few instructions from being done,
 * unless an emulator or a debugger has stopped it.
 */
#define CO_SPIN 64
#define SPIN_SLEEP_US 20
#define SPIN_LIMIT (CO_SPIN * (10000000u / SPIN_SLEEP_US)) /* ten seconds */

NOINLINE void co_spin(unsigned *spins)
{
	if (++*spins % CO_SPIN) {
		hal_cpu_relax();
		return;
	}
	if (*spins >= SPIN_LIMIT)
		co_fail("another hart has been a few instructions from being done for ten seconds: a "
			"fault has ended it in the middle, or it hangs");
	/* No handlers run here, and the executor sets the alarm anew before it sleeps. */
	hal_time_wake_at(co_after_us(SPIN_SLEEP_US));
	hal_irq_wait();
}
