/* test_trace.c - each hart's last events, in their order, also while the hart goes on. */
#include <limits.h>

#include "../runtime/core/core.h"
#include "faulty.h"

#define MOST (CO_TRACE_EVENTS - 1)
#define PATIENCE_US 10000000 /* until the other hart has begun, and is seen */

/* What co_trace() was given among a hart's events, the oldest first. */
static unsigned traced(unsigned hart, const char *what, uintptr_t *value)
{
	static struct co_trace_event e[MOST];
	unsigned n = co_trace_read(hart, e, MOST);
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++) {
		if (e[i].what && strcmp(e[i].what, what) == 0)
			value[found++] = e[i].value;
	}
	return found;
}

static intptr_t tell(void *arg)
{
	for (uintptr_t i = 0; i < (uintptr_t)arg; i++)
		co_trace("step", i);
	return 0;
}

TEST(the_last_events_of_another_hart_can_be_read)
{
	unsigned hart = co_harts() - 1;
	uintptr_t value[MOST];

	test_join(test_spawn_on(hart, tell, (void *)5));
	/* A build that notes more may have noted an end since. */
	REQUIRE_EQ(traced(hart, "step", value), 5);
	for (unsigned i = 0; i < 5; i++)
		CHECK_EQ(value[i], i);
	co_trace_print(hart);
}

TEST(the_oldest_make_room)
{
	unsigned hart = co_harts() - 1;
	uintptr_t value[MOST];
	unsigned n;

	test_join(test_spawn_on(hart, tell, (void *)(uintptr_t)1000));
	n = traced(hart, "step", value);
	CHECK(n >= MOST - 2 && n <= MOST);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(value[i], 1000 - n + i);
}

static struct co_a32 up;

static intptr_t stay_a_while(void *arg)
{
	co_waypoint("half-way");
	co_trace("last", 7);
	co_atomic_store(&up, 1, CO_RELEASE);
	while (co_atomic_load(&up, CO_ACQUIRE) == 1)
		test_sleep_us(500);
	return 0;
}

TEST(who_lives_is_named_and_way_points_are_events)
{
	const struct co_attr attr = { .name = "guest", .on = CO_ON_HART(co_harts() - 1) };
	static struct co_trace_event e[MOST];
	unsigned n, seen = 0;
	struct co *c;

	co_atomic_store(&up, 0, CO_RELAXED);
	c = test_spawn(&attr, stay_a_while, NULL);
	test_await(&up, 1);
	n = co_trace_read(co_harts() - 1, e, MOST);
	for (unsigned i = 0; i < n; i++) {
		if (!e[i].who || strcmp(e[i].who, "guest") != 0)
			continue;
		CHECK(co_us(e[i].ago) < 10000000);
		seen |= e[i].kind == CO_TRACE_WAYPOINT &&
			strcmp((const char *)e[i].value, "half-way") == 0;
		seen |= (e[i].what && e[i].value == 7) << 1;
	}
	CHECK_EQ(seen, 3);
	co_atomic_store(&up, 2, CO_RELEASE);
	test_join(c);
	n = co_trace_read(co_harts() - 1, e, MOST);
	for (unsigned i = 0; i < n; i++)
		CHECK(!e[i].who || strcmp(e[i].who, "guest") != 0);
}

TEST(fewer_can_be_asked_for)
{
	uintptr_t value[MOST];
	struct co_trace_event e[3] = { { .what = "untouched" } };

	(void)tell((void *)4);
	CHECK_EQ(co_trace_read(co_hart(), e, 0), 0);
	CHECK(strcmp(e[0].what, "untouched") == 0);
	CHECK_EQ(co_trace_read(co_hart(), e, 2), 2);
	CHECK_EQ(e[0].value, 2);
	CHECK_EQ(e[1].value, 3);
	CHECK(!e[2].what);
	CHECK(traced(co_hart(), "step", value) >= 4);
}

