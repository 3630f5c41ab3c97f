/* plic.c - RISC-V's platform-level interrupt controller. */
#include <hal/irq.h>

#include "plic.h"

#define PRIORITY(source) (4 * (source))
#define ENABLE(context, source) (0x2000 + 0x80 * (context) + 4 * ((source) / 32))
#define THRESHOLD(context) (0x200000 + 0x1000 * (context))
#define CLAIM(context) (0x200004 + 0x1000 * (context))

static struct {
	uintptr_t base;
	unsigned context;
} hart0;

static volatile uint32_t *reg(uintptr_t base, uintptr_t n)
{
	return (volatile uint32_t *)(base + n);
}

void hal_plic_listen(uintptr_t base, unsigned context, unsigned source)
{
	*reg(base, PRIORITY(source)) = 1;
	*reg(base, THRESHOLD(context)) = 0;
	*reg(base, ENABLE(context, source)) |= (uint32_t)1 << source % 32;
}

void hal_plic_settle(uintptr_t base, unsigned context)
{
	uint32_t source = *reg(base, CLAIM(context));

	if (source)
		*reg(base, CLAIM(context)) = source; /* complete */
}

void hal_plic_init(uintptr_t base, unsigned context)
{
	hart0.base = base;
	hart0.context = context;
}

void hal_irq_listen(unsigned id, bool on)
{
	if (!on) {
		hal_plic_settle(hart0.base, hart0.context);
		return;
	}
	hal_irq_external();
	hal_plic_listen(hart0.base, hart0.context, id);
}
