/*
 * test_containment.c - a fault ends one coroutine: who joins it is told, and all others go on.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../runtime/core/core.h"
#include "harness/test.h"

#define WILD 0x23458 /* nothing is there on any board */

static volatile uintptr_t wild = WILD; /* so that the compiler cannot know */
static volatile uintptr_t null;
static volatile int zero;

/* ---- The ways to go down ---- */

static intptr_t load_null(void *arg)
{
	(void)arg;
	return *(volatile int *)null;
}

static intptr_t store_null(void *arg)
{
	*(volatile int *)null = 1;
	return (intptr_t)arg;
}

static intptr_t load_wild(void *arg)
{
	(void)arg;
	return *(volatile int *)wild;
}

static intptr_t store_wild(void *arg)
{
	*(volatile int *)wild = 1;
	return (intptr_t)arg;
}

static intptr_t jump_null(void *arg)
{
	((void (*volatile)(void))null)();
	return (intptr_t)arg;
}

static intptr_t jump_wild(void *arg)
{
	((void (*volatile)(void))wild)();
	return (intptr_t)arg;
}

static intptr_t jump_data(void *arg)
{
	static uint32_t data[16];

	((void (*volatile)(void))(uintptr_t)data)();
	return (intptr_t)arg;
}

/* No instruction on any architecture. */
__attribute__((section(".text.no_code"), used)) static const uint32_t no_code[] = { 0xffffffff,
										    0xffffffff };

static intptr_t illegal(void *arg)
{
	((void (*volatile)(void))(uintptr_t)no_code)();
	return (intptr_t)arg;
}

static intptr_t trap_instruction(void *arg)
{
	(void)arg;
	__builtin_trap();
}

static intptr_t store_code(void *arg)
{
	*(volatile uint32_t *)(uintptr_t)&illegal = 0;
	return (intptr_t)arg;
}

static intptr_t store_constant(void *arg)
{
	static const uint32_t constant = 5;

	*(volatile uint32_t *)(uintptr_t)&constant = 6;
	return (intptr_t)arg;
}

static __attribute__((noinline)) uint32_t deep(volatile uint32_t *above)
{
	volatile uint32_t here[256] = { *above };

	return *above == WILD ? 0 : deep(here) + here[1]; /* never: the value handed down is 0 */
}

static intptr_t overflow(void *arg)
{
	volatile uint32_t top = 0;

	(void)arg;
	return (intptr_t)deep(&top);
}

/* The private part of a hart that is not this one's. */
static uintptr_t foreign(void)
{
	unsigned n = 0;
	const struct co_spm_part *part = co_spm_parts(&n);

	while (n-- && part->is_public)
		part++;
	return (uintptr_t)co_spm_base(co_hart() ? 0 : co_harts() - 1) + part->offset;
}

static intptr_t load_foreign(void *arg)
{
	(void)arg;
	return *(volatile int *)foreign();
}

static intptr_t store_foreign(void *arg)
{
	volatile int *p = (volatile int *)foreign();

	*p = *p;
	return (intptr_t)arg;
}

static intptr_t misaligned(void *arg)
{
	static struct co_a32 words[2];

	/* Atomics trap where loads and stores do not. */
	co_atomic_add((struct co_a32 *)((uintptr_t)words + 1 + (unsigned)zero), 1, CO_RELAXED);
	return (intptr_t)arg;
}

static intptr_t division(void *arg)
{
	(void)arg;
	return 1 / zero;
}

static intptr_t assertion(void *arg)
{
	CO_ASSERT(wild == 0);
	return (intptr_t)arg;
}

static intptr_t panic(void *arg)
{
	(void)arg;
	co_panic("%s", "no way out");
}

static intptr_t aborted(void *arg)
{
	(void)arg;
	abort();
}

#undef NDEBUG
static intptr_t libc_assertion(void *arg)
{
	assert(wild == 0);
	return (intptr_t)arg;
}

static intptr_t wild_string(void *arg)
{
	printf("# %s\n", (const char *)wild);
	return (intptr_t)arg;
}

static intptr_t wild_channel(void *arg)
{
	(void)arg;
	return co_chan_send((struct co_chan *)wild, &(int){ 1 });
}

static intptr_t wild_free(void *arg)
{
	co_spm_free((void *)wild);
	return (intptr_t)arg;
}

/* Where it does not trap: nowhere; on hart 0 of boards that protect it by few ranges alone. */
enum silence { NEVER, ON_RANGES, MAYBE };

