/* plic.c - RISC-V's platform-level interrupt controller. */
#include <errno.h>

#include <cohart/atomic.h>
#include <hal/cpu.h>
#include <hal/ipi.h>
#include <hal/irq.h>

#include <hal_arch/here.h>
#include <hal_arch/start.h>

#include "plic.h"

#define PRIORITY(source) (4 * (source))
#define RUNTIMES 1 /* priority of the runtime's sources */
#define LOWEST 2   /* of programs' */
#define HIGHEST 6
#define SETTLED 7 /* of a runtime's source while it is claimed */
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

/* M-mode's, by which urgent lines come (boot/riscv/alarm.S). */
static unsigned urgent_context_of(unsigned hart)
{
	return 2 * (unsigned)plic.hwid[hart];
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

/* A bit for each source of the runtime's: no program's, on any hart. */
static struct co_a32 runtimes[HAL_LINES / 32];

void hal_plic_listen(uintptr_t base, unsigned context, unsigned source)
{
	/* relaxed: at boot, or by a hart that does not open the source as a line meanwhile. */
	co_atomic_or(&runtimes[source / 32], (uint32_t)1 << source % 32, CO_RELAXED);
	*reg(base, PRIORITY(source)) = RUNTIMES;
	*reg(base, THRESHOLD(context)) = 0;
	enable(base, context, source, true);
}

static bool is_pending(uintptr_t base, unsigned source)
{
	return *reg(base, PENDING(source)) >> source % 32 & 1;
}

void hal_plic_settle(uintptr_t base, unsigned context, unsigned source)
{
	if (!is_pending(base, source))
		return;
	*reg(base, PRIORITY(source)) = SETTLED; /* the most urgent: no line is claimed */
	*reg(base, CLAIM(context)) = *reg(base, CLAIM(context)); /* complete */
	*reg(base, PRIORITY(source)) = RUNTIMES;
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
		hal_plic_settle(plic.base, context_of(0), id);
		return;
	}
	hal_irq_external();
	hal_plic_listen(plic.base, context_of(0), id);
}

/* ---- Lines ---- */

static struct {
	uint16_t context, hart; /* which it comes to */
	bool open;
	bool came; /* claimed, and not yet taken: its hart's own */
} line[HAL_LINES];

/* The last source that this hart has claimed in a look for another line: it is taken first. */
static _Thread_local uint32_t first;

int hal_line_open(unsigned id, unsigned hart, bool urgent)
{
	unsigned context = urgent ? urgent_context_of(hart) : context_of(hart);

	if (!id || id >= HAL_LINES)
		return -EINVAL;
#ifndef HAL_ALARMS
	if (urgent)
		return -ENOTSUP;
#endif
	/* relaxed: as in hal_plic_listen(). */
	if (line[id].open || co_atomic_load(&runtimes[id / 32], CO_RELAXED) >> id % 32 & 1)
		return -EBUSY;
	*reg(plic.base, PRIORITY(id)) = 0; /* it does not come yet */
	*reg(plic.base, THRESHOLD(context)) = 0;
	enable(plic.base, context, id, true);
	if (!(*reg(plic.base, ENABLE(context, id)) >> id % 32 & 1))
		return -EINVAL; /* the controller has fewer */
	/* The last opener's hart may have claimed it just before the close disabled it. */
	*reg(plic.base, CLAIM(context)) = id;
	line[id].context = (uint16_t)context;
	line[id].hart = (uint16_t)hart;
	line[id].came = false;
	line[id].open = true;
	hal_device_order();
	*reg(plic.base, PRIORITY(id)) = LOWEST;
	return 0;
}

void hal_line_close(unsigned id)
{
	/* A source that has been claimed is completed while it is enabled: else it stays masked. */
	hal_line_unmask(id);
	enable(plic.base, line[id].context, id, false);
	line[id].open = false;
}

bool hal_line_busy(unsigned id)
{
#ifdef HAL_ALARMS
	/* fence io, rw: after the line was closed; pairs with boot/riscv/alarm.S. */
	__asm__ volatile("fence io, rw" ::: "memory");
	return hal_start_record(line[id].hart)->lines[HAL_LINES_CLAIM];
#else
	(void)id;
	return false;
#endif
}

void hal_line_ready(void)
{
	hal_irq_external();
}

/* Not inline: hal_line_take() then saves no registers. */
static __attribute__((noinline)) bool claimed_other(unsigned id, uint32_t source)
{
	if (line[source].open)
		line[source].came = true;
	else
		*reg(plic.base, CLAIM(line[id].context)) = source; /* complete */
	first = source;
	hal_ipi_send(line[id].hart); /* its look may be over: the next sleep ends at once */
	return false;
}

bool hal_line_take(unsigned id)
{
	if (line[id].came) {
		line[id].came = false;
	} else {
		uint32_t source;

		if (!is_pending(plic.base, id) || (line[first].came && line[first].open))
			return false;
		source = *reg(plic.base, CLAIM(line[id].context));
		if (source != id) /* 0: its device has taken it back */
			return source && claimed_other(id, source);
	}
	hal_device_order();
	return true;
}

void hal_line_unmask(unsigned id)
{
	hal_device_order();
	/* Complete; nothing if it was not claimed. */
	*reg(plic.base, CLAIM(line[id].context)) = id;
}

int hal_line_priority(unsigned id, unsigned priority)
{
	if (priority < LOWEST || priority > HIGHEST)
		return -EINVAL;
	*reg(plic.base, PRIORITY(id)) = priority;
	return 0;
}
