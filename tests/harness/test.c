/* test.c - what many tests share, beside cohart/test.h. */
#include "../../runtime/core/core.h"
#include "test.h"

void test_pause(struct test_random *r)
{
	switch (test_below(r, 8)) {
	case 0:
		test_sleep_us(test_below(r, 30));
		break;
	case 1:
	case 2:
		co_pause();
		break;
	}
}

unsigned test_computes(void)
{
	unsigned n = 0;

	for (unsigned g = 0; g < co_groups(); g++)
		n += co_group(g)->computes;
	return n;
}

unsigned test_compute(unsigned i)
{
	for (unsigned g = 0; g < co_groups(); g++) {
		if (i < co_group(g)->computes)
			return co_group(g)->compute + i;
		i -= co_group(g)->computes;
	}
	co_panic("test_compute: there are %u compute harts", test_computes());
}

/* What these check, they check for their caller: `what` is its call. */

static bool check_eq(intmax_t got, intmax_t want, TEST_CALLER)
{
	return co_test_check_eq(co_test_signed(got), co_test_signed(want), what, "", file, line);
}

struct co *test_spawn_at(const struct co_attr *attr, co_fn *fn, void *arg, TEST_CALLER)
{
	struct co *c = NULL;

	if (!check_eq(co_spawn(&c, attr, fn, arg), 0, what, file, line))
		co_exit(TEST_LEFT);
	return c;
}

struct co *test_spawn_on_at(unsigned hart, co_fn *fn, void *arg, TEST_CALLER)
{
	return test_spawn_at(&(struct co_attr){ .on = CO_ON_HART(hart) }, fn, arg, what, file,
			     line);
}

intptr_t test_join_at(struct co *c, TEST_CALLER)
{
	intptr_t result = -1;

	check_eq(co_join(c, &result), 0, what, file, line);
	return result;
}

void test_cancel_at(struct co *c, TEST_CALLER)
{
	co_cancel(c);
	check_eq(test_join_at(c, what, file, line), -ECANCELED, what, file, line);
}

void test_join_all_at(struct co *const *c, unsigned n, intptr_t want, TEST_CALLER)
{
	for (unsigned i = 0; i < n; i++)
		check_eq(test_join_at(c[i], what, file, line), want, what, file, line);
}

void test_spread_at(co_fn *fn, unsigned n, intptr_t want, TEST_CALLER)
{
	enum { MOST = 2048 };
	static intptr_t result[MOST];
	static struct co_batch batch;
	bool started = n <= MOST;

	for (uintptr_t i = 0; i < n && started; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(i % co_harts()) };

		started = co_batch_spawn(&batch, &attr, fn, (void *)i, &result[i]) == 0;
	}
	if (!co_test_check(started, what, file, line))
		co_exit(TEST_LEFT);
	check_eq(co_batch_join(&batch), 0, what, file, line);
	for (unsigned i = 0; i < n; i++)
		check_eq(result[i], want, what, file, line);
}

bool test_filled(const void *p, unsigned char value, size_t n)
{
	const unsigned char *at = p, *end = at + n;

	while (at < end && *at == value)
		at++;
	return at == end;
}

struct co_spm_use test_spm_use(unsigned hart)
{
	struct co_spm_use use;

	co_spm_use(hart, &use);
	return use;
}

size_t test_spm_used(void)
{
	size_t used = 0;

	for (unsigned hart = 0; hart < co_harts(); hart++)
		used += test_spm_use(hart).used;
	return used;
}

void test_tidy(void (*run)(void))
{
	size_t before = test_spm_used();

	run();
	AWAIT(test_spm_used() == before);
}

/* It is in its queue, has looked, and does not run: it is parked, or its hart sleeps, too. */
static bool is_asleep(const struct co *c)
{
	/* acquire, both: what it did before. */
	uint32_t token = co_atomic_load(&c->token, CO_ACQUIRE);

	return token & CO_ARMED &&
	       (!(token & CO_IN_PLACE) ||
		co_atomic_load(&co_hart_at(c->hart)->inbox.idle, CO_ACQUIRE) != CO_BUSY);
}

bool test_await_sleep_at(const struct co *c, TEST_CALLER)
{
	/* acquire: what it did before. */
	return TEST_AWAIT(!(co_atomic_load(&c->refs, CO_ACQUIRE) & CO_RUNNING) || is_asleep(c),
			  what, file, line);
}

struct co *test_sleeper_at(unsigned hart, co_fn *fn, void *arg, TEST_CALLER)
{
	struct co *c = test_spawn_on_at(hart, fn, arg, what, file, line);

	if (!test_await_sleep_at(c, what, file, line))
		co_exit(TEST_LEFT);
	return c;
}
