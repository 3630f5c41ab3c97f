/*
 * format.c - fuzzes printf from a hart that is not hart 0: formats are packed, with their
 * arguments, into a bounce buffer, and taken apart again. What comes out must be what the C library
 * of this PC makes of the same format.
 *
 * An input is a byte that says what hart 0 can reach, one for the arguments, and the format. All
 * arguments but floating-point ones are one address, of a string: whatever a conversion takes it
 * for, its own or the next one's, is right. Its low half is small, for widths and precisions.
 */
#include <stdarg.h>
#include <sys/mman.h>

#include <sanitizer/asan_interface.h>

#include "../../runtime/io/io.h"

/* In place of a hart's: a buffer that ends where it ends, and memory that is near or far. */
static bool reachable(const void *p, size_t bytes);
static struct io_bounce *take(void);
static void give(void);
#define io_reachable reachable
#define io_bounce_take take
#define io_bounce_give give
#include "../../runtime/io/format.c"
#include "../../runtime/io/pack.c"
#include "fuzz.h"

#define OUT_BYTES (256u << 10)
#define PLACE 0x200000000000u /* of the strings: a number of 32 bits, small, or as small below 0 */
#define PLACE_BYTES 0x10000u

static struct {
	const char *format;
	size_t format_bytes;
	bool format_near, string_near;
	struct io_bounce *bounce;
	char out[OUT_BYTES], want[OUT_BYTES];
	size_t length;
} fuzz;

static bool reachable(const void *p, size_t bytes)
{
	uintptr_t a = (uintptr_t)p, format = (uintptr_t)fuzz.format;

	MUST(bytes == 1);
	return a - format <= fuzz.format_bytes ? fuzz.format_near : fuzz.string_near;
}

static struct io_bounce *take(void)
{
	MUST(!fuzz.bounce);
	fuzz.bounce = malloc(sizeof(*fuzz.bounce));
	memset(fuzz.bounce, 0xa5, sizeof(*fuzz.bounce));
	return fuzz.bounce;
}

static void give(void)
{
	MUST(fuzz.bounce);
	free(fuzz.bounce);
	fuzz.bounce = NULL;
}

intptr_t io_run(co_fn *fn, intptr_t *w)
{
	return fn(w);
}

size_t io_put_text(void *stream, const char *s, size_t bytes)
{
	(void)stream;
	MUST(bytes < OUT_BYTES - fuzz.length);
	memcpy(fuzz.out + fuzz.length, s, bytes);
	fuzz.length += bytes;
	return bytes;
}

size_t io_write_any(void *stream, const void *p, size_t bytes)
{
	MUST(!fuzz.bounce); /* a call of its own, that may want it */
	return io_put_text(stream, p, bytes);
}

int io_put_formatted(void *stream, const char *format, va_list ap)
{
	int n = vsnprintf(fuzz.out + fuzz.length, OUT_BYTES - fuzz.length, format, ap);

	(void)stream;
	MUST(n < (int)(OUT_BYTES - fuzz.length));
	if (n > 0)
		fuzz.length += (size_t)n;
	return n;
}

static int print(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = io_print_packed(NULL, format, ap);
	va_end(ap);
	return n;
}

/* A string of so many characters at the end of either half, the rest forbidden. */
static const char *string(uint8_t how)
{
	static char *both;
	size_t length = how & 15;
	char *p;

	if (!both) {
		both = mmap((void *)(PLACE - PLACE_BYTES), 2 * PLACE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		MUST(both == (void *)(PLACE - PLACE_BYTES));
	}
	if (how & 0x40)
		length = length == 15 ? 5000 : 40 + length * 272;
	ASAN_UNPOISON_MEMORY_REGION(both, 2 * PLACE_BYTES);
	p = both + PLACE_BYTES + (how >> 4 & 3) * 8;
	if (how & 0x80)
		p -= 48;
	memset(p, 's', length);
	p[length] = '\0';
	ASAN_POISON_MEMORY_REGION(both, (size_t)(p - both));
	ASAN_POISON_MEMORY_REGION(p + length + 1,
				  (size_t)(both + 2 * PLACE_BYTES - p) - length - 1);
	return p;
}

/*
 * Does the C standard say what this prints, and is it little enough? `*other` becomes true where we
 * print something of our own.
 */
static bool sensible(const char *f, bool *other)
{
	unsigned arguments = 0, digits = 0;

	for (; *f; f++) {
		bool floats;
		char size;

		if (*f != '%')
			continue;
		f += 1 + strspn(f + 1, "-+ #0");
		digits = (unsigned)strspn(f, "0123456789");
		arguments += *f == '*';
		f += *f == '*' ? 1 : digits;
		if (*f == '.') {
			f++;
			digits |= (unsigned)strspn(f, "0123456789");
			arguments += *f == '*';
			f += *f == '*' ? 1 : strspn(f, "0123456789");
		}
		size = *f;
		f = parse_size(f, &size);
		floats = *f && strchr("aAeEfFgG", *f);
		if (strchr("hljzt", size) && size && strchr("cspaAeEfFgG%", *f) &&
		    !(floats && size == 'l'))
			*other = true;
		if (size == 'L' || size == 'q' || size == 'H')
			*other |= size == 'L' || !strchr("diouxX", *f);
		if (!*f || !strchr("diouxXcspaAeEfFgG", *f))
			*other |= !(*f == '%' && f[-1] == '%');
		if (++arguments > 36 || digits >= 4) /* long doubles take two */
			return false;
		if (!*f)
			break;
	}
	return true;
}

/* What else we print in our own way: flags and conversions beyond reason (format.c, pack.c). */
static bool too_long(const char *f)
{
	for (; *f; f++) {
		size_t flags = *f == '%' ? strspn(f + 1, "-+ #0") : 0;

		if (flags > FLAGS_MAX)
			return true;
		if (*f == '%' && strcspn(f + 1, "diouxXcspaAeEfFgG%") > SPEC_BYTES - 3)
			return true;
	}
	return false;
}

#define FOUR(s) s, s, s, s
#define FORTY(s) \
	FOUR(s), FOUR(s), FOUR(s), FOUR(s), FOUR(s), FOUR(s), FOUR(s), FOUR(s), FOUR(s), FOUR(s)
#define ARGUMENTS(s) 0.0, -1.5, 1e300, 1e-300, 0.1, 123456789.0, -0.0, 1.0, FORTY(s), FORTY(s)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *format;
	const char *s;
	bool other = false;
	int n, want;

	if (size < 2)
		return 0;
	format = fuzz_text(data + 2, size - 2);
	s = string(data[1]);
	fuzz.format = format;
	fuzz.format_bytes = size - 2;
	fuzz.format_near = data[0] & 1;
	fuzz.string_near = data[0] & 2;
	fuzz.length = 0;
	if (sensible(format, &other)) {
		n = print(format, ARGUMENTS(s));
		MUST(!fuzz.bounce);
		MUST(n == -1 || (size_t)n == fuzz.length);
		if (!other && !too_long(format)) {
			want = snprintf(fuzz.want, OUT_BYTES, format, ARGUMENTS(s));
			MUST(n == want);
			MUST(memcmp(fuzz.out, fuzz.want, fuzz.length) == 0);
		}
	}
	free(format);
	return 0;
}
