/*
 * heap.c - what a DEBUG=1 build finds of the misuse of a heap; --case= chooses, and spm_ is the
 * scratchpad's, libc_ is malloc()'s. Other builds may run into what follows from it.
 */
#include <malloc.h>

#include "../../runtime/core/memory/heap_check.h"
#include "../harness/test.h"

#define BYTES 100
#define HEADER (sizeof(struct co_check_block) + 16)
#define LAST (co_harts() - 1)
#define FORGET(x) __asm__ volatile("" : "+r"(x)::"memory") /* the compiler knows nothing of it */
#define NO_JUMP __asm__ volatile("")                       /* so that the call before is one */

typedef unsigned char *take_fn(size_t bytes);
typedef void give_fn(void *p);

struct heap {
	take_fn *take;
	give_fn *give;
};

static __attribute__((noinline)) unsigned char *takes_spm(size_t bytes)
{
	unsigned char *p = co_spm_alloc(bytes, 16);

	FORGET(p);
	return p;
}

static __attribute__((noinline)) void gives_spm(void *p)
{
	co_spm_free(p);
	NO_JUMP;
}

static __attribute__((noinline)) unsigned char *takes_libc(size_t bytes)
{
	unsigned char *p = malloc(bytes);

	FORGET(p);
	return p;
}

static __attribute__((noinline)) void gives_libc(void *p)
{
	FORGET(p);
	free(p);
	NO_JUMP;
}

static struct heap spm = { takes_spm, gives_spm };
static struct heap libc = { takes_libc, gives_libc };

/* ---- Misuse of h and its block p, of BYTES ---- */

static void twice(struct heap *h, unsigned char *p)
{
	h->give(p);
	h->give(p);
}

static void past_the_end(struct heap *h, unsigned char *p)
{
	p[BYTES + 3] = 1;
	h->give(p);
}

static void before(struct heap *h, unsigned char *p)
{
	p[-4] = 1;
	h->give(p);
}

static void over_the_header(struct heap *h, unsigned char *p)
{
	unsigned char *another = h->take(BYTES);

	REQUIRE(another);
	memset(p - HEADER, 0, HEADER);
	h->give(p);
}

static void past_the_end_found_by_a_call(struct heap *h, unsigned char *p)
{
	unsigned char *q = h->take(BYTES);

	REQUIRE(q);
	p[BYTES] = 1;
	co_debug_check_heap();
}

static void the_header_found_by_a_call(struct heap *h, unsigned char *p)
{
	unsigned char *another = h->take(BYTES);

	REQUIRE(another);
	memset(p - HEADER, 0, HEADER);
	co_debug_check_heap();
}

static void inside(struct heap *h, unsigned char *p)
{
	h->give(p + 16);
}

static void uneven(struct heap *h, unsigned char *p)
{
	h->give(p + 7);
}

static void wild(struct heap *h, unsigned char *p)
{
	static alignas(16) unsigned char mine[32];

	h->give(mine + 16);
}

static void on_a_stack(struct heap *h, unsigned char *p)
{
	alignas(16) unsigned char mine[32];

	h->give(mine + 16);
}

static void of_another_heap(struct heap *h, unsigned char *p)
{
	h->give((h == &spm ? &libc : &spm)->take(BYTES));
}

static void after_the_end(struct heap *h, unsigned char *p)
{
	h->give(p);
	p[8] = 1;
	co_debug_check_heap();
}

/* When so many others have been freed that it is forgotten. */
static void after_the_end_found_in_time(struct heap *h, unsigned char *p)
{
	unsigned char *others[CO_CHECK_KEPT];

	for (unsigned i = 0; i < CO_CHECK_KEPT; i++)
		others[i] = h->take(1);
	h->give(p);
	p[8] = 1;
	for (unsigned i = 0; i < CO_CHECK_KEPT; i++)
		h->give(others[i]);
}

