/* crash.c - faults; --case= chooses which. */
#include "../../runtime/core/core.h"
#include "../../runtime/core/memory/image.h"
#include "../faulty.h"
#include "../harness/kernel.h"

static __attribute__((noinline)) void scribble(void)
{
	*(volatile uint32_t *)wild = 1;
}

static intptr_t wild_pointer(void *arg)
{
	co_waypoint("at the brink");
	co_trace("steps left", 1);
	scribble();
	return 0;
}

static __attribute__((noinline)) unsigned frames(unsigned n)
{
	volatile unsigned char frame[64];

	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (unsigned char)n;
	return n ? frames(n - 1) + frame[0] : 0;
}

/* A little more than its stack, and all of that: nothing is noticed before its end. */
BODY(overflow_a_little, frames((unsigned)co_stack_bytes() / 64))

static intptr_t overflow_and_fault(void *arg)
{
	frames((unsigned)co_stack_bytes() / 64);
	return wild_pointer(arg);
}

/* As a recursion without end: control blocks are overwritten, its own among them. */
static intptr_t overflow_and_hang(void *arg)
{
	size_t bytes;
	uintptr_t low = co_stack_of(co_self(), &bytes);

	CHECK_EQ(co_sleep_us(200000), 0); /* until it is joined */
	memset(co_self(), 0xa5, low + 64 - (uintptr_t)co_self());
	while (co_now())
		;
	return 0;
}

static intptr_t assertion(void *arg)
{
	CO_ASSERT(wild == 0);
	return 0;
}

/* The call is the last of the function, and what follows it in the image is not the next one. */
static __attribute__((noinline, noreturn)) void give_up(void)
{
	co_panic("for good");
}

static __attribute__((aligned(256))) intptr_t final_call(void *arg)
{
	give_up();
}

static intptr_t call_data(void *arg)
{
	static uint32_t data[16];
	void (*volatile f)(void) = (void (*)(void))(uintptr_t)data;

	f();
	return 0;
}

static intptr_t write_code(void *arg)
{
	*(volatile uint32_t *)(uintptr_t)&deep = 0;
	return (intptr_t)arg;
}

static intptr_t write_constant(void *arg)
{
	static const uint32_t constant = 5;

	*(volatile uint32_t *)(uintptr_t)&constant = 6;
	return (intptr_t)arg;
}

static intptr_t read_private(void *arg)
{
	unsigned n = 0;
	const struct co_spm_part *part = co_spm_parts(&n);
	unsigned char *theirs = co_spm_base(0);

	while (n-- && part->is_public)
		part++;
	return *(volatile uint32_t *)(theirs + part->offset);
}

/* A neighbour that never gives way cannot stop hart 0, but hart 0 can be too busy to answer. */
static struct co_a32 manager_is_deaf;

static intptr_t wild_pointer_later(void *arg)
{
	while (!co_atomic_load(&manager_is_deaf, CO_ACQUIRE)) /* paired with the case's release */
		co_pause();
	scribble();
	return (intptr_t)arg;
}

static void crash(unsigned hart, co_fn *fn, const char *name, enum co_stack class)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(hart), .stack = class };
	struct co *c = test_spawn(&attr, fn, NULL);

	test_join(c);
}

#define LAST (co_harts() - 1)
#define CRASH_ON(id, hart, fn, name, class)   \
	TEST(id)                              \
	{                                     \
		crash(hart, fn, name, class); \
	}
#define CRASH(id, hart, fn, name) CRASH_ON(id, hart, fn, name, CO_STACK_ANY)

CRASH(store_through_a_wild_pointer, LAST, wild_pointer, "scribbler")
CRASH(stack_overflow, LAST, overflows, "digger")
CRASH_ON(small_stack_overflow, LAST, overflow_a_little, "mole rat", CO_STACK_1K)
CRASH_ON(faulty_small_stack, LAST, overflow_and_fault, "shrew", CO_STACK_1K)
CRASH_ON(runaway_small_stack, LAST, overflow_and_hang, "lemming", CO_STACK_2K)
/* This calls a function of the runtime, and so do all, but it has no part in what follows. */
static __attribute__((noinline)) void uninvolved(void)
{
	co_pause();
	co_pause();
}

