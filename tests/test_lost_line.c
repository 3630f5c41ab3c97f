/* test_lost_line.c - interrupt lines whose hart, or whose opener's hart, is lost. */
#include "line.h"
#include "loss.h"

static struct co_irq irq;
static unsigned number;
static uintptr_t base;
static const struct line *line;

static void need_line(void)
{
	line = find_line(&number, &base);
	if (!line)
		SKIP("no device of this board raises a line when it is to");
	line->lower(base);
}

/* It is free again, and comes. */
static void line_works(void)
{
	REQUIRE_EQ(co_irq_open(number, 0, &irq), 0);
	line->raise(base);
	CHECK_EQ(co_irq_wait_until(&irq, co_after_us(10000000)), 0);
	line->lower(base);
	co_irq_close(&irq);
}

TEST_FAULTY(a_line_of_a_lost_hart_comes_no_more)
{
	unsigned hart = hart_to_lose();
	int r;

	need_line();
	r = co_irq_open(number, hart, &irq);
	if (r == -ENOTSUP)
		SKIP("all lines go to hart 0");
	REQUIRE_EQ(r, 0);
	lose(hart, 0);
	CHECK_EQ(co_irq_wait_until(&irq, co_after_us(10000000)), -EHOSTDOWN);
	line->raise(base);
	co_irq_close(&irq);
	line->lower(base);
	CHECK_EQ(co_irq_open(number, hart, &irq), -EHOSTDOWN);
	line_works();
}

static intptr_t opens(void *unused)
{
	REQUIRE_EQ(co_irq_open(number, 0, &irq), 0);
	return sleep_on();
}

TEST_FAULTY(a_line_is_closed_when_its_openers_hart_is_lost)
{
	unsigned hart = hart_to_lose();
	struct co *c;

	need_line();
	c = test_spawn_on(hart, opens, NULL);
	lose(hart, 1);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	line_works();
}

static bool faults(void *unused)
{
	(void)unused;
	line->lower(base);
	fault_here();
	return true;
}

static intptr_t waits(void *unused)
{
	(void)unused;
	return co_irq_wait_until(&irq, co_after_us(10000000));
}

TEST_FAULTY(a_fault_of_a_handler_ends_its_hart_alone)
{
	unsigned hart = hart_to_lose();
	struct co *c;
	int r;

	need_line();
	r = co_irq_handler(number, hart, faults, NULL, &irq);
	if (r == -ENOTSUP)
		SKIP("no hart of this board takes interrupts");
	REQUIRE_EQ(r, 0);
	c = test_sleeper(0, waits, NULL);
	line->raise(base);
	CHECK_EQ(test_join(c), -EHOSTDOWN);
	co_irq_close(&irq);
	line_works();
}