/* All is as before: what was wrong is not reported again, and the heap goes on. */
static intptr_t works(void *heap)
{
	struct heap *h = heap;
	unsigned char *p[2 * CO_CHECK_KEPT];

	for (unsigned i = 0; i < 2 * CO_CHECK_KEPT; i++)
		REQUIRE((p[i] = h->take(i + 1)) != NULL);
	co_debug_check_heap();
	for (unsigned i = 0; i < 2 * CO_CHECK_KEPT; i++)
		h->give(p[i]);
	co_debug_check_heap();
	return 5;
}

static void ends_with(co_fn *fn, struct heap *h)
{
	const struct co_attr attr = { .name = "carol", .on = CO_ON_HART(LAST) };
	struct co *c = test_spawn(&attr, fn, h);

	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(test_join(test_spawn_on(LAST, works, h)), 5);
}

static intptr_t misuse(struct heap *h, void (*fn)(struct heap *h, unsigned char *p))
{
	fn(h, h->take(BYTES));
	return 0;
}

#define MISUSE(name)                         \
	BODY(name##_of, misuse(arg, name))   \
	TEST_FAULTY(spm_##name)              \
	{                                    \
		ends_with(name##_of, &spm);  \
	}                                    \
	TEST_FAULTY(libc_##name)             \
	{                                    \
		ends_with(name##_of, &libc); \
	}

MISUSE(twice)
MISUSE(past_the_end)
MISUSE(before)
MISUSE(over_the_header)
MISUSE(past_the_end_found_by_a_call)
MISUSE(the_header_found_by_a_call)
MISUSE(inside)
MISUSE(uneven)
MISUSE(wild)
MISUSE(on_a_stack)
MISUSE(of_another_heap)
MISUSE(after_the_end)
MISUSE(after_the_end_found_in_time)

static intptr_t gives_hart_0s(void *block)
{
	co_spm_free(block);
	return 0;
}

TEST_FAULTY(spm_of_another_hart)
{
	void *block = co_spm_alloc(16, 16);

	CHECK_EQ(co_join(test_spawn_on(LAST, gives_hart_0s, block), NULL), -EFAULT);
}

/* One that is damaged, and one that was freed before. */
static intptr_t leaves_two(void *heap)
{
	struct heap *h = heap;
	unsigned char *damaged = h->take(BYTES), *freed = h->take(BYTES);

	damaged[BYTES] = 1;
	h->give(freed);
	freed[1] = 1;
	return 0;
}

TEST_FAULTY(spm_found_at_the_end)
{
	CHECK_EQ(test_join(test_spawn_on(LAST, leaves_two, &spm)), 0);
}

TEST_FAULTY(libc_found_at_the_end)
{
	CHECK_EQ(test_join(test_spawn_on(LAST, leaves_two, &libc)), 0);
}

static intptr_t is_filled_before_and_after(void *heap)
{
	struct heap *h = heap;
	unsigned char *p = h->take(BYTES);

	REQUIRE(p);
	CHECK(test_filled(p, CO_CHECK_FRESH, BYTES));
	memset(p, 0, BYTES);
	h->give(p);
	CHECK(test_filled(p, CO_CHECK_FREED, BYTES));
	return 0;
}

TEST_FAULTY(spm_is_filled)
{
	test_join(test_spawn_on(LAST, is_filled_before_and_after, &spm));
}

TEST_FAULTY(libc_is_filled)
{
	test_join(test_spawn_on(LAST, is_filled_before_and_after, &libc));
}

static intptr_t reallocs_twice(void *arg)
{
	unsigned char *p = takes_libc(BYTES), *same = p;

	FORGET(same);
	REQUIRE(realloc(p, 2 * BYTES));
	return realloc(same, 10) == arg;
}

TEST_FAULTY(libc_realloc_twice)
{
	ends_with(reallocs_twice, &libc);
}

static intptr_t reallocs_damaged(void *arg)
{
	unsigned char *p = takes_libc(BYTES);

	p[BYTES] = 1;
	return realloc(p, 2 * BYTES) == arg;
}

TEST_FAULTY(libc_past_the_end_found_by_realloc)
{
	ends_with(reallocs_damaged, &libc);
}

/* A block that a function of the library has taken: the line is that of the call to it. */
static __attribute__((noinline)) intptr_t copies(void *arg)
{
	char *s = strdup("abc");

	REQUIRE(s);
	s[4] = 1;
	FORGET(s);
	free(s);
	return (intptr_t)arg;
}

TEST_FAULTY(libc_of_the_library)
{
	ends_with(copies, &libc);
}

TEST_FAULTY(libc_on_hart_0)
{
	CHECK_EQ(co_join(test_spawn_on(0, twice_of, &libc), NULL), -EFAULT);
	CHECK_EQ(test_join(test_spawn_on(0, works, &libc)), 5);
}

/* Its functions do what they do in other builds. */
static intptr_t uses_libc(void *arg)
{
	unsigned char *p = calloc(10, 10), *q;

	REQUIRE(p);
	CHECK(test_filled(p, 0, BYTES));
	CHECK_EQ(malloc_usable_size(p), BYTES);
	memset(p, 7, BYTES);
	q = realloc(p, 1000);
	REQUIRE(q);
	CHECK(test_filled(q, 7, BYTES));
	CHECK(test_filled(q + BYTES, CO_CHECK_FRESH, 1000 - BYTES));
	free(q);
	for (size_t align = 8; align <= 4096; align *= 2) {
		p = aligned_alloc(align, BYTES);
		REQUIRE(p);
		CHECK_EQ((uintptr_t)p % align, 0);
		free(p);
	}
	co_debug_check_heap();
	return (intptr_t)arg;
}

TEST_FAULTY(libc_serves)
{
	test_join(test_spawn_on(LAST, uses_libc, NULL));
	test_join(test_spawn_on(0, uses_libc, NULL));
}

/* What was freed is there when it is wanted, and co_spm_largest() counts what the checks take. */
static intptr_t takes_all_there_is(void *arg)
{
	size_t most = co_spm_largest();

	for (unsigned i = 0; i < 3; i++) {
		unsigned char *p = co_spm_alloc(most, 16);

		REQUIRE(p);
		co_spm_free(p);
		CHECK(!co_spm_alloc(most + 1, 16));
		CHECK_EQ(co_spm_largest(), most);
	}
	return (intptr_t)arg;
}

TEST_FAULTY(spm_that_is_free_is_there)
{
	test_join(test_spawn_on(LAST, takes_all_there_is, NULL));
}

/* What is written to freed memory is found before that is handed out again. */
static intptr_t writes_then_takes(void *arg)
{
	unsigned char *p = takes_spm(BYTES);

	gives_spm(p);
	p[8] = 1;
	return takes_spm(BYTES) == arg;
}

TEST_FAULTY(spm_after_the_end_found_by_the_next)
{
	ends_with(writes_then_takes, &spm);
}

/* Over the header of the next block in the heap below: that is not walked over any more. */
static intptr_t far_past_the_end(void *arg)
{
	unsigned char *p = takes_spm(BYTES), *next = takes_spm(BYTES);

	memset(p + BYTES, 0, (size_t)(next - p) - BYTES);
	gives_spm(p);
	return (intptr_t)arg;
}

BODY(takes_one_more, takes_spm(BYTES) == arg)

TEST_FAULTY(spm_far_past_the_end)
{
	CHECK_EQ(co_join(test_spawn_on(LAST, far_past_the_end, NULL), NULL), -EFAULT);
	CHECK_EQ(co_join(test_spawn_on(LAST, takes_one_more, NULL), NULL), -EFAULT);
	CHECK_EQ(co_join(test_spawn_on(LAST, takes_one_more, NULL), NULL), -EFAULT);
}

static intptr_t takes_and_faults(void *arg)
{
	for (unsigned i = 0; i < 3; i++)
		REQUIRE(takes_spm(BYTES));
	co_panic("it ends here");
}

TEST_FAULTY(spm_of_one_that_faults)
{
	size_t before_it = test_spm_used();

	CHECK_EQ(co_join(test_spawn_on(LAST, takes_and_faults, NULL), NULL), -EFAULT);
	CHECK_EQ(test_spm_used(), before_it);
}
