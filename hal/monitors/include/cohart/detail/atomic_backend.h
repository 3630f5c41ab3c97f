/*
 * atomic_backend.h - cohart/atomic.h where a memory serves the atomics of few harts at a time
 * (BOARD_MONITORS, hal/monitors.h): each read-modify-write is one of the architecture's, done in
 * the hart's turn: in locks, inboxes, counters, and in programs.
 *
 * Every order is the strongest: a barrier adds nothing to the cost of a turn. Loads are the
 * architecture's. A store is one too, but a sequentially consistent one is a store that releases,
 * and a fence, where the architecture has a swap.
 */
#ifndef COHART_ATOMIC_BACKEND_MONITORS_H
#define COHART_ATOMIC_BACKEND_MONITORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include_next <cohart/detail/atomic_backend.h>

enum co_rmw { CO_RMW_SWAP, CO_RMW_ADD, CO_RMW_AND, CO_RMW_OR, CO_RMW_CAS };

struct co_plain_32 {
	uint32_t v;
};

struct co_plain_word {
	uintptr_t v;
};

#define CO_PLAIN_OP(name, p, x) co_atomic_##name(p, x, CO_SEQ_CST)
#define CO_PLAIN_RMW(op, p, x)                          \
	((op) == CO_RMW_SWAP  ? CO_PLAIN_OP(swap, p, x) \
	 : (op) == CO_RMW_ADD ? CO_PLAIN_OP(add, p, x)  \
	 : (op) == CO_RMW_AND ? CO_PLAIN_OP(and, p, x)  \
			      : CO_PLAIN_OP(or, p, x))

/* The architecture's own, for monitors.c: returns the old value; for CO_RMW_CAS, its success. */
static inline uintptr_t co_plain_rmw(enum co_rmw op, void *p, size_t bytes, uintptr_t x,
				     uintptr_t old)
{
	struct co_plain_word *word = (struct co_plain_word *)p;
	struct co_plain_32 *half = (struct co_plain_32 *)p;

	if (bytes == 4 && op == CO_RMW_CAS)
		return co_atomic_cas(half, (uint32_t)old, (uint32_t)x);
	if (op == CO_RMW_CAS)
		return co_atomic_cas(word, old, x);
	return bytes == 4 ? CO_PLAIN_RMW(op, half, (uint32_t)x) : CO_PLAIN_RMW(op, word, x);
}

/* By its stores: no turn is taken. */
static inline void co_monitors_store(void *p, size_t bytes, uintptr_t x, int order)
{
	struct co_plain_word *word = (struct co_plain_word *)p;
	struct co_plain_32 *half = (struct co_plain_32 *)p;
	bool releases = order != CO_RELAXED;

	if (bytes == 4 && releases)
		co_atomic_store(half, (uint32_t)x, CO_RELEASE);
	else if (bytes == 4)
		co_atomic_store(half, (uint32_t)x, CO_RELAXED);
	else if (releases)
		co_atomic_store(word, x, CO_RELEASE);
	else
		co_atomic_store(word, x, CO_RELAXED);
	if (order == CO_SEQ_CST)
		__atomic_thread_fence(CO_SEQ_CST);
}

#undef co_atomic_store
#undef co_atomic_store_far
#undef co_atomic_swap
#undef co_atomic_add
#undef co_atomic_and
#undef co_atomic_or
#undef co_atomic_cas

#ifdef __cplusplus
extern "C" {
#endif
/* monitors.c: one of them on the 4 bytes, or the word, at p, in the calling hart's turn. */
uintptr_t co_monitors_rmw(enum co_rmw op, void *p, size_t bytes, uintptr_t x, uintptr_t old);
#ifdef __cplusplus
}
#endif

#define CO_MONITORS_RMW(op, p, x, old)                                                    \
	__extension__({                                                                   \
		__typeof__((p)->v) co_was = (__typeof__((p)->v))co_monitors_rmw(          \
			(op), &(p)->v, sizeof((p)->v), (uintptr_t)(x), (uintptr_t)(old)); \
		co_was;                                                                   \
	})
#define co_atomic_swap(p, x, o) CO_MONITORS_RMW(CO_RMW_SWAP, p, x, 0)
#define co_atomic_add(p, x, o) CO_MONITORS_RMW(CO_RMW_ADD, p, x, 0)
#define co_atomic_and(p, x, o) CO_MONITORS_RMW(CO_RMW_AND, p, x, 0)
#define co_atomic_or(p, x, o) CO_MONITORS_RMW(CO_RMW_OR, p, x, 0)
#define co_atomic_cas(p, old, new_) (CO_MONITORS_RMW(CO_RMW_CAS, p, new_, old) != 0)
#define co_atomic_store(p, x, o) co_monitors_store(&(p)->v, sizeof((p)->v), (uintptr_t)(x), o)

#endif
