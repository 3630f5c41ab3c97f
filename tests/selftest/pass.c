/* pass.c - a healthy image: the selftest's yardstick, and what the boot errors are tried with. */
#include "../harness/test.h"

TEST(all_is_well)
{
	CHECK_EQ(co_sleep_us(1000), 0); /* interrupts end a hart's sleep */
}

TEST(this_one_is_skipped)
{
	SKIP("to show how");
}

TEST(all_is_still_well)
{
	CHECK_EQ(1 + 1, 2);
	CHECK_STR("same", "same");
}
