/* forms.c - functions of stdio that newlib makes of its inner ones, or has not. */
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "../wrapped.h"
#include "library.h"

/* ---- Output ---- */

extern __typeof__(_sprintf_r) __wrap__sprintf_r;
extern __typeof__(perror) __wrap_perror;

/* tmpnam() calls it. */
int __wrap__sprintf_r(struct _reent *unused, char *to, const char *format, ...)
{
	(void)unused;
	return IO_VARIADIC(format, co_io_vsnprintf(to, SIZE_MAX, format, ap));
}

void __wrap_perror(const char *s)
{
	const char *why = strerror(errno);

	if (s && *s)
		__wrap_fprintf(stderr, "%s: %s\n", s, why);
	else
		__wrap_fprintf(stderr, "%s\n", why);
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

IO_WEAK int posix_memalign(void **p, size_t align, size_t bytes)
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
