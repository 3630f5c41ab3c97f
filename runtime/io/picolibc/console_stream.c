/* console_stream.c - the console as the C library sees it: stdin, stdout and stderr. */
#include "library.h"

static int console_put(char c, FILE *f)
{
	(void)f;
	co_io_console_write(&c, 1);
	return (unsigned char)c;
}

static int flush(FILE *f)
{
	(void)f;
	co_io_console_flush();
	return 0;
}

static int console_get(FILE *f)
{
	int c = co_io_console_get();

	(void)f;
	return c >= 0 ? c : c == IO_CONSOLE_END ? _FDEV_EOF : _FDEV_ERR;
}

struct __file co_io_console[3] = {
	FDEV_SETUP_STREAM(NULL, console_get, NULL, _FDEV_SETUP_READ),
	FDEV_SETUP_STREAM(console_put, NULL, flush, _FDEV_SETUP_WRITE),
	FDEV_SETUP_STREAM(console_put, NULL, flush, _FDEV_SETUP_WRITE),
};

FILE *const stdin = &co_io_console[0];
FILE *const stdout = &co_io_console[1];
FILE *const stderr = &co_io_console[2];
