/*
 * heap.h - what is proved of runtime/core/memory/heap.c: its contracts, in ACSL.
 *
 * The row is an array with a name here, since provers see through that more easily than through a
 * pointer; every index is checked to be within the heap's units. Ghosts are what no code has:
 * `begins` tells which units are headers; `given`, for blocks that are handed out, how long the one
 * is that begins there; `where`, the block that the last allocation found.
 */
#define MAX CO_HEAP_UNITS_MAX
#define AT(h, i) row[proof_index(h, i)]

struct co_heap_block row[MAX];

/*@ requires i < h->units <= MAX && \valid_read(h);
    assigns \nothing;
    ensures \result == i; */
static uint32_t proof_index(const struct co_heap *h, uint32_t i)
{
	return i;
}

/*@ ghost unsigned char begins[MAX]; */
/*@ ghost uint32_t given[MAX]; */
/*@ ghost uint32_t where; */

/* Macros, since provers unfold predicates late. */
#define block(n, i) (0 <= (i) && (i) < (n) && begins[i] == 1)
#define taken(i) (row[i].mark == CO_BLOCK_TAKEN)

/*
 * What calls leave as it was: the clauses of sound(), below, as one conjunction, which WP takes
 * apart, so that a prover gets one at a time. Units; what was handed out, too; the whole heap.
 */
#define standing(n) \
	(first(n) && within(n) && chained(n) && back(n) && apart(n) && roomy(n) && marked(n))
#define stored(n) (standing(n) && counted(n))
#define intact(h) (stored((h)->units) && joined((h)->units) && figures(h))

/* It is free, and has room for `units` behind an aligned start. */
#define fits(i, first, units_, multiple) \
	(!taken(i) && 1 + gap_of(first + i, multiple) + units_ <= row[i].units)
/* Unit i is as it was, but for the length of the block before it. */
#define same(i)                                                                    \
	(row[i].units == \old(row[i].units) && row[i].mark == \old(row[i].mark) && \
	 row[i].shift == \old(row[i].shift) && begins[i] == \old(begins[i]))
#define same_before(i) (row[i].before == \old(row[i].before))
/* So are all units outside of [from, to): what others were handed is untouched. */
/* clang-format off */
#define outside(n, from, to) \
	(\forall integer i; 0 <= i < n && !(from <= i < to) ==> \
		same(i) && (i != to ==> same_before(i)))
/* clang-format on */

/*@
// What is handed out up to unit i, in units.
axiomatic Sum {
	logic integer sum{L}(integer i) reads given[0 .. i - 1];
	axiom sum_none{L}: sum(0) == 0;
	axiom sum_next{L}: \forall integer i; 0 <= i < MAX ==> sum(i + 1) == sum(i) + given[i];
}

// Blocks tile the row: each lies within it, another begins where one ends, none within another.
predicate first{L}(integer n) = begins[0] == 1 && row[0].before == 0;
predicate within{L}(integer n) =
	\forall integer i; block(n, i) ==> 1 <= row[i].units <= n - i;
predicate chained{L}(integer n) =
	\forall integer i, j; block(n, i) && i + row[i].units <= j <= i + row[i].units && j < n ==>
		begins[j] == 1 && row[j].before == row[i].units;
predicate back{L}(integer n) =
	\forall integer i, j; block(n, j) && j > 0 && i <= j - row[j].before <= i ==>
		0 <= i < j && begins[i] == 1 && row[i].units == row[j].before;
predicate apart{L}(integer n) =
	\forall integer i, j; block(n, i) && block(n, j) && i < j ==> i + row[i].units <= j;
predicate tiled{L}(integer n) =
	first(n) && within(n) && chained(n) && back(n) && apart(n);

// The way back from what was handed out: what lies before it is the header, or a sign.
predicate roomy{L}(integer n) =
	\forall integer i; block(n, i) && taken(i) ==> 2 + row[i].shift <= row[i].units;
predicate marked{L}(integer n) =
	\forall integer i, j; block(n, i) && taken(i) && 0 < row[i].shift && j < n &&
		i + row[i].shift <= j <= i + row[i].shift ==>
			row[j].mark == CO_BLOCK_SIGN && row[j].shift == row[i].shift;
predicate counted{L}(integer n) =
	\forall integer i; 0 <= i < n ==>
		(begins[i] == 1 && taken(i) ==> given[i] == row[i].units) &&
		(!(begins[i] == 1 && taken(i)) ==> given[i] == 0);
predicate joined{L}(integer n) = // no two free neighbours
	\forall integer i, j; block(n, i) && !taken(i) &&
		i + row[i].units <= j <= i + row[i].units && j < n ==> taken(j);

logic integer base{L}(struct co_heap *h) = (integer)(uintptr_t)h->block;
predicate made{L}(struct co_heap *h) = \valid(h) && 2 <= h->units <= MAX;
predicate placed{L}(struct co_heap *h) =
	0 <= base(h) && base(h) % 16 == 0 && base(h) + 16 * h->units <= UINTPTR_MAX;
predicate figures{L}(struct co_heap *h) = h->used.v == sum(h->units) <= h->high.v;
predicate sound{L}(struct co_heap *h) =
	made(h) && tiled(h->units) && roomy(h->units) && marked(h->units) &&
	counted(h->units) && joined(h->units) &&
	figures(h);

// The header of what was handed out, and whether it was.
logic integer header{L}(integer unit) =
	row[unit - 1].mark == CO_BLOCK_SIGN ? unit - 1 - row[unit - 1].shift : unit - 1;
predicate handed{L}(integer n, integer unit) =
	0 < unit < n && block(n, header(unit)) && taken(header(unit)) &&
	unit == header(unit) + 1 + row[header(unit)].shift;

// What gap() returns: a name, so that no prover looks into remainders where they do not matter.
axiomatic Gap { logic integer gap_of(integer at, integer multiple); }
predicate joined_till{L}(integer n, integer b) = // with the one before it
	\forall integer i, j; block(n, i) && !taken(i) && j != b &&
		i + row[i].units <= j <= i + row[i].units && j < n ==> taken(j);
predicate joined_but{L}(integer n, integer b) = // with its neighbours
	\forall integer i, j; block(n, i) && !taken(i) && i != b && j != b &&
		i + row[i].units <= j <= i + row[i].units && j < n ==> taken(j);
*/

