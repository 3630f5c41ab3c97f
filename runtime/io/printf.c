/*
 * printf.c - formatted output from any hart.
 *
 * The caller walks the format and packs the arguments, raw, into its bounce buffer: 8 bytes for each,
 * and copies of those strings that the server cannot reach. The server walks the format again and has
 * the C library format one conversion after the other. What does not fit goes in several calls, cut
 * between conversions; the lines of a coroutine stay whole all the same. Hart 0 does it all by itself,
 * in the same way, so that printf is the same everywhere.
 *
 * Other than in picolibc alone, %L works (with the precision of double), and %n and n$ are refused.
 * Source: the idea of shipping format and arguments is Cell's and defmt's.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "io.h"
#include "real.h"
#include "stdio_wrap.h"

/* The longest conversion, from % to letter. */
#define SPEC_BYTES 64
/* A format that the server cannot reach is copied in pieces of this. */
#define PIECE_BYTES 512
#define COPY_BYTES (PIECE_BYTES + SPEC_BYTES)
#define FLAGS_MAX 8

/* Words of a request. */
enum { W_STREAM, W_FORMAT, W_LENGTH };

/* A conversion, taken apart. */
struct spec {
	const char *flags;
	unsigned flag_count;
	int width;
	int precision; /* -1: none */
	bool star_width;
	bool star_precision;
	char size; /* h, l, j, z, t, L as written; H for hh, q for ll; 0 for none */
	char conv; /* 0 at the end of the format */
};

struct packer {
	FILE *f;
	struct io_bounce *bounce;
	uint64_t *word;      /* next free one */
	char *top;           /* strings lie above */
	const char *segment; /* start of what is not sent yet */
	bool copy_format;
	int count; /* characters written so far */
	va_list ap;
};

static const char *parse_number(const char *p, int *value)
{
	*value = 0;
	while (*p >= '0' && *p <= '9') {
		if (*value < 1000000)
			*value = *value * 10 + (*p - '0');
		p++;
	}
	return p;
}

static const char *parse_size(const char *p, char *size)
{
	switch (*p) {
	case 'h':
	case 'l':
		*size = *p;
		if (p[1] != *p)
			return p + 1;
		*size = *p == 'h' ? 'H' : 'q';
		return p + 2;
	case 'j':
	case 'z':
	case 't':
	case 'L':
		*size = *p;
		return p + 1;
	default:
		return p;
	}
}

/* Take apart what follows a %. Returns the character behind it. */
static const char *parse(const char *p, struct spec *s)
{
	*s = (struct spec){ .flags = p, .precision = -1 };
	while (*p == '-' || *p == '+' || *p == ' ' || *p == '#' || *p == '0')
		p++;
	s->flag_count = (unsigned)(p - s->flags);
	if (*p == '*') {
		s->star_width = true;
		p++;
	} else {
		p = parse_number(p, &s->width);
	}
	if (*p == '.') {
		p++;
		if (*p == '*') {
			s->star_precision = true;
			p++;
		} else {
			p = parse_number(p, &s->precision);
		}
	}
	p = parse_size(p, &s->size);
	s->conv = *p;
	return *p ? p + 1 : p;
}

/* The server's half. */

static int put_text(FILE *f, const char *s, size_t bytes)
{
	return io_stream_write(f, s, bytes) == bytes ? (int)bytes : -1;
}

static int put_formatted(FILE *f, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = __real_vfprintf(f, format, ap);
	va_end(ap);
	return n;
}

/* Write one conversion in the C library's words, which take width and precision as arguments. */
static int put_spec(FILE *f, const struct spec *s, const uint64_t **word)
{
	char text[FLAGS_MAX + 8] = "%";
	unsigned flags = s->flag_count < FLAGS_MAX ? s->flag_count : FLAGS_MAX;
	int width = s->star_width ? (int)*(*word)++ : s->width;
	int precision = s->star_precision ? (int)*(*word)++ : s->precision;
	char *end = text + 1 + flags;
	double d;

	memcpy(text + 1, s->flags, flags);
	memcpy(end, "*.*ll", 5);
	switch (s->conv) {
	case 'd':
	case 'i':
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		end[5] = s->conv;
		return put_formatted(f, text, width, precision, (long long)*(*word)++);
	case 'c':
		end[3] = s->conv;
		end[4] = '\0';
		return put_formatted(f, text, width, precision, (int)*(*word)++);
	case 's':
	case 'p':
		end[3] = s->conv;
		end[4] = '\0';
		return put_formatted(f, text, width, precision, (void *)(uintptr_t) * (*word)++);
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		end[3] = s->conv;
		end[4] = '\0';
		memcpy(&d, (*word)++, sizeof(d));
		return put_formatted(f, text, width, precision, d);
	case '%':
		return put_text(f, "%", 1);
	default:
		text[1] = s->conv;
		return put_text(f, text, s->conv ? 2 : 1);
	}
}

