/*
 * gthr-default.h - what GCC's C++ library takes for threads: POSIX's, which are coroutines here. So
 * std::mutex and its kin wait as coroutines do, and std::shared_ptr counts by atomics.
 */
#include <bits/gthr-posix.h>
