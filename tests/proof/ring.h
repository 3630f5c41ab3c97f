/*
 * ring.h - what is proved of runtime/comm/lf/ring.h: its contracts, in ACSL.
 *
 * A side's position is a word, which wraps. What it stands for is a lap, a number that does not,
 * and the number of a slot: at(l, position, lap, slot). The slot's stamp is that of (lap, 0) while
 * it is free for the sender of this lap and that of (lap, 1) while it is full. Contracts are for
 * all laps that such a word can stand for; windows, where there are any, are said.
 */
#define WORD (UINTPTR_MAX + 1)
#define WINDOW (WORD / 2) /* stamps are compared within */

/* Laps have 1 to 2^24 steps. */
/* clang-format off */
#define eight_powers(l, b) \
	(l == b || l == 2 * b || l == 4 * b || l == 8 * b || l == 16 * b || l == 32 * b || \
	 l == 64 * b || l == 128 * b)
#define power(l) \
	(eight_powers(l, 0x10) || eight_powers(l, 0x1000) || eight_powers(l, 0x100000) || \
	 l == 0x10000000)
/* clang-format on */

/*@
axiomatic Casts { // WP says only that what is in range stays
	axiom word: \forall integer w; -WORD <= w < 2 * WORD ==> (uintptr_t)w ==
		(w < 0 ? w + WORD : w < WORD ? w : w - WORD);
	axiom signed_word: \forall integer w; -WORD - WINDOW <= w < WORD + WINDOW ==>
		(intptr_t)w == (w < -WINDOW ? w + WORD : w < WINDOW ? w : w - WORD);
}

lemma window: \forall integer a, b; 0 <= a && 0 <= b && -WINDOW < a - b < WINDOW ==>
	(intptr_t)(a % WORD - b % WORD) == a - b;

axiomatic Ring {
	axiom lap_size_is: \forall integer l; power(l) ==> lap_size(l);
	axiom lap_size_has: \forall integer l; lap_size(l) ==>
		16 <= l <= 0x10000000 && l % 16 == 0;
	axiom mask_of_is: \forall integer l, x; mask_of(l, x) <==> x == l - 16;
	axiom room_is: \forall integer n, s; room(n, s) <==>
		1 <= n && 16 <= s && n * s <= SIZE_MAX / 2;
	axiom stamp_of_is: \forall integer l, q, p; stamp_of(l, q, p) == (q * l + p) % WORD;
	axiom at_is: \forall integer l, w, q, s; at(l, w, q, s) <==>
		0 <= q && 0 <= s && 16 * s < l && w == stamp_of(l, q, 16 * s);
	axiom turn_of_is: \forall integer l, w, q, f; turn_of(l, w, q, f) <==>
		0 <= q && 0 <= f <= 1 && w == stamp_of(l, q, f);
	axiom stamped_is: \forall integer l, w, q, f; stamped(l, w, q, f) <==>
		0 <= q && 0 <= f <= 1 &&
		(w == stamp_of(l, q, f) || w == stamp_of(l, q, f) + 2);
}

// Of words and their bits, which provers of integers do not see through: verify-proofs has another
// prover show these of bits, from tests/proof/words.smt2.
axiomatic Words {
	axiom place_bits: \forall integer l, w, x, q, s; lap_size(l) && at(l, w, q, s) &&
		mask_of(l, x) ==> (w & x) == 16 * s;
	axiom place_range: \forall integer l, w, x; lap_size(l) && mask_of(l, x) &&
		0 <= w < WORD ==> 0 <= (w & x) <= w && (w & x) <= x;
	axiom lap_adds: \forall integer l, q, p; lap_size(l) && 0 <= q && 0 <= p < l ==>
		stamp_of(l, q, p) == stamp_of(l, q, 0) + p;
	axiom waited_off: \forall integer l, w, q, f; lap_size(l) && stamped(l, w, q, f) ==>
		(w & (UINTPTR_MAX - 2)) == stamp_of(l, q, f);
	axiom waited_on: \forall integer l, w, q, f; lap_size(l) && stamped(l, w, q, f) ==>
		(w | 2) == stamp_of(l, q, f) + 2;
	axiom apart: \forall integer v, w; 0 <= v < WORD && 0 <= w < WORD ==>
		((uintptr_t)(v ^ w) == 0 <==> v == w);
	axiom apart_by_mark: \forall integer l, v, w, q, f; lap_size(l) && 0 <= v < WORD &&
		0 <= w < WORD ==> // both ways: WP has an order of its own for operands
		(turn_of(l, w, q, f) ==> ((uintptr_t)(v ^ w) == 2 <==> v == w + 2)) &&
		(turn_of(l, v, q, f) ==> ((uintptr_t)(v ^ w) == 2 <==> w == v + 2));
	axiom eights: \forall integer w; 0 <= w < WORD ==> (w & (SIZE_MAX - 7)) == w - w % 8;
}

lemma next: \forall integer l, q; 0 <= q && 0 < l ==>
	stamp_of(l, q + 1, 0) == (stamp_of(l, q, 0) + l) % WORD;
lemma stamp_window: \forall integer l, q, f, p, g; lap_size(l) && 0 <= q && 0 <= p &&
	0 <= f <= 1 && 0 <= g <= 1 && -WINDOW < (q * l + f) - (p * l + g) < WINDOW ==>
	(intptr_t)(stamp_of(l, q, f) - stamp_of(l, p, g)) == (q * l + f) - (p * l + g);

lemma turn_marked: \forall integer l, v, w, q, f, p, g; lap_size(l) && stamped(l, v, q, f) &&
	turn_of(l, w, p, g) && -WINDOW < (q * l + f) - (p * l + g) < WINDOW ==>
	(v == w || v == w + 2 <==> q == p && f == g);
lemma turn_unmarked: \forall integer l, v, w, q, f, p, g; lap_size(l) && stamped(l, v, q, f) &&
	turn_of(l, w, p, g) && -WINDOW < (q * l + f) - (p * l + g) < WINDOW ==>
	(v == w <==> q == p && f == g && v == stamp_of(l, q, f));

logic integer slots{L}(struct co_ring *r) = r->last / 16 + 1;
predicate shaped{L}(struct co_ring *r) = \valid_read(r) && lap_size(r->lap) &&
	mask_of(r->lap, r->mask) && r->turn == r->lap - 1 && r->last % 16 == 0 &&
	r->last < r->lap && room(slots(r), r->stride);
*/

