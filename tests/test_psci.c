/* test_psci.c - what the firmware answers, and when nobody is asked. Other boards skip it. */
#include <errno.h>

#include "../hal/drivers/psci.h"
#include "harness/test.h"

/* A board with PSCI links it. */
extern typeof(hal_psci_cpu_on) hal_psci_cpu_on __attribute__((weak));
extern unsigned char hal_entered_el __attribute__((weak));

static intptr_t answer;
static unsigned calls;
static uintptr_t affinity_of_call;

static intptr_t firmware(uintptr_t function, uintptr_t a, uintptr_t b, uintptr_t c)
{
	(void)function;
	(void)b;
	(void)c;
	affinity_of_call = a;
	calls++;
	return answer;
}

static void need_psci(void)
{
	if (!hal_psci_cpu_on)
		SKIP("no PSCI on this board");
}

TEST(each_answer_is_an_error_of_its_own)
{
	static const struct {
		int answer, result;
	} some[] = { { 0, 0 },        { -1, -ENOSYS },   { -2, -EINVAL },
		     { -3, -EACCES }, { -4, -EALREADY }, { -5, -EALREADY },
		     { -6, -EIO },    { -9, -EINVAL },   { 1, -EIO } };
	unsigned char entered;

	need_psci();
	entered = hal_entered_el;
	hal_entered_el = 0;
	for (unsigned i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		/* The upper half of x0 is not the answer's: SMC Calling Convention 2.7. */
		answer = (intptr_t)(uint32_t)some[i].answer;
		CHECK_EQ(hal_psci_cpu_on(firmware, 0x102, NULL, NULL), some[i].result);
		CHECK_EQ(affinity_of_call, 0x102);
	}
	hal_entered_el = entered;
}

TEST(an_image_that_was_entered_at_el3_asks_nobody)
{
	unsigned char entered;

	need_psci();
	entered = hal_entered_el;
	hal_entered_el = 3 << 2;
	calls = 0;
	CHECK_EQ(hal_psci_cpu_on(firmware, 1, NULL, NULL), -ENOSYS);
	CHECK_EQ(calls, 0);
	hal_entered_el = entered;
}
