/*
 * input.c - stdin on a host: a stream of the C library's that gets its bytes from ours, one by one,
 * so that the reader waits and not its hart. One reads at a time, unless it is by scanf().
 */
#include <stdio.h>
#include <stdio_ext.h>
#include <unistd.h>

#include "../../core/hook.h"
#include "../io.h"

int __wrap_fgetc(FILE *f);
int __wrap_getc(FILE *f);
int __wrap_getchar(void);
char *__wrap_fgets(char *s, int size, FILE *f);
size_t __wrap_fread(void *p, size_t size, size_t n, FILE *f);
ssize_t __wrap_read(int fd, void *p, size_t bytes);
extern __typeof__(__wrap_fgetc) __real_fgetc;
extern __typeof__(__wrap_fgets) __real_fgets;
extern __typeof__(__wrap_fread) __real_fread;
extern __typeof__(__wrap_read) __real_read;

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

CO_HOOKS = { .hart_boot = start_stdin };

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
	if (fd != STDIN_FILENO)
		return __real_read(fd, p, bytes);
	return co_io_input_read(p, bytes);
}
