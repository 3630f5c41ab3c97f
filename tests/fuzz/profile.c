/*
 * profile.c - fuzzes the profiles of the locality plug-in, as a file that is in memory.
 */
#include <stdarg.h>

#include "fuzz.h"

static const uint8_t *contents;
static size_t contents_bytes;
static unsigned complaints;

static FILE *open_contents(const char *path, const char *mode)
{
	(void)path;
	return fmemopen((void *)contents, contents_bytes, mode);
}

static int complain(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int complain(FILE *f, const char *format, ...)
{
	char text[1024];
	va_list ap;

	(void)f;
	va_start(ap, format);
	MUST(vsnprintf(text, sizeof(text), format, ap) > 0);
	va_end(ap);
	complaints++;
	return 0;
}

#define fopen open_contents
#define fprintf complain
#include "../../qemu/plugins/profile.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = malloc(sizeof(*p));
	bool good;

	contents = data;
	contents_bytes = size;
	complaints = 0;
	good = profile_read("a profile", p);
	MUST(complaints == !good);
	for (unsigned who = 0; good && who < WHOS; who++)
		for (unsigned i = 0; i < PLACES; i++)
			MUST(p->cost[who][i].given);
	free(p);
	return 0;
}
