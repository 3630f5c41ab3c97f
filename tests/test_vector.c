/* test_vector.c - vectors of fixed width do in each lane what scalars do, at any element. */
#include <string.h>

#include <cohart/vector.h>

#include "harness/kernel.h"
#include "harness/test.h"

TEST(integers_are_added_and_stored_where_they_belong)
{
	int32_t a[9] = { 5, -7, 11, 100, -1000, 3, 2, 1, 0 }, to[6] = { 0 };

	for (int at = 0; at < 5; at++) {
		co_i32x4 v = co_i32x4_load(a + at) * 3 + co_i32x4_splat(at);

		co_i32x4_store(to + 1, v);
		for (int i = 0; i < CO_I32_LANES; i++)
			CHECK(to[1 + i] == 3 * a[at + i] + at);
		CHECK(to[0] == 0 && to[5] == 0);
	}
}

TEST(integers_are_reduced)
{
	_Alignas(CO_VECTOR_BYTES) int32_t a[4] = { 5, -7, 11, 100 }, to[4];
	co_i32x4 v = co_i32x4_load_aligned(a);

	CHECK(co_i32x4_sum(v) == 109 && co_i32x4_min(v) == -7 && co_i32x4_max(v) == 100);
	co_i32x4_store_aligned(to, -v);
	CHECK(to[0] == -5 && to[1] == 7 && to[2] == -11 && to[3] == -100);
}

/* Lanes a and b of a vector of integers, and what was made of them. */
struct made {
	unsigned lanes;
	int64_t a[16], b[16], at[16], least[16], reversed[16], moved[16];
	unsigned count;
	int any, all;
};

static void check_made(const struct made *m)
{
	unsigned count = 0;

	for (unsigned i = 0; i < m->lanes; i++) {
		count += m->a[i] < m->b[i];
		CHECK_EQ(m->least[i], m->a[i] < m->b[i] ? m->a[i] : m->b[i]);
		CHECK_EQ(m->reversed[i], m->a[m->lanes - 1 - i]);
		CHECK_EQ(m->moved[i], m->a[(uint64_t)m->at[i] % m->lanes]);
	}
	CHECK_EQ(m->count, count);
	CHECK_EQ(m->any, count != 0);
	CHECK_EQ(m->all, count == m->lanes);
}

#define EACH(n, do_so)                       \
	for (unsigned i = 0; i < (n); i++) { \
		do_so;                       \
	}
#define DRAW(r) EACH(m.lanes, v[i] = (int)(test_next(r) % 9) - 4; at[i] = test_next(r) & 127)
#define MASK(T)                                             \
	m.count = T##_count(v < w);                         \
	m.any = T##_any(v < w);                             \
	m.all = T##_all(v < w);                             \
	EACH(m.lanes, m.a[i] = 0 + v[i]; m.b[i] = 0 + w[i]; \
	     m.least[i] = 0 + T##_select(v < w, v, w)[i])
#define MOVE(T)                                                                   \
	EACH(m.lanes, m.at[i] = 0 + at[i]; m.reversed[i] = 0 + T##_reverse(v)[i]; \
	     m.moved[i] = 0 + T##_permute(v, at)[i])
#define CHECK_TYPE(T, n, r)                        \
	do {                                       \
		struct made m = { (n), .any = 0 }; \
		T v, w = { 0 }, at;                \
		DRAW(r) w = T##_permute(v, at);    \
		DRAW(r)                            \
		MASK(T) MOVE(T) check_made(&m);    \
	} while (0)

TEST(b6_masks_select_and_lanes_move_as_they_do_one_by_one)
{
	struct test_random r = test_random(0);

	for (unsigned turn = 0; turn < 50; turn++) {
		CHECK_TYPE(co_i64x2, CO_I64_LANES, &r);
		CHECK_TYPE(co_i32x4, CO_I32_LANES, &r);
		CHECK_TYPE(co_i16x8, CO_I16_LANES, &r);
		CHECK_TYPE(co_i8x16, CO_I8_LANES, &r);
	}
}

TEST(b6_some_lanes_are_read_and_written_and_no_more)
{
	for (unsigned n = 0; n <= CO_I16_LANES; n++) {
		int16_t from[CO_I16_LANES] = { 1, 2, 3, 4, 5, 6, 7, 8 }, to[CO_I16_LANES] = { 0 };
		co_i16x8 v = co_i16x8_load_some(from, n);

		co_i16x8_store_some(to, co_i16x8_splat(9), n);
		for (unsigned i = 0; i < CO_I16_LANES; i++) {
			CHECK_EQ(v[i], i < n ? from[i] : 0);
			CHECK_EQ(to[i], i < n ? 9 : 0);
		}
	}
}

TEST(small_integers_are_summed_without_overflow)
{
	CHECK_EQ(co_i8x16_sum(co_i8x16_splat(127)), 16 * 127);
	CHECK_EQ(co_i16x8_sum(co_i16x8_splat(-32768)), 8 * -32768);
	CHECK_EQ(co_i64x2_sum(co_i64x2_splat(1ll << 40)), 1ll << 41);
}

TEST(b6_lanes_of_two_vectors_mix_and_widths_change)
{
	const co_i32x4 a = { 0, 1, 2, 3 }, b = { 4, 5, 6, 7 };
	const co_i32x4 mixed = CO_SHUFFLE(a, b, 7, 0, 4, 3);
	const co_i16x8 narrow = { 1, -2, 3, -4, 5, -6, 7, -8 };
	const co_i32x4 wide = CO_CONVERT(CO_SHUFFLE(narrow, narrow, 0, 1, 2, 3), co_i32x4);

	CHECK(mixed[0] == 7 && mixed[1] == 0 && mixed[2] == 4 && mixed[3] == 3);
	CHECK(wide[0] == 1 && wide[1] == -2 && wide[2] == 3 && wide[3] == -4);
}

BODY(vectors, kernel_vectors())

TEST(floating_point_on_a_compute_hart)
{
	const struct co_attr attr = { .name = "vectors" };
	intptr_t good = 0;
	struct co *c;

	CHECK(co_spawn(&c, &attr, vectors, NULL) == 0);
	CHECK(co_join(c, &good) == 0);
	CHECK(good == KERNEL_VECTORS);
}
