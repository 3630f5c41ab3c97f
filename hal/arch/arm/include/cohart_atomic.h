/*
 * cohart_atomic.h - cohart/atomic.h for Arm v7.
 *
 * All that the architecture has is load-exclusive and store-exclusive: the compiler makes a loop of
 * them for each exchange, add, and, or and compare-and-swap, between the barriers (dmb) that its
 * order needs; a sequentially consistent store is one between two barriers. There is no atomic
 * add or swap that is one step of the memory, so harts of this kind gain nothing from NOCAS=1.
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) A3.4, A3.8.
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#include <stdbool.h>

#ifdef CO_NO_CAS
#error "NOCAS=1: these harts have exclusives alone, each atomic is a compare-and-swap of a kind"
#endif

#define CO_RELAXED __ATOMIC_RELAXED
#define CO_ACQUIRE __ATOMIC_ACQUIRE
#define CO_RELEASE __ATOMIC_RELEASE
#define CO_ACQ_REL __ATOMIC_ACQ_REL
#define CO_SEQ_CST __ATOMIC_SEQ_CST

#define co_atomic_load(p, o) __atomic_load_n(&(p)->v, (o))
#define co_atomic_store(p, x, o) __atomic_store_n(&(p)->v, (x), (o))
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