/*@
requires shaped(r);
assigns \nothing;
ensures range: 0 <= \result <= pos && \result <= r->lap - 16;
ensures slot: \forall integer q, s; at(r->lap, pos, q, s) ==>
	\result == 16 * s && \result / 16 == s && (uintptr_t)(\result / 16) == s;
*/
static inline uintptr_t co_ring_place(const struct co_ring *r, uintptr_t pos);

/*@
requires shaped(r);
assigns \nothing;
ensures lap: \forall integer q, s; at(r->lap, pos, q, s) ==> \result == stamp_of(r->lap, q, 0);
*/
static inline uintptr_t co_ring_lap_of(const struct co_ring *r, uintptr_t pos);

/*@
requires shaped(r) && stage <= 1;
assigns \nothing;
ensures turn: \forall integer q, s; at(r->lap, pos, q, s) && s < slots(r) ==>
	\result.slot == (struct co_slot *)(void *)(r->slots + (uintptr_t)(s * r->stride)) &&
	\result.stamp == stamp_of(r->lap, q, stage);
*/
static inline struct co_claimed co_ring_at(const struct co_ring *r, uintptr_t pos, uintptr_t stage);

/*@
requires shaped(r) && last == r->last;
requires \forall integer q, s; at(r->lap, pos, q, s) ==> place == 16 * s;
assigns \nothing;
ensures same_lap: \forall integer q, s; at(r->lap, pos, q, s) && s + 1 < slots(r) ==>
	at(r->lap, \result, q, s + 1);
ensures next_lap: \forall integer q, s; at(r->lap, pos, q, s) && s + 1 == slots(r) ==>
	at(r->lap, \result, q + 1, 0);
*/
static inline uintptr_t co_ring_next(const struct co_ring *r, uintptr_t pos, uintptr_t place,
				     uintptr_t last);

/*@
requires shaped(r);
assigns \nothing;
ensures has_slot: \forall integer q, s; at(r->lap, pos, q, s) && s < slots(r) ==> \result == pos;
ensures next_lap: \forall integer q, s; at(r->lap, pos, q, s) && s >= slots(r) ==>
	at(r->lap, \result, q + 1, 0);
*/
static inline uintptr_t co_ring_skip(const struct co_ring *r, uintptr_t pos);

/*@
requires shaped(r);
assigns \nothing;
ensures capacity: \result == slots(r);
*/
static inline size_t co_ring_capacity(const struct co_ring *r);

/*@
requires shaped(r);
assigns \nothing;
*/
static inline intptr_t co_ring_laps(const struct co_ring *r, uintptr_t head, uintptr_t tail);

/*@
requires shaped(r);
assigns \nothing;
ensures most: \result <= slots(r);
*/
static inline size_t co_ring_between(const struct co_ring *r, uintptr_t head, uintptr_t tail);

/*@
requires 0 < payload <= UINT32_MAX - 16;
assigns \nothing;
ensures fit: \result * (8 + ((payload + 7) & (SIZE_MAX - 7))) <= bytes;
ensures stride: payload + 8 <= 8 + ((payload + 7) & (SIZE_MAX - 7)) <= SIZE_MAX;
*/
static inline size_t co_ring_fit(size_t bytes, size_t payload);

