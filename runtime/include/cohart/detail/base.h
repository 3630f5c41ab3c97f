/*
 * base.h - what every header needs: C's types, its names in C++, and what is asked of the
 * compiler.
 */
#ifndef COHART_DETAIL_BASE_H
#define COHART_DETAIL_BASE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Around declarations of C functions: they keep C's names in C++. CO_STATIC_ASSERT(what, "why")
 * stops the compiler where a constant is 0; in C11 and C++11 it wants both arguments.
 */
#ifdef __cplusplus
#define CO_BEGIN_C extern "C" {
#define CO_END_C }
#define CO_STATIC_ASSERT static_assert
#else
#define CO_BEGIN_C
#define CO_END_C
#define CO_STATIC_ASSERT _Static_assert
#endif

/* Before a function: its result says whether it failed, and a call that drops it is warned of. */
#define CO_MUST_CHECK __attribute__((warn_unused_result))
/* It never returns to its caller, on no path. */
#define CO_NORETURN __attribute__((noreturn))

#endif
