/* lose.c - lose a hart: for images of cases and for others, which have no more of the library. */
#include "../../core/hart_var.h"
#include "test.h"

CO_HART_VAR(struct co_msg, test_bad); /* the message that a hart is lost by */

static void fault_in_a_handler(struct co_msg *m)
{
	uintptr_t page_zero = 8; /* it is not mapped; the compiler is not to know */

	(void)m;
	__asm__ volatile("" : "+r"(page_zero));
	*(int *)page_zero = 0;
}

void co_test_lose(unsigned hart)
{
	CO_ASSERT_THAT(hart && hart < co_harts(), "there is a hart of that number, not hart 0");
	co_hart_var(test_bad, hart)->run = fault_in_a_handler;
	co_post(hart, co_hart_var(test_bad, hart));
}
