/*
 * base.h - the base of every header: C's types, C names in C++, compiler attributes.
 */
#ifndef COHART_DETAIL_BASE_H
#define COHART_DETAIL_BASE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * CO_BEGIN_C and CO_END_C enclose declarations of C functions, which keep their C names in C++.
 * CO_STATIC_ASSERT(constant, "why") is an error of compilation if the constant is 0; C11 and C++11
 * need both arguments.
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

/* Before a function whose result may be an error: the compiler warns of calls that ignore it. */
#define CO_MUST_CHECK __attribute__((warn_unused_result))
/* Before a function that never returns. */
#define CO_NORETURN __attribute__((noreturn))

#endif