/*@
assigns \nothing;
ensures ahead: \forall integer l, q, f, p, g; lap_size(l) && stamped(l, stamp, q, f) &&
	turn_of(l, h.stamp, p, g) &&
	-WINDOW < (q * l + f) - (p * l + g) < WINDOW ==>
	\result == (q * l + f) - (p * l + g);
*/
static inline intptr_t co_ring_ahead(uintptr_t stamp, struct co_claimed h);

/*@
requires \valid(h.slot);
assigns \nothing;
ensures turn: \forall integer l, q, f, p, g; lap_size(l) && stamped(l, h.slot->stamp.v, q, f) &&
	turn_of(l, h.stamp, p, g) &&
	-WINDOW < (q * l + f) - (p * l + g) < WINDOW ==>
	(\result == 0 <==> q == p && f == g) && (\result < 0 <==> q < p || (q == p && f < g));
*/
static inline intptr_t co_ring_turn(struct co_claimed h);

/*@
assigns \nothing;
ensures unmarked: mark == 0 ==> (\result == 0 <==> stamp == wanted);
ensures marked: \forall integer l, q, f; lap_size(l) && turn_of(l, wanted, q, f) && mark == 2 ==>
	(\result == 0 <==> stamp == wanted || stamp == wanted + 2);
*/
static inline bool co_ring_differs(uintptr_t stamp, uintptr_t wanted, uintptr_t mark);

/*@
requires \valid(h.slot);
assigns \nothing;
ensures marked: \forall integer l, q, f, p, g; lap_size(l) && mark == 2 &&
	stamped(l, h.slot->stamp.v, q, f) && turn_of(l, h.stamp, p, g) &&
	-WINDOW < (q * l + f) - (p * l + g) < WINDOW ==> (\result != 0 <==> q == p && f == g);
ensures unmarked: \forall integer l, q, f, p, g; lap_size(l) && mark == 0 &&
	stamped(l, h.slot->stamp.v, q, f) && turn_of(l, h.stamp, p, g) &&
	-WINDOW < (q * l + f) - (p * l + g) < WINDOW ==>
	(\result != 0 <==> q == p && f == g && h.slot->stamp.v == stamp_of(l, q, f));
*/
static inline bool co_ring_is_turn(struct co_claimed h, uintptr_t mark);

/*@
requires \valid(h.slot);
assigns h.slot->stamp;
ensures full: \forall integer l, q; lap_size(l) && stamped(l, \old(h.slot->stamp.v), q, 0) &&
	turn_of(l, h.stamp, q, 0) ==> h.slot->stamp.v == stamp_of(l, q, 1) &&
	(\result == 0 <==> \old(h.slot->stamp.v) == stamp_of(l, q, 0));
*/
static inline bool co_ring_commit(struct co_claimed h);

/*@
requires \valid(h.slot) && shaped(r) && \separated(r, h.slot);
assigns h.slot->stamp;
ensures free: \forall integer q; stamped(r->lap, \old(h.slot->stamp.v), q, 1) &&
	turn_of(r->lap, h.stamp, q, 1) ==> h.slot->stamp.v == stamp_of(r->lap, q + 1, 0) &&
	(\result == 0 <==> \old(h.slot->stamp.v) == stamp_of(r->lap, q, 1));
*/
static inline bool co_ring_release(const struct co_ring *r, struct co_claimed h);

/*@
requires \valid(h.slot);
assigns h.slot->stamp;
ensures full: \forall integer l, q; lap_size(l) && turn_of(l, h.stamp, q, 0) ==>
	h.slot->stamp.v == stamp_of(l, q, 1);
*/
static inline void co_ring_commit_behind(struct co_claimed h);

/*@
requires \valid(h.slot);
assigns h.slot->stamp;
ensures free: \forall integer l, q; lap_size(l) && turn == l - 1 && turn_of(l, h.stamp, q, 1) ==>
	h.slot->stamp.v == stamp_of(l, q + 1, 0);
*/
static inline void co_ring_release_behind(struct co_claimed h, uintptr_t turn);

/*@
requires \valid(h.slot);
assigns h.slot->stamp;
ensures kept: \forall integer l, q, f; lap_size(l) && stamped(l, \old(h.slot->stamp.v), q, f) ==>
	h.slot->stamp.v == stamp_of(l, q, f) + 2;
*/
static inline bool co_ring_mark(struct co_claimed h);

/*@
requires shaped(r) && \valid(r);
assigns r->tail, r->final;
*/
static inline void co_ring_close(struct co_ring *r);

/*@
requires \valid_read(r);
assigns \nothing;
*/
static inline uintptr_t co_ring_final(struct co_ring *r);

/*@
requires \valid_read(r);
assigns \nothing;
*/
static inline bool co_ring_may_end(const struct co_ring *r);

/*@
requires \valid_read(r);
assigns \nothing;
*/
static inline bool co_ring_is_closed(const struct co_ring *r);

/*@
requires \valid_read(r);
assigns \nothing;
*/
static inline bool co_ring_shut(struct co_ring *r);

/*@
assigns \nothing;
*/
static inline void *co_slot_payload(struct co_slot *s);