static intptr_t serve_format(void *arg)
{
	struct io_bounce *b = arg;
	FILE *f = (FILE *)b->w[W_STREAM];
	const char *p = (const char *)b->w[W_FORMAT];
	const char *end = p + b->w[W_LENGTH];
	const uint64_t *word = (const uint64_t *)b->data;
	int count = 0;

	while (p < end) {
		struct spec s;
		const char *text = p;
		int n;

		if (*p == '%') {
			p = parse(p + 1, &s);
			n = put_spec(f, &s, &word);
		} else {
			while (p < end && *p != '%')
				p++;
			n = put_text(f, text, (size_t)(p - text));
		}
		if (n < 0)
			return -1;
		count += n;
	}
	return count;
}

/* The caller's half. */

static void start_segment(struct packer *p, const char *from)
{
	p->segment = from;
	p->word = (uint64_t *)p->bounce->data;
	p->top = (char *)p->bounce->data + sizeof(p->bounce->data);
	if (p->copy_format)
		p->top -= COPY_BYTES;
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
		format = copy;
	}
	b->w[W_STREAM] = (intptr_t)p->f;
	b->w[W_FORMAT] = (intptr_t)format;
	b->w[W_LENGTH] = (intptr_t)length;
	if (length)
		n = io_run(serve_format, b->w);
	if (n < 0)
		return false;
	p->count += (int)n;
	start_segment(p, end);
	return true;
}

static bool send_spaces(FILE *f, size_t n)
{
	static const char spaces[] = "                                ";

	for (size_t piece; n; n -= piece) {
		piece = n < sizeof(spaces) - 1 ? n : sizeof(spaces) - 1;
		if (io_write_any(f, spaces, piece) != piece)
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
	ok = (left || send_spaces(p->f, pad)) && io_write_any(p->f, s, length) == length &&
	     (!left || send_spaces(p->f, pad));
	p->bounce = io_bounce_take();
	p->count += (int)(length + pad);
	return ok;
}

static void pack_stars(struct packer *p, const struct spec *s, int width, int precision)
{
	if (s->star_width)
		*p->word++ = (uint64_t)width;
	if (s->star_precision)
		*p->word++ = (uint64_t)precision;
}

/* The string argument of the conversion [start, end). */
static bool pack_string(struct packer *p, const char *start, const char *end, const struct spec *s,
			int width, int precision)
{
	const char *string = va_arg(p->ap, const char *);
	size_t length;

	pack_stars(p, s, width, precision);
	if (!string || io_reachable(string, 1)) {
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
static bool pack(struct packer *p, const char *start, const char *end, const struct spec *s)
{
	int width = s->width;
	int precision = s->precision;

	if (s->star_width)
		width = va_arg(p->ap, int);
	if (s->star_precision)
		precision = va_arg(p->ap, int);
	if (s->conv == 's')
		return pack_string(p, start, end, s, width, precision);
	pack_stars(p, s, width, precision);
	switch (s->conv) {
	case 'd':
	case 'i':
		*p->word++ = signed_arg(p, s->size);
		break;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		*p->word++ = unsigned_arg(p, s->size);
		break;
	case 'c':
		*p->word++ = (uint64_t)va_arg(p->ap, int);
		break;
	case 'p':
		*p->word++ = (uintptr_t)va_arg(p->ap, void *);
		break;
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		pack_double(p, s->size);
		break;
	default:
		break;
	}
	return true;
}

/* Text up to the next % or the end; a copied format goes in pieces. */
static inline const char *pass_text(struct packer *p, const char *c)
{
	while (*c && *c != '%')
		c++;
	while (p->copy_format && c - p->segment > PIECE_BYTES) {
		if (!send(p, p->segment + PIECE_BYTES))
			return NULL;
	}
	return c;
}

/* The conversions that nearly all are, with nothing between % and letter. False if it is another. */
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
	static const struct spec plain = { .precision = -1, .conv = 's' };

	for (;;) {
		struct spec s;
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
			c = parse(start + 1, &s);
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

int __wrap_vfprintf(FILE *f, const char *format, va_list ap)
{
	struct packer p = { .f = f };
	bool ok;

	if (!io_stream_check(f))
		return -1;
	if (!io_is_served(f))
		return __real_vfprintf(f, format, ap);
	if (!(f->flags & __SWR)) {
		errno = EBADF;
		return -1;
	}
	p.copy_format = !io_reachable(format, 1);
	va_copy(p.ap, ap);
	p.bounce = io_bounce_take();
	start_segment(&p, format);
	ok = walk(&p, format);
	io_bounce_give();
	va_end(p.ap);
	return ok ? p.count : -1;
}

int __wrap_vprintf(const char *format, va_list ap)
{
	return __wrap_vfprintf(stdout, format, ap);
}

int __wrap_fprintf(FILE *f, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = __wrap_vfprintf(f, format, ap);
	va_end(ap);
	return n;
}

int __wrap_printf(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = __wrap_vfprintf(stdout, format, ap);
	va_end(ap);
	return n;
}
