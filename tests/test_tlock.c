/* test_tlock.c - one at a time, and never more than k at a node. Source: seed D4. */
#include <hal/monitors.h>

#include "harness/test.h"
#include "queue.h"

/* Contenders, and at a node. */
enum { MOST = 128, MOST_AT_A_NODE = BOARD_MONITORS ? BOARD_MONITORS : 9 };

static struct co_tlock_node nodes[CO_TLOCK_NODES(MOST, 2)];

TEST(it_opens_for_one)
{
	CO_TLOCK(tlock, 21, 6);

	for (unsigned me = 0; me < 21; me++) {
		CHECK_EQ(co_tlock_lock(&tlock, me), 0);
		CHECK_EQ(co_tlock_lock_until(&tlock, me, 0), -EDEADLK);
		co_tlock_unlock(&tlock, me);
	}
}

TEST(any_shape_has_room)
{
	struct co_tlock g;

	for (unsigned n = 1; n <= MOST; n++) {
		for (unsigned k = 2; k <= MOST_AT_A_NODE; k++) {
			memset(nodes, 0xee, sizeof(nodes));
			REQUIRE_EQ(co_tlock_init(&g, n, k, nodes), 0);
			for (unsigned me = 0; me < n; me += n / 4 + 1) {
				REQUIRE_EQ(co_tlock_lock(&g, me), 0);
				co_tlock_unlock(&g, me);
			}
			REQUIRE_EQ(co_tlock_lock(&g, n - 1), 0);
			co_tlock_unlock(&g, n - 1);
			/* No word beyond those that it says it needs. */
			for (unsigned i = CO_TLOCK_NODES(n, k); i < sizeof(nodes) / sizeof(*nodes);
			     i++)
				REQUIRE_EQ((uint32_t)nodes[i].mutex.queue.first.v, 0xeeeeeeee);
		}
	}
}

TEST(d4_the_board_says_how_many_meet)
{
	struct co_tlock g;
	unsigned k = BOARD_MONITORS ? BOARD_MONITORS : CO_TLOCK_MAX;

	REQUIRE_EQ(co_tlock_init(&g, 21, 0, nodes), 0);
	CHECK_EQ(g.k, k);
	CHECK_EQ(co_tlock_lock(&g, 20), 0);
	co_tlock_unlock(&g, 20);
	if (BOARD_MONITORS)
		CHECK_EQ(co_tlock_init(&g, 21, k + 1, nodes), -EINVAL);
}

static struct co_tlock tlock;

static intptr_t lock_within(void *arg)
{
	uintptr_t me = (uintptr_t)arg;

	return co_tlock_lock_until(&tlock, (unsigned)me, co_after_us(300));
}

TEST(who_gives_up_holds_nothing)
{
	if (MOST_AT_A_NODE < 3)
		SKIP("the board's limit is 2");
	REQUIRE_EQ(co_tlock_init(&tlock, 30, 3, nodes), 0); /* 10, 4, 2, 1 nodes */
	CHECK_EQ(co_tlock_lock(&tlock, 0), 0);
	for (unsigned me = 1; me < 30; me += 7)
		CHECK_EQ(test_join(test_spawn_on(me % co_harts(), lock_within,
						 (void *)(uintptr_t)me)),
			 -ETIMEDOUT);
	for (unsigned i = 0; i < 17; i++)
		CHECK(co_mutex_owner(&nodes[i].mutex) ==
		      (i == 0 || i == 10 || i == 14 || i == 16 ? co_self() : NULL));
	co_tlock_unlock(&tlock, 0);
	for (unsigned i = 0; i < 17; i++)
		CHECK(!co_mutex_owner(&nodes[i].mutex));
}

static struct co_a32 inside;
static uint64_t sum[2];
static unsigned node_count;

/* While the lock is held: nobody else has it, and no node has more than k, its owner among them. */
static void look(void)
{
	REQUIRE_EQ(co_atomic_add(&inside, 1, CO_RELAXED), 0); /* the lock orders it */
	REQUIRE_EQ(sum[0], sum[1]);
	sum[0]++;
	for (unsigned i = 0; i < node_count; i++) {
		struct co_mutex *m = &nodes[i].mutex;

		REQUIRE(co_waitq_count(&m->queue) < tlock.k);
	}
	sum[1]++;
	co_atomic_add(&inside, (uint32_t)-1, CO_RELAXED); /* as above */
}

static intptr_t contend(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;
	struct test_random r = test_random(me);
	intptr_t had = 0;

	for (unsigned i = 0; i < 20; i++) {
		bool impatient = test_below(&r, 4) == 0;
		int got = co_tlock_lock_until(
			&tlock, me, impatient ? co_after_us(test_below(&r, 500)) : LONG_ENOUGH);

		if (got) {
			REQUIRE(impatient && got == -ETIMEDOUT);
			continue;
		}
		look();
		if (test_below(&r, 4) == 0)
			co_pause();
		co_tlock_unlock(&tlock, me);
		had++;
	}
	return had;
}

TEST(stress_one_at_a_time_and_k_at_a_node)
{
	static const unsigned k[] = { 2, MOST_AT_A_NODE < 6 ? MOST_AT_A_NODE : 6 };
	static struct co *c[MOST];
	const unsigned n = co_harts() < 16 ? 20 : co_harts() > 65 ? 65 : co_harts();

	for (unsigned j = 0; j < 2; j++) {
		uint64_t had = 0;

		REQUIRE_EQ(co_tlock_init(&tlock, n, k[j], nodes), 0);
		node_count = CO_TLOCK_NODES(n, k[j]);
		sum[0] = sum[1] = 0;
		for (unsigned i = 0; i < n; i++)
			c[i] = test_spawn_on(i % co_harts(), contend, (void *)(uintptr_t)i);
		for (unsigned i = 0; i < n; i++)
			had += (uint64_t)test_join(c[i]);
		CHECK_EQ(sum[1], had);
		for (unsigned i = 0; i < node_count; i++)
			CHECK(!co_mutex_owner(&nodes[i].mutex));
	}
}
