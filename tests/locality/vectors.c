/*
 * vectors.c - loops by vectors (cohart/vector.h) and by plain code in a scratchpad, for
 * tests/locality/run: the same results, in no more time.
 */
#include <cohart/cohart.h>

#include "../harness/pairs.h"
#include "../harness/test.h"

static unsigned char wanted[PAIRS_BYTES];

static void run(struct pairs *p, const struct pair *pair, unsigned which)
{
	const char *name = which ? pair->plain : pair->by_vectors;

	memset(p->z, 0, PAIRS_BYTES);
	co_mark_begin(name);
	pair->run[which](p);
	co_mark_end(name, 0);
}

static intptr_t run_all(void *arg)
{
	struct pairs p = { co_spm_alloc(PAIRS_BYTES, 16), co_spm_alloc(PAIRS_BYTES, 16),
			   co_spm_alloc(PAIRS_BYTES, 16) };

	(void)arg;
	REQUIRE(p.x && p.y && p.z);
	for (unsigned i = 0; i < PAIRS_COUNT; i++) {
		pairs_fill(&p, i < 3);
		run(&p, &pairs[i], 1);
		memcpy(wanted, p.z, PAIRS_BYTES);
		run(&p, &pairs[i], 0);
		CHECK(memcmp(p.z, wanted, PAIRS_BYTES) == 0);
	}
	return 0;
}

TEST(b6_loops_by_vectors_do_what_plain_ones_do)
{
	CHECK_EQ(test_join(test_spawn_on(test_compute(0), run_all, NULL)), 0);
}
