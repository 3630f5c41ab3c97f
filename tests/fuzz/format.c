/*
 * format.c - fuzzes deferred prints: what a hart that is not hart 0 makes of a format, and what
 * hart 0 then prints of it. That must be what the C library of this PC makes of the same format,
 * and as long as the hart has said.
 *
 * An input is a byte that says whether the string is a constant, one for its length, and the
 * format. All arguments are one address, of the string: whatever a conversion takes it for is
 * right.
 */
#include <stdarg.h>

#include <sanitizer/asan_interface.h>

/* In place of an image's: what lies here is constant. */
#define CONSTANT_BYTES 0x10000u
#include "../../runtime/core/memory/image.h"
#define __rodata_end (__rodata_start + CONSTANT_BYTES)

#include "../../runtime/io/served/printf.c"
#include "../../runtime/io/served/format.c"
#include "../../runtime/io/served/real.c"
#include "fuzz.h"

char __rodata_start[CONSTANT_BYTES];
_Thread_local struct co_executor co_executor;
_Thread_local struct co_io_print_ring co_io_print_ring;
struct co_inbox co_io_records = { .last = { (uintptr_t)&co_io_records.stub } };
struct co_waitq co_io_work;

static struct {
	char text[2 * PRINT_MAX];
	size_t length;
} out;

int co_io_vfprintf(FILE *f, const char *format, va_list ap)
{
	MUST(!f);
	return vsnprintf(NULL, 0, format, ap);
}

int co_io_print_text(FILE *f, const char *format, va_list ap)
{
	MUST(f == stdout && format);
	return -1; /* it is not deferred: no more of it here */
}

int co_io_vsnprintf(char *to, size_t room, const char *format, va_list ap)
{
	struct co_io_sink s = { .at = to, .memory = to, .end = to + room - 1 };
	int n = co_io_format(&s, format, ap);

	*s.at = '\0';
	return n;
}

struct co_io_record *co_io_record_open(void)
{
	MUST(!"there is room");
	return NULL;
}

int co_io_record_announce(int n)
{
	return n;
}

static void line_ends(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	(void)c, (void)of, (void)why;
}

void co_io_line_changes(struct co *c)
{
	c->req.unended.run = c->req.unended.run ? NULL : line_ends;
}

void co_io_console_write(const char *s, size_t bytes)
{
	MUST(bytes < sizeof(out.text));
	memcpy(out.text, s, bytes);
	out.length = bytes;
}

/* A string of so many characters, with nothing to be read behind it. */
static char *make_string(uint8_t how, bool constant)
{
	size_t length = how < 128 ? how : 128 + (size_t)(how - 128) * 4;
	char *s = constant ? __rodata_start + CONSTANT_BYTES - 1 - length : malloc(length + 1);

	if (!s)
		abort();
	memset(s, 's', length);
	s[length] = '\0';
	return s;
}

static struct co_io_record *make_record(void)
{
	static struct co self;
	struct co_io_record *r = aligned_alloc(alignof(struct co_io_record), CO_RECORD_BYTES);

	if (!r)
		abort();
	memset(r, 0xa5, CO_RECORD_BYTES);
	co_io_print_ring.next = (unsigned char *)r;
	co_io_print_ring.stop = co_io_print_ring.next + 1;
	co_executor.current = &self;
	co_executor.hart = 1;
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char want[2 * PRINT_MAX];
	char *format = __rodata_start, *s;
	struct co_io_record *r;
	int n;

	if (size < 2 || size > CONSTANT_BYTES / 2)
		return 0;
	memcpy(format, data + 2, size - 2);
	format[size - 2] = '\0';
	s = make_string(data[1], data[0] & 1);
	r = make_record();
	ASAN_POISON_MEMORY_REGION(format + size - 1, CONSTANT_BYTES / 2 - (size - 1));
	n = __wrap_printf(format, s, s, s, s, s, s, s, s, s, s, s, s, s);
	MUST((n < 0) == (co_io_print_ring.next == (unsigned char *)r));
	if (n >= 0) {
		MUST(r->end == (uintptr_t)co_io_print_ring.next);
		MUST(r->end > (uintptr_t)r && r->end <= (uintptr_t)r + CO_RECORD_BYTES);
		MUST(co_io_is_unended(co_executor.current) == (format[strlen(format) - 1] != '\n'));
		MUST(snprintf(want, sizeof(want), format, s, s, s, s, s, s, s, s, s, s, s, s) == n);
		r->msg.run(&r->msg);
		MUST(out.length == (size_t)n && memcmp(out.text, want, out.length) == 0);
	}
	ASAN_UNPOISON_MEMORY_REGION(format, CONSTANT_BYTES / 2);
	co_inbox_init(&co_io_records);
	if (!(data[0] & 1))
		free(s);
	free(r);
	return 0;
}
