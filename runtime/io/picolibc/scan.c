/* scan.c - scanf from any hart. */
#include "library.h"
#include "../wrapped.h"

/* A stream of the caller's own that gets its bytes one by one from the server. */
struct scan_stream {
	struct __file file; /* first: the library knows only this */
	FILE *behind;
};

static int scan_get(FILE *f)
{
	int c = co_io_getc(((struct scan_stream *)f)->behind);

	return c == EOF ? _FDEV_EOF : c;
}

int __wrap_vfscanf(FILE *f, const char *format, va_list ap)
{
	struct scan_stream s = { .file = FDEV_SETUP_STREAM(NULL, scan_get, NULL, _FDEV_SETUP_READ),
				 .behind = f };
	int r;

	if (!co_io_stream_check(f))
		return EOF;
	if (!co_io_is_served(f) || (co_io_is_server() && !co_io_is_input(f)))
		return __real_vfscanf(f, format, ap);
	if (co_io_is_input(f) && !co_io_input_lock())
		return EOF;
	/* The results go to the caller's memory, so the scan is done here. */
	r = __real_vfscanf(&s.file, format, ap);
	if (s.file.unget)
		__wrap_ungetc((unsigned char)s.file.unget, f);
	if (co_io_is_input(f))
		co_io_input_unlock();
	return r;
}
