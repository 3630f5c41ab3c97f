/*
 * forms.c - functions of formatted output, made of the formatter (format.c), and of formatted
 * input, made of the scanner (scan.c).
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../wrapped.h"
#include "library.h"
#include "scan.h"

/* ---- Output ---- */

extern __typeof__(vsnprintf) __wrap_vsnprintf;
extern __typeof__(vsprintf) __wrap_vsprintf;
extern __typeof__(snprintf) __wrap_snprintf;
extern __typeof__(sprintf) __wrap_sprintf;
int __wrap_vasprintf(char **to, const char *format, va_list ap);
int __wrap_asprintf(char **to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_vdprintf(int fd, const char *format, va_list ap);
int __wrap_dprintf(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool write_stream(struct co_io_sink *s, size_t bytes)
{
	FILE *f = s->stream;

	if ((co_io_is_served(f) ? co_io_stream_write(f, s->memory, bytes)
				: __real_fwrite(s->memory, 1, bytes, f)) == bytes)
		return true;
	IO_FLAGS(f) |= __SERR;
	return false;
}

int co_io_vfprintf(FILE *f, const char *format, va_list ap)
{
	char few[128];
	struct co_io_sink s = { few, few + sizeof(few), 0, few, write_stream, f };
	int n = co_io_format(&s, format, ap);

	return s.at > few && !write_stream(&s, (size_t)(s.at - few)) ? -1 : n;
}

int co_io_vsnprintf(char *to, size_t room, const char *format, va_list ap)
{
	size_t most = UINTPTR_MAX - (uintptr_t)to; /* sprintf() gives more */
	struct co_io_sink s = { .at = to, .memory = to, .end = to };
	int n;

	if (room)
		s.end += room - 1 < most ? room - 1 : most;
	n = co_io_format(&s, format, ap);
	if (room)
		*s.at = '\0';
	return n;
}

int __wrap_vsnprintf(char *to, size_t room, const char *format, va_list ap)
{
	return co_io_vsnprintf(to, room, format, ap);
}

int __wrap_vsprintf(char *to, const char *format, va_list ap)
{
	return co_io_vsnprintf(to, SIZE_MAX, format, ap);
}

int __wrap_snprintf(char *to, size_t room, const char *format, ...)
{
	return IO_VARIADIC(format, co_io_vsnprintf(to, room, format, ap));
}

int __wrap_sprintf(char *to, const char *format, ...)
{
	return IO_VARIADIC(format, co_io_vsnprintf(to, SIZE_MAX, format, ap));
}

int __wrap_vasprintf(char **to, const char *format, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = co_io_vsnprintf(NULL, 0, format, again);
	va_end(again);
	*to = n < 0 ? NULL : malloc((size_t)n + 1);
	return *to ? co_io_vsnprintf(*to, (size_t)n + 1, format, ap) : -1;
}

int __wrap_asprintf(char **to, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vasprintf(to, format, ap));
}

int __wrap_vdprintf(int fd, const char *format, va_list ap)
{
	char *text;
	int n = __wrap_vasprintf(&text, format, ap);

	if (n > 0 && write(fd, text, (size_t)n) != n)
		n = -1;
	free(text);
	return n;
}

int __wrap_dprintf(int fd, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vdprintf(fd, format, ap));
}

/* ---- Input ---- */

extern __typeof__(vscanf) __wrap_vscanf;
extern __typeof__(fscanf) __wrap_fscanf;
extern __typeof__(scanf) __wrap_scanf;
extern __typeof__(vsscanf) __wrap_vsscanf;
extern __typeof__(sscanf) __wrap_sscanf;

int __wrap_vscanf(const char *format, va_list ap)
{
	return __wrap_vfscanf(stdin, format, ap);
}

int __wrap_fscanf(FILE *f, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vfscanf(f, format, ap));
}

int __wrap_scanf(const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vfscanf(stdin, format, ap));
}

int __wrap_vsscanf(const char *text, const char *format, va_list ap)
{
	struct co_io_source s = co_io_source_text(text);

	return co_io_scan(&s, format, ap);
}

int __wrap_sscanf(const char *text, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vsscanf(text, format, ap));
}