static const struct way {
	const char *name;
	co_fn *fn;
	enum silence silent;
} ways[] = {
	{ "load null", load_null, NEVER },
	{ "store null", store_null, NEVER },
	{ "jump null", jump_null, NEVER },
	{ "load wild", load_wild, NEVER },
	{ "store wild", store_wild, NEVER },
	{ "jump wild", jump_wild, NEVER },
	{ "execute data", jump_data, NEVER },
	{ "illegal instruction", illegal, NEVER },
	{ "trap instruction", trap_instruction, NEVER },
	{ "store to code", store_code, NEVER },
	{ "store to a constant", store_constant, NEVER },
	{ "load foreign SPM", load_foreign, ON_RANGES },
	{ "store foreign SPM", store_foreign, ON_RANGES },
	{ "stack overflow", overflow, NEVER },
	{ "misaligned atomic", misaligned, MAYBE },
	{ "division by zero", division, MAYBE },
	{ "CO_ASSERT", assertion, NEVER },
	{ "co_panic", panic, NEVER },
	{ "abort", aborted, NEVER },
	{ "assert", libc_assertion, NEVER },
	{ "printf of a wild string", wild_string, NEVER },
	{ "wild channel", wild_channel, NEVER },
	{ "free of a wild pointer", wild_free, NEVER },
};

#define WAYS (sizeof(ways) / sizeof(*ways))

static bool may_be_silent(const struct way *way, unsigned hart)
{
	if (way->silent == ON_RANGES)
		return strcmp(co_board(), "host") == 0 ||
		       (strcmp(co_board(), "sifive-u") == 0 && hart == 0) || co_harts() == 1;
	return way->silent == MAYBE;
}

/* ---- What is in use ---- */

struct use {
	size_t heap;
	unsigned blocks, pairs, stacks, main, big;
};

static unsigned ones(const struct co_aword *words, unsigned n)
{
	unsigned sum = 0;

	while (n--)
		sum += (unsigned)__builtin_popcountll(co_atomic_load(&words[n], CO_RELAXED));
	return sum;
}

static struct use use_of(unsigned hart)
{
	const struct co_hart *h = co_hart_at(hart);
	struct co_spm_use spm;

	co_spm_use(hart, &spm);
	return (struct use){
		.heap = spm.used,
		.blocks = ones(h->free, CO_PER_HART / CO_WORD_BITS),
		.pairs = ones(&h->free_pairs, 1),
		.stacks = ones(&h->free_stacks, 1),
		.main = co_stacks_free(CO_STACK_MAIN),
		.big = co_stacks_free(CO_STACK_BIG),
	};
}

static void check_use(unsigned hart, const struct use *before)
{
	struct use now = use_of(hart);

	CHECK_EQ(now.heap, before->heap);
	CHECK_EQ(now.blocks + now.pairs, before->blocks + before->pairs);
	CHECK_EQ(now.stacks + now.pairs, before->stacks + before->pairs);
	CHECK_EQ(now.main, before->main);
	CHECK_EQ(now.big, before->big);
}

/* ---- The matrix ---- */

static intptr_t double_it(void *arg)
{
	return 2 * (intptr_t)arg;
}

/* '+' contained, '-' it does not trap here, '!' neither. */
static char cell(const struct way *way, unsigned hart)
{
	const struct co_attr attr = { .name = way->name, .on = CO_ON_HART(hart) };
	intptr_t result = 4711;
	struct co *c;
	int r;

	REQUIRE_EQ(co_spawn(&c, &attr, way->fn, NULL), 0);
	r = co_join(c, &result);
	/* And its hart goes on. */
	CHECK_EQ(test_join(test_spawn_on(hart, double_it, (void *)21)), 42);
	if (r == -EFAULT)
		return result == 4711 ? '+' : '!';
	return r == 0 && may_be_silent(way, hart) ? '-' : '!';
}

TEST(each_kind_of_fault_on_each_kind_of_hart_ends_one_coroutine)
{
	const unsigned n = co_harts();
	const unsigned all[] = { 0, 1, 2, n / 2, n - 1 };
	unsigned harts[5], columns = 0;
	struct use before[5];

	for (unsigned i = 0; i < 5; i++) {
		if (all[i] < n && (!columns || all[i] > harts[columns - 1]))
			harts[columns++] = all[i];
	}
	printf("# %-26s", "hart");
	for (unsigned i = 0; i < columns; i++)
		printf(" %3u", harts[i]);
	printf("  (+ contained, - does not trap here)\n");
	for (unsigned i = 0; i < columns; i++)
		before[i] = use_of(harts[i]);
	for (unsigned w = 0; w < WAYS; w++) {
		char row[5];

		for (unsigned i = 0; i < columns; i++) {
			row[i] = cell(&ways[w], harts[i]);
			CHECK(row[i] != '!');
		}
		printf("# %-26s", ways[w].name);
		for (unsigned i = 0; i < columns; i++)
			printf("   %c", row[i]);
		printf("\n");
	}
	for (unsigned i = 0; i < columns; i++)
		check_use(harts[i], &before[i]);
}

