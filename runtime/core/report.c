/*
 * report.c - text for people, straight to the console: no libc stream, no proxy, no waiting.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hal/console.h>
#include <hal/semihost.h>

#include "core.h"

static void add(struct co_text *t, const char *format, va_list args)
{
	int n = vsnprintf(t->buf + t->used, t->bytes - t->used, format, args);

	if (n < 0)
		return;
	t->used += (size_t)n;
	if (t->used >= t->bytes)
		t->used = t->bytes - 1;
}

void co_text_add(struct co_text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(t, format, args);
	va_end(args);
}

void co_text_who(struct co_text *t, unsigned hart, const struct co *c)
{
	if (hart < co_machine.harts)
		co_text_add(t, "hart %u (%s)", hart, co_role_name(co_hart_role(hart)));
	else
		co_text_add(t, "hart %u (booting)", hart);
	if (c)
		co_text_add(t, ", coroutine '%s'", co_name(c));
}

static void line(const char *start, const char *format, va_list args)
{
	char buf[512];
	struct co_text t = { buf, sizeof(buf) - 1, 0 };

	co_text_add(&t, "%s", start);
	add(&t, format, args);
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
