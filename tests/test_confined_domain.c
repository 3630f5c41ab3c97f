/*
 * test_confined_domain.c - domains: who is in them, what they take, what they leave.
 *
 * Topologies: 1+1x(1+3)
 */
#include <hal/board.h>
#include <hal/user.h>

#include "../runtime/core/memory/image.h"
#include "../runtime/sandbox/confined.h"
#include "confined.h"

BODY(loads, *(volatile unsigned char *)arg)

TEST_IN_DOMAIN_FAULTY(a_hart_notes_only_when_another_domain_comes)
{
	static alignas(CO_PAGE_BYTES) unsigned char more[CO_DOMAIN_BYTES(1, STACK)];
	static struct co_domain other;
	struct co_domain_use use;
	struct co_attr attr;
	struct co *c;

	attr = there();
	REQUIRE_EQ(co_domain_init(&other, more, sizeof(more), 1, STACK), 0);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(confined(adds, NULL, NULL), 0);
	co_domain_use(&domain, &use);
	CHECK_EQ(use.changes, 1);
	for (unsigned i = 0; i < 2; i++) {
		REQUIRE_EQ(co_domain_spawn(&other, &c, &attr, adds, NULL), 0);
		CHECK_EQ(test_join(c), 1);
	}
	CHECK_EQ(confined(adds, NULL, NULL), 0);
	co_domain_use(&domain, &use);
	CHECK_EQ(use.changes, 2);
	co_domain_use(&other, &use);
	CHECK_EQ(use.changes, 1);
	/* What is shared with one is not the other's. */
	REQUIRE_EQ(co_domain_spawn(&other, &c, &attr, loads, &block[0]), 0);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_domain_end(&other), 0);
}

TEST_FAULTY(a_thousand_leave_nothing_behind)
{
	struct co_domain_use use;
	size_t tables;
	intptr_t result = 0;

	begin();
	co_domain_use(&domain, &use);
	tables = use.table_bytes;
	CHECK(tables >= CO_PAGE_BYTES && tables < sizeof(memory) - PLACES * STACK);
	for (intptr_t i = 0; i < 1000; i++) {
		if (i % 100 == 99)
			CHECK_EQ(confined(loads, NULL, NULL), -EFAULT);
		else if (!CHECK_EQ(confined(adds, (void *)i, &result), 0) ||
			 !CHECK_EQ(result, i + 1))
			break;
	}
	co_domain_use(&domain, &use);
	CHECK_EQ(use.table_bytes, tables);
	CHECK_EQ(use.alive, 0);
	end();
	for (unsigned i = 0; i < 100; i++) {
		begin();
		co_domain_use(&domain, &use);
		CHECK_EQ(use.table_bytes, tables);
		end();
	}
}

/* Where its hart can, a machine says that it can: no case is skipped for less. */
TEST(a_domain_is_to_be_had_where_any_hart_runs_code_without_privilege)
{
	bool can = false;
	int r;

	for (unsigned hart = 0; hart < co_harts(); hart++)
		can |= hal_user_possible(hart);
	r = co_domain_init(&domain, memory, sizeof(memory), PLACES, STACK);
	CHECK_EQ(r, can ? 0 : -ENOTSUP);
	if (r)
		return;
	end();
	/* What has been taken apart is none. */
	CHECK_EQ(co_domain_end(&domain), -EINVAL);
	CHECK_EQ(co_domain_spawn(&domain, NULL, NULL, adds, NULL), -EINVAL);
}

static intptr_t says_where(void *arg)
{
	(void)arg;
	return (intptr_t)co_user_hart();
}

