/*
 * atomic_backend.h - cohart/atomic.h for Arm v7.
 *
 * All that the architecture has is load-exclusive and store-exclusive: the compiler makes a loop of
 * them for each exchange, add, and, or and compare-and-swap, between the barriers (dmb) that its
 * order needs; a sequentially consistent store is one between two barriers. There is no atomic
 * add or swap that is one step of the memory, so harts of this kind gain nothing from NOCAS=1.
 * Source: Arm ARM v7-A and v7-R (DDI 0406C) A3.4, A3.8.
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#ifdef CO_NO_CAS
#error "NOCAS=1: these harts have exclusives alone, each atomic is a compare-and-swap of a kind"
#endif

#include <cohart/detail/atomic_builtin.h>

#endif
