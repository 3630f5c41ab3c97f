/*
 * atomic_backend.h - cohart/atomic.h for RISC-V.
 *
 * Three faults of RISC-V GCC 12 decide its shape: all atomic stores become amoswap (here a store is
 * the fence its order needs plus a plain store, unless it is sequentially consistent), compare-
 * exchange loses its release half (here one LR/SC loop, both halves aqrl), and an AMO that releases
 * has a fence before it (here its rl bit).
 *
 * Of a sequentially consistent store and a later sequentially consistent load, one must keep the
 * two apart: the store does, an amoswap.aqrl, one instruction; so the loads, of which there are
 * more, need no fence before them. All AMOs with both bits are in one order (chapter 8.3).
 * Source: The RISC-V Instruction Set Manual I, table A.6 (mappings from C/C++ primitives), for all
 * the rest.
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#define CO_RELAXED __ATOMIC_RELAXED
#define CO_ACQUIRE __ATOMIC_ACQUIRE
#define CO_RELEASE __ATOMIC_RELEASE
#define CO_ACQ_REL __ATOMIC_ACQ_REL
#define CO_SEQ_CST __ATOMIC_SEQ_CST

/*
 * GCC 12 extends the sign of a volatile load's result, though lw has done it. A plain load is done
 * once, too, between this barrier and its fence: for the compiler, memory may have changed after
 * each.
 */
static inline void co_before_load(int order)
{
	if (order != CO_RELAXED)
		__asm__ volatile("" ::: "memory");
}

static inline void co_fence_after_load(int order)
{
	if (order != CO_RELAXED)
		__asm__ volatile("fence r, rw" ::: "memory");
}

static inline void co_fence_before_store(int order)
{
	if (order != CO_RELAXED)
		__asm__ volatile("fence rw, w" ::: "memory");
}

/* The suffix of an AMO, by the number that its order has. */
#define CO_AQRL_0 ""
#define CO_AQRL_2 ".aq"
#define CO_AQRL_3 ".rl"
#define CO_AQRL_4 ".aqrl"
#define CO_AQRL_5 ".aqrl"
#define CO_AQRL_OF(number) CO_AQRL_##number
#define CO_AQRL(order) CO_AQRL_OF(order)

#define CO_AMO_ASM(insn, p) \
	__asm__ volatile(insn " %0, %z2, %1" : "=r"(co_old), "+A"((p)->v) : "rJ"(co_x) : "memory")
#define CO_AMO_SIZED(op, suffix, p)                  \
	if (sizeof((p)->v) == 4)                     \
		CO_AMO_ASM("amo" op ".w" suffix, p); \
	else                                         \
		CO_AMO_ASM("amo" op ".d" suffix, p)
#define CO_AMO(op, p, x, o)                            \
	__extension__({                                \
		__typeof__((p)->v) co_x = (x), co_old; \
		CO_AMO_SIZED(op, CO_AQRL(o), p);       \
		co_old;                                \
	})

#define co_atomic_swap(p, x, o) CO_AMO("swap", p, x, o)
#define co_atomic_add(p, x, o) CO_AMO("add", p, x, o)
#define co_atomic_and(p, x, o) CO_AMO("and", p, x, o)
#define co_atomic_or(p, x, o) CO_AMO("or", p, x, o)

#define CO_LOAD_ONCE(p) (*(const volatile __typeof__((p)->v) *)&(p)->v)
#define co_atomic_load(p, o)                                                                  \
	__extension__({                                                                       \
		co_before_load(o);                                                            \
		const __typeof__((p)->v) co_v = (o) == CO_RELAXED ? CO_LOAD_ONCE(p) : (p)->v; \
		co_fence_after_load(o);                                                       \
		co_v;                                                                         \
	})
/* The old value goes to x0: the hart does not wait for it, as for a store to distant memory. */
#define CO_STORE_ASM(insn, p) \
	__asm__ volatile(insn " zero, %z1, %0" : "+A"((p)->v) : "rJ"(co_x) : "memory")
#define CO_STORE_SWAP(p)                           \
	if (sizeof((p)->v) == 4)                   \
		CO_STORE_ASM("amoswap.w.aqrl", p); \
	else                                       \
		CO_STORE_ASM("amoswap.d.aqrl", p)