/*@ ghost
/@ requires unit < MAX;
   assigns begins[unit];
   ensures begins[unit] == is; @/
void proof_begins(uint32_t unit, unsigned char is)
{
	begins[unit] = is;
}
*/

/*@ ghost
/@ requires 2 <= n <= MAX;
   assigns begins[0 .. n - 1], given[0 .. n - 1];
   ensures begins[0] == 1 && \forall integer i; 0 < i < n ==> begins[i] == 0;
   ensures \forall integer i; 0 <= i < n ==> given[i] == 0;
   ensures sum(n) == 0; @/
void proof_one_block(uint32_t n)
{
	uint32_t i = 0;

	/@ loop invariant 0 <= i <= n;
	   loop invariant \forall integer k; 0 <= k < i ==> given[k] == 0 && begins[k] == 0;
	   loop assigns i, begins[0 .. n - 1], given[0 .. n - 1];
	   loop variant n - i; @/
	while (i < n) {
		begins[i] = 0;
		given[i] = 0;
		i++;
	}
	i = 0;
	/@ loop invariant 0 <= i <= n && sum(i) == 0;
	   loop assigns i;
	   loop variant n - i; @/
	while (i < n)
		i++;
	begins[0] = 1;
}
*/

/*@ ghost
/@ requires unit < n <= MAX;
   assigns given[unit];
   ensures given[unit] == units;
   ensures sum(n) == \old(sum(n)) - \old(given[unit]) + units; @/
void proof_given(uint32_t unit, uint32_t units, uint32_t n)
{
	uint32_t i = 0;

	given[unit] = units;
	/@ loop invariant 0 <= i <= n;
	   loop invariant sum(i) == sum{Pre}(i) +
		(i > unit ? units - \at(given[unit], Pre) : 0);
	   loop assigns i;
	   loop variant n - i; @/
	while (i < n)
		i++;
}
*/

/*@ ghost
/@ requires sound: 2 <= n <= MAX && tiled(n) && counted(n);
   assigns \nothing;
   ensures sum(n) <= n;
   ensures unit < n && begins[unit] == 1 && !taken(unit) ==> sum(n) <= n - row[unit].units;
   ensures unit < n && begins[unit] == 1 && taken(unit) ==> row[unit].units <= sum(n); @/
void proof_bound(uint32_t n, uint32_t unit)
{
	uint32_t i = 1, b = 0;

	/@ loop invariant 1 <= i <= n && 0 <= b < i && begins[b] == 1;
	   loop invariant b + row[b].units >= i;
	   loop invariant 0 <= sum(i) <= b + given[b];
	   loop invariant block(n, unit) && !taken(unit) && unit < i ==>
		sum(i) <= b + given[b] - (b == unit ? 0 : row[unit].units);
	   loop invariant block(n, unit) && taken(unit) && unit < i ==> row[unit].units <= sum(i);
	   loop assigns i, b;
	   loop variant n - i; @/
	while (i < n) {
		if (begins[i] == 1)
			b = i;
		i++;
	}
}
*/

