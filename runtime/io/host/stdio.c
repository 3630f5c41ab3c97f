/* stdio.c - stdout and stderr on a host: the console's. All others are the C library's own. */
#include <cohart/proxy.h>

#include "../../core/hook.h"
#include "../wrapped.h"
#include "library.h"

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

static intptr_t serve_flush(void *arg)
{
	(void)arg;
	co_io_console_flush();
	return 0;
}

int __wrap_fflush(FILE *f)
{
	if (!f || co_io_is_served(f))
		co_proxy_call(serve_flush, NULL);
	return co_io_is_served(f) ? 0 : __real_fflush(f);
}

static void flush_at_end(void)
{
	(void)__real_fflush(NULL);
}

CO_HOOKS = { .run_ends = flush_at_end };
