/*
 * atomic_backend.h - cohart/atomic.h for a program on the host: the compiler's builtins, orders and
 * all, so that ThreadSanitizer sees what pairs with what.
 */
#ifndef COHART_ATOMIC_BACKEND_H
#define COHART_ATOMIC_BACKEND_H

#include <cohart/detail/atomic_builtin.h>

#endif
