/*
 * atomic_backend.h - cohart/atomic.h for AArch64.
 *
 * The compiler's builtins map one to one: ldar, stlr, and with LSE (ARMv8.1) ldadd and its kin,
 * cas; without, a loop of load-exclusive and store-exclusive for each of the latter. But a
 * sequentially consistent store is a swap: the architecture keeps stlr before a later ldar, QEMU
 * 7.2 on x86 does not (it puts its barriers before the store and after the load), and wake-ups were
 * lost. And the compiler's relaxed loads and stores take their address from a register alone, with
 * an add before it; plain loads and stores are these instructions with an offset.
 * Source: Arm ARM (DDI 0487) B2.3, C6.2.
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#define co_atomic_store(p, x, o)                                                     \
	((o) == CO_SEQ_CST   ? (void)__atomic_exchange_n(&(p)->v, (x), CO_SEQ_CST)   \
	 : (o) == CO_RELAXED ? (void)(*(volatile __typeof__((p)->v) *)&(p)->v = (x)) \
			     : __atomic_store_n(&(p)->v, (x), (o)))

#define co_atomic_load(p, o)                                               \
	((o) == CO_RELAXED ? *(const volatile __typeof__((p)->v) *)&(p)->v \
			   : __atomic_load_n(&(p)->v, (o)))

#include <cohart/detail/atomic_builtin.h>

#endif