TEST(a_whole_group_runs_confined)
{
	static alignas(CO_PAGE_BYTES) unsigned char more[CO_DOMAIN_BYTES(64, STACK)];
	const struct co_group *g = co_group(0);
	struct co_batch b = { 0 };
	static intptr_t result[64];

	if (!g->computes || g->computes > 64)
		SKIP("the first group has no compute harts, or too many");
	begin();
	end();
	REQUIRE_EQ(co_domain_init(&domain, more, sizeof(more), 64, STACK), 0);
	REQUIRE_EQ(co_domain_spawn_group(&domain, &b, 0, adds, (void *)5, result), 0);
	CHECK_EQ(co_batch_join(&b), 0);
	for (unsigned i = 0; i < g->computes; i++)
		CHECK_EQ(result[i], 6);
	REQUIRE_EQ(co_domain_spawn_group(&domain, &b, 0, says_where, NULL, result), 0);
	CHECK_EQ(co_batch_join(&b), 0);
	for (unsigned i = 0; i < g->computes; i++)
		CHECK_EQ(result[i], (intptr_t)(g->compute + i));
	/* Results need not be wanted. */
	REQUIRE_EQ(co_domain_spawn_group(&domain, &b, 0, adds, (void *)7, NULL), 0);
	CHECK_EQ(co_batch_join(&b), 0);
	CHECK_EQ(co_domain_spawn_group(&domain, &b, co_groups(), adds, NULL, NULL), -EINVAL);
	end();
}

TEST(a_domain_takes_whole_pages_that_are_the_programs)
{
	static struct co_domain d;
	unsigned char *heap = co_spm_alloc(CO_PAGE_BYTES, CO_PAGE_BYTES);
	static alignas(CO_PAGE_BYTES) unsigned char m[sizeof(memory)];

	begin();
	CHECK_EQ(co_domain_init(&d, m + 8, sizeof(memory) - CO_PAGE_BYTES, 1, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, 100, 1, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, 3 * CO_PAGE_BYTES, 1, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, 5 * CO_PAGE_BYTES, 1, STACK), -ENOMEM);
	CHECK_EQ(co_domain_init(&d, m, sizeof(memory), 0, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, sizeof(memory), CO_DOMAIN_COROUTINES + 1, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, sizeof(memory), 1, 0), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, sizeof(memory), -1u, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, SIZE_MAX, 1, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(&d, (void *)-(uintptr_t)CO_PAGE_BYTES, CO_PAGE_BYTES, 1, STACK),
		 -EINVAL);
	CHECK_EQ(co_domain_init((void *)(UINTPTR_MAX - 63), m, sizeof(memory), 1, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, sizeof(memory), 1, SIZE_MAX), -EINVAL);
	CHECK_EQ(co_domain_init(&d, m, sizeof(memory), 1, SIZE_MAX / 2), -EINVAL);
	CHECK_EQ(co_domain_init(&d, NULL, sizeof(memory), 1, STACK), -EINVAL);
	CHECK_EQ(co_domain_init(NULL, m, sizeof(memory), 1, STACK), -EINVAL);
	CHECK_EQ(co_domain_spawn(&d, NULL, NULL, adds, NULL), -EINVAL);
	CHECK_EQ(co_domain_end(&d), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, memory, CO_PAGE_BYTES, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, &block[0], CO_PAGE_BYTES, CO_READ), -EEXIST);
	CHECK_EQ(co_domain_share(&domain, block[0].text, CO_PAGE_BYTES, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, &block[0], 0, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, &block[0], 8, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, &block[0], (size_t)-CO_PAGE_BYTES, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, &block[0], CO_PAGE_BYTES, CO_WRITE), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, &block[0], CO_PAGE_BYTES, CO_READ | 4), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, NULL, CO_PAGE_BYTES, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, co_spm_base(0), CO_PAGE_BYTES, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, (void *)hal_board.devices[0].base, CO_PAGE_BYTES,
				 CO_READ | CO_WRITE),
		 -EINVAL);
	if (heap)
		CHECK_EQ(co_domain_share(&domain, heap, CO_PAGE_BYTES, CO_READ | CO_WRITE), 0);
	end();
	co_spm_free(heap);
}

