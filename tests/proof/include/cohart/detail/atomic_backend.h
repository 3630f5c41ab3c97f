/*
 * atomic_backend.h - the atomics of the proofs: plain accesses by the one who owns the word, and a
 * swap or an or of a word that others use too, whose old value is what they left (ring.h).
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#define CO_RELAXED 0
#define CO_ACQUIRE 1
#define CO_RELEASE 2
#define CO_ACQ_REL 3
#define CO_SEQ_CST 4

#define co_atomic_load(p, o) ((p)->v)
#define co_atomic_store(p, v_, o) ((void)((p)->v = (v_)))
#define co_atomic_swap(p, v, o) proof_swap(p, v)
#define co_atomic_or(p, v, o) proof_or(p, v)

#endif
