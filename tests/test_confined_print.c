/* test_confined_print.c - how much confined code may print. */
#include <hal/time.h>

#include "confined.h"

#define MOST CO_USER_PRINT_MOST
#define EXTRA CO_USER_PRINT_EXTRA

static const char line[] = "# one of too many lines, which nobody asked for, as fast as they go\n";

static uint64_t print_us(void)
{
	return hal_time_now() / (hal_time_hz() / 1000000);
}

static uint32_t prints(void)
{
	struct co_domain_use use;

	co_domain_use(&domain, &use);
	return use.prints;
}

static uint32_t print_waits(void)
{
	struct co_domain_use use;

	co_domain_use(&domain, &use);
	return use.print_waits;
}

/* It heeds no answer. */
static intptr_t floods(void *arg)
{
	while (arg)
		(void)!co_user_print(line, sizeof(line) - 1);
	return 0;
}

/* Texts that a domain may have printed in so long, which began within a period. */
static uint32_t most_in(uint64_t us)
{
	uint32_t periods = (uint32_t)(us / CO_DOMAIN_PRINT_US) + 2;

	return periods * CO_DOMAIN_PRINT_BYTES / (sizeof(line) - 1 + EXTRA);
}

TEST_IN_DOMAIN(a_flood_of_lines_waits_and_lets_others_print)
{
	unsigned first = co_harts() > 2 ? co_harts() - 2 : co_harts() - 1;
	struct co_attr attr = { .name = "confined", .on = CO_ON_HART(first) };
	struct co *c[2] = { start(floods, &block[0]), NULL };
	uint64_t begun = print_us();

	REQUIRE_EQ(co_domain_spawn(&domain, &c[1], &attr, floods, &block[0]), 0);
	for (unsigned i = 0; i < 25; i++) {
		uint64_t from = print_us();
		uint32_t before = prints();

		printf("# main prints as well\n");
		fflush(stdout);
		CHECK(prints() - before <= most_in(print_us() - from));
		test_sleep_us(CO_DOMAIN_PRINT_US / 10);
	}
	CHECK(prints() >= CO_DOMAIN_PRINT_BYTES / (sizeof(line) - 1 + EXTRA));
	CHECK(prints() <= most_in(print_us() - begun));
	CHECK(print_waits() >= 2);
	/* A cancel ends the wait, and one that does not listen. */
	for (unsigned i = 0; i < 2; i++)
		test_cancel(c[i]);
	CHECK(prints() <= most_in(print_us() - begun));
}

/* Texts of no bytes until one is refused. `answer`: how many were not, and why. */
static intptr_t prints_nothing(void *arg)
{
	struct shared *s = arg;

	s->answer[1] = 0;
	for (s->answer[0] = 0; s->answer[0] < s->answer[2]; s->answer[0]++) {
		s->answer[1] = co_user_print(line, 0);
		if (s->answer[1])
			break;
	}
	return 0;
}

static void print_nothing(unsigned times)
{
	block[0].answer[2] = times;
	CHECK_EQ(test_join(start(prints_nothing, &block[0])), 0);
}

TEST_IN_DOMAIN(its_bound_is_the_programs_to_set)
{
	uint32_t before;

	CHECK_EQ(co_domain_limit_print(&domain, MOST - 1), -EINVAL);
	CHECK_EQ(co_domain_limit_print(&domain, 1), -EINVAL);
	CHECK_EQ(co_domain_limit_print(NULL, MOST), -EINVAL);
	/* As many as there may be wait for nobody; then it ends, for the first of a period. */
	print_nothing(CO_DOMAIN_PRINT_BYTES / EXTRA);
	CHECK_EQ(block[0].answer[0], CO_DOMAIN_PRINT_BYTES / EXTRA);
	CHECK_EQ(prints(), CO_DOMAIN_PRINT_BYTES / EXTRA);
	CHECK_EQ(print_waits(), 0);

	CHECK_EQ(co_domain_limit_print(&domain, 0), 0);
	test_sleep_us(CO_DOMAIN_PRINT_US);
	before = prints();
	print_nothing(1);
	CHECK_EQ(block[0].answer[1], -EACCES);
	CHECK_EQ(prints(), before);

	CHECK_EQ(co_domain_limit_print(&domain, UINT32_MAX), 0);
	before = print_waits();
	test_sleep_us(CO_DOMAIN_PRINT_US);
	print_nothing(1000);
	CHECK_EQ(block[0].answer[0], 1000);
	CHECK_EQ(print_waits(), before);

	CHECK_EQ(co_domain_limit_print(&domain, MOST), 0);
	test_sleep_us(CO_DOMAIN_PRINT_US);
	print_nothing(MOST / EXTRA + 1);
	CHECK_EQ(block[0].answer[1], 0);
	CHECK(print_waits() > before);
}

static intptr_t prints_on(void *arg)
{
	struct shared *s = arg;

	do
		s->answer[0] = co_user_print(line, 0);
	while (!s->answer[0]);
	return s->answer[0];
}

TEST_IN_DOMAIN(a_wait_for_the_next_period_ends_by_a_cancel)
{
	struct co *c = start(prints_on, &block[0]);

	AWAIT(print_waits() > 0);
	test_cancel(c);
	CHECK_EQ(block[0].answer[0], -ECANCELED);
}
