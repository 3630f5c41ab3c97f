/*
 * library.c - the remaining functions that the headers of GCC's C++ library call out of line,
 * beside errors.c and thread.c: counts of std::shared_ptr and of exceptions. Weak, since a C++
 * library has all of it.
 */
#include <stdbool.h>

#include <cohart/atomic.h>

#include "cxx.h"

/* Is there but one thread? */
extern const char __libc_single_threaded;
REPLACEABLE const char __libc_single_threaded;

/* __gnu_cxx::__exchange_and_add(), __gnu_cxx::__atomic_add(); acq_rel: the last user destroys. */
REPLACEABLE int _ZN9__gnu_cxx18__exchange_and_addEPVii(struct co_a32 *count, int n)
{
	return (int)co_atomic_add(count, (uint32_t)n, CO_ACQ_REL);
}

REPLACEABLE void _ZN9__gnu_cxx12__atomic_addEPVii(struct co_a32 *count, int n)
{
	co_atomic_add(count, (uint32_t)n, CO_ACQ_REL);
}

/* std::_Sp_make_shared_tag::_S_eq(): is it the type of that tag? There are no types at run time. */
REPLACEABLE bool _ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info(const void *type)
{
	(void)type;
	return false;
}

/* Is an exception under way, and how many are? There are none without the library. */
REPLACEABLE bool _ZSt18uncaught_exceptionv(void)
{
	return false;
}

REPLACEABLE int _ZSt19uncaught_exceptionsv(void)
{
	return 0;
}
