/*
 * printf.c - formatted output from any hart.
 *
 * A print on the console is deferred if its format is a constant of the image and its conversions
 * are simple: the hart sends the format's address and the arguments (print_ring.h), and hart 0
 * formats. The hart must find out how many characters they make, which printf returns: one walk
 * over the format fetches each argument and adds up their lengths. Strings are copied unless they
 * are constants too: the caller may change them as soon as it is back. All else is formatted by the
 * caller (output.c).
 *
 * Source: the idea of shipping format and arguments is Cell's and defmt's.
 */
#include <errno.h>
#include <string.h>

#include "../../core/conversion.h"
#include "../../core/memory/image.h"
#include "../wrapped.h"
#include "library.h"

#define WORDS 12 /* of arguments; strings are behind them */
#define TEXT_BYTES (IO_TEXT_BYTES - WORDS * sizeof(uintptr_t))
#define PRINT_MAX 1024 /* characters that a deferred print makes */

/* A walk over a format, which puts arguments into the hart's next record. */
struct walk {
	const char *at;
	uintptr_t *word; /* the next argument's */
	uintptr_t *stop; /* where these end, and strings begin */
	char *text;      /* the next string's; NULL: no string yet */
	unsigned count;  /* characters */
};

/* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): the analyzer loses a va_list in a struct */

static bool is_constant(const void *p)
{
	return (uintptr_t)p - (uintptr_t)__rodata_start <
	       (uintptr_t)__rodata_end - (uintptr_t)__rodata_start;
}

/* By how many characters the number is longer than its %d. */
static inline unsigned length_over(unsigned long v, bool negative)
{
	unsigned n = negative ? 3 : 2;

	for (; __builtin_expect(v >> 13 != 0, 0); v /= 10)
		n++;
	return n - (v < 10) - (v < 100) - (v < 1000);
}

