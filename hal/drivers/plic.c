/* plic.c - RISC-V's platform-level interrupt controller. */
#include <errno.h>

#include <cohart/atomic.h>
#include <hal/cpu.h>
#include <hal/irq.h>

#include "plic.h"

#define PRIORITY(source) (4 * (source))
#define RUNTIMES 1 /* priority of the runtime's sources */
#define LOWEST 2   /* of programs' */
#define HIGHEST 7
#define PENDING(source) (0x1000 + 4 * ((source) / 32))
#define ENABLE(context, source) (0x2000 + 0x80 * (context) + 4 * ((source) / 32))
#define THRESHOLD(context) (0x200000 + 0x1000 * (context))
#define CLAIM(context) (0x200004 + 0x1000 * (context))

static struct {
	uintptr_t base;
	const uintptr_t *hwid;
	unsigned mode;
} plic;

static unsigned context_of(unsigned hart)
{
	return 2 * (unsigned)plic.hwid[hart] + plic.mode;
}

static volatile uint32_t *reg(uintptr_t base, uintptr_t n)
{
	return (volatile uint32_t *)(base + n);
}

/* Change a source's enable bit, in a word that it shares with others. */
static void enable(uintptr_t base, unsigned context, unsigned source, bool on)
{
	static struct co_a32 locked;
	const uint32_t bit = (uint32_t)1 << source % 32;
	volatile uint32_t *word = reg(base, ENABLE(context, source));

	/* acquire, release: each holder sees the word as its predecessor has left it. */
	while (co_atomic_swap(&locked, 1, CO_ACQUIRE))
		hal_cpu_relax();
	*word = on ? *word | bit : *word & ~bit;
	hal_device_order();
	co_atomic_store(&locked, 0, CO_RELEASE);
}

void hal_plic_listen(uintptr_t base, unsigned context, unsigned source)
{
	*reg(base, PRIORITY(source)) = RUNTIMES;
	*reg(base, THRESHOLD(context)) = 0;
	enable(base, context, source, true);
}

void hal_plic_settle(uintptr_t base, unsigned context)
{
	uint32_t source = *reg(base, CLAIM(context));

	if (source)
		*reg(base, CLAIM(context)) = source; /* complete */
}

void hal_plic_init(uintptr_t base, const uintptr_t *hwid, unsigned mode)
{
	plic.base = base;
	plic.hwid = hwid;
	plic.mode = mode;
}

void hal_irq_listen(unsigned id, bool on)
{
	if (!on) {
		hal_plic_settle(plic.base, context_of(0));
		return;
	}
	hal_irq_external();
	hal_plic_listen(plic.base, context_of(0), id);
}

/* ---- Lines ---- */

#define SOURCES 1024

static struct {
	unsigned context; /* whose enable bit it has */
	bool open, came;
} line[SOURCES];

int hal_line_open(unsigned id, unsigned hart)
{
	unsigned context = context_of(hart);

	if (!id || id >= SOURCES)
		return -EINVAL;
	if (*reg(plic.base, ENABLE(context, id)) >> id % 32 & 1)
		return -EBUSY;
	line[id].context = context;
	line[id].came = false;
	line[id].open = true;
	hal_plic_listen(plic.base, context, id);
	*reg(plic.base, PRIORITY(id)) = LOWEST;
	if (!(*reg(plic.base, ENABLE(context, id)) >> id % 32 & 1)) {
		line[id].open = false;
		return -EINVAL; /* the controller has fewer */
	}
	return 0;
}

void hal_line_close(unsigned id)
{
	unsigned context = line[id].context;

	/* A source that has been claimed is completed while it is enabled: else it stays masked. */
	hal_line_unmask(id);
	enable(plic.base, context, id, false);
	line[id].open = false;
}

void hal_line_ready(void)
{
	hal_irq_external();
}

/*
 * A claim gives the most urgent source that is pending: one of a program, since a source of the
 * runtime's is less urgent.
 */
bool hal_line_take(unsigned id)
{
	uint32_t claimed = id;

	if (!line[id].came && !(*reg(plic.base, PENDING(id)) >> id % 32 & 1))
		return false;
	while (!line[id].came && claimed) {
		claimed = *reg(plic.base, CLAIM(line[id].context));
		if (claimed < SOURCES && line[claimed].open)
			line[claimed].came = true;
		else if (claimed)
			*reg(plic.base, CLAIM(line[id].context)) = claimed;
	}
	if (!line[id].came)
		return false; /* its device has taken it back */
	line[id].came = false;
	hal_device_order();
	return true;
}

void hal_line_unmask(unsigned id)
{
	hal_device_order();
	*reg(plic.base, CLAIM(line[id].context)) = id; /* complete; nothing if it was not claimed */
}

int hal_line_priority(unsigned id, unsigned priority)
{
	if (priority < LOWEST || priority > HIGHEST)
		return -EINVAL;
	*reg(plic.base, PRIORITY(id)) = priority;
	return 0;
}
