/*
 * exceptions.c - the exceptions that are under way or in a handler, which are a coroutine's. This
 * replaces a part of the C++ library, which has one list for all harts.
 */
#include <stdlib.h>

#include <cohart/coroutine.h>
#include <cohart/debug.h>

#include "cxx.h"

/* The C++ ABI's __cxa_eh_globals, with the field that Arm's ABI adds. */
struct exceptions {
	void *caught;
	unsigned uncaught;
	void *propagating;
};

struct of_coroutine {
	struct co_local local;
	struct exceptions exceptions;
};

static const char exceptions_key;
static _Thread_local struct exceptions of_hart; /* of handlers of messages */

static void forget(struct co_local *l, struct co *of, enum co_cleanup_why why)
{
	(void)of;
	if (why != CO_CLEANUP_HOST_DOWN) /* hart 0 cannot wait for the heap: the record is lost */
		free(l);
}

struct exceptions *__cxa_get_globals(void)
{
	struct of_coroutine *o;

	if (!co_self())
		return &of_hart;
	o = (struct of_coroutine *)co_local_find(&exceptions_key);
	if (!o) {
		o = calloc(1, sizeof(*o));
		CO_ASSERT_THAT(o, "there is memory for a coroutine's first exception");
		co_local_add(&o->local, &exceptions_key, forget);
	}
	return &o->exceptions;
}

struct exceptions *__cxa_get_globals_fast(void)
{
	return __cxa_get_globals();
}