/* Until the word is set, or it is cancelled. */
static intptr_t stays(void *arg)
{
	struct shared *s = arg;
	int r = 0;

	while (!r && !*(volatile uintptr_t *)&s->word)
		r = co_user_pause();
	return r;
}

TEST_IN_DOMAIN(a_domain_that_is_lived_in_has_no_more_places_than_it_has_and_does_not_change)
{
	struct co_attr attr;
	struct co *c[PLACES], *more = NULL;
	struct co_batch b = { 0 };
	struct co_domain_use use;

	attr = there();
	for (unsigned i = 0; i < PLACES; i++)
		c[i] = start(stays, &block[0]);
	CHECK_EQ(co_domain_spawn(&domain, &more, &attr, adds, NULL), -ENOBUFS);
	CHECK_EQ(co_domain_spawn(&domain, &more, NULL, adds, NULL), -ENOBUFS);
	if (co_group(0)->computes)
		CHECK_EQ(co_domain_spawn_group(&domain, &b, 0, adds, NULL, NULL), -ENOBUFS);
	CHECK(!more);
	CHECK_EQ(co_domain_share(&domain, &block[1], sizeof(block[1]), CO_READ), -EBUSY);
	CHECK_EQ(co_domain_end(&domain), -EBUSY);
	co_domain_use(&domain, &use);
	CHECK_EQ(use.alive, PLACES);
	test_cancel(c[0]);
	*(volatile uintptr_t *)&block[0].word = 1;
	for (unsigned i = 1; i < PLACES; i++)
		CHECK_EQ(test_join(c[i]), 0);
}

TEST_IN_DOMAIN(a_spawn_into_a_domain_that_fails_takes_no_place)
{
	struct co_attr nowhere = { .on = CO_ON_HART(co_harts()) };
	struct co *c = NULL;
	struct co_batch b = { 0 };
	struct co_domain_use use;

	CHECK_EQ(co_domain_spawn(&domain, &c, &nowhere, adds, NULL), -EINVAL);
	CHECK(!c);
	co_domain_use(&domain, &use);
	CHECK_EQ(use.alive, 0);
	REQUIRE_EQ(co_domain_spawn(&domain, &c, NULL, adds, (void *)1), 0);
	CHECK_EQ(test_join(c), 2);
	CHECK_EQ(co_domain_spawn_group(NULL, &b, 0, adds, NULL, NULL), -EINVAL);
	for (unsigned g = 0; g < co_groups(); g++) {
		if (!co_group(g)->computes)
			CHECK_EQ(co_domain_spawn_group(&domain, &b, g, adds, NULL, NULL), -EINVAL);
	}
}

static void find_least(unsigned char *m)
{
	static struct co_domain d;
	size_t least = 0;

	for (size_t bytes = CO_PAGE_BYTES; bytes <= sizeof(memory); bytes += CO_PAGE_BYTES) {
		int r = co_domain_init(&d, m, bytes, PLACES, STACK);

		CHECK(r == 0 || (!least && (r == -ENOMEM || r == -EINVAL)));
		if (r == 0) {
			uintptr_t top = co_confined_stack_top(&d, PLACES - 1);

			least = least ? least : bytes;
			CHECK(co_domain_allows(&d, top - STACK, STACK, CO_READ | CO_WRITE));
			CHECK_EQ(co_domain_end(&d), 0);
		}
	}
	CHECK(least > PLACES * STACK);
}

/* Beside the image, and far from it, which takes other tables. */
TEST(a_domain_has_enough_memory_or_says_that_it_has_not)
{
	static alignas(CO_PAGE_BYTES) unsigned char m[sizeof(memory)];
	unsigned char *heap;

	begin();
	end();
	find_least(m);
	heap = aligned_alloc(CO_PAGE_BYTES, sizeof(memory));
	if (heap)
		find_least(heap);
	free(heap);
}

