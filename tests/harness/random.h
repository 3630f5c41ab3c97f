/* random.h - the random numbers of tests, also for programs of this PC: cohart/detail/random.h. */
#ifndef TESTS_HARNESS_RANDOM_H
#define TESTS_HARNESS_RANDOM_H

#include "../../runtime/include/cohart/detail/random.h"

#define test_random co_test_random
#define test_next co_test_next
#define test_below co_test_below

#endif
