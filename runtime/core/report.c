/* report.c - lines straight to the console, without libc streams, proxy or waits; and failures. */
#include <stdarg.h>

#include <hal/console.h>
#include <hal/guard.h>
#include <hal/host.h>

#include "core.h"
#include "hook.h"

size_t co_readable(const void *p, size_t most)
{
	uintptr_t map = co_executor.map;
	size_t n = map ? 0 : most;

	while (n < most) {
		size_t here;
		unsigned rights = hal_map_rights(map, (uintptr_t)p + n, &here);

		if ((rights & (HAL_MAP_READ | HAL_MAP_IS_DEVICE)) != HAL_MAP_READ)
			break;
		n += co_least(here, most - n);
	}
	return n;
}

struct co_a32 co_console_mid_line;

static void line(const char *start, const char *format, va_list args)
{
	char buf[512];
	struct co_text t = { buf, sizeof(buf) - 1, 0 };

	/* relaxed, both: the console's hart writes it; one that is about to stop guesses. */
	if (co_atomic_load(&co_console_mid_line, CO_RELAXED) && *format != '\n' &&
	    !co_options.console_none)
		co_text_add(&t, "\n");
	co_atomic_store(&co_console_mid_line, 0, CO_RELAXED);
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

_Noreturn static void die(const char *format, va_list args)
{
	line("cohart: ", format, args);
	hal_host_exit(1);
}

void co_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	die(format, args);
}

_Noreturn static void fail(void *frame, const char *what, const char *format, va_list args)
{
	co_panic_fn *const *hook = __panic_start;

	if (hook < __panic_end)
		(*hook)(format, args, frame, what);
	die(format, args);
}

void co_fail_at(void *frame, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(frame ? frame : __builtin_frame_address(0), "a panic", format, args);
}

_Noreturn static void assert_failed(void *frame, const char *what, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(frame, what, format, args);
}

void co_assert_failed(const char *what, const char *file, int line)
{
	assert_failed(__builtin_frame_address(0), what, "%s:%d: assertion failed: %s", file, line,
		      what);
}

#ifdef CO_DEBUG
/* The name is GCC's: -fsanitize=integer-divide-by-zero looks at each divisor. */
CO_NORETURN void __ubsan_handle_divrem_overflow(void *where, void *left, void *right);

void __ubsan_handle_divrem_overflow(void *where, void *left, void *right)
{
	(void)where;
	(void)left;
	(void)right;
	co_fail("a division by zero");
}
#endif
