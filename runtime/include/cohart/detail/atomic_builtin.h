/*
 * atomic_builtin.h - cohart/atomic.h by the compiler's builtins, orders and all, for architectures
 * on which they come to what they should: an atomic_backend.h defines what it does otherwise, then
 * includes this. `make verify P=audit` compares what comes of them with the orders that were asked.
 *
 * p points to a struct co_a32 or co_aword, aligned as that is (asserted nowhere), and is evaluated
 * once. No call fails, waits, or asks for libatomic. Context: any.
 */
#ifndef COHART_DETAIL_ATOMIC_BUILTIN_H
#define COHART_DETAIL_ATOMIC_BUILTIN_H

#include <stdbool.h>

/* Orders, C11's, constants here: for one that is none the compiler takes SEQ_CST. */
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
/* These return the word as it was; sums go round at its width. */
#define co_atomic_swap(p, x, o) __atomic_exchange_n(&(p)->v, (x), (o))
#define co_atomic_add(p, x, o) __atomic_fetch_add(&(p)->v, (x), (o))
#define co_atomic_and(p, x, o) __atomic_fetch_and(&(p)->v, (x), (o))
#define co_atomic_or(p, x, o) __atomic_fetch_or(&(p)->v, (x), (o))
/* True: *p was `old`, and is new_. False: it was not, and is as it was; never without a reason. */
#define co_atomic_cas(p, old, new_)                                                      \
	__extension__({                                                                  \
		__typeof__((p)->v) co_old = (old);                                       \
		__atomic_compare_exchange_n(&(p)->v, &co_old, (new_), false, CO_ACQ_REL, \
					    CO_ACQUIRE);                                 \
	})

#endif
