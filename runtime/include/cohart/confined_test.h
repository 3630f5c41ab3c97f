/*
 * confined_test.h - checks of cohart/test.h in confined coroutines (cohart/sandbox.h).
 *
 * Example
 *	CO_REQUIRE_EQ(co_domain_init(&filters, memory, sizeof(memory), 4, 8192), 0);
 *	CO_REQUIRE_EQ(co_test_share(&filters), 0);
 *
 * Coroutines of the domain use CO_CHECK() and its kin. A failure is kept, and printed when the case
 * ends, without the text of CO_CHECK_NEAR().
 */
#ifndef COHART_CONFINED_TEST_H
#define COHART_CONFINED_TEST_H

#include <cohart/sandbox.h>
#include <cohart/test.h>

CO_BEGIN_C
/*
 * Let failures of checks in a domain's coroutines be noted: the domain shares the page where they
 * are kept. Without the page a failure is a forbidden access.
 * @return, Context: as co_domain_share().
 */
CO_MUST_CHECK int co_test_share(struct co_domain *d);

/* End the calling coroutine, confined or not: for CO_REQUIRE(). */
CO_NORETURN void co_test_leave_confined(void);
#undef CO_TEST_LEAVE_
#define CO_TEST_LEAVE_ co_test_leave_confined
CO_END_C

#endif