/* An address that a call in there returns to. */
static uintptr_t return_address(void)
{
	uintptr_t at = (uintptr_t)uninvolved;

	uninvolved();
	while (co_image_call(at) <= 1 || co_image_program(co_image_call(at)))
		at += 2;
	return at;
}

/* Functions that leave registers as they are, whose callees put them on the stack. */
extern void failed_beside(const char *what, const char *file, int line, uintptr_t, uintptr_t,
			  uintptr_t, uintptr_t, uintptr_t) __asm__("co_assert_failed");
extern void panic_beside(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
			 uintptr_t, uintptr_t) __asm__("__cxa_pure_virtual");

static intptr_t assert_beside(void *arg)
{
	uintptr_t at = return_address();

	failed_beside("beside", __FILE__, __LINE__, at, at, at, at, at);
	return 0;
}

static intptr_t call_pure(void *arg)
{
	uintptr_t at = return_address();

	panic_beside(at, at, at, at, at, at, at, at);
	return 0;
}

CRASH(assertion_beside, LAST, assert_beside, "accused")
CRASH(panic_beside, LAST, call_pure, "suspect")
CRASH(failed_assertion, LAST, assertion, "claimant")
CRASH(final_call, LAST, final_call, "quitter")
CRASH(jump_into_data, LAST, call_data, "jumper")
CRASH(store_to_code, LAST, write_code, "vandal")
CRASH(store_to_a_constant, LAST, write_constant, "reformer")
CRASH(load_from_a_foreign_private_scratchpad, LAST, read_private, "burglar")

TEST(deaf_manager)
{
	test_spawn_on(co_harts() - 1, wild_pointer_later, NULL);
	co_atomic_store(&manager_is_deaf, 1, CO_RELEASE);
	for (;;)
		co_atomic_load(&manager_is_deaf, CO_RELAXED);
}

/* Hart 0 may be of another kind than the others, and protected by other means. */
CRASH(managers_stack_overflow, 0, overflows, "mole")
CRASH(managers_jump_into_data, 0, call_data, "flea")
CRASH(managers_store_to_code, 0, write_code, "hun")
CRASH(managers_store_to_a_constant, 0, write_constant, "rebel")

static void go_on(void)
{
}

BODY(enter_kernel, kernel_mix((uint32_t)(uintptr_t)arg, 2, go_on))

CRASH(managers_floating_point, 0, enter_kernel, "alien")

TEST(null_pointer_on_the_management_hart)
{
	volatile uintptr_t null = 0;

	*(volatile int *)null = 1;
}

TEST(long_name)
{
	static char name[CO_REPORT_BYTES + 100];

	memset(name, 'z', sizeof(name) - 1);
	crash(LAST, wild_pointer, name, CO_STACK_ANY);
}

/* ---- Bad calls: the report names who makes them ---- */

static struct co_mutex nobodys;
static struct co_counter done;
static struct co_a32 sink;
CO_CHANNEL(numbers, int, 4);

#define BAD_CALL(name, call)                                                       \
	static __attribute__((noinline)) intptr_t name(void *arg)                  \
	{                                                                          \
		call;                                                              \
		co_atomic_store(&sink, 1, CO_RELAXED); /* so that it is no jump */ \
		return (intptr_t)arg;                                              \
	}

BAD_CALL(bad_unlock, co_mutex_unlock(&nobodys))
BAD_CALL(bad_join, (void)!co_join(co_self(), NULL))
BAD_CALL(bad_free, co_spm_free(&nobodys))
BAD_CALL(bad_send, (void)!co_chan_send(&numbers, NULL))
BAD_CALL(bad_wait, (void)!co_mutex_lock((struct co_mutex *)wild))
BAD_CALL(bad_alloc, (void)!co_spm_alloc(0, 16))
BAD_CALL(bad_count, co_counter_done(&done))
BAD_CALL(bad_proxy, (void)!co_proxy_call(NULL, NULL))

