/* math.c - functions of <math.h> of one, two and three numbers: double, float and long double. */
#include "numbers.h"

/* `off`: by how many units in the last place a result may differ; -1: by what it likes, if both are
 * finite. */
struct unary {
	const char *name;
	double (*d)(double);
	float (*f)(float);
	long double (*l)(long double);
	int off;
};
struct binary {
	const char *name;
	double (*d)(double, double);
	float (*f)(float, float);
	long double (*l)(long double, long double);
	int off;
};
#define F3(name) #name, name, name##f, name##l
#define F2(name) #name, name, name##f, NULL

/* What not every library declares. */
double exp10(double), drem(double, double), gamma(double), significand(double);
float exp10f(float), dremf(float, float), gammaf(float), significandf(float);
double j0(double), j1(double), y0(double), y1(double), scalb(double, double);
float j0f(float), j1f(float), y0f(float), y1f(float), scalbf(float, float);

static const struct unary unaries[] = {
	{ F3(acos), 1 },   { F3(asin), 1 },      { F3(atan), 1 },  { F3(acosh), 2 },
	{ F3(asinh), 2 },  { F3(atanh), 2 },     { F3(cos), 1 },   { F3(sin), 1 },
	{ F3(tan), 1 },    { F3(cosh), 2 },      { F3(sinh), 2 },  { F3(tanh), 2 },
	{ F3(exp), 1 },    { F3(exp2), 1 },      { F2(exp10), 2 }, { F3(expm1), 1 },
	{ F3(log), 1 },    { F3(log10), 2 },     { F3(log1p), 1 }, { F3(log2), 2 },
	{ F3(logb), 0 },   { F3(cbrt), 2 },      { F3(sqrt), 0 },  { F3(fabs), 0 },
	{ F3(ceil), 0 },   { F3(floor), 0 },     { F3(trunc), 0 }, { F3(round), 0 },
	{ F3(rint), 0 },   { F3(nearbyint), 0 }, { F3(erf), 1 },   { F3(erfc), 5 },
	{ F3(lgamma), 8 }, { F3(tgamma), 300 },  { F2(gamma), 8 }, { F2(significand), 0 },
	{ F2(j0), 8 },     { F2(j1), 8 },        { F2(y0), 8 },    { F2(y1), 8 },
};

static const struct binary binaries[] = {
	{ F3(atan2), 1 }, { F3(copysign), 0 },  { F3(fdim), 0 },  { F3(fmax), 0 },
	{ F3(fmin), 0 },  { F3(fmod), 0 },      { F3(hypot), 1 }, { F3(nextafter), 0 },
	{ F3(pow), 1 },   { F3(remainder), 0 }, { F2(drem), 0 },  { F2(scalb), 0 },
};

static const double pairs[] = { 0,
				0x1p-1074,
				0x1p-149,
				1e-300,
				0x1.8p-3,
				0.5,
				1,
				0x1.0000000000001p0,
				0x1.000002p0,
				1.5,
				2,
				3,
				10.25,
				63,
				1e10,
				0x1p53,
				1e20,
				0x1.fffffep127,
				1e300,
				0x1.fffffffffffffp1023,
				INFINITY,
				NAN };

/* A long double that is rounded to a double may be one that a PC's, of 80 bits, has rounded before.
 */
static int rounded_twice(int off, bool may)
{
	return off ? off : may;
}

/* What C leaves open: the larger of two zeros; and what a NaN's sign is, as a float. */
static bool is_open(const struct binary *b, double x, double y)
{
	return (b->d == copysign && isnan(y)) ||
	       ((b->d == fmax || b->d == fmin) && (float)x == 0 && (float)y == 0);
}

