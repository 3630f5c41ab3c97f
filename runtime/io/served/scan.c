/*
 * scan.c - formatted input with all that C has, for both C libraries, from text and from streams.
 * It looks at no more than one character behind its input, which can be pushed back. Where the
 * standard leaves a choice it does as glibc does.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../../core/compiler.h"
#include "../../core/conversion.h"
#include "scan.h"
#include "sink.h"

/* Why it ends. */
enum outcome { MATCHED, FAILED, ENDED, NO_MEMORY };

/* Characters that are looked for, a bit each. */
struct set {
	uint32_t word[256 / 32];
	bool is_complement;
};

struct scan {
	struct co_io_source *from;
	struct co_io_args args;
	struct co_conversion c; /* of its flags, CO_CONV_ALTERNATE: nothing is stored */
	struct set set;
	bool makes; /* %m: of a text, the memory too */
	int count;  /* results that were stored */
};

static bool is_blank(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_blanks(struct co_io_source *s)
{
	s->left = SOURCE_ANY;
	while (is_blank(co_io_source_look(s))) {
		co_io_source_take(s);
		s->left = SOURCE_ANY;
	}
}

static bool has(const struct set *set, int c)
{
	return ((set->word[c / 32] >> c % 32 & 1) != 0) != set->is_complement;
}

static void add(struct set *set, unsigned char from, unsigned char to)
{
	for (unsigned c = from; c <= to; c++)
		set->word[c / 32] |= (uint32_t)1 << c % 32;
}

/* Parse the set between brackets. Returns the format behind them. */
static const char *parse_set(const char *p, struct set *set)
{
	const char *first;

	*set = (struct set){ .is_complement = *p == '^' };
	p += set->is_complement;
	for (first = p; *p && (*p != ']' || p == first); p++) {
		if (*p == '-' && p > first && p[1] && p[1] != ']' &&
		    (unsigned char)p[-1] <= (unsigned char)p[1])
			add(set, (unsigned char)p[-1], (unsigned char)p[1]);
		else
			add(set, (unsigned char)*p, (unsigned char)*p);
	}
	return *p ? p + 1 : p;
}

/* Does a conversion of text take that character? */
static bool takes(const struct scan *s, int c)
{
	return s->c.specifier == 'c' || (s->c.specifier == 's' ? !is_blank(c) : has(&s->set, c));
}

/* Where a text goes. */
struct text {
	char *to;    /* NULL: nowhere */
	char **made; /* with %m: where to say where it is, in memory of malloc()'s; else NULL */
	size_t room; /* bytes of *made */
	size_t each; /* bytes of a character */
};

static bool grow(struct text *t)
{
	char *more = realloc(*t->made, t->room ? 2 * t->room : 32);

	if (!more) {
		free(*t->made);
		*t->made = NULL;
		errno = ENOMEM;
		return false;
	}
	t->room = t->room ? 2 * t->room : 32;
	t->to = *t->made = more;
	return true;
}

static bool put(struct text *t, size_t n, int c)
{
	if (t->made && (n + 1) * t->each > t->room && !grow(t))
		return false;
	if (t->to && t->each == 1)
		t->to[n] = (char)c;
	else if (t->to)
		((wchar_t *)(void *)t->to)[n] = c;
	return true;
}

static enum outcome scan_text(struct scan *s)
{
	struct text t = { .each = s->c.length == 1 ? sizeof(wchar_t) : 1 };
	bool stores = !(s->c.flags & CO_CONV_ALTERNATE);
	int c = co_io_source_look(s->from);
	size_t n = 0;

	if (stores && s->makes)
		*(t.made = va_arg(s->args.ap, char **)) = NULL;
	else if (stores)
		t.to = va_arg(s->args.ap, char *);
	if (c == EOF)
		return ENDED;
	for (; c != EOF && takes(s, c); c = co_io_source_look(s->from), n++) {
		co_io_source_take(s->from);
		if (!put(&t, n, c))
			return NO_MEMORY;
	}
	if (!n)
		return FAILED;
	if (s->c.specifier != 'c' && !put(&t, n, 0))
		return NO_MEMORY;
	s->count += stores;
	return MATCHED;
}

/* A whole number in memory, the low bytes: all boards are little-endian. */
static void store_whole(struct scan *s, uint64_t value)
{
	static const unsigned char bytes[] = {
		1, sizeof(short), sizeof(int), sizeof(long), sizeof(long long), sizeof(long long)
	};

	/* The analyzer loses a va_list in a struct. */
	// NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
	memcpy(va_arg(s->args.ap, void *), &value, bytes[s->c.length + 2]);
}

/* What printf() makes of a NULL. */
static bool scan_nil(struct co_io_source *s)
{
	const char *p = "(nil)";

	for (int c; *p; p++) {
		c = co_io_source_look(s);
		if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != *p)
			break;
		co_io_source_take(s);
	}
	return !*p;
}