/* ---- What it held ---- */

static struct co_a32 holding; /* it holds what it is to hold */
static struct co_a32 go;      /* and is to fault */

static void fault_when_told(void)
{
	co_atomic_store(&holding, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE)) /* paired with tell() */
		co_sleep_us(50);
	*(volatile int *)wild = 1;
}

static struct co *start_holder(unsigned hart, co_fn *fn, void *arg)
{
	struct co *c;

	co_atomic_store(&holding, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	c = test_spawn_on(hart, fn, arg);
	test_await(&holding, 1);
	return c;
}

static void end_holder(struct co *c)
{
	intptr_t result = 4711;

	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK_EQ(co_join(c, &result), -EFAULT);
	CHECK_EQ(result, 4711);
}

/* On this hart, and on another one. */
static void on_some_harts(void (*test)(unsigned hart))
{
	struct use before[2] = { use_of(0), use_of(co_harts() - 1) };

	test(0);
	test(co_harts() - 1);
	check_use(0, &before[0]);
	check_use(co_harts() - 1, &before[1]);
}

static struct co_mutex one, two;

static intptr_t hold_mutexes(void *arg)
{
	CHECK_EQ(co_mutex_lock(&one), 0);
	CHECK_EQ(co_mutex_lock(&two), 0);
	fault_when_told();
	return (intptr_t)arg;
}

static intptr_t lock_one(void *arg)
{
	int r = co_mutex_lock(&one);

	if (r == 0 || r == -EOWNERDEAD)
		co_mutex_unlock(&one);
	(void)arg;
	return r;
}

static void mutexes(unsigned hart)
{
	struct co *c = start_holder(hart, hold_mutexes, NULL);
	struct co *waits = test_spawn_on(co_harts() - 1, lock_one, NULL);

	co_sleep_us(1000);
	end_holder(c);
	/* Who waited is told, and nobody else; of the other one, who comes next. */
	CHECK_EQ(test_join(waits), -EOWNERDEAD);
	CHECK_EQ(lock_one(NULL), 0);
	CHECK(co_mutex_try_lock(&two));
	co_mutex_unlock(&two);
	CHECK_EQ(co_mutex_lock(&two), -EOWNERDEAD);
	co_mutex_unlock(&two);
	CHECK_EQ(co_mutex_lock(&two), 0);
	co_mutex_unlock(&two);
}

TEST(the_next_owner_of_a_mutex_is_told)
{
	on_some_harts(mutexes);
}

CO_GATE(gate, 8, 2);

static intptr_t hold_gate(void *arg)
{
	CHECK_EQ(co_gate_lock(&gate, 3), 0);
	fault_when_told();
	return (intptr_t)arg;
}

static void gates(unsigned hart)
{
	end_holder(start_holder(hart, hold_gate, NULL));
	CHECK_EQ(co_gate_lock(&gate, 2), -EOWNERDEAD);
	co_gate_unlock(&gate, 2);
	CHECK_EQ(co_gate_lock(&gate, 3), 0);
	co_gate_unlock(&gate, 3);
	/* The first round's node of the others was not touched. */
	CHECK_EQ(co_gate_lock(&gate, 6), 0);
	co_gate_unlock(&gate, 6);
}

TEST(the_next_one_through_a_gate_is_told)
{
	on_some_harts(gates);
}

static void *kept[2]; /* of hart 0, of another */

static intptr_t leave_memory(void *arg)
{
	kept[co_hart() != 0] = co_spm_alloc(64, 16);
	CHECK(kept[co_hart() != 0]);
	return (intptr_t)arg;
}

static intptr_t free_memory(void *arg)
{
	co_spm_free(kept[co_hart() != 0]);
	return (intptr_t)arg;
}

static intptr_t hold_memory(void *arg)
{
	CHECK(co_spm_alloc(48, 16));
	CHECK(co_spm_alloc(100, 256));
	co_spm_free(co_spm_alloc(1000, 64));
	CHECK(co_spm_alloc(1, 1));
	fault_when_told();
	return (intptr_t)arg;
}

static void memory(unsigned hart)
{
	struct co_spm_use before, after;

	/* What another one has got stays, though it had the same control block. */
	test_join(test_spawn_on(hart, leave_memory, NULL));
	co_spm_use(hart, &before);
	end_holder(start_holder(hart, hold_memory, NULL));
	co_spm_use(hart, &after);
	CHECK_EQ(after.used, before.used);
	test_join(test_spawn_on(hart, free_memory, NULL));
}

TEST(its_scratchpad_memory_goes_back)
{
	on_some_harts(memory);
}

static unsigned char big[1 << 16], copy[1 << 16];

static intptr_t hold_transfer(void *arg)
{
	static struct co_dma d;

	d = (struct co_dma){ .to = copy, .from = big, .bytes = sizeof(big) };
	CHECK_EQ(co_dma_start(&d), 0);
	co_atomic_store(&holding, 1, CO_RELEASE);
	*(volatile int *)wild = 1;
	return (intptr_t)arg;
}

static void transfers(unsigned hart)
{
	memset(big, 7, sizeof(big));
	memset(copy, 0, sizeof(copy));
	end_holder(start_holder(hart, hold_transfer, NULL));
	CHECK(copy[0] == 7 && copy[sizeof(copy) - 1] == 7);
}

TEST(its_transfers_are_waited_for)
{
	on_some_harts(transfers);
}

static struct co_a32 children;

static intptr_t child(void *arg)
{
	co_sleep_us(2000);
	co_atomic_add(&children, 1, CO_RELEASE);
	return (intptr_t)arg;
}

static intptr_t hold_batch(void *arg)
{
	struct co_batch batch = { 0 };
	intptr_t results[4] = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % co_harts()) };

		CHECK_EQ(co_batch_spawn(&batch, &attr, child, NULL, &results[i]), 0);
	}
	co_atomic_store(&holding, 1, CO_RELEASE);
	*(volatile int *)wild = 1;
	return (intptr_t)arg;
}

