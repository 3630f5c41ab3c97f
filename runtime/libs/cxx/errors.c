/*
 * errors.c - what C++ calls where something is wrong, in a program without exceptions: the text of
 * the exception, and the end of the coroutine, as by co_panic(). Weak, since a C++ library throws.
 */
#include <stdarg.h>
#include <stdio.h>

#include <cohart/debug.h>

#include "cxx.h"

#define SAYS(name, text)            \
	REPLACEABLE void name(void) \
	{                           \
		co_panic(text);     \
	}
/* A function that the library calls with a text. */
#define SAYS_WHAT(name, text)                   \
	REPLACEABLE void name(const char *what) \
	{                                       \
		co_panic(text ": %s", what);    \
	}
/* With an error number. */
#define SAYS_ERROR(name, text)                                               \
	REPLACEABLE void name(int error)                                     \
	{                                                                    \
		co_panic(text ": error %d %s", error, co_error_name(error)); \
	}

SAYS(__cxa_pure_virtual, "a pure virtual function was called: of an object that is being made or "
			 "destroyed, or is no more")
SAYS(__cxa_deleted_virtual, "a deleted virtual function was called")
SAYS(__cxa_throw_bad_array_new_length, "std::bad_array_new_length: an array of such a size")
SAYS(_ZSt9terminatev, "std::terminate() was called")
SAYS(_ZSt17__throw_bad_allocv, "std::bad_alloc: there is no memory")
SAYS(_ZSt28__throw_bad_array_new_lengthv, "std::bad_array_new_length: an array of such a size")
SAYS(_ZSt16__throw_bad_castv, "std::bad_cast")
SAYS(_ZSt18__throw_bad_typeidv, "std::bad_typeid")
SAYS(_ZSt21__throw_bad_exceptionv, "std::bad_exception")
SAYS(_ZSt25__throw_bad_function_callv, "std::bad_function_call: the function is empty")
SAYS_WHAT(_ZSt19__throw_logic_errorPKc, "std::logic_error")
SAYS_WHAT(_ZSt20__throw_domain_errorPKc, "std::domain_error")
SAYS_WHAT(_ZSt24__throw_invalid_argumentPKc, "std::invalid_argument")
SAYS_WHAT(_ZSt20__throw_length_errorPKc, "std::length_error")
SAYS_WHAT(_ZSt20__throw_out_of_rangePKc, "std::out_of_range")
SAYS_WHAT(_ZSt21__throw_runtime_errorPKc, "std::runtime_error")
SAYS_WHAT(_ZSt19__throw_range_errorPKc, "std::range_error")
SAYS_WHAT(_ZSt22__throw_overflow_errorPKc, "std::overflow_error")
SAYS_WHAT(_ZSt23__throw_underflow_errorPKc, "std::underflow_error")
SAYS_ERROR(_ZSt20__throw_system_errori, "std::system_error")

/* Its number is std::future_errc's. */
REPLACEABLE void _ZSt20__throw_future_errori(int error)
{
	co_panic("std::future_error: %d", error);
}

REPLACEABLE void _ZSt24__throw_out_of_range_fmtPKcz(const char *format, ...)
{
	char what[120];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	co_panic("std::out_of_range: %s", what);
}

/* Of the library's assertions, -D_GLIBCXX_ASSERTIONS. */
REPLACEABLE void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line,
						       const char *function, const char *condition)
{
	co_panic("%s:%d: %s: %s does not hold", file, line, function, condition);
}
