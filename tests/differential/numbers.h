/* numbers.h - the numbers that functions of <math.h> and <complex.h> are asked about. */
#ifndef TESTS_DIFFERENTIAL_NUMBERS_H
#define TESTS_DIFFERENTIAL_NUMBERS_H

#include <math.h>
#include <string.h>

#include "../harness/random.h"
#include "environment.h"
#include "say.h"

/* Each once more with the other sign. */
static const double numbers[] = { 0,
				  0x1p-1074,
				  0x1p-1030,
				  0x1.fffffffffffffp-1023,
				  0x1p-1022,
				  1e-300,
				  0x1p-149,
				  0x1p-127,
				  0x1p-126,
				  1e-20,
				  1e-10,
				  0x1p-28,
				  0x1p-27,
				  0x1p-26,
				  1e-5,
				  0x1p-12,
				  0.001,
				  0.1,
				  0.25,
				  0x1.fffffffffffffp-2,
				  0.5,
				  0x1.0000000000001p-1,
				  0.75,
				  0x1.fffffep-1,
				  0x1.fffffffffffffp-1,
				  1,
				  0x1.0000000000001p0,
				  0x1.000002p0,
				  1.4616321449683623,
				  1.5,
				  0x1.921fb54442d18p0,
				  2,
				  2.4048255576957728,
				  2.5,
				  0x1.5bf0a8b145769p1,
				  3,
				  0x1.921fb54442d18p1,
				  3.5,
				  4,
				  5,
				  6.5,
				  7,
				  8,
				  9.5,
				  10,
				  22,
				  30.5,
				  35.04,
				  36,
				  88.72,
				  88.73,
				  100,
				  103.9,
				  127,
				  128,
				  150.5,
				  170.5,
				  171.6,
				  172,
				  308.25,
				  308.3,
				  709.5,
				  709.79,
				  710.4,
				  710.5,
				  745,
				  746,
				  1000,
				  1024,
				  8388607.5,
				  8388608,
				  8388609,
				  16777217,
				  2147483646.5,
				  2147483647.5,
				  0x1p31,
				  0x1p32,
				  0x1.fffffffffffffp51,
				  0x1p52,
				  0x1.0000000000001p52,
				  0x1.fffffffffffffp52,
				  0x1p53,
				  0x1.fffffffffffffp62,
				  0x1p63,
				  0x1p64,
				  1e22,
				  0x1.fffffep127,
				  0x1p128,
				  1e100,
				  1e300,
				  0x1.fffffffffffffp1023,
				  INFINITY,
				  NAN };
#define RANDOMS 60

/* The i-th number; beyond the table they are random, half of them of any size. False at the end. */
static inline bool number(unsigned i, double *x)
{
	struct test_random r = { i };
	uint64_t bits = test_next(&r);

	if (i < 2 * COUNT(numbers)) {
		*x = i % 2 ? -numbers[i / 2] : numbers[i / 2];
		return true;
	}
	if (i % 2)
		*x = ((double)(bits >> 11) * 0x1p-53 - 0.5) * 64;
	else
		*x = scalbn((double)(bits >> 11) * 0x1p-53 - 0.5, (int)(bits % 160) - 80);
	return i < 2 * COUNT(numbers) + RANDOMS;
}

/* Before a call; afterwards exceptions() are those that it has raised. */
static inline void fresh(void)
{
	errno = 0;
	feclearexcept(FE_ALL_EXCEPT);
}

/* Invalid, division by zero, overflow; and errno. */
static inline const char *exceptions(void)
{
	static char t[16];
	int e = has_errno ? errno : 0, raised = has_fenv ? fetestexcept(FE_ALL_EXCEPT) : 0;

	strcpy(t, "-");
	if (raised & FE_INVALID)
		strcat(t, "I");
	if (raised & FE_DIVBYZERO)
		strcat(t, "Z");
	if (raised & FE_OVERFLOW)
		strcat(t, "O");
	if (e)
		strcat(t, e == EDOM ? "D" : e == ERANGE ? "R" : "?");
	return t;
}

#endif