/* In base 1 << bits, or 10 if that is 0. */
static unsigned digits(uint64_t v, unsigned bits)
{
	unsigned n = 1;

	if (bits) {
		while (v >>= bits)
			n++;
		return n;
	}
	for (; v >= 10000; v /= 10000)
		n += 4;
	return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

/* An argument as a call has it: 64 bits take two words, the first an even one. False: no room. */
static bool put_argument(struct walk *w, uint64_t v, unsigned size)
{
	if (sizeof(*w->word) < sizeof(v) && size == 2) {
		w->word += (w->stop - w->word) & 1; /* WORDS is even */
		if (w->stop - w->word < 2)
			return false;
		*w->word++ = (uintptr_t)v;
		v >>= 32;
	}
	*w->word++ = (uintptr_t)v;
	return true;
}

static int fetch_string(struct walk *w, struct co_io_args *a)
{
	const char *s = va_arg(a->ap, const char *);
	size_t n, room;

	if (!s)
		return -1;
	if (is_constant(s)) {
		*w->word++ = (uintptr_t)s;
		return (int)strnlen(s, PRINT_MAX);
	}
	w->text = w->text ?: (char *)w->stop;
	room = (size_t)((char *)w->stop + TEXT_BYTES - w->text);
	n = strnlen(s, room);
	if (n == room)
		return -1;
	*w->word++ = (uintptr_t)w->text;
	memcpy(w->text, s, n);
	w->text[n] = '\0';
	w->text += n + 1;
	return (int)n;
}

static int fetch_signed(struct walk *w, struct co_io_args *a, unsigned size)
{
	int64_t v = size == 0   ? va_arg(a->ap, int)
		    : size == 1 ? va_arg(a->ap, long)
				: va_arg(a->ap, long long);

	if (!put_argument(w, (uint64_t)v, size))
		return -1;
	return (int)(v < 0 ? 1 + digits(-(uint64_t)v, 0) : digits((uint64_t)v, 0));
}

static int fetch_unsigned(struct walk *w, struct co_io_args *a, unsigned size, unsigned bits)
{
	uint64_t v = size == 0   ? va_arg(a->ap, unsigned)
		     : size == 1 ? va_arg(a->ap, unsigned long)
				 : va_arg(a->ap, unsigned long long);

	return put_argument(w, v, size) ? (int)digits(v, bits) : -1;
}

/* An argument, of an int's size (0), a word's (1) or a long long's. Returns its length, or -1. */
static int fetch(struct walk *w, struct co_io_args *a, char conv, unsigned size)
{
	int length;

	switch (conv) {
	case 'd':
	case 'i':
		return fetch_signed(w, a, size);
	case 'u':
		return fetch_unsigned(w, a, size, 0);
	case 'x':
	case 'X':
		return fetch_unsigned(w, a, size, 4);
	case 'o':
		return fetch_unsigned(w, a, size, 3);
	case 'p':
		length = 2 + fetch_unsigned(w, a, 1, 4); /* with 0x, but that of a NULL */
		return size || !w->word[-1] ? -1 : length;
	case 'c':
		*w->word++ = (uintptr_t)va_arg(a->ap, int);
		return size ? -1 : 1;
	case 's':
		return size ? -1 : fetch_string(w, a);
	default:
		return -1;
	}
}

/* Any conversion. False: a print that has it is not deferred. */
static NOINLINE bool walk_conversion(struct walk *w, struct co_io_args *a)
{
	struct co_conversion c = { 0 };
	const char *p = w->at + 1;
	int length = 1;

	if (*p != '%') {
		/* A precision's dot is no specifier for fetch(). */
		if (*p <= '9') /* as flags and a width's digits are */
			p = co_conversion_layout(p, &c);
		p = co_conversion_length(p, &c);
		if ((c.flags & ~(CO_CONV_LEFT | CO_CONV_ZERO)) || c.width < 0 ||
		    (unsigned)c.length > 2 || w->word == w->stop)
			return false;
		length = fetch(w, a, *p, (unsigned)c.length);
	}
	w->at = p + 1;
	w->count += (unsigned)(length > c.width ? length : c.width);
	return length >= 0;
}

/* Walk over a %ld, %lu, %zd or %zu, most of the conversions left. False: it is another one. */
static inline bool walk_long(struct walk *w, struct co_io_args *a)
{
	const char *p = w->at;
	bool negative;
	long v;

	if ((p[1] != 'l' && p[1] != 'z') || (p[2] != 'd' && p[2] != 'u') || w->word == w->stop)
		return false;
	v = va_arg(a->ap, long);
	*w->word++ = (uintptr_t)v;
	negative = v < 0 && p[2] == 'd';
	w->count += 2 + length_over(negative ? -(unsigned long)v : (unsigned long)v, negative);
	w->at = p + 3;
	return true;
}

/* Up to the end of the format (true), or to a conversion that is not %d or %u. */
static inline bool walk_plain(struct walk *w, struct co_io_args *a)
{
	const char *p = w->at;

	w->count -= (unsigned)(uintptr_t)p; /* to which the end is added */
	for (;; p += 2) {
		char c = *p;
		bool negative;
		int v;

		for (; c && c != '%'; c = *++p)
			;
		if (!c || (p[1] != 'd' && p[1] != 'u') || w->word == w->stop)
			break;
		v = va_arg(a->ap, int);
		*w->word++ = (uintptr_t)v;
		negative = v < 0 && p[1] == 'd';
		w->count += length_over(negative ? -(unsigned)v : (unsigned)v, negative);
	}
	w->count += (unsigned)(uintptr_t)p;
	w->at = p;
	return !*p;
}

/* The words are a call's arguments: numbers of the words of a 32-bit board keep their places. */
static int put_words(char *text, size_t bytes, size_t unused, const char *format, ...)
{
	(void)unused;
	return IO_VARIADIC(format, co_io_vsnprintf(text, bytes, format, ap));
}

/* On hart 0. */
static void print_record(struct co_msg *m)
{
	static char text[PRINT_MAX];
	const struct co_io_record *r = (const struct co_io_record *)m;
	const uintptr_t *w = r->word;
	int n = put_words(text, sizeof(text), 0, r->format, w[0], w[1], w[2], w[3], w[4], w[5],
			  w[6], w[7], w[8], w[9], w[10], w[11]);

	co_io_console_write(text, (size_t)n);
}

static inline int post_record(struct co_io_record *r, struct co *self, const char *format,
			      const struct walk *w)
{
	if (w->count - 1 >= PRINT_MAX - 1)
		return -1;
	r->msg.run = print_record;
	r->format = format;
	return co_io_record_post(r, self, w->text ? co_io_record_end(w->text) : w->word,
				 w->at[-1] != '\n', (int)w->count);
}

/* Kept apart, as is print_now(), so that the short way keeps no registers for it. */
static NOINLINE int print_with(const char *format, struct co_io_args a, const char *at,
			       uintptr_t *word, unsigned count)
{
	struct co_io_record *r = co_io_record_next();
	struct walk w = { .at = at, .word = word, .stop = &r->word[WORDS], .count = count };

	do {
		if (!walk_long(&w, &a) && !walk_conversion(&w, &a))
			return -1;
	} while (!walk_plain(&w, &a));
	return post_record(r, co_executor.current, format, &w);
}

/* Returns how many characters it makes; -1: it is not deferred. */
INLINE int print_deferred(const char *format, struct co_io_args a)
{
	struct co_io_record *r;
	struct co *self;
	struct walk w;

	if (!is_constant(format))
		return -1;
	self = co_executor.current;
	if (!self)
		return -1;
	r = co_io_record_next();
	if (__builtin_expect(!r, 0)) {
		if (co_io_is_server())
			return -1;
		r = co_io_record_open();
	}
	w = (struct walk){ .at = format, .word = r->word, .stop = &r->word[WORDS] };
	if (walk_plain(&w, &a))
		return post_record(r, self, format, &w);
	return print_with(format, a, w.at, w.word, w.count);
}

/* NOLINTEND(clang-analyzer-valist.Uninitialized) */

static NOINLINE int print_now(FILE *f, const char *format, va_list ap)
{
	if (!co_io_stream_check(f))
		return -1;
	if (!co_io_is_served(f))
		return co_io_vfprintf(f, format, ap);
	if (!co_io_is_writable(f)) {
		errno = EBADF;
		return -1;
	}
	return co_io_print_text(f, format, ap);
}

int __wrap_vfprintf(FILE *f, const char *format, va_list ap)
{
	int n = -1;

	if (co_io_is_deferred(f)) {
		struct co_io_args a;

		va_copy(a.ap, ap);
		n = print_deferred(format, a);
		va_end(a.ap);
	}
	return n < 0 ? print_now(f, format, ap) : n;
}

int __wrap_printf(const char *format, ...)
{
	struct co_io_args a;
	int n;

	va_start(a.ap, format);
	n = print_deferred(format, a);
	va_end(a.ap);
	return n < 0 ? IO_VARIADIC(format, print_now(stdout, format, ap)) : n;
}
