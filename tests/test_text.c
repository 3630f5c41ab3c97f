/* test_text.c - reports are formatted as printf() would, as far as they are. */
#include <stdio.h>
#include <string.h>

#include "../runtime/core/core.h"
#include "faulty.h"

static void check(const char *ours, size_t used, const char *theirs)
{
	CHECK_STR(ours, theirs);
	CHECK_EQ(used, strlen(theirs));
}

/* Both ways. */
#define CHECK_TEXT(...)                                              \
	do {                                                         \
		char ours[64], theirs[64];                           \
		struct co_text t = { ours, sizeof(ours), 0 };        \
		(void)snprintf(theirs, sizeof(theirs), __VA_ARGS__); \
		co_text_add(&t, __VA_ARGS__);                        \
		check(ours, t.used, theirs);                         \
	} while (0)

TEST(texts_are_put_together_as_by_printf)
{
	CHECK_TEXT("nothing to convert");
	CHECK_TEXT("%s, %c%c and %%", "a string", 'a', 'b');
	CHECK_TEXT("%d %d %d %ld", 0, -1, 2147483647, -2147483647L - 1);
	CHECK_TEXT("%u %lu %zu", 4294967295u, (unsigned long)-1, (size_t)12);
	CHECK_TEXT("0x%x 0x%lx %lx", 0xabcdef01u, (unsigned long)-1, 0ul);
	CHECK_TEXT("%6lu|%2u|%12lx|%4d", 7ul, 12345u, 0xbeeful, -12);
	CHECK_TEXT("%s", "");
	CHECK_TEXT("%.4s|%.0s|%.40s", "a long one", "none", "short");
}

TEST(what_cannot_be_read_is_not_touched)
{
	const char *volatile null = NULL;
	char buf[64];
	struct co_text t = { buf, sizeof(buf), 0 };

	co_text_add(&t, "%s, %s, %.4s, %.0s.", (const char *)wild, null, (const char *)wild,
		    (const char *)wild);
	CHECK_STR(buf, "(unreadable), (null), (unr, .");
	t.used = 0;
	co_text_add(&t, (const char *)wild, 1);
	CHECK_STR(buf, "(unreadable)");
}

TEST(what_does_not_fit_is_cut_off)
{
	char buf[8];
	struct co_text t = { buf, sizeof(buf), 0 };

	co_text_add(&t, "%s", "123456789");
	CHECK_STR(buf, "1234567");
	co_text_add(&t, "%u", 8u);
	CHECK_STR(buf, "1234567");
	CHECK_EQ(t.used, 7);
}
