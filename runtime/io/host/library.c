/*
 * library.c - stdio and the end of the run on a host. stdout and stderr are the console's, all
 * other streams the C library's own. stdin is a stream of the library's that gets its bytes from
 * ours, one by one, so that the reader waits and not its hart; one reads at a time, unless it is by
 * scanf().
 */
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

#include <cohart/debug.h>

#include "../../core/hook.h"
#include "../wrapped.h"
#include "library.h"

ssize_t __wrap_read(int fd, void *p, size_t bytes);
extern __typeof__(__wrap_read) __real_read;
_Noreturn void __real_exit(int code);
_Noreturn void __wrap_exit(int code);
_Noreturn void __wrap_abort(void);
void __call_exitprocs(int code, void *unused);
_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned line,
				    const char *function);

/* ---- Output ---- */

size_t co_io_stream_write(FILE *f, const void *p, size_t bytes)
{
	(void)f;
	co_io_console_write(p, bytes);
	return bytes;
}

int __wrap_fputc(int c, FILE *f)
{
	return co_io_putc(c, f);
}

int co_io_vsnprintf(char *to, size_t room, const char *format, va_list ap)
{
	return vsnprintf(to, room, format, ap);
}

int __wrap_vfprintf(FILE *f, const char *format, va_list ap)
{
	return co_io_is_served(f) ? co_io_print_text(f, format, ap)
				  : __real_vfprintf(f, format, ap);
}

int __wrap_printf(const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vfprintf(stdout, format, ap));
}

int __wrap_fflush(FILE *f)
{
	if (!f || co_io_is_served(f))
		co_io_flush_line();
	return co_io_is_served(f) ? 0 : __real_fflush(f);
}

/* ---- Input ---- */

static ssize_t read_some(void *unused, char *to, size_t bytes)
{
	(void)unused;
	return co_io_input_take(to, bytes);
}

static void start_stdin(unsigned hart)
{
	FILE *f;

	if (hart)
		return;
	f = fopencookie(NULL, "r", (cookie_io_functions_t){ .read = read_some });
	if (!f)
		co_die("no memory for a stream");
	setvbuf(f, NULL, _IONBF, 0);
	__fsetlocking(f, FSETLOCKING_BYCALLER);
	stdin = f;
}

bool co_io_input_pushed_back(void)
{
	return stdin->_IO_read_ptr != stdin->_IO_read_end;
}

/* A call of the library's, alone if it reads stdin; `failed` if it cannot be. */
#define ALONE(f, failed, call)                                                      \
	({                                                                          \
		__typeof__(call) r_ = (failed);                                     \
		if ((f) != stdin || co_io_input_lock())                             \
			r_ = (call), (f) == stdin ? co_io_input_unlock() : (void)0; \
		r_;                                                                 \
	})

int __wrap_fgetc(FILE *f)
{
	return ALONE(f, EOF, __real_fgetc(f));
}

int __wrap_getc(FILE *f)
{
	return __wrap_fgetc(f);
}

int __wrap_getchar(void)
{
	return __wrap_fgetc(stdin);
}

char *__wrap_fgets(char *s, int size, FILE *f)
{
	return ALONE(f, NULL, __real_fgets(s, size, f));
}

size_t __wrap_fread(void *p, size_t size, size_t n, FILE *f)
{
	return ALONE(f, 0, __real_fread(p, size, n, f));
}

ssize_t __wrap_read(int fd, void *p, size_t bytes)
{
	return fd == STDIN_FILENO ? co_io_input_read(p, bytes) : __real_read(fd, p, bytes);
}

/* ---- The end ---- */

static void flush_at_end(void)
{
	(void)__real_fflush(NULL);
}

/* After all exit handlers, which may have printed. */
static __attribute__((destructor)) void put_out_the_rest(void)
{
	co_machine.exits = true;
	co_hooks_call(run_ends);
}

static intptr_t serve_exit(intptr_t *w)
{
	__real_exit((int)w[0]);
}

/* Exit handlers run on hart 0, on whichever hart the run is ended. */
void __wrap_exit(int code)
{
	for (;;)
		co_io_call(serve_exit, code, 0, 0);
}

/* Called at the end of main() by core/sched/shutdown.c. */
void __call_exitprocs(int code, void *unused)
{
	(void)unused;
	__wrap_exit(code);
}

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

CO_HOOKS = { .hart_boot = start_stdin, .run_ends = flush_at_end };

#ifdef CO_DEBUG
/* The PC's heap is the sanitizer's to check. */
void co_debug_check_heap(void)
{
	co_spm_check();
}
#endif
