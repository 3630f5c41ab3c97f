/*
 * numbers.c - the arithmetic of rings that needs no ring: proved here, used by ring.h.
 *
 * Machines: gcc_x86_64
 * Options: -wp-model Typed
 */
/*@
// Tickets that are alive at once, fewer apart than there are slots, have slots of their own,
lemma none_between: \forall integer n, d; 1 <= n ==> !(0 < d * n < n);
lemma distinct: \forall integer n, d, q, s, t; 1 <= n && 0 <= s < n && 0 <= t < n &&
	0 < ((q + d) * n + t) - (q * n + s) < n ==> s != t;
// whose bytes do not overlap.
lemma disjoint: \forall integer s, t, stride; 0 <= s < t && 0 <= stride ==>
	s * stride + stride <= t * stride;
*/
#define FACT lemma
#include "numbers.h"
