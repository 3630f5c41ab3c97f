/* test_guarded.c - running over an end of a guarded object faults before anything is written. */
#include <cohart/dma.h>
#include <cohart/guarded.h>
#include <hal/board.h>

#include "../runtime/core/memory/image.h"
#include "map.h"

typedef uint32_t words[1500]; /* more than a page, and not a whole number of them */
#define WORDS (sizeof(words) / sizeof(uint32_t))

CO_GUARDED(words, left);
CO_GUARDED(words, middle);
CO_GUARDED(words, right);

static volatile uint32_t *volatile at; /* where the runaway writes next */

/* Two of them are no race. */
__attribute__((no_sanitize("thread", "address", "undefined"))) static intptr_t run_away(void *step)
{
	for (at = middle.it; at; at += (intptr_t)step)
		*at = 7;
	return 0;
}

static bool is_all(const uint32_t *word, uint32_t value)
{
	for (unsigned i = 0; i < WORDS; i++) {
		if (word[i] != value)
			return false;
	}
	return true;
}

static void fill(uint32_t *word, uint32_t value)
{
	for (unsigned i = 0; i < WORDS; i++)
		word[i] = value;
}

/* A process has its own guard pages, and a fault ends it; PMP has no entries for them. */
static bool no_guard_pages(void)
{
	return hal_board.is_process || has_no_map(co_harts() - 1);
}

static uintptr_t let_run_away(intptr_t step)
{
	struct co *c = test_spawn_on(co_harts() - 1, run_away, (void *)step);

	fill(left.it, 1);
	fill(right.it, 3);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK(is_all(left.it, 1));
	CHECK(is_all(right.it, 3));
	return (uintptr_t)at;
}

TEST_FAULTY(a_runaway_ends_at_the_guard_pages_behind_and_before)
{
	if (no_guard_pages())
		SKIP("a fault ends a process, or guard pages can be written");
	CHECK_EQ(let_run_away(1), (uintptr_t)&middle + CO_GUARDED_BYTES(middle));
	CHECK(is_all(middle.it, 7));
	CHECK_EQ(let_run_away(-1), (uintptr_t)&middle - sizeof(uint32_t));
}

TEST(guarded_objects_are_whole_pages_zero_at_first)
{
	CO_GUARDED(char, small);

	CHECK_EQ((uintptr_t)&small % CO_PAGE_BYTES, 0);
	CHECK_EQ(CO_GUARDED_BYTES(small), CO_PAGE_BYTES);
	CHECK_EQ(CO_GUARDED_BYTES(middle), 2 * CO_PAGE_BYTES);
	for (unsigned i = 0; i < CO_PAGE_BYTES; i++)
		CHECK_EQ((&small.it)[i], 0);
}

TEST(transfers_may_use_all_of_it_and_no_guard_page)
{
	fill(left.it, 5);
	CHECK_EQ(co_dma_copy(right.it, left.it, sizeof(words)), 0);
	CHECK(is_all(right.it, 5));
	if (no_guard_pages())
		return;
	CHECK_EQ(co_dma_copy(right.it, left.it, CO_GUARDED_BYTES(left) + 1), -EFAULT);
}

TEST(a_domain_may_see_all_of_it_and_neither_guard_page_nor_the_runtimes_data)
{
	static alignas(CO_PAGE_BYTES) unsigned char memory[CO_DOMAIN_BYTES(1, 8192)];
	static struct co_domain domain;
	int r = co_domain_init(&domain, memory, sizeof(memory), 1, 8192);

	if (r == -ENOTSUP)
		SKIP("no domains here");
	REQUIRE_EQ(r, 0);
	CHECK_EQ(co_domain_share(&domain, &left, CO_GUARDED_BYTES(left), CO_READ), 0);
	CHECK_EQ(co_domain_share(&domain, &right, sizeof(right), CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, __guard_below, CO_PAGE_BYTES, CO_READ), -EINVAL);
	CHECK_EQ(co_domain_share(&domain, __guard_below + CO_PAGE_BYTES, CO_PAGE_BYTES, CO_READ),
		 -EINVAL);
	CHECK_EQ(co_domain_end(&domain), 0);
}
