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

#ifdef __cplusplus
#define CO_BEGIN_C extern "C" {
#define CO_END_C }
#define CO_STATIC_ASSERT static_assert
#else
#define CO_BEGIN_C
#define CO_END_C
#define CO_STATIC_ASSERT _Static_assert
#endif

/* Results that must be looked at. */
#define CO_MUST_CHECK __attribute__((warn_unused_result))
#define CO_NORETURN __attribute__((noreturn))

#endif
