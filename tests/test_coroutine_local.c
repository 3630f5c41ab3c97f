/* test_coroutine_local.c - what is a coroutine's own, and its end. */
#include <cohart/parallel.h>

#include "faulty.h"

static const char key, other;

struct mine {
	struct co_local local;
	unsigned number;
};

static struct mine mine[512];
static struct co_mutex held;
static struct co_a32 ended, returned, faulted;

static void note_end(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	struct mine *m = (struct mine *)l;

	CHECK(co_local_find(&key) != l);
	CHECK_EQ(of == co_self(), why != CO_CLEANUP_HOST_DOWN);
	test_sleep_us(10); /* it may wait */
	/* relaxed, all: joins order them. */
	co_atomic_add(&ended, m->number, CO_RELAXED);
	co_atomic_add(why == CO_CLEANUP_END ? &returned : &faulted, 1, CO_RELAXED);
}

static intptr_t own_one(void *arg)
{
	struct mine *m = &mine[(uintptr_t)arg];

	m->number = (unsigned)(uintptr_t)arg;
	CHECK(!co_local_find(&key));
	co_local_add(&m->local, &key, note_end);
	test_sleep_us(100); /* others of the hart have theirs */
	REQUIRE_EQ(co_mutex_lock(&held), 0);
	CHECK(co_local_find(&key) == &m->local);
	CHECK(!co_local_find(&other));
	co_mutex_unlock(&held);
	if (m->number % 3 == 1)
		co_exit(0);
	if (m->number % 3 == 2)
		fault_here();
	return 0;
}

TEST_FAULTY(each_has_its_own_and_it_ends_with_it)
{
	const unsigned n = co_harts() < 5 ? 12 : 2 * co_harts() + 2;
	static struct co *c[2 * 512 + 2];

	if (n > sizeof(mine) / sizeof(*mine))
		SKIP("too many harts");
	for (unsigned i = 0; i < n; i++)
		c[i] = test_spawn_on(i % co_harts(), own_one, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(co_join(c[i], NULL), i % 3 == 2 ? -EFAULT : 0);
	CHECK_EQ(co_atomic_load(&ended, CO_RELAXED), n * (n - 1) / 2);
	CHECK_EQ(co_atomic_load(&faulted, CO_RELAXED), n / 3);
	CHECK_EQ(co_atomic_load(&returned, CO_RELAXED), n - n / 3);
	CHECK(!co_local_find(&key));
}

static struct mine second;

/* Its end adds another. */
static void add_second(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	co_local_add(&second.local, &other, note_end);
}

static intptr_t own_two(void *arg)
{
	static struct mine first;

	second.number = 1000;
	co_local_add(&first.local, &key, add_second);
	return 0;
}

TEST(one_that_an_end_adds_ends_too)
{
	uint32_t before = co_atomic_load(&ended, CO_RELAXED);

	test_join(test_spawn_on(co_harts() - 1, own_two, NULL));
	CHECK_EQ(co_atomic_load(&ended, CO_RELAXED), before + 1000);
}

static struct co_a32 parts;

static int own_one_in_a_part(void *arg, struct co_part *p)
{
	/* relaxed: any number does. */
	struct mine *m = &mine[co_atomic_add(&parts, 1, CO_RELAXED)];

	CHECK(!co_local_find(&key));
	m->number = 1;
	co_local_add(&m->local, &key, note_end);
	return 0;
}

/* Its worker goes on. */
TEST(one_of_a_part_of_a_loop_ends_with_the_part)
{
	struct co_parallel loop = {
		.name = "parts", .body = own_one_in_a_part, .dims = 1, .range = { { 0, 8 } }
	};
	uint32_t before = co_atomic_load(&ended, CO_RELAXED);

	for (unsigned i = 0; i < 2; i++)
		REQUIRE_EQ(co_parallel_for(&loop), 0);
	CHECK(co_atomic_load(&parts, CO_RELAXED) >= 2);
	CHECK_EQ(co_atomic_load(&ended, CO_RELAXED) - before, co_atomic_load(&parts, CO_RELAXED));
}
