/* spm.h - the internal interface of windows, and of static data that each rank has. By core.h. */
#ifndef COHART_CORE_SPM_H
#define COHART_CORE_SPM_H

#include "../sched/executor.h"

/* A quick co_spm_shared() for main memory. */
static inline bool co_spm_beside(const void *p, size_t bytes)
{
	/* Outside of all windows, and not reaching into the first: addresses wrap around them. */
	return (uintptr_t)p - co_executor.spm_end <= co_executor.beside - bytes;
}
/* process.c: is p in static data that each rank has for itself? */
static inline bool co_is_private(const void *p)
{
	extern char __private_start[], __private_bytes[]; /* linker/ */

	return (uintptr_t)p - (uintptr_t)__private_start < (uintptr_t)__private_bytes;
}
void *co_process_public(const void *p) __attribute__((weak)); /* not there in other images */
/*
 * Where every hart finds [p, p + bytes): in the public copy if all of it is private data of the
 * caller's rank (cohart/process.h), else at p.
 */
static inline void *co_public(const void *p, size_t bytes)
{
	extern char __private_end[];

	return co_is_private(p) && bytes <= (uintptr_t)__private_end - (uintptr_t)p
		       ? co_process_public(p)
		       : (void *)(uintptr_t)p;
}
/* How each window is divided: --spm= (NULL: as usual). Context: hart 0, at boot. */
void co_spm_divide(const char *text);
void co_spm_init(unsigned hart);
/*
 * divide.c: set where the parts for mailboxes and caches begin in the hart's own window, by the
 * division of its group.
 */
void co_spm_divide_end(struct co_hart *h, unsigned hart);
/* As co_spm_alloc(), but a fault of the caller does not free the block. */
void *co_spm_keep(size_t bytes, size_t align);
/*
 * Free a block of co_spm_keep() of any hart: that does it, soon. Nothing happens if it is lost.
 * Context: coroutine.
 */
void co_spm_give_back(void *block);
/* Is the address in a block that c has of this hart's heap? Context: c's hart. */
bool co_spm_owns(const struct co *c, uintptr_t at);
/* In a block that a coroutine has? */
bool co_spm_owned(uintptr_t at);
/* Free c's blocks of this hart's heap. Context: c's hart. */
void co_spm_release(const struct co *c);
#ifdef CO_DEBUG
/* The part of co_debug_check_heap() for this hart's scratchpad heap. Context: coroutine. */
void co_spm_check(void);
/* Print the findings about the heaps. Context: hart 0, when no coroutine of the program lives. */
void co_spm_check_end(void);
#else
static inline void co_spm_check_end(void)
{
}
#endif
/* The hart in whose window or main-memory part p lies, or -1. */
int co_hart_owning(const void *p);
#endif
