/*
 * bcm2836.c - doorbells and alarms by the local peripherals of a BCM2836. bcm2836.h has the
 * interface.
 */
#include <errno.h>

#include <hal/alarm.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal_arch/alarm.h>

#include "bcm2836.h"

#define TIMERS_INT_CONTROL 0x40    /* a word for each core */
#define MAILBOXES_INT_CONTROL 0x50 /* a word for each core */
#define MAILBOX_SET 0x80           /* four words for each core */
#define MAILBOX_CLEAR 0xc0         /* four words for each core */
#define TIMERS_NCNTV_IRQ (1u << 3)
#define TIMERS_NCNTPNS_FIQ (1u << 5)
#define MAILBOXES_0_IRQ (1u << 0)
#define MAILBOXES_2_FIQ (1u << 6)

#define DOORBELL 0 /* the mailbox */
#define ALARM 2    /* another */
#define RUNG 1u

/* Of the BCM2835's controller. */
#define GPU_PENDING_1 0x204 /* a bit for each of interrupts 0 to 31; the next word: 32 to 63 */
#define GPU_ENABLE_1 0x210  /* as there */
#define GPU_DISABLE_1 0x21c
#define GPU_LINES 64

static uintptr_t local, gpu;

static volatile uint32_t *reg(unsigned offset, unsigned word)
{
	return (volatile uint32_t *)(local + offset) + word;
}

volatile uint32_t *hal_bcm2836_set(unsigned core, unsigned mailbox)
{
	return reg(MAILBOX_SET, 4 * core + mailbox);
}

volatile uint32_t *hal_bcm2836_clear(unsigned core, unsigned mailbox)
{
	return reg(MAILBOX_CLEAR, 4 * core + mailbox);
}

void hal_bcm2836_init(uintptr_t base, uintptr_t gpu_base)
{
	local = base;
	gpu = gpu_base;
	for (unsigned core = 0; core < HAL_BCM2836_CORES; core++) {
		for (unsigned i = 0; i < 4; i++)
			*hal_bcm2836_clear(core, i) = ~0u;
		*reg(TIMERS_INT_CONTROL, core) = TIMERS_NCNTV_IRQ | TIMERS_NCNTPNS_FIQ;
		*reg(MAILBOXES_INT_CONTROL, core) = MAILBOXES_0_IRQ | MAILBOXES_2_FIQ;
	}
	hal_dsb();
}

void hal_irq_init_hart(unsigned hart)
{
	(void)hart; /* hal_bcm2836_init() has done all */
}

static volatile uint32_t *gpu_reg(unsigned offset, unsigned id)
{
	return (volatile uint32_t *)(gpu + offset) + id / 32;
}

static uint32_t gpu_bit(unsigned id)
{
	return 1u << id % 32;
}

void hal_irq_listen(unsigned id, bool on)
{
	if (on) /* else it is pending no more */
		hal_line_unmask(id);
}

/* All lines of devices go to one core, by the firmware's choice core 0. */
int hal_line_open(unsigned id, unsigned hart, bool urgent)
{
	if (id >= GPU_LINES)
		return -EINVAL;
	if (hart || urgent)
		return -ENOTSUP;
	if (*gpu_reg(GPU_ENABLE_1, id) & gpu_bit(id))
		return -EBUSY;
	hal_line_unmask(id);
	return 0;
}

void hal_line_close(unsigned id)
{
	*gpu_reg(GPU_DISABLE_1, id) = gpu_bit(id);
	hal_dsb();
}

bool hal_line_busy(unsigned id)
{
	(void)id;
	return false;
}

void hal_line_ready(void)
{
}

bool hal_line_take(unsigned id)
{
	if (!(*gpu_reg(GPU_PENDING_1, id) & *gpu_reg(GPU_ENABLE_1, id) & gpu_bit(id)))
		return false;
	hal_line_close(id);
	return true;
}

void hal_line_unmask(unsigned id)
{
	hal_dsb(); /* the device has taken its signal back */
	*gpu_reg(GPU_ENABLE_1, id) = gpu_bit(id);
	hal_dsb();
}

int hal_line_priority(unsigned id, unsigned priority)
{
	(void)id;
	(void)priority;
	return -ENOTSUP;
}

uintptr_t hal_ipi_doorbell(unsigned hart)
{
	return (uintptr_t)hal_bcm2836_set(hart, DOORBELL);
}

void hal_ipi_ring(uintptr_t doorbell)
{
	hal_dsb_stores(); /* stores to memory are visible before the ring is */
	*(volatile uint32_t *)doorbell = RUNG;
}

void hal_ipi_clear(void)
{
	*hal_bcm2836_clear(hal_cpu_affinity0(), DOORBELL) = RUNG;
	hal_dsb(); /* it has had its effect before memory is looked at */
}

int hal_alarm_init_hart(unsigned hart)
{
	(void)hart; /* hal_bcm2836_init() has done the rest */
	hal_timer_never();
	hal_fiq_unmask();
	return 0;
}

void hal_alarm_ring(unsigned hart)
{
	hal_dsb_stores();
	*hal_bcm2836_set(hart, ALARM) = RUNG;
}

void hal_alarm_clear(const struct hal_trap *t)
{
	(void)t;
	hal_timer_never();
	*hal_bcm2836_clear(hal_cpu_affinity0(), ALARM) = ~0u;
	hal_dsb();
}
