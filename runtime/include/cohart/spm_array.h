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

/* Shared memory (asserted), as is the array in main memory. */
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
 * once.
 * @return the copy, which the hart may change for itself; NULL: its heap has no room for it, it has
 *         copies of CO_SPM_ARRAYS others, or an engine has failed, which the next call tries again:
 *         use a->from then. For an array that is to stay in main memory (co_plan_array()):
 *         a->from, which nobody changes.
 * Context: coroutine; the array is made (asserted). Cost: two loads of main memory; a transfer the
 * first time.
 */
void *co_spm_array_get(struct co_spm_array *a);

/*
 * Say that the array at a->from has changed: copies are fetched anew by the next
 * co_spm_array_get(). Nobody uses a copy meanwhile. Context: any.
 */
void co_spm_array_renew(struct co_spm_array *a);

/*
 * Give all copies back, except on lost harts. Nobody uses a copy any more, nor asks for one.
 * @return 0: it may be made again; -ENOBUFS: a hart has no control block to spare: call again.
 * Context: coroutine. Cost: a coroutine on each hart.
 */
CO_MUST_CHECK int co_spm_array_drop(struct co_spm_array *a);
CO_END_C
#endif
