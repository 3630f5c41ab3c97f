/*
 * c99.c - formatted output as C99 has it. The packaged newlib is built without %hhd, %jd, %td, %zd
 * and %F, so all of it goes through served/format.c: sprintf() and its kin on every hart, printf()
 * and its kin but for what is deferred (served/printf.c).
 */
#include <limits.h>
#include <stdlib.h>

#include <hal/board.h>

#include "../wrapped.h"
#include "library.h"

extern __typeof__(vsnprintf) __wrap_vsnprintf, __real_vsnprintf;
extern __typeof__(vsprintf) __wrap_vsprintf;
extern __typeof__(snprintf) __wrap_snprintf;
extern __typeof__(sprintf) __wrap_sprintf;
int __wrap_vasprintf(char **to, const char *format, va_list ap);
int __wrap_asprintf(char **to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Where the library makes digits of a double, it keeps the result for a hart, and may wait for
 * memory in the middle: one at a time, of each hart's coroutines.
 */
static struct co_mutex busy[BOARD_MAX_HARTS];

int co_io_sink_print(struct co_io_sink *s, const char *format, va_list ap)
{
	size_t room = s->count < s->room ? s->room - s->count : 0;
	struct co_mutex *m = &busy[co_hart()];
	bool locks = co_self() && co_mutex_owner(m) != co_self();
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
