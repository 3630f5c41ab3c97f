/*
 * alarm.c - hal/alarm.h by the machine timers of a CLINT, where S-mode has a timer of its own
 * (boot/riscv/alarm.S). Without Sstc they are S-mode's only clock: a board without Sstc has no
 * alarm.
 */
#include <hal/alarm.h>
#include <hal/board.h>
#include <hal/irq.h>
#include <hal/time.h>
#include <hal_arch/here.h>
#include <hal_arch/start.h>
#include <hal_arch/trap.h>
#include <hal_arch/word.h>

#ifdef HAL_ALARMS

static _Thread_local unsigned self;
static _Thread_local struct hal_boot *own; /* the record, which boot/riscv/alarm.S writes, too */

static void set(unsigned hart, uint64_t ticks)
{
	volatile uint32_t *compare = (volatile uint32_t *)(BOARD_CLINT_BASE + HAL_CLINT_MTIMECMP) +
				     2 * hal_board.hwid[hart];

	/* By halves, never earlier than both times meanwhile. */
	compare[1] = UINT32_MAX;
	compare[0] = (uint32_t)ticks;
	compare[1] = (uint32_t)(ticks >> 32);
	/* fence io, rw: as hal_alarm_clear(). */
	__asm__ volatile("fence io, rw" ::: "memory");
}

int hal_alarm_init_hart(unsigned hart)
{
	self = hart;
	own = hal_start_record(hart);
	return 0;
}

void hal_alarm_ring(unsigned hart)
{
	/* fence w, o: stores to memory are visible before the ring is. */
	__asm__ volatile("fence w, o" ::: "memory");
	set(hart, 0);
}

void hal_alarm_at(uint64_t ticks)
{
	set(self, ticks);
	if (own->lines[HAL_LINES_WAIT])
		set(self, hal_time_now() + HAL_ALARM_SOON); /* it has replaced the timer of lines */
}

/*
 * hal_alarm_entry() has taken the alarm back already, by a device write; or it has claimed a line,
 * whose number it has left.
 */
void hal_alarm_clear(const struct hal_trap *t)
{
	uintptr_t line = ((const uintptr_t *)t)[HAL_TRAP_TVAL / HAL_WORD];

	/* fence io, rw: before memory is looked at; pairs with hal_alarm_ring(). */
	__asm__ volatile("fence io, rw" ::: "memory");
	if (line)
		hal_line_came((unsigned)line);
	/* fence rw, w: the line is done; pairs with hal_line_busy(). */
	__asm__ volatile("fence rw, w" ::: "memory");
	if (own)
		own->lines[HAL_LINES_CLAIM] = 0;
}

#endif