/* From deeper, so that there is a frame above it. */
static __attribute__((noinline)) intptr_t call_badly(co_fn *fn)
{
	return fn(NULL) + 1;
}

static intptr_t calls_badly(void *arg)
{
	static co_fn *const bad[] = { bad_unlock, bad_join,  bad_free,  bad_send,
				      bad_wait,   bad_alloc, bad_count, bad_proxy };

	return call_badly(bad[(uintptr_t)arg]);
}

TEST(bad_calls)
{
	for (uintptr_t i = 0; i < 8; i++)
		(void)!co_join(test_spawn_on(LAST, calls_badly, (void *)i), NULL);
}

/* More than are reported of a hart. */
TEST_FAULTY(very_many)
{
	for (unsigned i = 0; i < 21; i++)
		CHECK_EQ(co_join(test_spawn_on(LAST, wild_pointer, NULL), NULL), -EFAULT);
}

/* The case itself. */
TEST(a_case_that_faults)
{
	scribble();
}

TEST(a_case_that_comes_after)
{
	CHECK(true);
}

/* A frame record says that the caller's lies behind all memory. */
static intptr_t misplace_frame(void *arg)
{
	volatile uintptr_t *frame = __builtin_frame_address(0);

	co_pause(); /* who calls nobody has no whole record */
	frame[HAL_FRAME_ABOVE - 2] = UINTPTR_MAX - 255;
	scribble();
	return (intptr_t)arg;
}

TEST(misplaced_frame)
{
	crash(LAST, misplace_frame, "surveyor", CO_STACK_ANY);
}

/* A text without an end: a guard page comes after the last stack but one. */
static char *endless(void)
{
	char *end = (char *)co_machine.stacks_end - CO_STACK_BIG_BYTES * HAL_STACK_SCALE -
		    CO_GUARD_BYTES;

	return memset(end - 2, 'x', 2);
}

static intptr_t leave_endless_event(void *arg)
{
	co_trace(endless(), 1);
	scribble();
	return (intptr_t)arg;
}

/* Texts that a report wants, and cannot have all of. */
TEST(endless_texts)
{
	crash(LAST, leave_endless_event, endless(), CO_STACK_ANY);
}

/* A report reads the roles of harts: as a defect there, this makes it fault. */
static uint16_t *hide_roles(void)
{
	uint16_t *roles = co_machine.group_of;

	co_machine.group_of = NULL;
	return roles;
}

TEST(twice)
{
	uint16_t *roles = hide_roles();

	crash(2, wild_pointer, "scribbler", CO_STACK_ANY);
	co_machine.group_of = roles;
}

TEST(twice_and_on)
{
	/* As on a hart that nothing has happened to; hart 0 may have no floating point. */
	CHECK_EQ(test_join(test_spawn_on(2, enter_kernel, (void *)8)),
		 test_join(test_spawn_on(1, enter_kernel, (void *)8)));
}

static void fault_and_fault_again(struct co_msg *m)
{
	scribble();
}

/* Nobody is ended who could be: its hart is lost, and the others go on. */
TEST_FAULTY(again_in_a_handler)
{
	static struct co_msg m = { .run = fault_and_fault_again };
	unsigned hart = co_harts() - 1;
	uint16_t *roles = hide_roles();

	co_post(hart, &m);
	for (unsigned i = 0; i < 10000 && !co_hart_gone(hart); i++)
		test_sleep_us(500);
	co_machine.group_of = roles;
	CHECK(co_hart_gone(hart));
}

/* A hart whose own state is garbage: neither a report nor an end of a coroutine can be had. */
static void forget_all(struct co_msg *m)
{
	memset(&co_executor, 0xa5, sizeof(co_executor));
	scribble();
}

TEST(mindless)
{
	static struct co_msg m = { .run = forget_all };

	co_post(co_harts() - 1, &m);
	test_sleep_us(5000000);
}
