/* profile.c - fuzzes the profiles of the locality plug-in, as a file that is in memory. */
#include "fuzz.h"

static const uint8_t *contents;
static size_t contents_bytes;

static FILE *open_contents(const char *path, const char *mode)
{
	return fmemopen((void *)contents, contents_bytes, mode);
}

#define fopen open_contents
#define fprintf fuzz_complain
#include "../../qemu/plugins/profile.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p = malloc(sizeof(*p));
	bool good;

	contents = data;
	contents_bytes = size;
	fuzz_complaints = 0;
	good = profile_read("a profile", p);
	MUST(fuzz_complaints == !good);
	for (unsigned who = 0; good && who < WHOS; who++)
		for (unsigned i = 0; i < PLACES; i++)
			MUST(p->cost[who][i].given);
	free(p);
	return 0;
}