static void one(const struct unary *u, double x)
{
	volatile float f = (float)x;
	double d;

	fresh();
	d = u->d(x);
	say("%r ~%d %D = %D %r", u->name, u->off, x, d, exceptions());
	if (u->l)
		say("%rl ~%d %D = %D", u->name, rounded_twice(u->off, u->l == sqrtl), x,
		    (double)u->l((long double)x));
	fresh();
	d = u->f(f);
	say("%rf ~%d %F = %F %r", u->name, u->off, (double)f, d, exceptions());
}

static void two(const struct binary *b, double x, double y)
{
	volatile float f = (float)x, g = (float)y;
	double d;

	fresh();
	d = b->d(x, y);
	say("%r ~%d %D %D = %D %r", b->name, b->off, x, y, d, exceptions());
	/* The next long double after a double is no double. */
	if (b->l && b->l != nextafterl) {
		d = (double)b->l((long double)x, (long double)y);
		say("%rl ~%d %D %D = %D", b->name, rounded_twice(b->off, b->l == fdiml), x, y, d);
	}
	fresh();
	d = b->f(f, g);
	say("%rf ~%d %F %F = %F %r", b->name, b->off, (double)f, (double)g, d, exceptions());
}

/* The i-th of a table with its opposites. */
static double pair(unsigned i)
{
	return i % 2 ? -pairs[i / 2] : pairs[i / 2];
}

/* Calls, whatever the compiler knows of them. */
static double (*volatile fused)(double, double, double) = fma;
static float (*volatile fused_float)(float, float, float) = fmaf;

static void three(double x, double y, double z)
{
	volatile float f = (float)x, g = (float)y, h = (float)z;
	double d;

	fresh();
	d = fused(x, y, z);
	/* Whether zero times infinity, plus a NaN, is invalid is open. */
	say("fma %D %D %D = %D %r", x, y, z, d, isnan(z) ? "-" : exceptions());
	fresh();
	d = fused_float(f, g, h);
	say("fmaf %F %F %F = %F %r", x, y, z, d, isnan(z) ? "-" : exceptions());
	/* Of long doubles the product of floats is exact, and so the rounding to a double at the
	 * end is the only one. */
	d = (double)fmal(f, g, h);
	say("fmal %F %F %F = %D", x, y, z, d);
}

static void all_fused(void)
{
	static const double some[] = { 0,     0x1p-1074, 0x1p-700, 0x1.0000000000001p0, 1.5, 3,
				       1e200, INFINITY,  NAN };
	struct test_random r = { 1 };

	for (unsigned i = 0; i < COUNT(some); i++) {
		for (unsigned j = 0; j < COUNT(some); j++) {
			for (unsigned k = 0; k < 2 * COUNT(some); k++)
				three(i % 2 ? -some[i] : some[i], some[j],
				      k % 2 ? -some[k / 2] : some[k / 2]);
		}
	}
	/* What rounding twice gets wrong: a sum beside the middle between two numbers. */
	for (unsigned i = 0; i < 300; i++) {
		double x = (double)(test_next(&r) >> 12 | 1) * 0x1p-52;
		double y = (double)(test_next(&r) >> 12 | 1) * 0x1p-52;

		three(x, y, -x * y);
		three(x, y, (i % 2 ? 1 : -1) * scalbn(1, (int)(i % 120) - 110));
	}
	three(0x1.000002p0, 0x1.000002p0, 0x1p-60);
	three(0x1.0000000000001p-1000, 0x1p-60, 0x1p-1074);
}

void cases_math(void)
{
	double x;

	for (unsigned f = 0; f < COUNT(unaries); f++) {
		for (unsigned i = 0; number(i, &x); i++)
			one(&unaries[f], x);
	}
	for (unsigned f = 0; f < COUNT(binaries); f++) {
		for (unsigned i = 0; i < 2 * COUNT(pairs); i++) {
			for (unsigned j = 0; j < 2 * COUNT(pairs); j++)
				if (!is_open(&binaries[f], pair(i), pair(j)))
					two(&binaries[f], pair(i), pair(j));
		}
	}
	all_fused();
}
