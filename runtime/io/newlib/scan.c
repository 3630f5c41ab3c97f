/* scan.c - the forms of scanf(), and stdin's. */
#include "../wrapped.h"
#include "library.h"

extern __typeof__(vscanf) __wrap_vscanf;
extern __typeof__(fscanf) __wrap_fscanf;
extern __typeof__(scanf) __wrap_scanf;

/* Bytes of stdin: the library would take a reader's cancel for an error of the stream. */
static int scan_read(struct _reent *r, void *cookie, char *s, int bytes)
{
	int c = co_io_getc(cookie);

	(void)r;
	(void)bytes;
	*s = (char)c;
	return c == EOF ? 0 : 1;
}

int co_io_stream_scan(FILE *f, const char *format, va_list ap)
{
	/* A stream of the caller's own. */
	FILE own = { ._flags = __SRD | __SNBF, ._file = -1, ._read = scan_read, ._cookie = f };
	int r;

	if (!co_io_is_input(f))
		return __real_vfscanf(f, format, ap);
	own._p = own._bf._base = own._nbuf;
	own._bf._size = sizeof(own._nbuf);
	r = __real_vfscanf(&own, format, ap);
	if (own._r > 0)
		__real_ungetc(*own._p, f);
	return r;
}

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
