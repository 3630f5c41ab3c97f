/*
 * reent.c - newlib's struct _reent (errno, strtok()'s place, rand()'s seed, the numbers that
 * printf() works with, ...), for each hart.
 *
 * The library as it is packaged finds it through one pointer, _impure_ptr, at an address that its
 * code has. That pointer has a page to itself, which each hart's map gives memory of the hart's own
 * (hal_map_own()): so every function of the library works on the struct of the hart it runs on,
 * which is a thread-local. errno is kept over switches as with any library; so it is a coroutine's.
 *
 * The package is built without locks. None is missed: shared state (streams, heap, files) is hart
 * 0's, and no coroutine leaves it halfway between two waits. State that one hart's coroutines share
 * is whole whenever a call waits, which most calls do only to take memory.
 */
#include <reent.h>

#include "../../core/boot/process.h"
#include "../../core/hook.h"
#include "library.h"

#define STREAMS                                                                                  \
	._stdin = &co_io_console[0], ._stdout = &co_io_console[1], ._stderr = &co_io_console[2], \
	.__sdidinit = 1

/*
 * Boot's, and where the library has its list of open streams; each rank has
 * its own of these (cohart/process.h).
 */
static CO_PER_RANK struct _reent common = { STREAMS };

struct _reent *_impure_ptr __attribute__((section(".own"))) = &common;
struct _reent *const _global_impure_ptr = &common;

static _Thread_local struct _reent mine;

static void start_hart(unsigned hart)
{
	/* The standard's first state of rand() and drand48(). */
	static const struct _rand48 r48 = {
		._seed = { _RAND48_SEED_0, _RAND48_SEED_1, _RAND48_SEED_2 },
		._mult = { _RAND48_MULT_0, _RAND48_MULT_1, _RAND48_MULT_2 },
		._add = _RAND48_ADD,
	};

	(void)hart;
	mine = (struct _reent){ STREAMS };
	mine._new._reent._rand_next = 1;
	mine._new._reent._r48 = r48;
	_impure_ptr = &mine;
}

CO_HOOKS = { .hart_boot = start_hart };
