/*
 * scan.c - fuzzes the scanner: whatever the format and the text, it stays within both, writes to
 * its arguments alone, and reads what the C library of this PC reads, if C defines the result.
 *
 * An input is a format, a NUL, and a text. All arguments are one address each.
 */
#include "../../runtime/io/served/number.c"
#include "../../runtime/io/served/scan.c"
#include "fuzz.h"

#define ARGUMENTS 8
#define TEXT_BYTES 64

/* An argument: the longest text, as wide characters. */
struct argument {
	char bytes[(TEXT_BYTES + 1) * sizeof(wchar_t)];
};

static struct argument ours[ARGUMENTS], theirs[ARGUMENTS];

static int scan(const char *text, const char *format, ...)
{
	struct co_io_source s = co_io_source_text(text);
	va_list ap;
	int n;

	va_start(ap, format);
	n = co_io_scan(&s, format, ap);
	va_end(ap);
	MUST(s.taken >= 0 && (size_t)s.taken <= strlen(text));
	return n;
}

/* Conversions that take a length, each with the lengths that C has for them. */
static bool goes_with(const char *length, size_t bytes, char specifier)
{
	static const char *const whole[] = { "hh", "h", "l", "ll", "j", "z", "t" };
	char text[3] = { 0 };

	if (!bytes)
		return strchr("diuoxXpaAeEfFgGcs[n%", specifier) != NULL;
	memcpy(text, length, bytes);
	if (strchr("aAeEfFgG", specifier))
		return strcmp(text, "l") == 0; /* a long double is of another size on boards */
	for (unsigned i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (strcmp(text, whole[i]) == 0)
			return strchr("diuoxXn", specifier) != NULL;
	return false;
}

/* What the arguments of a format are. */
struct shape {
	bool is_defined;     /* by C: the result */
	bool has_room;       /* for the arguments that it may take */
	unsigned long place; /* of the argument that was taken last */
};

/*
 * Look at a conversion behind its %. Returns the format behind it; at its end, the conversion is
 * not complete.
 */
static const char *look(const char *p, struct shape *shape)
{
	const char *digits = p, *length;
	bool is_placed, is_dropped;
	size_t bytes;

	p += strspn(p, "0123456789");
	is_placed = *p == '$' && p > digits;
	shape->place = is_placed ? strtoul(digits, NULL, 10) : shape->place + 1;
	shape->has_room &= shape->place <= ARGUMENTS;
	p = digits = is_placed ? p + 1 : digits;
	is_dropped = *p == '*';
	digits = p += is_dropped;
	p += strspn(p, "0123456789");
	shape->is_defined &= !is_placed && p - digits <= 2 && (p == digits || *digits != '0');
	length = p;
	p += strspn(p, "hljztL");
	bytes = (size_t)(p - length);
	shape->has_room &= *p != 'm'; /* of a text in memory of malloc()'s */
	shape->is_defined &= *p && bytes <= 2 && goes_with(length, bytes, *p);
	if (*p == '%' || *p == 'n')
		shape->is_defined &= !is_dropped && length == digits && p[-1] != '*';
	if (*p == '[') {
		p += p[1] == '^';
		p += p[1] == ']';
		shape->is_defined &= strchr(p + 1, ']') != NULL;
		while (p[1] && p[1] != ']')
			p++;
		p += p[1] != '\0';
	}
	return *p ? p + 1 : p;
}

static struct shape shape_of(const char *format)
{
	struct shape shape = { .is_defined = true, .has_room = true };

	while ((format = strchr(format, '%')))
		format = look(format + 1, &shape);
	return shape;
}

#define ALL(a)                                                                              \
	a[0].bytes, a[1].bytes, a[2].bytes, a[3].bytes, a[4].bytes, a[5].bytes, a[6].bytes, \
		a[7].bytes

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, 0, size);
	size_t bytes = end ? (size_t)(end - data) : size;
	struct shape shape;
	char *format, *text;
	int n, expected;

	if (size - bytes > TEXT_BYTES)
		return 0;
	format = fuzz_text(data, bytes);
	text = fuzz_text(data + bytes + (end != NULL), size - bytes - (end != NULL));
	shape = shape_of(format);
	if (shape.has_room) {
		memset(ours, 0xa5, sizeof(ours));
		n = scan(text, format, ALL(ours));
		MUST(n >= EOF && n <= (int)(bytes / 2));
		if (shape.is_defined) {
			memset(theirs, 0xa5, sizeof(theirs));
			expected = sscanf(text, format, ALL(theirs));
			MUST(n == expected);
			MUST(memcmp(ours, theirs, sizeof(ours)) == 0);
		}
	}
	free(format);
	free(text);
	return 0;
}
