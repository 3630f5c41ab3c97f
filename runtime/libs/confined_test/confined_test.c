/* confined_test.c - checks in confined coroutines: failures are noted in a page of the domain. */
#include "../test/test.h"

#include <cohart/confined_test.h>

int co_test_share(struct co_domain *d)
{
	return co_domain_share(d, &co_test_page, sizeof(co_test_page), CO_READ | CO_WRITE);
}

void co_test_leave_confined(void)
{
	/* Confined code has thread-locals of its own, of which the executor is never set up. */
	if (!co_executor.self)
		co_user_exit(CO_TEST_LEFT);
	co_test_leave();
}
