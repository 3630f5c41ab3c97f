/* test_containment.c - a fault ends one coroutine: its joiner is notified, all others go on. */
#include <assert.h>

#include "faulty.h"
#include "map.h"
#include "use.h"

static volatile int zero;

/* ---- The ways to go down ---- */

NO_RACE static intptr_t load_from(void *arg)
{
	return *(volatile int *)arg;
}

NO_RACE static intptr_t store_to(void *arg)
{
	*(volatile int *)arg = 1;
	return 0;
}

static intptr_t jump_to(void *arg)
{
	((void (*volatile)(void))(uintptr_t)arg)();
	return 0;
}

static uint32_t data[16];
static const uint32_t constant = 5;

/* No instruction on any architecture. */
__attribute__((section(".text.no_code"), used)) static const uint32_t no_code[] = { 0xffffffff,
										    0xffffffff };

static intptr_t trap_instruction(void *arg)
{
	__builtin_trap();
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

NO_RACE static intptr_t load_foreign(void *arg)
{
	return *(volatile int *)foreign();
}

NO_RACE static intptr_t store_foreign(void *arg)
{
	volatile int *p = (volatile int *)foreign();

	*p = *p;
	return (intptr_t)arg;
}

static intptr_t misaligned(void *arg)
{
	static struct co_a32 words[2];

	if (strcmp(co_board(), "host") == 0)
		return (intptr_t)arg; /* x86 allows it, UBSan does not */
	/* Atomics trap where loads and stores do not. */
	co_atomic_add((struct co_a32 *)((uintptr_t)words + 1 + (unsigned)zero), 1, CO_RELAXED);
	return (intptr_t)arg;
}

__attribute__((no_sanitize("integer-divide-by-zero"))) static intptr_t division(void *arg)
{
	return 100 / zero; /* 1 / x is no division to compilers */
}

static intptr_t assertion(void *arg)
{
	CO_ASSERT(wild == 0);
	return (intptr_t)arg;
}

static intptr_t panic(void *arg)
{
	co_panic("%s", "no way out");
}

static intptr_t aborted(void *arg)
{
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

BODY(wild_channel, co_chan_send((struct co_chan *)wild, &(int){ 1 }))

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
	const void *arg;
} ways[] = {
	{ "load null", load_from, NEVER, NULL },
	{ "store null", store_to, NEVER, NULL },
	{ "jump null", jump_to, NEVER, NULL },
	{ "load wild", load_from, NEVER, (void *)WILD },
	{ "store wild", store_to, NEVER, (void *)WILD },
	{ "jump wild", jump_to, NEVER, (void *)WILD },
	{ "execute data", jump_to, NEVER, data },
	{ "illegal instruction", jump_to, NEVER, no_code },
	{ "trap instruction", trap_instruction, NEVER, NULL },
	{ "store to code", store_to, NEVER, no_code },
	{ "store to a constant", store_to, NEVER, &constant },
	{ "load foreign SPM", load_foreign, ON_RANGES, NULL },
	{ "store foreign SPM", store_foreign, ON_RANGES, NULL },
	{ "stack overflow", overflows, NEVER, NULL },
	{ "misaligned atomic", misaligned, MAYBE, NULL },
	{ "division by zero", division, MAYBE, NULL },
	{ "CO_ASSERT", assertion, NEVER, NULL },
	{ "co_panic", panic, NEVER, NULL },
	{ "abort", aborted, NEVER, NULL },
	{ "assert", libc_assertion, NEVER, NULL },
	{ "printf of a wild string", wild_string, NEVER, NULL },
	{ "wild channel", wild_channel, NEVER, NULL },
	{ "free of a wild pointer", wild_free, NEVER, NULL },
};

#define WAYS (sizeof(ways) / sizeof(*ways))

static bool may_be_silent(const struct way *way, unsigned hart)
{
	if (way->silent == ON_RANGES)
		return strcmp(co_board(), "host") == 0 || has_no_map(hart) || co_harts() == 1;
	return way->silent == MAYBE;
}

/* ---- The matrix ---- */

BODY(double_it, 2 * (intptr_t)arg)

/* '+' contained, '-' it does not trap here, '!' neither. */
static char cell(const struct way *way, unsigned hart)
{
	const struct co_attr attr = { .name = way->name, .on = CO_ON_HART(hart) };
	intptr_t result = 4711;
	struct co *c;
	int r;

	c = test_spawn(&attr, way->fn, (void *)way->arg);
	r = co_join(c, &result);
	/* And its hart goes on. */
	CHECK_EQ(test_join(test_spawn_on(hart, double_it, (void *)21)), 42);
	if (r == -EFAULT)
		return result == 4711 ? '+' : '!';
	return r == 0 && may_be_silent(way, hart) ? '-' : '!';
}

/* There if UBSan is: it ends the program before anything faults. */
extern void __ubsan_handle_type_mismatch_v1_abort(void *, void *) __attribute__((weak));

/* It says of its caller's frame that it lies at 1: beyond its own; 2: at all ones; 0: nowhere. */
NO_RACE static intptr_t damage_frame(void *arg)
{
	volatile uintptr_t *frame = __builtin_frame_address(0);
	const uintptr_t at[] = { 0, (uintptr_t)frame + 1, UINTPTR_MAX };

	co_pause(); /* who calls nobody has no whole record */
	frame[HAL_FRAME_ABOVE - 2] = at[(uintptr_t)arg];
	return *(volatile int *)wild;
}

TEST_FAULTY(a_damaged_frame_record_ends_the_backtrace_and_no_more)
{
	if (hal_board.is_process || __ubsan_handle_type_mismatch_v1_abort)
		SKIP("a process has no backtraces, and UBSan lets nobody fault");
	for (uintptr_t i = 0; i < 3; i++) {
		struct co *c = test_spawn_on(co_harts() - 1, damage_frame, (void *)i);

		CHECK_EQ(co_join(c, NULL), -EFAULT);
	}
}

TEST_FAULTY(each_kind_of_fault_on_each_kind_of_hart_ends_one_coroutine)
{
	const unsigned n = co_harts();
	const unsigned all[] = { 0, 1, 2, n / 2, n - 1 };
	unsigned harts[5], columns = 0;
	struct use before[5];

	if (__ubsan_handle_type_mismatch_v1_abort)
		SKIP("UBSan lets nobody fault");
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

/* ---- And again, and again ---- */

/* A hart's share of faults, each a new coroutine's. */
static unsigned soak_each;

static intptr_t soak(void *arg)
{
	static const unsigned char kinds[] = { 0, 4, 5, 8, 9, 16 }; /* of ways[] */
	struct test_random r = test_random(co_hart());

	for (unsigned i = 0; i < soak_each; i++) {
		const struct way *way = &ways[kinds[test_below(&r, 6)]];
		struct co *c = test_spawn_on(co_hart(), way->fn, (void *)way->arg);

		REQUIRE_EQ(co_join(c, NULL), -EFAULT);
	}
	return 0;
}

static void soak_all(unsigned faults)
{
	static struct use before[BOARD_MAX_HARTS];

	soak_each = faults / co_harts() + 1;
	for (unsigned i = 0; i < co_harts(); i++)
		before[i] = use_of(i);
	test_spread(soak, co_harts(), 0);
	for (unsigned i = 0; i < co_harts(); i++)
		check_use(i, &before[i]);
	printf("# %u faults on %u harts, and all that was in use is free\n", soak_each * co_harts(),
	       co_harts());
}

TEST_FAULTY(thousands_of_faults_leave_nothing_behind)
{
	soak_all(5000);
}

/* By name only: it takes minutes. */
TEST_LONG(million)
{
	soak_all(1000000);
}

static void fault_in_cleanup(struct co_cleanup *t, struct co *c, enum co_cleanup_why why)
{
	(void)t, (void)c, (void)why;
	store_to((void *)(wild + 8));
}

static intptr_t fault_twice(void *arg)
{
	static struct co_cleanup entry;

	co_cleanup_add(&entry, fault_in_cleanup);
	return store_to(arg);
}

TEST_FAULTY(a_joiner_learns_what_the_fault_was)
{
	struct co_fault fault = { 0 };
	intptr_t result = 4711;

	for (unsigned hart = 0; hart<co_harts(); hart += co_harts()> 1 ? co_harts() - 1 : 1) {
		struct co *c = test_spawn_on(hart, store_to, (void *)wild);

		CHECK_EQ(co_join_fault(c, &result, &fault), -EFAULT);
		CHECK_EQ(fault.address, wild);
		CHECK(strstr(fault.what, "store"));
		CHECK(fault.pc - (uintptr_t)store_to < 64);
		CHECK_EQ(co_join_fault(test_spawn_on(hart, assertion, NULL), NULL, &fault),
			 -EFAULT);
		CHECK_STR(fault.what, "wild == 0");
		CHECK(!fault.address && !fault.pc);
		/* One in its cleaning up is the one that it ends with. */
		CHECK_EQ(
			co_join_fault(test_spawn_on(hart, fault_twice, (void *)wild), NULL, &fault),
			-EFAULT);
		CHECK_EQ(fault.address, wild + 8);
		CHECK_EQ(result, 4711);
		fault = (struct co_fault){ "as it was", 1, 2 };
		CHECK_EQ(co_join_fault(test_spawn_on(hart, double_it, NULL), &result, &fault), 0);
		CHECK_STR(fault.what, "as it was");
		result = 4711;
	}
}

CO_CHANNEL_AS(to_constant, uint32_t, 1, CO_SPSC, CO_CLAIM_CAS); /* tickets hand nothing over */

BODY(receive_constant, co_chan_recv(&to_constant, arg))

/* A sender on the receiver's hart would have to write there. */
TEST_FAULTY(a_buffer_that_is_constant_faults_in_the_receiver)
{
	struct co *receiver = test_spawn_on(co_hart(), receive_constant, (void *)&constant);
	uint32_t out = 7, in = 0;

	co_pause(); /* the receiver parks, as its hart has this to go on with */
	CHECK_EQ(co_join(receiver, NULL), -EFAULT);
	CHECK_EQ(co_chan_send(&to_constant, &out), 0);
	CHECK_EQ(co_chan_try_recv(&to_constant, &in), 0);
	CHECK_EQ(in, 7);
}

static intptr_t fault_later(void *arg)
{
	CHECK_EQ(co_event_wait(arg), 0);
	return store_to((void *)wild);
}

TEST_FAULTY(a_join_with_a_deadline_learns_it_too)
{
	static struct co_event go;
	struct co_fault fault = { "as it was", 1, 2 };
	intptr_t result = 4711;
	struct co *c;

	co_event_clear(&go);
	c = test_spawn_on(co_harts() - 1, fault_later, &go);
	CHECK_EQ(co_join_fault_until(c, &result, &fault, co_after_us(500)), -ETIMEDOUT);
	CHECK_EQ(co_join_fault_until(c, &result, &fault, 0), -ETIMEDOUT);
	CHECK_STR(fault.what, "as it was");
	co_event_set(&go);
	CHECK_EQ(co_join_fault_until(c, &result, &fault, LONG_ENOUGH), -EFAULT);
	CHECK_EQ(fault.address, wild);
	CHECK_EQ(result, 4711);
}

/* The same of children of a batch. */
TEST_FAULTY(a_child_of_a_batch_leaves_what_its_fault_was)
{
	enum { STORES, PANICS, TWICE, WELL, CHILDREN };
	static co_fn *const fn[CHILDREN] = { store_to, assertion, fault_twice, double_it };
	static struct co_child child[CHILDREN];
	static struct co_batch batch;

	for (unsigned hart = 0; hart<co_harts(); hart += co_harts()> 1 ? co_harts() - 1 : 1) {
		const struct co_attr attr = { .on = CO_ON_HART(hart) };
		struct co_child *one = NULL;

		for (unsigned i = 0; i < CHILDREN; i++)
			REQUIRE_EQ(
				co_batch_spawn_child(&batch, &attr, fn[i], (void *)wild, &child[i]),
				0);
		for (unsigned i = 0; i < CHILDREN; i++) {
			REQUIRE_EQ(co_batch_join_any_until(&batch, &one, LONG_ENOUGH), 0);
			CHECK_EQ(one->status, one == &child[WELL] ? 0 : -EFAULT);
		}
		CHECK_EQ(child[STORES].fault.address, wild);
		CHECK(strstr(child[STORES].fault.what, "store"));
		CHECK(child[STORES].fault.pc - (uintptr_t)store_to < 64);
		CHECK_STR(child[PANICS].fault.what, "wild == 0");
		CHECK(!child[PANICS].fault.address && !child[PANICS].fault.pc);
		CHECK_EQ(child[TWICE].fault.address, wild + 8);
		CHECK(!child[WELL].fault.what);
		CHECK_EQ(child[WELL].result, 2 * (intptr_t)wild);
		CHECK_EQ(co_batch_join(&batch), -EFAULT);
	}
}

/* A join tells that there was a fault, and the records, whose it was. */
TEST_FAULTY(after_a_join_of_a_batch_the_records_say_who_faulted)
{
	static struct co_child child[3];
	static struct co_batch batch;

	for (unsigned i = 0; i < 3; i++)
		REQUIRE_EQ(co_batch_spawn_child(&batch, NULL, i == 1 ? store_to : double_it,
						(void *)wild, &child[i]),
			   0);
	CHECK_EQ(co_batch_join(&batch), -EFAULT);
	CHECK_EQ(child[0].status, 0);
	CHECK_EQ(child[1].status, -EFAULT);
	CHECK_EQ(child[1].fault.address, wild);
	CHECK_EQ(child[2].status, 0);
	CHECK_EQ(co_batch_join(&batch), 0);
}
