/* panic.c - a panic of the program's: its format may have all that printf() knows. */
#include <stdarg.h>
#include <stdio.h>

#include <cohart/debug.h>

#include "../core/core.h"

void co_panic(const char *format, ...)
{
	char what[256];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	co_fail_at(__builtin_frame_address(0), "%s", what);
}
