/*
 * pack.c - formatted output from any hart, printed before the call is back: the caller's half.
 *
 * The caller walks the format and packs the arguments, raw, into its bounce buffer: 8 bytes for
 * each, and copies of those strings that the server cannot reach. The server walks the format
 * again (format.c). What does not fit goes in several calls, cut between conversions; the lines
 * of a coroutine stay whole all the same. Hart 0 does it all by itself, in the same way, so that
 * printf is the same everywhere.
 *
 * Source: the idea of shipping format and arguments is Cell's and defmt's.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "format.h"
#include "io.h"

/* The longest conversion, from % to letter. */
#define SPEC_BYTES 64
/* A format that the server cannot reach is copied in pieces of this. */
#define PIECE_BYTES 512
#define COPY_BYTES (PIECE_BYTES + SPEC_BYTES + 1)

/* Words of a request; the packed arguments are in the data behind them. */
enum { STREAM, FORMAT, LENGTH };

struct packer {
	void *stream;
	struct io_bounce *bounce;
	uint64_t *word;      /* next free one */
	char *top;           /* strings lie above */
	const char *segment; /* start of what is not sent yet */
	bool copy_format;
	int count; /* characters written so far */
	va_list ap;
};

static void start_segment(struct packer *p, const char *from)
{
	p->segment = from;
	p->word = (uint64_t *)p->bounce->data;
	p->top = (char *)p->bounce->data + sizeof(p->bounce->data);
	if (p->copy_format)
		p->top -= COPY_BYTES;
}

static intptr_t serve(void *arg)
{
	const struct io_bounce *b = arg;
	const char *format = (const char *)b->w[FORMAT];

	return io_format_print((void *)b->w[STREAM], format, format + b->w[LENGTH],
			       (const uint64_t *)b->data);
}

/* Have what is packed printed, and start anew at `end`. */
static bool send(struct packer *p, const char *end)
{
	struct io_bounce *b = p->bounce;
	size_t length = (size_t)(end - p->segment);
	const char *format = p->segment;
	intptr_t n = 0;

	if (p->copy_format) {
		char *copy = (char *)b->data + sizeof(b->data) - COPY_BYTES;

		memcpy(copy, format, length);
		copy[length] = '\0'; /* where a conversion is cut off, none of what was there */
		format = copy;
	}
	b->w[STREAM] = (intptr_t)p->stream;
	b->w[FORMAT] = (intptr_t)format;
	b->w[LENGTH] = (intptr_t)length;
	if (length)
		n = io_run(serve, b->w);
	if (n < 0)
		return false;
	p->count += (int)n;
	start_segment(p, end);
	return true;
}

static bool send_spaces(void *stream, size_t n)
{
	static const char spaces[] = "                                ";

	for (size_t piece; n; n -= piece) {
		piece = n < sizeof(spaces) - 1 ? n : sizeof(spaces) - 1;
		if (io_write_any(stream, spaces, piece) != piece)
			return false;
	}
	return true;
}

/* A string that fits into no bounce buffer: as plain output, while the buffer is free for it. */
static bool send_long_string(struct packer *p, const char *s, size_t length, int width, bool left)
{
	size_t pad = width > 0 && (size_t)width > length ? (size_t)width - length : 0;
	bool ok;

	io_bounce_give();
	ok = (left || send_spaces(p->stream, pad)) &&
	     io_write_any(p->stream, s, length) == length && (!left || send_spaces(p->stream, pad));
	p->bounce = io_bounce_take();
	p->count += (int)(length + pad);
	return ok;
}

static void pack_stars(struct packer *p, const struct io_spec *s, int width, int precision)
{
	if (s->star_width)
		*p->word++ = (uint64_t)width;
	if (s->star_precision)
		*p->word++ = (uint64_t)precision;
}

/* The string argument of the conversion [start, end). */
static bool pack_string(struct packer *p, const char *start, const char *end,
			const struct io_spec *s, int width, int precision)
{
	const char *string = va_arg(p->ap, const char *);
	size_t length;

	pack_stars(p, s, width, precision);
	if (!string || io_reachable(string, 1)) {
		/* A wild pointer shall fault here, not in the server. */
		if (string && precision)
			(void)*(const volatile char *)string;
		*p->word++ = (uintptr_t)string;
		return true;
	}
	length = precision < 0 ? strlen(string) : strnlen(string, (size_t)precision);
	if (length >= (size_t)(p->top - (char *)(p->word + 1))) {
		if (!send(p, start))
			return false;
		pack_stars(p, s, width, precision);
	}
	if (length >= (size_t)(p->top - (char *)(p->word + 1))) {
		bool left = width < 0 || memchr(s->flags, '-', s->flag_count);
		bool ok = send_long_string(p, string, length, width < 0 ? -width : width, left);

		start_segment(p, end);
		return ok;
	}
	p->top -= length + 1;
	memcpy(p->top, string, length);
	p->top[length] = '\0';
	*p->word++ = (uintptr_t)p->top;
	return true;
}

