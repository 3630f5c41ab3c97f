/* hang.c - a case that never ends, and is never idle either: only the runner's clock notices. */
#include "../harness/test.h"

TEST(passes_first)
{
	CHECK(true);
}

TEST(goes_on_for_ever)
{
	for (;;)
		co_pause();
}
