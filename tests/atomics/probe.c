/* probe.c - each operation of cohart/atomic.h, with each order and width, alone: for
 * tools/verify-audit. */
#include <cohart/atomic.h>

#define LOAD(w, s, t, order)                          \
	t load_##w##_##order(s *p)                    \
	{                                             \
		return co_atomic_load(p, CO_##order); \
	}
#define STORE(w, s, t, order)                      \
	void store_##w##_##order(s *p, t v)        \
	{                                          \
		co_atomic_store(p, v, CO_##order); \
	}
#define CHANGE(op, w, s, t, order)                       \
	t op##_##w##_##order(s *p, t v)                  \
	{                                                \
		return co_atomic_##op(p, v, CO_##order); \
	}
#define ALL_ORDERS(op, w, s, t)      \
	CHANGE(op, w, s, t, RELAXED) \
	CHANGE(op, w, s, t, ACQUIRE) \
	CHANGE(op, w, s, t, RELEASE) \
	CHANGE(op, w, s, t, ACQ_REL) \
	CHANGE(op, w, s, t, SEQ_CST)
#define CAS(w, s, t)                           \
	t cas_##w##_ACQ_REL(s *p, t v, t x)    \
	{                                      \
		return co_atomic_cas(p, v, x); \
	}

#define LOADS(w, s, t) LOAD(w, s, t, RELAXED) LOAD(w, s, t, ACQUIRE) LOAD(w, s, t, SEQ_CST)
#define STORE_FAR(w, s, t)                 \
	void store_##w##_FAR(s *p, t v)    \
	{                                  \
		co_atomic_store_far(p, v); \
	}
#define STORES(w, s, t)         \
	STORE(w, s, t, RELAXED) \
	STORE(w, s, t, RELEASE) STORE(w, s, t, SEQ_CST) STORE_FAR(w, s, t)

LOADS(32, struct co_a32, uint32_t)
STORES(32, struct co_a32, uint32_t)
ALL_ORDERS(swap, 32, struct co_a32, uint32_t)
ALL_ORDERS(add, 32, struct co_a32, uint32_t)
ALL_ORDERS(and, 32, struct co_a32, uint32_t)
ALL_ORDERS(or, 32, struct co_a32, uint32_t)
CAS(32, struct co_a32, uint32_t)

LOADS(word, struct co_aword, uintptr_t)
STORES(word, struct co_aword, uintptr_t)
ALL_ORDERS(swap, word, struct co_aword, uintptr_t)
ALL_ORDERS(add, word, struct co_aword, uintptr_t)
ALL_ORDERS(and, word, struct co_aword, uintptr_t)
ALL_ORDERS(or, word, struct co_aword, uintptr_t)
CAS(word, struct co_aword, uintptr_t)
