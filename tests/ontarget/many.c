/* many.c - cases whose numbers in the image are long: tests/ontarget/run. */
#include <cohart/cohart.h>
#include <cohart/test.h>

#define CASE(n)                         \
	CO_TEST(case_##n, .by_name = 1) \
	{                               \
	}
#define FIVE(n) CASE(n##0) CASE(n##1) CASE(n##2) CASE(n##3) CASE(n##4)
#define TEN(n) FIVE(n) CASE(n##5) CASE(n##6) CASE(n##7) CASE(n##8) CASE(n##9)
#define FIFTY(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4)
#define HUNDRED(n) FIFTY(n) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)

HUNDRED(0)
HUNDRED(1)
HUNDRED(2)
HUNDRED(3)
HUNDRED(4)
HUNDRED(5)
HUNDRED(6)
HUNDRED(7)
HUNDRED(8)
HUNDRED(9)

static const char rows[10400];

CO_TEST_EACH(one_of_many, row, rows)
{
	CO_CHECK_EQ(*row, 0);
}
