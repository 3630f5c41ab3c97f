/*
 * round.c - functions that round, in place of the library's. picolibc 1.8's lose a carry (floor,
 * ceil, llround), lose bits of large numbers (trunc), set the rounding mode back (nearbyint on
 * AArch64), and do not heed it (lrint on Arm); llround of newlib 3.3 loses bits, too.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A program may have its own. */
#define WEAK __attribute__((weak))

/* Whole already, infinite or a NaN; by its exponent, for a comparison with a NaN would raise an
 * exception. */
static inline bool is_whole(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return (bits >> 52 & 0x7ff) >= 0x3ff + 52;
}

static inline bool is_whole_float(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return (bits >> 23 & 0xff) >= 0x7f + 23;
}

static inline double toward_zero(double x)
{
	return copysign((double)(int64_t)x, x);
}

static inline float toward_zero_float(float x)
{
	return copysignf((float)(int32_t)x, x);
}

/* The sums make a signalling NaN a quiet one. */
WEAK double trunc(double x)
{
	return is_whole(x) ? x + 0 : toward_zero(x);
}

WEAK double floor(double x)
{
	double t;

	if (is_whole(x))
		return x + 0;
	t = toward_zero(x);
	return t > x ? t - 1 : t;
}

WEAK double ceil(double x)
{
	double t;

	if (is_whole(x))
		return x + 0;
	t = toward_zero(x);
	return t < x ? copysign(t + 1, x) : t;
}

WEAK float truncf(float x)
{
	return is_whole_float(x) ? x + 0 : toward_zero_float(x);
}

WEAK float floorf(float x)
{
	float t;

	if (is_whole_float(x))
		return x + 0;
	t = toward_zero_float(x);
	return t > x ? t - 1 : t;
}

WEAK float ceilf(float x)
{
	float t;

	if (is_whole_float(x))
		return x + 0;
	t = toward_zero_float(x);
	return t < x ? copysignf(t + 1, x) : t;
}

WEAK long long llround(double x)
{
	return (long long)round(x);
}

WEAK long long llrint(double x)
{
	return (long long)rint(x);
}

WEAK long lrint(double x)
{
	return (long)rint(x);
}

/* No flag tells that a result is inexact where there are no floating-point registers. */
#ifndef FE_INEXACT
#define FE_INEXACT 0
#endif

/* That a result is inexact is not to be seen. */
WEAK double nearbyint(double x)
{
	bool inexact = fetestexcept(FE_INEXACT);
	double r = rint(x);

	if (!inexact)
		feclearexcept(FE_INEXACT);
	return r;
}

WEAK float nearbyintf(float x)
{
	bool inexact = fetestexcept(FE_INEXACT);
	float r = rintf(x);

	if (!inexact)
		feclearexcept(FE_INEXACT);
	return r;
}

/* Where these are other names, the library defines them in the objects of the names above. */
#if LDBL_MANT_DIG == DBL_MANT_DIG
WEAK long double truncl(long double x)
{
	return trunc((double)x);
}

WEAK long double floorl(long double x)
{
	return floor((double)x);
}

WEAK long double ceill(long double x)
{
	return ceil((double)x);
}

WEAK long long llroundl(long double x)
{
	return llround((double)x);
}

WEAK long long llrintl(long double x)
{
	return llrint((double)x);
}

WEAK long lrintl(long double x)
{
	return lrint((double)x);
}

WEAK long double nearbyintl(long double x)
{
	return nearbyint((double)x);
}
#endif