/* As many as it can, of two words that belong together: the text, and the value. */
static intptr_t hurry(void *arg)
{
	static const char *const text[2] = { "even", "odd" };
	uintptr_t i = 0;

	while (!co_atomic_load(&up, CO_ACQUIRE)) {
		co_trace(text[i % 2], i);
		i++;
	}
	return (intptr_t)(i > MOST);
}

TEST(a_look_at_a_hart_that_goes_on_finds_whole_events_in_order)
{
	unsigned hart = co_harts() - 1;
	uint64_t end = co_after_us(PATIENCE_US);
	unsigned looks = 0, events = 0;
	struct co *c;

	if (!hart)
		SKIP("a hart that is alone does nothing else meanwhile");
	co_atomic_store(&up, 0, CO_RELAXED);
	c = test_spawn_on(hart, hurry, NULL);
	while (co_now() < end && (looks < 1000 || events < 1000)) {
		static struct co_trace_event e[MOST];
		unsigned n = co_trace_read(hart, e, MOST);
		uintptr_t last = 0;

		for (unsigned i = 0; i < n; i++) {
			if (!e[i].what ||
			    (strcmp(e[i].what, "even") != 0 && strcmp(e[i].what, "odd") != 0))
				continue;
			if (!CHECK_EQ(strcmp(e[i].what, "odd") == 0, e[i].value % 2) ||
			    !CHECK(!last || e[i].value > last))
				break;
			last = e[i].value;
			events++;
		}
		looks++;
	}
	co_atomic_store(&up, 1, CO_RELEASE);
	CHECK_EQ(test_join(c), 1);
	printf("# %u looks, %u events\n", looks, events);
	CHECK(events >= 1000);
}

static intptr_t fault(void *arg)
{
	co_trace("last", (uintptr_t)arg);
	fault_here();
}

#define OF_A_FAULT 2

/* A coroutine faults. @return how many of what it should leave behind are there, in their order */
static unsigned events_of_a_fault(unsigned hart)
{
	static struct co_trace_event e[MOST];
	struct co *c = test_spawn_on(hart, fault, (void *)3);
	unsigned n, seen = 0;

	CHECK_EQ(co_join(c, NULL), -EFAULT);
	n = co_trace_read(hart, e, MOST);
	for (unsigned i = 0; i < n; i++) {
		if (!seen)
			seen = e[i].what && strcmp(e[i].what, "last") == 0;
		else
			seen += seen == 1 && !e[i].what && e[i].kind == CO_TRACE_FAULT &&
				e[i].value;
	}
	return seen;
}

TEST_FAULTY(a_fault_is_an_event)
{
	CHECK_EQ(events_of_a_fault(co_harts() - 1), OF_A_FAULT);
}

TEST(an_error_has_a_name)
{
	CHECK_STR(co_error_name(-ETIMEDOUT), "ETIMEDOUT");
	CHECK_STR(co_error_name(ETIMEDOUT), "ETIMEDOUT");
	CHECK_STR(co_error_name(-ENOBUFS), "ENOBUFS");
	CHECK_STR(co_error_name(0), "");
	CHECK_STR(co_error_name(-9999), "");
	CHECK_STR(co_error_name(INT_MIN), "");
	CHECK_STR(co_error_name(INT_MAX), "");
}

TEST(what_another_hart_has_noted_after_the_look_began_is_no_time_ago)
{
	const uintptr_t most = UINTPTR_MAX;

	CHECK_EQ(co_since_span(7, 5), 2);
	CHECK_EQ(co_since_span(5, 5), 0);
	CHECK_EQ(co_since_span(5, 7), 0);
	CHECK_EQ(co_since_span(most, 2), 0); /* both have wrapped */
	CHECK_EQ(co_since_span(2, most), 3);
	CHECK_EQ(co_coarse_span(7, 5), 2);
	CHECK_EQ(co_coarse_span(5, 7), 0);
	CHECK_EQ(co_coarse_span(UINT32_MAX, 2), 0);
	CHECK_EQ(co_coarse_span(2, UINT32_MAX), 3);
	CHECK_EQ(co_coarse_span(UINT32_MAX / 2 + 9, 8), UINT32_MAX / 2 + 1);
}