#define co_atomic_store(p, x, o)                     \
	__extension__({                              \
		const __typeof__((p)->v) co_x = (x); \
		if ((o) != CO_SEQ_CST)               \
			CO_STORE(p, co_x, o);        \
		else                                 \
			CO_STORE_SWAP(p);            \
	})
#define CO_STORE(p, x, o)                                      \
	do {                                                   \
		co_fence_before_store(o);                      \
		*(volatile __typeof__((p)->v) *)&(p)->v = (x); \
	} while (0)

/* A fence orders all stores behind it: the fence of the store before is enough. */
#define co_atomic_store_also(p, x) co_atomic_store(p, x, CO_RELAXED)

#define co_atomic_store_far(p, x)                              \
	do {                                                   \
		CO_STORE(p, x, CO_RELEASE);                    \
		__asm__ volatile("fence rw, rw" ::: "memory"); \
	} while (0)

static inline bool co_cas32(volatile uint32_t *p, uint32_t old, uint32_t new_)
{
	uint32_t seen;
	uint32_t failed;

	__asm__ goto("1:	lr.w.aqrl	%0, %2\n"
		     "	bne		%0, %z3, %l[differs]\n"
		     "	sc.w.aqrl	%1, %z4, %2\n"
		     "	bnez		%1, 1b\n"
		     : "=&r"(seen), "=&r"(failed), "+A"(*p)
		     : "rJ"((long)(int32_t)old), "rJ"(new_)
		     : "memory"
		     : differs);
	return true;
differs:
	return false;
}

#if __riscv_xlen == 64
static inline bool co_cas64(volatile uint64_t *p, uint64_t old, uint64_t new_)
{
	uint64_t seen;
	uint64_t failed;

	__asm__ goto("1:	lr.d.aqrl	%0, %2\n"
		     "	bne		%0, %z3, %l[differs]\n"
		     "	sc.d.aqrl	%1, %z4, %2\n"
		     "	bnez		%1, 1b\n"
		     : "=&r"(seen), "=&r"(failed), "+A"(*p)
		     : "rJ"(old), "rJ"(new_)
		     : "memory"
		     : differs);
	return true;
differs:
	return false;
}
#define co_atomic_cas(p, old, new_)                                                          \
	(sizeof((p)->v) == 4 ? co_cas32((volatile uint32_t *)(void *)&(p)->v, (old), (new_)) \
			     : co_cas64((volatile uint64_t *)(void *)&(p)->v, (old), (new_)))
#else
#define co_atomic_cas(p, old, new_) co_cas32((volatile uint32_t *)(void *)&(p)->v, (old), (new_))
#endif

/*
 * The base ISA cannot count trailing zeros, and the compiler's library does so in a loop. A product
 * with a de Bruijn sequence has another index on top for each bit.
 */
#if __riscv_xlen == 64 && !defined(__riscv_zbb)
static inline unsigned co_bit_number(uint64_t bit)
{
	static const struct {
		uint64_t sequence; /* loaded: to build it takes eight instructions */
		uint8_t number[64];
	} bits = {
		0x022fdd63cc95386d,
		{
			0,  1,  2,  53, 3,  7,  54, 27, 4,  38, 41, 8,  34, 55, 48, 28,
			62, 5,  39, 46, 44, 42, 22, 9,  24, 35, 59, 56, 49, 18, 29, 11,
			63, 52, 6,  26, 37, 40, 33, 47, 61, 45, 43, 21, 23, 58, 17, 10,
			51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12,
		},
	};

	return bits.number[bit * bits.sequence >> 58];
}
#define co_bit_number co_bit_number
#elif !defined(__riscv_zbb)
static inline unsigned co_bit_number(uint32_t bit)
{
	static const uint8_t number[32] = {
		0,  1,  28, 2,  29, 14, 24, 3, 30, 22, 20, 15, 25, 17, 4,  8,
		31, 27, 13, 23, 21, 19, 16, 7, 26, 12, 18, 6,  11, 5,  10, 9,
	};

	return number[(uint32_t)(bit * 0x077cb531u) >> 27];
}
#define co_bit_number co_bit_number
#endif

#endif
