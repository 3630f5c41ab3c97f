/*
 * ring.c - a channel's ring as it ships, after what is proved of it.
 *
 * Machines: gcc_x86_64 gcc_x86_32
 * Options: -wp-model Typed+cast
 * Options: -wp-skip-fct co_ring_row,co_ring_lap_bits
 * Wrong: runtime/comm/lf/ring.h co_ring_next next_lap | s/place != last/place <= last/
 * Wrong: runtime/comm/lf/ring.h co_ring_skip has_slot | s/pos) <= r->last/pos) < r->last/
 * Wrong: runtime/comm/lf/ring.h co_ring_place slot | s/pos . r->mask/pos/
 * Wrong: runtime/comm/lf/ring.h co_ring_release free | s/h.stamp + r->turn/h.stamp + r->lap/
 * Wrong: runtime/comm/lf/ring.h co_ring_differs marked | s/ != mark;/ > mark;/
 * Wrong: runtime/comm/lf/ring.h co_ring_is_turn unmarked | s/h.stamp, mark)/h.stamp, 2)/
 * Wrong: runtime/comm/lf/ring.h co_ring_commit_behind full | s/+ CO_RING_FULL, CO_REL/, CO_REL/
 * Wrong: runtime/comm/lf/ring.h co_ring_release_behind free | s/+ turn, CO_REL/+ turn + 1, CO_REL/
 */
#define _Alignas(n) /* Frama-C has none; nothing that is proved depends on it */
#include "../../runtime/include/cohart/detail/ring.h"

/*@
requires \valid(p);
assigns p->v;
ensures p->v == v && \result == \old(p->v);
*/
static uintptr_t proof_swap(struct co_aword *p, uintptr_t v);

/*@
requires \valid(p);
assigns p->v;
ensures p->v == (\old(p->v) | v) && \result == \old(p->v);
*/
static uintptr_t proof_or(struct co_aword *p, uintptr_t v);

#include "../../runtime/comm/lf/ring.h"

#define FACT axiom
#include "numbers.h"
#include "ring.h"