/*@
requires made(h) && tiled(h->units) && block(h->units, b) && 2 <= need <= row[b].units;
requires roomy(h->units) && marked(h->units) && !taken(b);
assigns row[0 .. h->units - 1], begins[0 .. h->units - 1];
ensures standing: standing(h->units);
ensures outside: outside(h->units, b, b + \old(row[b].units));
ensures kept: row[b].mark == \old(row[b].mark) && begins[b] == 1 &&
	row[b].before == \old(row[b].before);
behavior whole:
	assumes row[b].units - need < 2;
	ensures same: \forall integer i; 0 <= i < h->units ==>
		same(i) && same_before(i);
behavior cut:
	assumes row[b].units - need >= 2;
	ensures parts: row[b].units == need && row[b + need].units == \old(row[b].units) - need &&
		row[b + need].mark == 0;
	ensures begins: \forall integer i; b < i < b + \old(row[b].units) ==>
		begins[i] == (i == b + need ? 1 : \old(begins[i]));
	ensures inner: \forall integer i; b < i < b + \old(row[b].units) && i != b + need ==>
		same(i) && same_before(i);
complete behaviors;
disjoint behaviors;
*/
static void split(struct co_heap *h, uint32_t b, uint32_t need);

/*@
requires made(h);
requires stored: stored(h->units);
requires block: block(h->units, b) && !taken(b);
requires next: block(h->units, b + row[b].units) && !taken(b + row[b].units);
assigns row[0 .. h->units - 1], begins[0 .. h->units - 1];
ensures stored: stored(h->units);
ensures length: row[b].units == \old(row[b].units) + \old(row[b + row[b].units].units);
ensures outside: outside(h->units, b, b + row[b].units);
ensures kept: row[b].mark == \old(row[b].mark) && begins[b] == 1 &&
	row[b].before == \old(row[b].before);
ensures begins: \forall integer i; b < i < b + row[b].units ==> begins[i] != 1;
*/
static void join(struct co_heap *h, uint32_t b);

/*@
requires \valid(h);
assigns h->used.v, h->high.v;
ensures h->used.v == used;
ensures h->high.v == \max(\old(h->high.v), used);
*/
static void account(struct co_heap *h, uint32_t used);

/*@
requires 0 < multiple <= UINT32_MAX && at <= UINTPTR_MAX;
assigns \nothing;
admit ensures pure: \result == gap_of(at, multiple);
ensures 0 <= \result < multiple;
check ensures \result == (at % multiple == 0 ? 0 : multiple - at % multiple);
*/
static uint32_t gap(uintptr_t at, uint32_t multiple);

/*@
requires sound(h) && block(h->units, b) && !taken(b) && 2 + shift <= need <= row[b].units;
assigns row[0 .. h->units - 1], begins[0 .. h->units - 1], given[0 .. h->units - 1], h->used.v,
	h->high.v;
ensures sound: intact(h);
ensures taken: block(h->units, b) && taken(b) && row[b].shift == shift;
ensures header: header(b + 1 + shift) == b;
ensures outside: outside(h->units, b, b + \old(row[b].units));
ensures used: h->used.v == \old(h->used.v) + row[b].units;
ensures length: row[b].units == (\old(row[b].units) - need < 2 ? \old(row[b].units) : need);
ensures rest: row[b].units < \old(row[b].units) ==> begins[b + need] == 1 &&
	!taken(b + need) && row[b + need].units == \old(row[b].units) - need;
*/
static void take(struct co_heap *h, uint32_t b, uint32_t need, uint32_t shift);

/*@
requires \valid(h) && 2 <= units <= MAX;
assigns *h, row[0 .. units - 1], begins[0 .. units - 1], given[0 .. units - 1];
ensures sound: intact(h);
ensures one: h->block == block && h->units == units && row[0].units == units && !taken(0);
ensures none: h->used.v == 0;
*/
void co_heap_init(struct co_heap *h, struct co_heap_block *block, uint32_t units);

