/*
 * atomic.h - the only way to access words that harts share.
 *
 * Every access names its memory order, and a comment at the call names the access that it pairs
 * with. The backend (atomic_backend.h) is found on the include path: each architecture has one, and
 * a host build or a model checker can bring its own for unchanged sources. This header keeps to the
 * common subset of C and C++ for that reason.
 *
 *	co_atomic_load(p, o)         o: CO_RELAXED, CO_ACQUIRE, CO_SEQ_CST
 *	co_atomic_store(p, v, o)     o: CO_RELAXED, CO_RELEASE, CO_SEQ_CST
 *	co_atomic_store_far(p, v)    with CO_SEQ_CST, to a word in another hart's memory: never by a
 *	                             swap, which would keep the word busy
 *	co_atomic_store_also(p, v)   with CO_RELEASE, right behind another store with CO_RELEASE:
 *	                             some boards need no further fence
 *	co_atomic_swap(p, v, o)      the old value; o: any
 *	co_atomic_add(p, v, o)       the old value; subtract by adding the negative
 *	co_atomic_and(p, v, o)       the old value
 *	co_atomic_or(p, v, o)        the old value
 *	co_atomic_cas(p, old, new)   true if *p was `old` and now is `new`; always CO_ACQ_REL
 *
 * p points to a struct co_a32 or struct co_aword. Some compute harts lack compare-and-swap; in
 * core/ only the lf/ algorithms that say so may use it.
 */
#ifndef COHART_ATOMIC_H
#define COHART_ATOMIC_H

/* Bytes that travel between harts together: words of different writers are kept this far apart. */
#define CO_LINE 64

#include <cohart/detail/atomic_backend.h>
#include <cohart/detail/base.h>

#ifndef co_atomic_store_far
#define co_atomic_store_far(p, v) co_atomic_store(p, v, CO_SEQ_CST)
#endif

#ifndef co_atomic_store_also
#define co_atomic_store_also(p, v) co_atomic_store(p, v, CO_RELEASE)
#endif

#ifndef CO_ATOMIC_TYPES /* a model checker's backend brings its own */
struct co_a32 {
	uint32_t v;
};

struct co_aword {
	uintptr_t v;
};
#endif

/* The number of the only bit that is set in b. */
#ifndef co_bit_number /* a backend may know a faster way */
#define co_bit_number(b) ((unsigned)__builtin_ctzl(b))
#endif

/*
 * Payload: memory that an atomic word hands over. Plain accesses, named so that a race detector or
 * a model checker can watch them.
 */
#ifndef co_plain_load
#define co_plain_load(p) (*(p))
#define co_plain_store(p, v) ((void)(*(p) = (v)))
#endif

/*
 * Pass one round of a loop that waits for a hart which is a few instructions from being done. Every
 * 64th round sleeps 20 us: an emulator or a debugger may have stopped that hart. After ten seconds
 * of sleep the caller panics.
 * @param spins  the caller's count of rounds, 0 at first
 * Context: any.
 */
CO_BEGIN_C
void co_spin(unsigned *spins);
CO_END_C
#endif
