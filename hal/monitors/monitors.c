/* monitors.c - hal/monitors.h: atomics by as many harts at a time as a memory has monitors. */
#include <hal/board.h>
#include <hal/cpu.h>
#include <hal/monitors.h>

#include "turns.h"

_Static_assert(BOARD_MONITORS >= 2, "a hart that starts has one, all others share the rest");
#define TEAMS (BOARD_MONITORS - 1u)

static struct hal_turn turn[BOARD_MAX_HARTS];

/* Thread pointer of the hart that is on its way: its thread-locals are not there yet. */
static struct co_aword starting;
static bool up; /* hart 0's are there; it writes this alone, before others start */

static _Thread_local unsigned self; /* from 1; 0: no number yet */
static _Thread_local bool busy;

static unsigned number(void)
{
	/* relaxed: a hart sees its own, which was written before it started; others' is not its. */
	if (!up || co_atomic_load(&starting, CO_RELAXED) == (uintptr_t)hal_cpu_tp())
		return 0;
	return self;
}

/* An alarm that finds the hart busy comes again later; so no turn is asked for within a turn. */
uintptr_t co_monitors_rmw(enum co_rmw op, void *p, size_t bytes, uintptr_t x, uintptr_t old)
{
	unsigned me = number();

	if (!me || hal_board.harts <= TEAMS)
		return co_plain_rmw(op, p, bytes, x, old);
	busy = true;
	__asm__ volatile("" ::: "memory"); /* an alarm sees it from here on */
	hal_turn_begin(turn, me - 1, hal_board.harts, TEAMS);
	x = co_plain_rmw(op, p, bytes, x, old);
	hal_turn_end(turn, me - 1);
	__asm__ volatile("" ::: "memory"); /* and to here */
	busy = false;
	return x;
}

void hal_monitors_start_hart(uintptr_t tp)
{
	/* relaxed: hal_board_start_hart() orders it. */
	co_atomic_store(&starting, tp, CO_RELAXED);
}

void hal_monitors_init_hart(unsigned hart)
{
	self = hart + 1;
	if (hart == 0)
		up = true;
	else /* relaxed: it says so to itself */
		co_atomic_store(&starting, 0, CO_RELAXED);
}

bool hal_monitors_busy(void)
{
	return number() && busy;
}

void hal_monitors_leave(void)
{
	if (!hal_monitors_busy())
		return;
	hal_turn_end(turn, self - 1);
	busy = false;
}

void hal_monitors_lose_hart(unsigned hart)
{
	hal_turn_end(turn, hart);
}