TEST_IN_DOMAIN_FAULTY(pages_are_shared_all_or_none)
{
	static alignas(CO_PAGE_BYTES) unsigned char three[3 * CO_PAGE_BYTES];

	CHECK_EQ(co_domain_share(&domain, three + 2 * CO_PAGE_BYTES, CO_PAGE_BYTES, CO_READ), 0);
	CHECK_EQ(co_domain_share(&domain, three, sizeof(three), CO_READ), -EEXIST);
	CHECK_EQ(confined(loads, three, NULL), -EFAULT);
	CHECK_EQ(co_domain_share(&domain, three, 2 * CO_PAGE_BYTES, CO_READ), 0);
	CHECK_EQ(confined(loads, three, NULL), 0);
}

/* Each takes tables of its own. */
TEST_IN_DOMAIN(pages_that_lie_far_apart_are_shared_until_there_is_no_room_for_tables)
{
	enum { APART = 4 << 20, MOST = 24 };
	unsigned char *heap = aligned_alloc(CO_PAGE_BYTES, (size_t)MOST * APART);
	unsigned n = 0;
	int r = 0;

	if (!heap)
		SKIP("there is no room for pages that lie far apart");
	while (n < MOST && (r = co_domain_share(&domain, heap + (size_t)n * APART, CO_PAGE_BYTES,
						CO_READ)) == 0)
		n++;
	CHECK(n >= 1);
	CHECK_EQ(r, n == MOST ? 0 : -ENOMEM);
	CHECK(n == MOST ||
	      !co_domain_allows(&domain, (uintptr_t)heap + (size_t)n * APART, 1, CO_READ));
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(confined(loads, heap + (size_t)i * APART, NULL), 0);
	free(heap);
}

TEST(what_lies_beside_a_domain_is_shared_and_what_overlaps_it_is_not)
{
	enum { BYTES = CO_DOMAIN_BYTES(1, STACK) };
	static alignas(CO_PAGE_BYTES) unsigned char row[BYTES + 2 * CO_PAGE_BYTES];
	static struct co_domain d;
	unsigned char *behind = row + CO_PAGE_BYTES + BYTES;

	begin();
	end();
	REQUIRE_EQ(co_domain_init(&d, row + CO_PAGE_BYTES, BYTES, 1, STACK), 0);
	CHECK_EQ(co_domain_share(&d, row, 2 * CO_PAGE_BYTES, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&d, behind - CO_PAGE_BYTES, 2 * CO_PAGE_BYTES, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&d, row, CO_PAGE_BYTES, CO_READ), 0);
	CHECK_EQ(co_domain_share(&d, behind, CO_PAGE_BYTES, CO_READ), 0);
	CHECK_EQ(co_domain_end(&d), 0);
}

TEST(a_domain_has_as_many_places_as_it_may_and_the_least_stack)
{
	size_t least = 2 * ((uintptr_t)__tls_bytes + HAL_TLS_TCB_BYTES);
	size_t bytes = CO_DOMAIN_BYTES(CO_DOMAIN_COROUTINES, least);
	unsigned char *m = aligned_alloc(CO_PAGE_BYTES, bytes);

	begin();
	end();
	if (!m)
		SKIP("there is no room for so many");
	CHECK_EQ(co_domain_init(&domain, m, bytes, 1, least - 1), -EINVAL);
	REQUIRE_EQ(co_domain_init(&domain, m, bytes, CO_DOMAIN_COROUTINES, least), 0);
	CHECK_EQ(co_domain_end(&domain), 0);
	free(m);
}

TEST_IN_DOMAIN_FAULTY(a_fault_of_one_in_a_domain_leaves_the_others_in_it)
{
	struct co *c = NULL;

	c = start(stays, &block[0]);
	CHECK_EQ(confined(loads, NULL, NULL), -EFAULT);
	*(volatile uintptr_t *)&block[0].word = 1;
	CHECK_EQ(test_join(c), 0);
}
