/*
 * numbers.h - what rings take from the arithmetic of numbers: FACT is a lemma where it is proved,
 * in numbers.c, and an axiom where it is used, so that nothing else leads provers astray.
 */
/*@
// What is said of words; ring.h has what it means.
axiomatic Names {
	predicate lap_size(integer l);
	predicate mask_of(integer l, integer mask);
	predicate room(integer n, integer stride);
	// That word, wrapped, at that place of that lap.
	logic integer stamp_of(integer l, integer lap, integer place);
	predicate at(integer l, integer position, integer lap, integer slot);
	// The stamp that makes it the turn of one who wants the slot free, or full.
	predicate turn_of(integer l, integer stamp, integer lap, integer full);
	// What the slot says: that, and whether somebody waits.
	predicate stamped(integer l, integer stamp, integer lap, integer full);
}


axiomatic Numbers {
	// Who is at a slot of the ring is within its bytes.
	FACT slot_fits: \forall integer l, w, q, d, n, s; at(l, w, q, d) && room(n, s) &&
		0 <= d < n && 0 <= s ==> 0 <= d * s && d * s + s <= n * s;
	// A difference of stamps tells which is earlier: the lap, then free before full; so these
	// are never the same.
	FACT before: \forall integer l, v, w, q, f, p, g; stamped(l, v, q, f) &&
		turn_of(l, w, p, g) && 16 <= l && 0 <= f <= 1 && 0 <= g <= 1 ==>
		((q * l + f) - (p * l + g) < 0 <==> q < p || (q == p && f < g));
	FACT same: \forall integer l, v, w, q, f, p, g; stamped(l, v, q, f) &&
		turn_of(l, w, p, g) && 16 <= l && 0 <= f <= 1 && 0 <= g <= 1 ==>
		((q * l + f) - (p * l + g) == 0 <==> q == p && f == g);
	FACT quotient: \forall integer b, x; 0 <= b && 0 < x ==> b / x * x <= b;
}
*/
