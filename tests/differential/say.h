/*
 * say.h - cases of the C library, of which a program of this PC and an image of a board say the
 * same, line by line.
 *
 * A line is the call, " = ", and what came of it; the call's name comes first. Nothing of it is
 * formatted by the library under test. Where a library may do one thing or another, the cases leave
 * it out.
 */
#ifndef TESTS_DIFFERENTIAL_SAY_H
#define TESTS_DIFFERENTIAL_SAY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A line. Of %, these are known: d int, l long long, x unsigned long long in hexadecimal, c int as
 * a character, s string, b bytes (const void *, int), e errno's name (int), S sign of an int, D
 * double's bits, F float's, w wide string, r string as it is.
 */
void say(const char *format, ...);
/* What goes into the next line first. */
void say_part(const char *format, ...);

/* What the machine has: a case that needs it is left out everywhere else. */
extern bool has_long64;    /* a long of 64 bits */
extern bool has_errno;     /* functions of <math.h> set errno */
extern bool has_fenv;      /* exceptions and rounding modes */
extern bool has_statics;   /* static results may be used: hart 0 */
extern const char *folder; /* where files may be made; ends with '/' */

/* Each group is a file. */
void cases_string(void);
void cases_search(void);
void cases_stdlib(void);
void cases_ctype(void);
void cases_wide(void);
void cases_time(void);
void cases_misc(void);
void cases_stdio(void);
void cases_math(void);
void cases_math2(void);
void cases_complex(void);

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* Where a pointer into s points; -1 for NULL. */
#define AT(p, s) ((int)((p) ? (p) - (s) : -1))

#endif
