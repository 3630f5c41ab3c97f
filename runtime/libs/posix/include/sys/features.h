/* sys/features.h - the C library's, and what of POSIX there is besides: docs/posix.md. */
#pragma GCC system_header
#include_next <sys/features.h>

#if !defined(COHART_SYS_FEATURES_H) && __POSIX_VISIBLE
#define COHART_SYS_FEATURES_H

#define _POSIX_BARRIERS 200809L
#define _POSIX_CLOCK_SELECTION 200809L
#define _POSIX_CPUTIME 200809L
#define _POSIX_MONOTONIC_CLOCK 200809L
#define _POSIX_READER_WRITER_LOCKS 200809L
#define _POSIX_SEMAPHORES 200809L
#define _POSIX_SPIN_LOCKS 200809L
#define _POSIX_THREAD_ATTR_STACKSIZE 200809L
#define _POSIX_THREADS 200809L
#define _POSIX_TIMEOUTS 200809L
#define _POSIX_TIMERS 200809L

#endif
