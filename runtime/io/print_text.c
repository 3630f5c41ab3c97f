/*
 * print_text.c - formatted output, made by the caller and written as text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "print_ring.h"

int io_print_text(void *stream, const char *format, va_list ap)
{
	char few[IO_TEXT_BYTES];
	char *text = few;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(few, sizeof(few), format, ap);
	if (n >= (int)sizeof(few)) {
		text = malloc((size_t)n + 1);
		n = text ? vsnprintf(text, (size_t)n + 1, format, again) : -1;
	}
	va_end(again);
	if (n > 0 && io_write_any(stream, text, (size_t)n) != (size_t)n)
		n = -1;
	if (text != few)
		free(text);
	return n;
}
