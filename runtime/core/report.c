/* report.c - lines straight to the console, without libc streams, proxy or waits. */
#include <stdarg.h>

#include <hal/console.h>
#include <hal/semihost.h>

#include "core.h"

static void line(const char *start, const char *format, va_list args)
{
	char buf[512];
	struct co_text t = { buf, sizeof(buf) - 1, 0 };

	co_text_add(&t, "%s", start);
	co_text_addv(&t, format, args);
	buf[t.used++] = '\n';
	hal_console_write(buf, t.used);
}

void co_report(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line("", format, args);
	va_end(args);
}

void co_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line("cohart: ", format, args);
	va_end(args);
	hal_semihost_exit(1);
}
