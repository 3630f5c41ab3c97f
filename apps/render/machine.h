/*
 * machine.h - what differs between a Cohart image and a PC: fast memory, transfers into it,
 * marks for modelled time, the screen; and a compiler without -fopenmp.
 */
#ifndef APPS_RENDER_MACHINE_H
#define APPS_RENDER_MACHINE_H

#include <stdlib.h>
#include <string.h>

#if __has_include(<cohart/spm.h>)
#include <cohart/coroutine.h>
#include <cohart/debug.h>
#include <cohart/dma.h>
#include <cohart/hart.h>
#include <cohart/spm.h>

#include "../common/screen.h"

/* In the hart's scratchpad, if it has room. */
static inline void *get_memory(size_t bytes)
{
	void *p = co_spm_alloc(bytes, 16);

	return p ? p : aligned_alloc(16, (bytes + 15) & ~(size_t)15);
}

/* On a stack in the hart's scratchpad, if it has one left: a thread of OpenMP has none there. */
static inline void call_near(intptr_t (*fn)(void *arg), void *arg)
{
	struct co_attr attr = { .name = "tile", .on = CO_ON_HART(co_hart()) };
	struct co *c;
	intptr_t unused;

	if (co_spawn(&c, &attr, fn, arg) || co_join(c, &unused))
		fn(arg);
}
#else
#define get_memory malloc
#define call_near(fn, arg) ((void)fn(arg))
#define co_dma_copy(to, from, bytes) (memcpy(to, from, bytes), 0)
#define co_pause() ((void)0)
#define co_mark_begin(name) ((void)0)
#define co_mark_end(name, messages) ((void)0)
#define screen_show(pixels, width, height) (-ENODEV)
#define screen_settle() 0
#define co_sleep_us(us) 0
#endif

#ifdef _OPENMP
#include <omp.h>
#else
enum { omp_sched_static, omp_sched_dynamic };
#define omp_get_thread_num() 0
#define omp_get_max_threads() 1
#define omp_set_schedule(kind, chunk) ((void)(kind))
#endif

#endif
