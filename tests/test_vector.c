/* test_vector.c - vectors of fixed width do in each lane what scalars do, at any element. */
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
