/*
 * os_defines.h - the properties of the system that GCC's C++ library asks for: threads
 * (gthr-default.h), clocks, thread-locals.
 */
#ifndef _GLIBCXX_OS_DEFINES
#define _GLIBCXX_OS_DEFINES 1

#define _GLIBCXX_HAS_GTHREADS 1
#define _GLIBCXX_GTHREAD_USE_WEAK 0
#define _GLIBCXX_HAVE_TLS 1
#define _GLIBCXX_USE_CLOCK_MONOTONIC 1
#define _GLIBCXX_USE_CLOCK_REALTIME 1
#define _GLIBCXX_USE_SCHED_YIELD 1

/* Where no library is linked, the program has its strings from the headers. */
#if !defined(__cpp_exceptions) && !defined(__cpp_rtti)
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif

#endif