static enum outcome scan_whole(struct scan *s, int base, bool is_signed)
{
	int start = s->from->taken;
	struct co_io_whole w;

	if (co_io_source_look(s->from) == EOF)
		return ENDED;
	w = co_io_scan_whole(s->from, base);
	if (!w.length && (s->c.specifier != 'p' || s->from->taken > start || !scan_nil(s->from)))
		return FAILED;
	if (!(s->c.flags & CO_CONV_ALTERNATE)) {
		/* Read as a long, and cut. */
		store_whole(s, co_io_fit_whole(&w,
					       8 * (int)(s->c.length >= 2 ? sizeof(long long)
									  : sizeof(long)),
					       is_signed));
		s->count++;
	}
	return MATCHED;
}

static enum outcome scan_real(struct scan *s)
{
	static const unsigned char bytes[] = { sizeof(float), sizeof(double), sizeof(long double) };
	enum co_io_real type = s->c.length >= 2   ? CO_IO_LONG_DOUBLE
			       : s->c.length == 1 ? CO_IO_DOUBLE
						  : CO_IO_FLOAT;
	long double value;

	if (co_io_source_look(s->from) == EOF)
		return ENDED;
	if (co_io_scan_real(s->from, type, &value) <= 0)
		return FAILED;
	if (!(s->c.flags & CO_CONV_ALTERNATE)) {
		// NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
		memcpy(va_arg(s->args.ap, void *), &value, bytes[type]);
		s->count++;
	}
	return MATCHED;
}

static enum outcome scan_literal(struct co_io_source *s, char literal)
{
	int c = co_io_source_look(s);

	if (c == EOF)
		return ENDED;
	if (c != (unsigned char)literal)
		return FAILED;
	co_io_source_take(s);
	return MATCHED;
}

static enum outcome convert(struct scan *s)
{
	if (s->makes && !strchr("cs[", s->c.specifier))
		return FAILED;
	switch (s->c.specifier) {
	case 'd':
		return scan_whole(s, 10, true);
	case 'i':
		return scan_whole(s, 0, true);
	case 'u':
		return scan_whole(s, 10, false);
	case 'o':
		return scan_whole(s, 8, false);
	case 'p':
		s->c.length = 1;
		return scan_whole(s, 16, false);
	case 'x':
	case 'X':
		return scan_whole(s, 16, false);
	case 'a':
	case 'A':
	case 'e' ... 'g':
	case 'E' ... 'G':
		return scan_real(s);
	case 'c':
	case 's':
	case '[':
		return scan_text(s);
	case 'n':
		if (!(s->c.flags & CO_CONV_ALTERNATE))
			store_whole(s, (uint64_t)s->from->taken);
		return MATCHED;
	case '%':
		return scan_literal(s->from, '%');
	default:
		return FAILED;
	}
}

/* Parse a conversion behind its %. Returns the format behind the conversion. */
static const char *parse(const char *p, struct scan *s)
{
	s->c = (struct co_conversion){ .place = co_conversion_place(&p) };
	if (*p == '*')
		s->c.flags = CO_CONV_ALTERNATE, p++;
	s->c.width = co_conversion_digits(&p);
	s->makes = *p == 'm';
	p += s->makes;
	p = co_conversion_length(p, &s->c);
	s->c.specifier = *p;
	if (*p == '[')
		return parse_set(p + 1, &s->set);
	return *p ? p + 1 : p;
}

/* Go to the argument of the conversion's place: all are addresses. */
static void seek(struct scan *s, va_list first)
{
	va_end(s->args.ap);
	va_copy(s->args.ap, first);
	for (int n = 1; n < s->c.place; n++)
		(void)va_arg(s->args.ap, void *);
}

int co_io_scan(struct co_io_source *from, const char *format, va_list given)
{
	struct scan s = { .from = from };
	enum outcome outcome = MATCHED;
	const char *p = format;

	va_copy(s.args.ap, given);
	while (outcome == MATCHED && *p) {
		if (is_blank(*p)) {
			p++;
			skip_blanks(from);
			continue;
		}
		if (*p != '%') {
			from->left = SOURCE_ANY;
			outcome = scan_literal(from, *p++);
			continue;
		}
		p = parse(p + 1, &s);
		if (s.c.place > CO_CONV_PLACES)
			break;
		if (s.c.place)
			seek(&s, given);
		if (s.c.specifier != 'c' && s.c.specifier != '[' && s.c.specifier != 'n')
			skip_blanks(from);
		from->left = s.c.width > 0 ? s.c.width : s.c.specifier == 'c' ? 1 : SOURCE_ANY;
		outcome = convert(&s);
	}
	va_end(s.args.ap);
	return outcome == NO_MEMORY || (outcome == ENDED && !s.count) ? EOF : s.count;
}
