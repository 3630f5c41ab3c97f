/* complex.c - <complex.h>: what of two parts is near is near in units of the larger one's last
 * place. */
#include <complex.h>

#include "numbers.h"

/* As CMPLX(), which not every library has. */
#define MADE(x, y) __builtin_complex((double)(x), (double)(y))
#define MADEF(x, y) __builtin_complex((float)(x), (float)(y))
#define MADEL(x, y) __builtin_complex((long double)(x), (long double)(y))

/* What not every library declares. */
typedef long double complex complexes(long double complex);
complexes cacosl, cacoshl, casinl, casinhl, catanl, catanhl, ccosl, ccoshl, cexpl, clogl, conjl,
	cprojl, csinl, csinhl, csqrtl, ctanl, ctanhl;
long double complex cpowl(long double complex, long double complex);

struct unary {
	const char *name;
	double complex (*d)(double complex);
	float complex (*f)(float complex);
	long double complex (*l)(long double complex);
	int off;
};
struct real {
	const char *name;
	double (*d)(double complex);
	float (*f)(float complex);
	long double (*l)(long double complex);
	int off;
};
#define F3(name) #name, name, name##f, name##l

static const struct unary unaries[] = {
	{ F3(cacos), 8 },  { F3(cacosh), 8 }, { F3(casin), 8 }, { F3(casinh), 8 }, { F3(catan), 8 },
	{ F3(catanh), 8 }, { F3(ccos), 4 },   { F3(ccosh), 4 }, { F3(cexp), 4 },   { F3(clog), 4 },
	{ F3(conj), 0 },   { F3(cproj), 0 },  { F3(csin), 4 },  { F3(csinh), 4 },  { F3(csqrt), 4 },
	{ F3(ctan), 8 },   { F3(ctanh), 8 },
};
static const struct real reals[] = {
	{ F3(cabs), 1 },
	{ F3(carg), 1 },
	{ F3(creal), 0 },
	{ F3(cimag), 0 },
};

static const double some[] = { 0,  1e-300, 0x1p-30, 0.5,  1,      1.5,   0x1.921fb54442d18p0,
			       3,  20,     800,     1e10, 0x1p53, 1e200, INFINITY,
			       NAN };

/* Neither small nor large. */
static const char *range(double x, double y)
{
	return fabs(x) > 0.01 && fabs(x) < 100 && fabs(y) > 0.01 && fabs(y) < 100 ? "" : ".far";
}

static void one(const struct unary *u, double x, double y)
{
	const float f = (float)x, g = (float)y;
	double complex d = u->d(MADE(x, y));
	float complex c = u->f(MADEF(f, g));
	long double complex l = u->l(MADEL(x, y));

	say("%r%r ~%d %D %D = %D %D", u->name, range(x, y), u->off, x, y, creal(d), cimag(d));
	say("%rf%r ~%d %F %F = %F %F", u->name, range(x, y), u->off, x, y, (double)crealf(c),
	    (double)cimagf(c));
	say("%rl%r ~%d %D %D = %D %D", u->name, range(x, y), u->off, x, y, (double)creall(l),
	    (double)cimagl(l));
}

static void real(const struct real *r, double x, double y)
{
	const float f = (float)x, g = (float)y;

	say("%r ~%d %D %D = %D", r->name, r->off, x, y, r->d(MADE(x, y)));
	say("%rf ~%d %F %F = %F", r->name, r->off, x, y, (double)r->f(MADEF(f, g)));
	say("%rl ~%d %D %D = %D", r->name, r->off, x, y, (double)r->l(MADEL(x, y)));
}

static void powers(void)
{
	static const double parts[] = { -2.5, -1, 0.5, 1, 3 };

	for (unsigned i = 0; i < 625; i++) {
		double a = parts[i % 5], b = parts[i / 5 % 5], c = parts[i / 25 % 5],
		       d = parts[i / 125];
		double complex p = cpow(MADE(a, b), MADE(c, d));
		float complex q = cpowf(MADEF((float)a, (float)b), MADEF((float)c, (float)d));
		long double complex r = cpowl(MADEL(a, b), MADEL(c, d));

		say("cpow ~32 %D %D %D %D = %D %D", a, b, c, d, creal(p), cimag(p));
		say("cpowf ~64 %D %D %D %D = %F %F", a, b, c, d, (double)crealf(q),
		    (double)cimagf(q));
		say("cpowl ~32 %D %D %D %D = %D %D", a, b, c, d, (double)creall(r),
		    (double)cimagl(r));
	}
}

void cases_complex(void)
{
	for (unsigned i = 0; i < 4 * COUNT(some) * COUNT(some); i++) {
		double x = some[i / 4 % COUNT(some)], y = some[i / 4 / COUNT(some)];

		x = i % 2 ? -x : x;
		y = i & 2 ? -y : y;
		for (unsigned f = 0; f < COUNT(unaries); f++)
			one(&unaries[f], x, y);
		for (unsigned f = 0; f < COUNT(reals); f++)
			real(&reals[f], x, y);
	}
	powers();
}
