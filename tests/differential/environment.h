/* environment.h - <fenv.h>, also where it has neither exceptions nor modes, as newlib's for Arm:
 * HAS_FENV is false there. */
#ifndef TESTS_DIFFERENTIAL_ENVIRONMENT_H
#define TESTS_DIFFERENTIAL_ENVIRONMENT_H

#include <fenv.h>

#ifdef FE_INVALID
#define HAS_FENV true
#else
#define HAS_FENV false
#define FE_INVALID 1
#define FE_DIVBYZERO 2
#define FE_OVERFLOW 4
#define FE_UNDERFLOW 8
#define FE_INEXACT 16
#define FE_TONEAREST 0
#define FE_DOWNWARD 1
#define FE_UPWARD 2
#define FE_TOWARDZERO 3
#endif

#endif
