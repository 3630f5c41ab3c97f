/*
 * main.c - a program on the host that takes itself for a machine: its command line, its harts, its
 * memory. On a board a loader and a boot ROM do this.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <hal/board.h>
#include <hal/cache.h>
#include <hal/cpu.h>

#include "host.h"

/*
 * The executor runs on the thread's own stack, not on the stack in its window: the C library keeps
 * thread-locals on the former, and a sanitizer's are large.
 */
#define THREAD_STACK_BYTES (1u << 20)

char **hal_host_words;

/*
 * Options of sanitizers unless the environment sets them: threads end with the program; a report of
 * a fault may allocate; no search for leaks, as pointers behind guard pages cannot be read.
 */
const char *__tsan_default_options(void);
const char *__asan_default_options(void);

const char *__tsan_default_options(void)
{
	return "atexit_sleep_ms=0:report_signal_unsafe=0";
}

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* Before the program's constructors, which the C library runs: their faults are reported, too. */
__attribute__((constructor(101))) static void prepare(void)
{
	hal_host_take_faults();
}

const char *hal_host_take_word(const char *name)
{
	size_t n = strlen(name);
	char **w = hal_host_words;
	const char *value;

	if (!w[0] || !w[1] || strncmp(w[1], name, n) != 0)
		return NULL;
	value = w[1] + n;
	w[1] = w[0];
	hal_host_words = w + 1;
	return value;
}

/* Hart 0 is the program's first thread. */
void hal_boot_enter(const struct hal_boot *rec)
{
	co_boot_hart(rec);
}

static void *run_hart(void *rec)
{
	co_boot_hart(rec);
}

int hal_host_start_thread(const struct hal_boot *rec)
{
	pthread_attr_t attr;
	pthread_t thread;
	void *arg = (void *)(uintptr_t)rec;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	r = pthread_create(&thread, &attr, run_hart, arg);
	pthread_attr_destroy(&attr);
	return -r;
}

void hal_cpu_halt(void)
{
	for (;;)
		pause();
}

/* One memory for all threads, kept coherent by the host. */
void hal_cache_clean(const void *p, size_t bytes)
{
	(void)p;
	(void)bytes;
}
