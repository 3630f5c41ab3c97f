/* shutdown.c - the end of the run, when main() has returned. */
#include <hal/host.h>

#include "../core.h"
#include "../hook.h"
#include "../memory/image.h"

/*
 * The C library's: runs what atexit() was given; not there if nothing was. On a PC it ends the run.
 */
void __call_exitprocs(int code, void *unused) __attribute__((weak));

/* Have all coroutines end, and list the ones that have not. */
static void shut_down(void)
{
	unsigned live;

	co_atomic_or(&co_self()->refs, CO_SERVICE, CO_RELAXED); /* it is not to be ended */
	live = co_end_others ? co_end_others() : 0;
	co_machine.is_over = true;
	co_hooks_call(run_ends);
	if (!live)
		co_spm_check_end();
	/* A deadlock of an atexit() function is main's. */
	co_atomic_and(&co_self()->refs, ~CO_SERVICE, CO_RELAXED);
}

void co_run_end(int code, bool handlers)
{
	if (handlers && __call_exitprocs && !co_has_ranks()) /* else they are ranks' */
		__call_exitprocs(code, NULL);
	co_machine.exits = true;
	co_hooks_call(run_ends);
	hal_host_exit(code);
}

void co_main_ended(int code)
{
	shut_down();
	co_run_end(code, true);
}
