/*
 * forms.c - functions of stdio that newlib makes of its inner ones, or has not, or not all of.
 *
 * Formatted output is as C99 has it: the packaged newlib is built without %hhd, %jd, %td, %zd and
 * %F, so all of it goes through served/format.c: sprintf() and its kin on every hart, printf() and
 * its kin but for what is deferred (served/printf.c).
 */
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>

#include "../wrapped.h"
#include "library.h"

/* ---- Output ---- */

extern __typeof__(vsnprintf) __wrap_vsnprintf, __real_vsnprintf;
extern __typeof__(vsprintf) __wrap_vsprintf;
extern __typeof__(snprintf) __wrap_snprintf;
extern __typeof__(sprintf) __wrap_sprintf;
int __wrap_vasprintf(char **to, const char *format, va_list ap);
int __wrap_asprintf(char **to, const char *format, ...) __attribute__((format(printf, 2, 3)));
extern __typeof__(vfiprintf) __wrap_vfiprintf;
extern __typeof__(viprintf) __wrap_viprintf;
extern __typeof__(fiprintf) __wrap_fiprintf;
extern __typeof__(iprintf) __wrap_iprintf;
extern __typeof__(perror) __wrap_perror;

/*
 * Where the library makes digits of a double, it keeps the result for a hart, and may wait for
 * memory in the middle: one at a time, of each hart's coroutines.
 */
static struct co_mutex busy[BOARD_MAX_HARTS];

int co_io_sink_print(struct co_io_sink *s, const char *format, va_list ap)
{
	size_t room = s->count < s->room ? s->room - s->count : 0;
	struct co_mutex *m = &busy[co_hart()];
	bool locks = co_io_mutex_lock && co_self() && co_mutex_owner(m) != co_self();
	int n;

	if (locks)
		co_io_mutex_lock(m);
	n = s->f ? __real_vfprintf(s->f, format, ap)
		 : __real_vsnprintf(room ? s->to + s->count : NULL, room, format, ap);
	if (locks)
		co_mutex_unlock(m);
	return n;
}

int co_io_vfprintf(FILE *f, const char *format, va_list ap)
{
	struct co_io_sink s = { .f = f };

	return co_io_format(&s, format, ap);
}

int __wrap_vsnprintf(char *to, size_t room, const char *format, va_list ap)
{
	return co_io_vsnprintf(to, room, format, ap);
}

int __wrap_vsprintf(char *to, const char *format, va_list ap)
{
	return __wrap_vsnprintf(to, INT_MAX, format, ap);
}

int __wrap_snprintf(char *to, size_t room, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vsnprintf(to, room, format, ap));
}

int __wrap_sprintf(char *to, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vsnprintf(to, INT_MAX, format, ap));
}

int __wrap_vasprintf(char **to, const char *format, va_list ap)
{
	int n = __wrap_vsnprintf(NULL, 0, format, ap);

	*to = n < 0 ? NULL : malloc((size_t)n + 1);
	return *to ? __wrap_vsnprintf(*to, (size_t)n + 1, format, ap) : -1;
}

int __wrap_asprintf(char **to, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vasprintf(to, format, ap));
}

int __wrap_vfiprintf(FILE *f, const char *format, va_list ap)
{
	return __wrap_vfprintf(f, format, ap);
}

int __wrap_viprintf(const char *format, va_list ap)
{
	return __wrap_vfprintf(stdout, format, ap);
}

int __wrap_fiprintf(FILE *f, const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vfprintf(f, format, ap));
}

int __wrap_iprintf(const char *format, ...)
{
	return IO_VARIADIC(format, __wrap_vfprintf(stdout, format, ap));
}

void __wrap_perror(const char *s)
{
	const char *why = strerror(errno);

	if (s && *s)
		__wrap_fprintf(stderr, "%s: %s\n", s, why);
	else
		__wrap_fprintf(stderr, "%s\n", why);
}

/* ---- Input ---- */

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

/* ---- Places and buffers ---- */

extern __typeof__(rewind) __wrap_rewind;
extern __typeof__(setbuf) __wrap_setbuf;
extern __typeof__(setlinebuf) __wrap_setlinebuf;
extern __typeof__(fgetpos) __wrap_fgetpos;
extern __typeof__(fsetpos) __wrap_fsetpos;

void __wrap_rewind(FILE *f)
{
	(void)__wrap_fseek(f, 0, SEEK_SET);
	__wrap_clearerr(f);
}

void __wrap_setbuf(FILE *f, char *buf)
{
	(void)__wrap_setvbuf(f, buf, buf ? _IOFBF : _IONBF, BUFSIZ);
}

int __wrap_setlinebuf(FILE *f)
{
	return __wrap_setvbuf(f, NULL, _IOLBF, 0);
}

int __wrap_fgetpos(FILE *f, fpos_t *pos)
{
	off_t at = __wrap_ftello(f);

	if (at >= 0)
		*pos = at;
	return at < 0 ? -1 : 0;
}

int __wrap_fsetpos(FILE *f, const fpos_t *pos)
{
	return __wrap_fseeko(f, *pos, SEEK_SET);
}

int posix_memalign(void **p, size_t align, size_t bytes)
{
	int before = errno;
	void *block;

	if (align < sizeof(void *) || (align & (align - 1)))
		return EINVAL;
	block = memalign(align, bytes);
	errno = before;
	if (!block)
		return ENOMEM;
	*p = block;
	return 0;
}
