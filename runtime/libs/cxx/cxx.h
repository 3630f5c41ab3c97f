/*
 * cxx.h - what compiled C++ calls, by the names of its ABI (Itanium's, and Arm's). No program names
 * these functions; the C++ compiler has their prototypes.
 */
#ifndef COHART_CXX_H
#define COHART_CXX_H

#include <cohart/detail/base.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* A program may have its own of this name, and gets that. */
#define REPLACEABLE __attribute__((weak))

#endif
