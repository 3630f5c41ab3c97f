/* math2.c - functions of <math.h> with whole numbers in or out, or with two results, and its
 * macros. */
#include "numbers.h"

double jn(int, double), yn(int, double), lgamma_r(double, int *);
float jnf(int, float), ynf(int, float), lgammaf_r(float, int *);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
int finite(double), finitef(float);

/* What does not fit a long of 32 bits is left to those of 64. */
static bool fits(double x)
{
	return has_long64 || fabs(x) < 2147483646.0;
}

/* Where a result does not fit, it is anything, and invalid is raised. */
static void said_whole(const char *name, double x, long long r)
{
	if (fabs(x) < 0x1p63)
		say("%r %D = %l %r", name, x, r, exceptions());
	else
		say("%r %D = out %r", name, x, exceptions());
}

#define WHOLE(name, x) said_whole(#name, (double)(x), (fresh(), (long long)name(x)))

static void whole(double x)
{
	volatile float f = (float)x;
	volatile long double l = x;

	if (fits(x) && fits((float)x)) {
		WHOLE(lrint, x);
		WHOLE(lrintf, f);
		WHOLE(lrintl, l);
		WHOLE(lround, x);
		WHOLE(lroundf, f);
		WHOLE(lroundl, l);
	}
	WHOLE(llrint, x);
	WHOLE(llrintf, f);
	WHOLE(llrintl, l);
	WHOLE(llround, x);
	WHOLE(llroundf, f);
	WHOLE(llroundl, l);
}

static void classes(double x)
{
	volatile float f = (float)x;
	const long double l = x;

	say("isfinite %D = %d %d %d", x, !!isfinite(x), !!isfinite(f), !!isfinite(l));
	say("isinf %D = %d %d %d", x, !!isinf(x), !!isinf(f), !!isinf(l));
	say("isnan %D = %d %d %d", x, !!isnan(x), !!isnan(f), !!isnan(l));
	say("isnormal %D = %d %d", x, !!isnormal(x), !!isnormal(f));
	if (!isnan(x)) /* whose sign is lost where it becomes a float */
		say("signbit %D = %d %d %d", x, !!signbit(x), !!signbit(f), !!signbit(l));
	say("fpclassify %D = %d %d", x,
	    (int)(fpclassify(x) == FP_NAN) + 2 * (fpclassify(x) == FP_INFINITE) +
		    4 * (fpclassify(x) == FP_ZERO) + 8 * (fpclassify(x) == FP_SUBNORMAL) +
		    16 * (fpclassify(x) == FP_NORMAL),
	    (int)(fpclassify(f) == FP_NAN) + 2 * (fpclassify(f) == FP_INFINITE) +
		    4 * (fpclassify(f) == FP_ZERO) + 8 * (fpclassify(f) == FP_SUBNORMAL) +
		    16 * (fpclassify(f) == FP_NORMAL));
	say("finite %D = %d %d", x, !!(finite)(x), !!(finitef)(f));
	say("isinf() %D = %d %d", x, !!(isinf)(x), !!(isnan)(x));
	say("isinff %D = %d %d", x, !!(isinff)(f), !!(isnanf)(f));
}

static void order(double x, double y)
{
	fresh();
	say("isgreater %D %D = %d%d%d%d%d%d %r", x, y, isgreater(x, y), isgreaterequal(x, y),
	    isless(x, y), islessequal(x, y), islessgreater(x, y), isunordered(x, y), exceptions());
}

static void parts(double x)
{
	volatile float f = (float)x;
	double d = 0, d2 = 0;
	long double l = 0;
	float g = 0, g2 = 0;
	int e = 0, limit = isfinite(x) ? 1 : 0;

	d = frexp(x, &e);
	say("frexp %D = %D %d", x, d, e * limit);
	g = frexpf(f, &e);
	say("frexpf %F = %F %d", (double)f, (double)g, isfinite(f) ? e : 0);
	d = (double)frexpl(x, &e);
	say("frexpl %D = %D %d", x, d, e * limit);
	fresh();
	d = modf(x, &d2);
	say("modf %D = %D %D %r", x, d, d2, exceptions());
	g = modff(f, &g2);
	say("modff %F = %F %F", (double)f, (double)g, (double)g2);
	d = (double)modfl(x, &l);
	say("modfl %D = %D %D", x, d, (double)l);
	fresh();
	e = ilogb(x);
	if (x != 0 && limit)
		say("ilogb %D = %d %r", x, e, exceptions());
	else
		say("ilogb %D = %d", x, e == FP_ILOGB0 || e == FP_ILOGBNAN || e == INT32_MAX);
	if (f != 0 && isfinite(f))
		say("ilogbf %F = %d", (double)f, ilogbf(f));
	if (x != 0 && limit)
		say("ilogbl %D = %d", x, ilogbl(x));
	sincos(x, &d, &d2);
	say("sincos ~1 %D = %D", x, d);
	say("sincos.cos ~1 %D = %D", x, d2);
	sincosf(f, &g, &g2);
	say("sincosf ~1 %F = %F", (double)f, (double)g);
	say("sincosf.cos ~1 %F = %F", (double)f, (double)g2);
	/* The sign of what is infinite at a pole is anyone's. */
	d = lgamma_r(x, &e);
	say("lgamma_r ~8 %D = %D", x, d);
	if (isfinite(x) && (x > 0 || fmod(x, 1) != 0))
		say("lgamma_r.sign %D = %d", x, e);
	g = lgammaf_r(f, &e);
	say("lgammaf_r ~8 %F = %F", (double)f, (double)g);
	if (isfinite(f) && (f > 0 || fmodf(f, 1) != 0))
		say("lgammaf_r.sign %F = %d", (double)f, e);
	d = lgamma(x);
	if (isfinite(x) && (x > 0 || fmod(x, 1) != 0))
		say("signgam %D = %d", x, signgam);
}