static uint64_t signed_arg(struct packer *p, char size)
{
	switch (size) {
	case 'H':
		return (uint64_t)(signed char)va_arg(p->ap, int);
	case 'h':
		return (uint64_t)(short)va_arg(p->ap, int);
	case 'l':
		return (uint64_t)va_arg(p->ap, long);
	case 'q':
	case 'L':
		return (uint64_t)va_arg(p->ap, long long);
	case 'j':
		return (uint64_t)va_arg(p->ap, intmax_t);
	case 'z':
	case 't':
		return (uint64_t)va_arg(p->ap, ptrdiff_t);
	default:
		return (uint64_t)va_arg(p->ap, int);
	}
}

static uint64_t unsigned_arg(struct packer *p, char size)
{
	switch (size) {
	case 'H':
		return (unsigned char)va_arg(p->ap, unsigned);
	case 'h':
		return (unsigned short)va_arg(p->ap, unsigned);
	case 'l':
		return va_arg(p->ap, unsigned long);
	case 'q':
	case 'L':
		return va_arg(p->ap, unsigned long long);
	case 'j':
		return va_arg(p->ap, uintmax_t);
	case 'z':
	case 't':
		return va_arg(p->ap, size_t);
	default:
		return va_arg(p->ap, unsigned);
	}
}

static void pack_double(struct packer *p, char size)
{
	double d = size == 'L' ? (double)va_arg(p->ap, long double) : va_arg(p->ap, double);

	memcpy(p->word++, &d, sizeof(d));
}

/* The arguments of the conversion [start, end). */
static bool pack(struct packer *p, const char *start, const char *end, const struct io_spec *s)
{
	int width = s->width;
	int precision = s->precision;
	enum io_kind kind = io_kind_of(s->conv);

	if (s->star_width)
		width = va_arg(p->ap, int);
	if (s->star_precision)
		precision = va_arg(p->ap, int);
	if (kind == IO_STRING)
		return pack_string(p, start, end, s, width, precision);
	pack_stars(p, s, width, precision);
	switch (kind) {
	case IO_SIGNED:
		*p->word++ = signed_arg(p, s->size);
		break;
	case IO_UNSIGNED:
		*p->word++ = unsigned_arg(p, s->size);
		break;
	case IO_CHAR:
		*p->word++ = (uint64_t)va_arg(p->ap, int);
		break;
	case IO_POINTER:
		*p->word++ = (uintptr_t)va_arg(p->ap, void *);
		break;
	case IO_DOUBLE:
		pack_double(p, s->size);
		break;
	default:
		break;
	}
	return true;
}

/*
 * Text up to the next % or the end. A copied format goes in pieces, cut in the text alone: what
 * lies before it is packed already.
 */
static inline const char *pass_text(struct packer *p, const char *text)
{
	const char *c = text;

	while (*c && *c != '%')
		c++;
	while (p->copy_format && c - p->segment > PIECE_BYTES) {
		const char *cut = p->segment + PIECE_BYTES;

		if (!send(p, cut < text ? text : cut))
			return NULL;
	}
	return c;
}

/* What nearly all conversions are: nothing between % and letter. False if it is another. */
static bool pack_plain(struct packer *p, char conv)
{
	switch (conv) {
	case 'd':
	case 'c':
		*p->word++ = (uint64_t)va_arg(p->ap, int);
		return true;
	case 'u':
	case 'x':
		*p->word++ = va_arg(p->ap, unsigned);
		return true;
	default:
		return false;
	}
}

static bool walk(struct packer *p, const char *c)
{
	static const struct io_spec plain = { .flags = "", .precision = -1, .conv = 's' };

	for (;;) {
		struct io_spec s;
		const char *start = pass_text(p, c);
		bool ok = true;

		if (!start)
			return false;
		if (!*start)
			return send(p, start);
		/* Room for width, precision and value. */
		if ((char *)(p->word + 3) > p->top && !send(p, start))
			return false;
		c = start + 2;
		if (start[1] == 's') {
			ok = pack_string(p, start, c, &plain, 0, -1);
		} else if (!pack_plain(p, start[1])) {
			c = io_spec_parse(start + 1, &s);
			if (s.conv == 'n' || s.conv == '$' || c - start > SPEC_BYTES) {
				errno = EINVAL;
				return false;
			}
			ok = pack(p, start, c, &s);
		}
		if (!ok)
			return false;
	}
}

int io_print_packed(void *stream, const char *format, va_list ap)
{
	struct packer p = { .stream = stream };
	bool ok;

	p.copy_format = !io_reachable(format, 1);
	va_copy(p.ap, ap);
	p.bounce = io_bounce_take();
	start_segment(&p, format);
	ok = walk(&p, format);
	io_bounce_give();
	va_end(p.ap);
	return ok ? p.count : -1;
}
