/*
 * debugger.c - for debuggers (qemu/gdb/cohart.py): functions to stop in, and macros as constants of
 * the debug information, which take no memory of the image.
 */
#include <cohart/detail/ring.h>

#include "../core/memory/image.h"
#include "fault.h"

enum co_debug {
	CO_DEBUG_WINDOW_BYTES = BOARD_SPM_BYTES,
	CO_DEBUG_ROOMY = CO_SPM_ROOMY,
	CO_DEBUG_PER_HART = CO_PER_HART,
	CO_DEBUG_LINE = CO_LINE,
	CO_DEBUG_TLS_HEAD = CO_TLS_HEAD,
	CO_DEBUG_RUNNING = CO_RUNNING,
	CO_DEBUG_SERVICE = CO_SERVICE,
	CO_DEBUG_ARMED = CO_ARMED,
	CO_DEBUG_AT_BARRIER = CO_AT_BARRIER,
	CO_DEBUG_SINCE_SHIFT = CO_SINCE_SHIFT,
	CO_DEBUG_RING_STEP = CO_RING_STEP,
	CO_DEBUG_RING_FULL = CO_RING_FULL,
};

/* Keeps the type; the linker drops the variable, to which nothing refers. */
static const enum co_debug keep __attribute__((used)) = CO_DEBUG_ROOMY;

NOINLINE void co_debug_stop(const char *why)
{
	__asm__ volatile("" : : "r"(why) : "memory");
}

NOINLINE void co_debug_end(void)
{
	__asm__ volatile("" : : : "memory");
}
