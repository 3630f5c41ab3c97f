/*
 * atomic_builtin.h - cohart/atomic.h by the compiler's builtins, with their memory orders, for
 * architectures on which the builtins compile to correct instructions: an atomic_backend.h defines
 * the operations that it does in its own way, then includes this header. `make verify P=audit`
 * compares the compiled instructions with the orders in the source.
 *
 * p points to a struct co_a32 or co_aword, aligned as that is (asserted nowhere), and is evaluated
 * once. No call fails, waits, or asks for libatomic. Context: any.
 */
#ifndef COHART_DETAIL_ATOMIC_BUILTIN_H
#define COHART_DETAIL_ATOMIC_BUILTIN_H

#include <stdbool.h>

/* C11's memory orders; constants, since the compiler replaces a variable order by SEQ_CST. */
#define CO_RELAXED __ATOMIC_RELAXED
#define CO_ACQUIRE __ATOMIC_ACQUIRE
#define CO_RELEASE __ATOMIC_RELEASE
#define CO_ACQ_REL __ATOMIC_ACQ_REL
#define CO_SEQ_CST __ATOMIC_SEQ_CST

#ifndef co_atomic_load
#define co_atomic_load(p, o) __atomic_load_n(&(p)->v, (o))
#endif
#ifndef co_atomic_store
#define co_atomic_store(p, x, o) __atomic_store_n(&(p)->v, (x), (o))
#endif
/* These return the word's old value; sums wrap at its width. */
#define co_atomic_swap(p, x, o) __atomic_exchange_n(&(p)->v, (x), (o))
#define co_atomic_add(p, x, o) __atomic_fetch_add(&(p)->v, (x), (o))
#define co_atomic_and(p, x, o) __atomic_fetch_and(&(p)->v, (x), (o))
#define co_atomic_or(p, x, o) __atomic_fetch_or(&(p)->v, (x), (o))
/* True: *p was `old`, and is new_. False: *p was not `old`, and is unchanged; never spuriously. */
#define co_atomic_cas(p, old, new_)                                                      \
	__extension__({                                                                  \
		__typeof__((p)->v) co_old = (old);                                       \
		__atomic_compare_exchange_n(&(p)->v, &co_old, (new_), false, CO_ACQ_REL, \
					    CO_ACQUIRE);                                 \
	})

#endif
