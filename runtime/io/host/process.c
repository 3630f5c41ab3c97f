/* process.c - the end of the run on a host. */
#include <stdlib.h>

#include <cohart/debug.h>

#include "../../core/hook.h"
#include "../io.h"

_Noreturn void __real_exit(int code);

_Noreturn void __wrap_exit(int code);
_Noreturn void __wrap_abort(void);
_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned line,
				    const char *function);

static intptr_t serve_exit(intptr_t *w)
{
	__real_exit((int)w[0]);
}

/* After all exit handlers, which may have printed. */
static __attribute__((destructor)) void put_out_the_rest(void)
{
	co_hooks_call(run_ends);
}

/* Exit handlers run on hart 0, on whichever hart the run is ended. */
void __wrap_exit(int code)
{
	for (;;)
		co_io_call(serve_exit, code, 0, 0, 0);
}

CO_HOOKS = { .exit = __wrap_exit };

void __wrap_abort(void)
{
	co_fail("abort() was called");
}

/* What assert() calls; the library's own would end the program, not the coroutine. */
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	(void)function;
	co_assert_failed(what, file, (int)line);
}
