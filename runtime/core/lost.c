/* lost.c - harts that are marked as lost, or stop for good. */
#include <hal/time.h>

#include "lost.h"

#define MOMENT_US 1000u

struct co_a32 co_lost;

void co_patience_begin(struct co_patience *p, uint32_t us)
{
	p->looked = hal_time_now();
	p->left = co_after_us(us) - p->looked;
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

bool co_hart_mark_lost(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	CO_ASSERT_OWN(hart && hart < co_machine.harts && co_executor.hart == 0);
	/* seq_cst: before looking at what others have begun; pairs with co_hart_lost(). */
	if (co_atomic_swap(&h->lost, 1, CO_SEQ_CST))
		return false;
	co_atomic_add(&co_lost, 1, CO_SEQ_CST);
	/* release: that it is lost; pairs with find_mover(), dma.c. */
	for (unsigned i = 0; i < co_machine.harts; i++)
		co_atomic_store(&co_hart_at(i)->losses, co_harts_lost(), CO_RELEASE);
	h->lost_at = hal_time_now();
	return true;
}

void co_hart_stopping(void)
{
	struct co_hart *h = co_executor.self;

	/* relaxed: only this hart writes it. After the first time, `left` belongs to hart 0. */
	if (co_atomic_load(&h->stopped, CO_RELAXED))
		return;
	h->left = co_executor.outlet;
	/* release: everything this hart has written; pairs with has_stopped(), fault/give_up.c. */
	co_atomic_store(&h->stopped, 1, CO_RELEASE);
}

void co_hart_stop(void)
{
	co_hart_stopping();
	hal_cpu_halt();
}
