/* console_stream.c - the console as the C library sees it: stdin, stdout and stderr. */
#include "library.h"

static int console_write(struct _reent *r, void *cookie, const char *s, int bytes)
{
	(void)r;
	(void)cookie;
	co_io_console_write(s, (size_t)bytes);
	return bytes;
}

static int console_read(struct _reent *r, void *cookie, char *s, int bytes)
{
	int c = co_io_console_get();

	(void)r;
	(void)cookie;
	(void)bytes; /* as many as there is room for: a byte will do */
	if (c < 0)
		return c == IO_CONSOLE_END ? 0 : -1;
	*s = (char)c;
	return 1;
}

/* Without a buffer but the one byte that the library wants. */
#define CONSOLE(n, flags, ...)                                                                  \
	{                                                                                       \
		._flags = __SNBF | (flags), ._file = (n), ._p = co_io_console[n]._nbuf,         \
		._bf = { co_io_console[n]._nbuf, 1 }, ._cookie = &co_io_console[n], __VA_ARGS__ \
	}

__FILE co_io_console[3] = {
	CONSOLE(0, __SRD, ._read = console_read),
	CONSOLE(1, __SWR, ._write = console_write),
	CONSOLE(2, __SWR, ._write = console_write),
};
