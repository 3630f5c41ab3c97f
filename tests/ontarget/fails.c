/* fails.c - cases that fail, each in its own way: tests/ontarget/run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <memory.h>

#include <cohart/cohart.h>
#include <cohart/confined_test.h>

static struct co_mutex lock;
static volatile int *volatile nowhere;
static void *kept;

CO_TEST(passes)
{
}

CO_TEST(values_differ)
{
	const int want = 5;
	const char *word = "apple";

	CO_CHECK_EQ(2 * 2, want);
	CO_CHECK_EQ(-ETIMEDOUT, 0);
	CO_CHECK_EQ(~0u, -1);
	CO_CHECK_STR(word, "pear");
	CO_CHECK_MEM("apples", "apply!", 6);
	CO_REQUIRE(want < 5);
	printf("must not be seen\n");
}

static intptr_t fail_there(void *arg)
{
	CO_REQUIRE_EQ((intptr_t)arg, 2);
	return 0;
}

CO_TEST(another_coroutine_fails)
{
	struct co *c;
	intptr_t result = 0;

	CO_REQUIRE_EQ(co_spawn(&c, &(struct co_attr){ .name = "worker", .on = CO_ON_HART(1) },
			       fail_there, (void *)1),
		      0);
	CO_CHECK_EQ(co_join(c, &result), 0);
	CO_CHECK(result == CO_TEST_LEFT);
}

static alignas(CO_PAGE_BYTES) unsigned char memory[CO_DOMAIN_BYTES(1, 8192)];
static struct co_domain domain;

CO_TEST(confined_code_fails)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1) };
	struct co *c;
	int r = co_domain_init(&domain, memory, sizeof(memory), 1, 8192);

	if (r == -ENOTSUP)
		co_test_skip("no hart here runs code without privilege");
	CO_REQUIRE_EQ(r, 0);
	CO_REQUIRE_EQ(co_test_share(&domain), 0);
	CO_REQUIRE_EQ(co_domain_spawn(&domain, &c, &attr, fail_there, (void *)3), 0);
	CO_CHECK_EQ(co_join(c, NULL), 0);
	CO_CHECK_EQ(co_domain_end(&domain), 0);
}

static void handle(struct co_mailbox *box, const struct co_mail *m)
{
	(void)box;
	(void)m;
	CO_CHECK(1 > 2);
}

CO_TEST(a_handler_fails)
{
	static struct co_mailbox box;
	const uintptr_t word = 1;

	CO_REQUIRE_EQ(co_mailbox_handle(&box, 1, handle, NULL), 0);
	CO_CHECK_EQ(co_mail_send(co_hart(), 1, &word, 1), 0);
	CO_CHECK_EQ(co_sleep_us(1000), 0);
	CO_CHECK_EQ(co_mailbox_close(&box), 0);
}

CO_TEST(faults)
{
	*nowhere = 1;
}

static intptr_t fault_there(void *arg)
{
	*nowhere = 1;
	return (intptr_t)arg;
}

CO_TEST(a_detached_coroutine_faults)
{
	const struct co_attr attr = { .name = "alone", .on = CO_ON_HART(1) };

	CO_REQUIRE_EQ(co_spawn(NULL, &attr, fault_there, NULL), 0);
	CO_CHECK_EQ(co_sleep_us(1000), 0);
}

CO_TEST(should_have_panicked, .expects = CO_TEST_PANICS)
{
}

CO_TEST(should_have_exited, .expects = CO_TEST_EXITS(3))
{
}

static intptr_t sleep_long(void *arg)
{
	(void)arg;
	return co_sleep_us(60000000);
}

CO_TEST(leaves_a_coroutine, .tags = "leaves", .leaks = 1)
{
	struct co *c;

	CO_REQUIRE_EQ(co_spawn(&c, &(struct co_attr){ .name = "sleeper", .on = CO_ON_HART(1) },
			       sleep_long, NULL),
		      0);
	co_detach(c);
}

CO_TEST(leaves_heap, .tags = "leaves", .leaks = 1)
{
	CO_CHECK(kept = malloc(100));
}

CO_TEST(leaves_window, .tags = "leaves", .leaks = 1)
{
	CO_CHECK(kept = co_spm_alloc(64, 16));
}

CO_TEST(leaves_a_lock, .tags = "leaves", .leaks = 1)
{
	CO_CHECK_EQ(co_mutex_lock(&lock), 0);
}

/* ---- That try to look as if they had passed, or leave nothing to look at ---- */

CO_TEST(prints_what_tap_has, .tags = "sly")
{
	printf("ok 1 - prints_what_tap_has\n1..1\nBail out!\n@0000 1.0 passed 1\n");
	CO_CHECK(false);
}

CO_TEST(ends_the_run_early, .tags = "sly")
{
	exit(0);
}

/* Firmware's call that starts the machine anew, which QEMU has on Arm's virt machines. */
#define SYSTEM_RESET 0x84000009u
extern intptr_t hal_hvc(uintptr_t function, uintptr_t a, uintptr_t b, uintptr_t c)
	__attribute__((weak));

static const char *no_reset(void)
{
	return hal_hvc && strncmp(BOARD_NAME, "qemu-virt", 9) == 0 ? NULL : "no reset here";
}

CO_TEST(resets_the_machine, .tags = "sly", .skip_if = no_reset)
{
	hal_hvc(SYSTEM_RESET, 0, 0, 0);
}

CO_TEST(closes_the_console, .tags = "sly")
{
	fclose(stdout);
	CO_CHECK(false);
}

CO_TEST(prints_too_much, .tags = "sly")
{
	for (int i = 0; i < 4096; i++)
		printf("%063d\n", i);
	CO_CHECK(false);
}

CO_TEST(prints_bytes, .tags = "sly")
{
	for (int i = 0; i < 256; i++)
		putchar(i);
	printf("\xff\xfe no line's end");
	CO_CHECK(false);
}

CO_TEST(hangs, .tags = "sly", .timeout_s = 2)
{
	for (;;)
		(void)!co_sleep_us(100);
}

CO_TEST(waits_for_ever, .tags = "sly")
{
	CO_CHANNEL(nobody_sends, int, 1);
	int x;

	(void)!co_chan_recv(&nobody_sends, &x);
}

CO_TEST(fails_before_an_exit, .tags = "sly", .expects = CO_TEST_EXITS(0))
{
	CO_CHECK_EQ(1, 2);
	exit(0);
}

static intptr_t stray(void *arg)
{
	*(volatile int *)arg = 1;
	return 0;
}

CO_TEST(faults_before_an_exit, .tags = "sly", .expects = CO_TEST_EXITS(0))
{
	struct co *c;

	CO_REQUIRE_EQ(co_spawn(&c, NULL, stray, (void *)8), 0);
	CO_CHECK_EQ(co_join(c, NULL), -EFAULT);
	exit(0);
}

CO_TEST(fails_before_a_deadlock, .tags = "sly", .expects = CO_TEST_DEADLOCKS)
{
	CO_CHANNEL(nobody_sends, int, 1);
	int x;

	CO_CHECK_EQ(1, 2);
	(void)!co_chan_recv(&nobody_sends, &x);
}

CO_TEST(deadlocks_and_should_exit, .tags = "sly", .expects = CO_TEST_EXITS(1))
{
	CO_CHANNEL(nobody_sends, int, 1);
	int x;

	(void)!co_chan_recv(&nobody_sends, &x);
}

CO_TEST(prints_a_deadlock, .tags = "sly", .expects = CO_TEST_DEADLOCKS)
{
	printf("deadlock: no\n");
	exit(1);
}