/*@
requires sound(h) && placed(h) && bytes > 0;
requires power: align == 1 || align == 2 || align == 4 || align == 8 ||
	(align >= 16 && align % 16 == 0);
assigns row[0 .. h->units - 1], begins[0 .. h->units - 1], given[0 .. h->units - 1], h->used.v,
	h->high.v, where;
ensures sound: intact(h);
ensures full: \result == 0 ==> h->used.v == \old(h->used.v) &&
	\forall integer i; 0 <= i < h->units ==> same(i) && same_before(i);
ensures tried: \result == 0 ==> bytes > h->units * 16 || align > h->units * 16 ||
	\forall integer i; block(h->units, i) ==>
		!fits(i, base(h) / 16 + 1, (bytes + 15) / 16, (align + 15) / 16);
ensures free: \result != 0 ==> \old(begins)[where] == 1 &&
	\at(row, Pre)[where].mark != CO_BLOCK_TAKEN;
ensures handed: \result != 0 ==> handed(h->units, \result) && header(\result) == where;
ensures room: \result != 0 ==> 16 * \result + bytes <= 16 * (where + row[where].units);
ensures aligned: \result != 0 ==> \result == where + 1 +
	gap_of(base(h) / 16 + 1 + where, (align + 15) / 16);
ensures used: \result != 0 ==> h->used.v == \old(h->used.v) + row[where].units;
ensures outside: \result != 0 ==>
	outside(h->units, where, where + \at(row, Pre)[where].units);
ensures rest: \result != 0 && row[where].units < \at(row, Pre)[where].units ==>
	begins[where + row[where].units] == 1 && !taken(where + row[where].units);
*/
uint32_t co_heap_alloc(struct co_heap *h, size_t bytes, size_t align, uint32_t owner);

/*@
requires sound(h) && block(h->units, b) && taken(b);
assigns row[b], given[b], h->used.v, h->high.v;
ensures stored: stored(h->units);
ensures joined: joined_but(h->units, b);
ensures figures: figures(h);
ensures used: h->used.v == \old(h->used.v) - row[b].units;
ensures kept: row[b].units == \old(row[b].units) && row[b].before == \old(row[b].before) &&
	!taken(b);
*/
static void release(struct co_heap *h, uint32_t b);

/*@
requires made(h);
requires stored: stored(h->units);
requires block: block(h->units, b) && !taken(b);
requires joined: joined_but(h->units, b);
assigns row[0 .. h->units - 1], begins[0 .. h->units - 1];
ensures stored: stored(h->units);
ensures joined: joined_but(h->units, b);
ensures after: b + row[b].units < h->units ==> taken(b + row[b].units);
ensures kept: begins[b] == 1 && !taken(b) && row[b].before == \old(row[b].before);
ensures length: row[b].units == \old(row[b].units) +
	(b + \old(row[b].units) < h->units && \old(row[b + row[b].units].mark) != CO_BLOCK_TAKEN ?
	\old(row[b + row[b].units].units) : 0);
ensures outside: outside(h->units, b, b + row[b].units);
ensures inner: \forall integer i; b < i < b + row[b].units ==> begins[i] != 1;
*/
static void join_next(struct co_heap *h, uint32_t b);

/*@
requires made(h);
requires stored: stored(h->units);
requires block: block(h->units, b) && !taken(b);
requires joined: joined_till(h->units, b);
assigns row[0 .. h->units - 1], begins[0 .. h->units - 1];
ensures stored: stored(h->units);
ensures joined: joined(h->units);
ensures merged: b > 0 && \old(row[b - row[b].before].mark) != CO_BLOCK_TAKEN ==>
	begins[b] != 1 && !taken(b - \old(row[b].before)) &&
	row[b - \old(row[b].before)].units == \old(row[b].before) + \old(row[b].units);
ensures alone: b == 0 || \old(row[b - row[b].before].mark) == CO_BLOCK_TAKEN ==>
	begins[b] == 1;
*/
static void join_before(struct co_heap *h, uint32_t b);

/*@
requires sound(h);
assigns \nothing;
ensures largest: \forall integer i; block(h->units, i) && !taken(i) ==>
	(row[i].units - 1) * 16 <= \result;
*/
size_t co_heap_largest(const struct co_heap *h);

/*@
requires within: within(h->units);
requires apart: apart(h->units);
requires sound(h) && placed(h) && 0 < units <= MAX && 0 < multiple <= MAX;
requires first == base(h) / 16 + 1;
assigns \nothing;
ensures none: \result <= h->units;
ensures found: \result < h->units ==> begins[\result] == 1 &&
	fits(\result, first, units, multiple);
ensures tried: \forall integer i; block(h->units, i) && i < \result ==>
	!fits(i, first, units, multiple);
*/
static uint32_t find(const struct co_heap *h, uintptr_t first, uint32_t units, uint32_t multiple);

/*@
requires sound(h) && handed(h->units, unit);
assigns row[0 .. h->units - 1], begins[0 .. h->units - 1], given[0 .. h->units - 1], h->used.v,
	h->high.v;
ensures sound: intact(h);
*/
void co_heap_free(struct co_heap *h, uint32_t unit);

/*@ requires \false;
    assigns \nothing;
    ensures \false; */
_Noreturn void co_assert_failed(const char *what, const char *file, int line);
