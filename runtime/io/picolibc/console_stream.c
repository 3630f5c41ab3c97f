/*
 * console_stream.c - the console as the C library sees it: stdin, stdout and stderr.
 */
#include "picolibc.h"

static int put(char c, FILE *f)
{
	(void)f;
	io_console_write(&c, 1);
	return (unsigned char)c;
}

static int flush(FILE *f)
{
	(void)f;
	io_console_flush();
	return 0;
}

static int get(FILE *f)
{
	static unsigned char input[128];
	static size_t length, next;

	(void)f;
	if (next == length) {
		intptr_t n = io_console_read(input, sizeof(input));

		next = length = 0;
		if (n <= 0)
			return n < 0 ? _FDEV_ERR : _FDEV_EOF;
		length = (size_t)n;
	}
	return input[next++];
}

struct __file io_console[3] = {
	FDEV_SETUP_STREAM(NULL, get, NULL, _FDEV_SETUP_READ),
	FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE),
	FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE),
};

FILE *const stdin = &io_console[0];
FILE *const stdout = &io_console[1];
FILE *const stderr = &io_console[2];
