/*
 * cohart_atomic.h - cohart/atomic.h for AArch64.
 *
 * The compiler's builtins map one to one: ldar, stlr, and with LSE (ARMv8.1) ldadd and its kin,
 * cas; without, a loop of load-exclusive and store-exclusive for each of the latter. But a
 * sequentially consistent store is a swap: the architecture keeps stlr before a later ldar, QEMU
 * 7.2 on x86 does not (it puts its barriers before the store and after the load), and wake-ups were
 * lost.
 * Source: Arm ARM (DDI 0487) B2.3, C6.2.
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#include <stdbool.h>

#define CO_RELAXED __ATOMIC_RELAXED
#define CO_ACQUIRE __ATOMIC_ACQUIRE
#define CO_RELEASE __ATOMIC_RELEASE
#define CO_ACQ_REL __ATOMIC_ACQ_REL
#define CO_SEQ_CST __ATOMIC_SEQ_CST

#define co_atomic_load(p, o) __atomic_load_n(&(p)->v, (o))
#define co_atomic_store(p, x, o)                                                 \
	((o) == CO_SEQ_CST ? (void)__atomic_exchange_n(&(p)->v, (x), CO_SEQ_CST) \
			   : __atomic_store_n(&(p)->v, (x), (o)))
#define co_atomic_swap(p, x, o) __atomic_exchange_n(&(p)->v, (x), (o))
#define co_atomic_add(p, x, o) __atomic_fetch_add(&(p)->v, (x), (o))
#define co_atomic_and(p, x, o) __atomic_fetch_and(&(p)->v, (x), (o))
#define co_atomic_or(p, x, o) __atomic_fetch_or(&(p)->v, (x), (o))
#define co_atomic_cas(p, old, new_)                                                      \
	({                                                                               \
		__typeof__((p)->v) co_old = (old);                                       \
		__atomic_compare_exchange_n(&(p)->v, &co_old, (new_), false, CO_ACQ_REL, \
					    CO_ACQUIRE);                                 \
	})

#endif
