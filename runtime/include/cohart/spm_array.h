/*
 * spm_array.h - constant arrays of main memory that each hart has in its scratchpad from the moment
 * it first asks for them.
 *
 * Example
 *	static struct co_spm_array table;                 // made once, by any coroutine
 *	int r = co_spm_array_make(&table, sines, sizeof(sines));
 *	...
 *	const float *sine = co_spm_array_get(&table);     // on each hart: a transfer the first time
 *	...
 *	co_spm_array_renew(&table);                       // sines has changed: fetched anew
 *	r = co_spm_array_drop(&table);                    // all harts' memory is given back
 *
 * Source: seeds B4, E9.
 */
#ifndef COHART_SPM_ARRAY_H
#define COHART_SPM_ARRAY_H

#include <cohart/coroutine.h>
#include <cohart/detail/base.h>

CO_BEGIN_C
#define CO_SPM_ARRAYS 8 /* that a hart can have copies of */

/* Shared memory (asserted), as is what it is made of. */
struct co_spm_array {
	const void *from; /* from here on the runtime's */
	size_t bytes;
	bool stays;            /* in main memory (spm_plan.h); set before other harts ask */
	struct co_a32 version; /* 0: it is not made, or dropped */
	struct co_batch drops; /* coroutines that give their copies back */
};

/*
 * Make an array of `bytes` at `from`. Nothing is fetched yet.
 * @return 0; -EINVAL: no bytes; -EFAULT: memory that is not to be handed out.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_spm_array_make(struct co_spm_array *a, const void *from, size_t bytes);

/*
 * This hart's copy; fetched when the hart has none, or an old one. Several coroutines may ask at
 * the same time.
 * @return the copy, which the hart may change for itself; NULL: its heap has no room for it, it has
 *         CO_SPM_ARRAYS of others, or an engine has failed, which is tried again when it is asked
 *         for again: a->from is what there is then. Of an array that is to stay in main memory
 *         (co_plan_array()): a->from, which nobody changes.
 * Context: coroutine; the array is made (asserted). Cost: two loads of main memory; a transfer the
 * first time.
 */
void *co_spm_array_get(struct co_spm_array *a);

/*
 * What it is made of has changed: copies are fetched anew when they are next asked for. Nobody uses
 * one meanwhile. Context: any.
 */
void co_spm_array_renew(struct co_spm_array *a);

/*
 * Give all copies back, but those of lost harts. Nobody uses one any more, nor asks.
 * @return 0: it may be made again; -EAGAIN: a hart has no control block to spare: call again.
 * Context: coroutine. Cost: a coroutine on each hart.
 */
CO_MUST_CHECK int co_spm_array_drop(struct co_spm_array *a);
CO_END_C
#endif
