/*
 * machine.h - what differs between a Cohart image and a PC: fast memory, and marks for modelled
 * time.
 */
#ifndef APPS_COMMON_MACHINE_H
#define APPS_COMMON_MACHINE_H

#include <stddef.h>
#include <stdlib.h>

#if __has_include(<cohart/spm.h>)
#include <cohart/debug.h>
#include <cohart/spm.h>

/* In the hart's scratchpad, if it has room. */
static inline void *get_memory(size_t bytes)
{
	void *p = co_spm_alloc(bytes, 16);

	return p ? p : malloc(bytes);
}
#else
#define get_memory malloc
#define co_mark_begin(name) ((void)0)
#define co_mark_end(name, messages) ((void)0)
#endif

#endif