static void scaled(double x)
{
	static const int by[] = { 0,     1,    -1,    52,    -53,    130,        -150,       1000,
				  -1074, 2000, -2100, 50000, -50000, 2147483647, -2147483647 };

	for (unsigned i = 0; i < COUNT(by); i++) {
		volatile float f = (float)x;
		const int n = by[i];
		double d;

		fresh();
		d = ldexp(x, n);
		say("ldexp %D %d = %D %r", x, n, d, exceptions());
		fresh();
		d = scalbn(x, n);
		say("scalbn %D %d = %D %r", x, n, d, exceptions());
		say("scalbln %D %d = %D", x, n, scalbln(x, n));
		fresh();
		d = ldexpf(f, n);
		say("ldexpf %F %d = %F %r", (double)f, n, d, exceptions());
		say("scalbnf %F %d = %F", (double)f, n, (double)scalbnf(f, n));
		say("scalblnf %F %d = %F", (double)f, n, (double)scalblnf(f, n));
		/* Rounded once: not where a double would be subnormal. */
		if (n > -150 || n < -4000) {
			say("ldexpl %D %d = %D", x, n, (double)ldexpl(x, n));
			say("scalbnl %D %d = %D", x, n, (double)scalbnl(x, n));
			say("scalblnl %D %d = %D", x, n, (double)scalblnl(x, n));
		}
	}
}

static void quotients(double x, double y)
{
	volatile float f = (float)x, g = (float)y;
	int q = 0;
	double d;

	/* Of the quotient three bits are promised, and its sign; none without a remainder. */
	fresh();
	d = remquo(x, y, &q);
	say("remquo %D %D = %D %d %r", x, y, d, isnan(d) ? 0 : q % 8, exceptions());
	q = 0;
	d = remquof(f, g, &q);
	say("remquof %F %F = %F %d", (double)f, (double)g, d, isnan(d) ? 0 : q % 8);
	q = 0;
	d = (double)remquol(x, y, &q);
	say("remquol %D %D = %D %d", x, y, d, isnan(d) ? 0 : q % 8);
	d = nexttoward(x, (long double)y);
	say("nexttoward %D %D = %D", x, y, d);
	d = nexttowardf(f, (long double)y);
	say("nexttowardf %F %D = %F", (double)f, y, d);
}

static void modes(double x)
{
	static const struct {
		int mode;
		const char *name;
	} all[] = { { FE_DOWNWARD, "down" }, { FE_UPWARD, "up" }, { FE_TOWARDZERO, "zero" } };

	for (unsigned i = 0; i < COUNT(all); i++) {
		volatile double v = x;
		volatile float f = (float)x;
		/* Inline functions are not to move past the change of the mode. */
		volatile double r, n, s;
		volatile long long w, l;
		volatile float g, h;
		int got;

		got = fesetround(all[i].mode) || fegetround() != all[i].mode;
		r = rint(v);
		n = nearbyint(v);
		s = sqrt(v);
		w = isfinite(v) && fabs(v) < 0x1p62 ? llrint(v) : 0;
		l = isfinite(v) && fabs(v) < 2147483000 ? lrint(v) : 0;
		g = rintf(f);
		h = nearbyintf(f);
		fesetround(FE_TONEAREST);
		say("rint.%r %D = %D %D %l %d", all[i].name, x, r, n, w, got);
		say("lrint.%r %D = %l", all[i].name, x, l);
		say("rintf.%r %D = %F %F", all[i].name, x, (double)g, (double)h);
		say("sqrt.%r %D = %D", all[i].name, x, s);
		fesetround(all[i].mode);
		r = floor(v);
		n = ceil(v);
		s = round(v);
		fesetround(FE_TONEAREST);
		say("floor.%r %D = %D %D %D", all[i].name, x, r, n, s);
	}
}

void cases_math2(void)
{
	static const double some[] = { 0,
				       0x1p-1074,
				       1e-300,
				       0.3,
				       0.5,
				       1,
				       1.5,
				       2.5,
				       7,
				       1e10,
				       0x1p53,
				       0x1.fffffep127,
				       0x1.fffffffffffffp1023,
				       INFINITY,
				       NAN };
	double x;

	for (unsigned i = 0; number(i, &x); i++) {
		whole(x);
		classes(x);
		parts(x);
		if (has_fenv)
			modes(x);
	}
	for (unsigned i = 0; i < 2 * COUNT(some); i++) {
		x = i % 2 ? -some[i / 2] : some[i / 2];
		scaled(x);
		for (unsigned j = 0; j < 2 * COUNT(some); j++) {
			double y = j % 2 ? -some[j / 2] : some[j / 2];

			order(x, y);
			quotients(x, y);
		}
		for (int n = -3; n < 20; n += 2) {
			say("jn ~30 %d %D = %D", n, x, jn(n, x));
			say("yn ~30 %d %D = %D", n, x, yn(n, x));
			say("jnf ~30 %d %F = %F", n, x, (double)jnf(n, (float)x));
			say("ynf ~30 %d %F = %F", n, x, (double)ynf(n, (float)x));
		}
	}
	say("nan = %d %d %d", isnan(nan("")), isnan(nanf("1")), isnan(nanl("")));
}
