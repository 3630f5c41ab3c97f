/*
 * atomic_backend.h - cohart/atomic.h for a program on the host: the compiler's builtins with their
 * orders, so that ThreadSanitizer sees which accesses pair.
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#include <cohart/detail/atomic_builtin.h>

#endif
