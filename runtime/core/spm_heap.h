/*
 * spm_heap.h - how spm.c uses the heap of a window with DEBUG=1: with a check around each block
 * (spm_check.c). A line is where the program calls, for reports.
 */
#ifndef COHART_SPM_HEAP_H
#define COHART_SPM_HEAP_H

#include "core.h"
#include "heap_check.h"

#define CO_HEAP_UNIT sizeof(struct co_heap_block)

#ifdef CO_DEBUG

#define CO_SPM_LINE CO_CHECK_LINE

/*
 * On the hart whose heap it is: a block of an owner, or NULL; its end; the end of all of an owner;
 * the most bytes that there is room for.
 */
void co_spm_heap_init(struct co_hart *h, uint32_t units);
void *co_spm_take(struct co_hart *h, size_t bytes, size_t align, uint32_t owner, uintptr_t line);
void co_spm_give(struct co_hart *h, void *p, uintptr_t line);
void co_spm_give_of(struct co_hart *h, uint32_t owner);
size_t co_spm_room(struct co_hart *h);

#endif
#endif