TEST(a_stack_that_others_count_down_on_is_kept_until_they_have)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_MAIN };
	struct use before = use_of(co_harts() - 1);
	struct co *c;

	co_atomic_store(&children, 0, CO_RELAXED);
	REQUIRE_EQ(co_spawn(&c, &attr, hold_batch, NULL), 0);
	CHECK_EQ(co_join(c, NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&children, CO_ACQUIRE), 4);
	check_use(co_harts() - 1, &before);
}

/* ---- Batches and loops ---- */

static intptr_t one_of_many(void *arg)
{
	if ((intptr_t)arg == 5)
		return load_wild(NULL);
	return (intptr_t)arg;
}

TEST(a_batch_says_that_one_has_faulted)
{
	static struct co_batch batch;
	static intptr_t results[8];

	for (unsigned i = 0; i < 8; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % co_harts()) };

		results[i] = -1;
		REQUIRE_EQ(co_batch_spawn(&batch, &attr, one_of_many, (void *)(uintptr_t)i,
					  &results[i]),
			   0);
	}
	CHECK_EQ(co_batch_join(&batch), -EFAULT);
	for (unsigned i = 0; i < 8; i++)
		CHECK_EQ(results[i], i == 5 ? -1 : (intptr_t)i);
	/* And is good for another use. */
	CHECK_EQ(co_batch_join(&batch), 0);
}

static int fault_at_33(void *arg, struct co_part *part)
{
	(void)arg;
	for (long i = part->from[0]; i < part->to[0]; i += part->step[0]) {
		if (i == 33)
			*(volatile int *)wild = 1;
	}
	return 0;
}

TEST(a_loop_says_where_it_has_faulted)
{
	static struct co_parallel p;

	p = (struct co_parallel){
		.dims = 1, .range = { { 0, 64, 1 } }, .schedule = CO_CYCLIC, .body = fault_at_33
	};
	CHECK_EQ(co_parallel_for(&p), -EFAULT);
	CHECK_EQ(p.error_at[0], 33);
}

/* ---- And again, and again ---- */

/* A hart's share of faults, each a new coroutine's. */
static intptr_t soak(void *arg)
{
	static co_fn *const kinds[] = { load_null, store_wild, trap_instruction,
					assertion, jump_wild,  store_code };
	struct test_random r = test_random(co_hart());

	for (uintptr_t i = 0; i < (uintptr_t)arg; i++) {
		struct co *c = test_spawn_on(co_hart(), kinds[test_below(&r, 6)], NULL);

		REQUIRE_EQ(co_join(c, NULL), -EFAULT);
	}
	return 0;
}

static void soak_all(unsigned faults)
{
	static struct co_batch batch;
	static struct use before[BOARD_MAX_HARTS];

	for (unsigned i = 0; i < co_harts(); i++)
		before[i] = use_of(i);
	for (unsigned i = 0; i < co_harts(); i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i) };

		REQUIRE_EQ(co_batch_spawn(&batch, &attr, soak,
					  (void *)(uintptr_t)(faults / co_harts() + 1), NULL),
			   0);
	}
	CHECK_EQ(co_batch_join(&batch), 0);
	for (unsigned i = 0; i < co_harts(); i++)
		check_use(i, &before[i]);
	printf("# %u faults on %u harts, and all that was in use is free\n",
	       (faults / co_harts() + 1) * co_harts(), co_harts());
}

TEST(thousands_of_faults_leave_nothing_behind)
{
	soak_all(5000);
}

/* By name only: it takes minutes. */
TEST_LONG(million)
{
	soak_all(1000000);
}
