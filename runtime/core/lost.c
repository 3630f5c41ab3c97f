/* lost.c - harts that are marked as lost, or stop for good. */
#include "lost.h"

struct co_a32 co_lost;

bool co_hart_mark_lost(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	CO_ASSERT_OWN(hart && hart < co_machine.harts && co_executor.hart == 0);
	/*
	 * seq_cst: before hart 0 looks at waits and slabs that other harts have begun; pairs with
	 * co_hart_lost().
	 */
	if (co_atomic_swap(&h->lost, 1, CO_SEQ_CST))
		return false;
	co_atomic_add(&co_lost, 1, CO_SEQ_CST);
	/* release: that it is lost; pairs with find_mover(), dma.c. */
	for (unsigned i = co_machine.harts; i--;)
		co_atomic_store(&co_hart_at(i)->losses, co_harts_lost(), CO_RELEASE);
	return true;
}

void co_hart_stopping(void)
{
	struct co_hart *h = co_executor.self;

	/* relaxed: only this hart writes it. After the first time, `left` belongs to hart 0. */
	if (co_atomic_load(&h->stopped, CO_RELAXED))
		return;
	h->left = co_executor.outlet;
	/* release: everything this hart has written; pairs with co_hart_past(). */
	co_atomic_store(&h->stopped, 1, CO_RELEASE);
}

void co_hart_stop(void)
{
	co_hart_stopping();
	hal_cpu_halt();
}
