/* stream.c - bytes in and out of the server's streams: the console's three, and files. Hart 0's. */
#include <errno.h>

#include "../wrapped.h"
#include "library.h"

static bool check_use(FILE *f, bool may)
{
	if (!may) {
		errno = EBADF;
		f->_flags |= __SERR;
	}
	return may;
}

size_t co_io_stream_write(FILE *f, const void *p, size_t bytes)
{
	if (!check_use(f, co_io_is_writable(f)))
		return 0;
	if (!co_io_is_console(f))
		return __real_fwrite(p, 1, bytes, f);
	co_io_console_write(p, bytes);
	return bytes;
}

size_t co_io_stream_read(FILE *f, void *p, size_t bytes)
{
	return check_use(f, f->_flags & (__SRD | __SRW)) ? __real_fread(p, 1, bytes, f) : 0;
}

int co_io_stream_getc(FILE *f)
{
	return check_use(f, f->_flags & (__SRD | __SRW)) ? __real_fgetc(f) : EOF;
}

int co_io_stream_flush(FILE *f)
{
	if (!co_io_is_console(f))
		return __real_fflush(f);
	co_io_console_flush();
	return 0;
}
