/* twice.c - two cases of one name, as of two files. */
#include <cohart/test.h>

CO_TEST(same)
{
}

/* The name alone is `same`, too. */
static void run(const void *row)
{
}

static const struct co_test second __attribute__((used, aligned(sizeof(void *)),
						  section(".tests.20"))) = {
	.name = "same", .file = __FILE__, .run = run, .line = 20, .bytes = sizeof(struct co_test)
};
