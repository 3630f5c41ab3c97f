/* divided.c - windows that --spm= has divided: the heap and the stacks that it says are there. */
#include <cohart/cache.h>
#include <cohart/parallel.h>

#include "../harness/test.h"

static struct co *co[64];
static struct co_a32 here, go;

/* What it has on its stack stays its own. */
static intptr_t use_stack(void *arg)
{
	volatile unsigned char words[1024];

	memset((void *)words, (int)(uintptr_t)arg, sizeof(words));
	co_atomic_add(&here, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE))
		co_pause();
	for (unsigned i = 0; i < sizeof(words); i++) {
		if (words[i] != (unsigned char)(uintptr_t)arg)
			return -EIO;
	}
	return 0;
}

TEST(stacks_of_the_window_are_as_many_as_it_says)
{
	const struct co_attr attr = { .on = CO_ON_HART(co_harts() - 1), .stack = CO_STACK_SPM };
	unsigned n = co_spm_stacks();
	struct co *more;

	printf("# %u stacks\n", n);
	if (!n)
		SKIP("windows are too small here, and have none");
	REQUIRE(n <= 64);
	for (unsigned i = 0; i < n; i++)
		REQUIRE_EQ(co_spawn(&co[i], &attr, use_stack, (void *)(uintptr_t)(i + 1)), 0);
	CHECK(test_await(&here, n));
	CHECK_EQ(co_spawn(&more, &attr, use_stack, NULL), -ENOBUFS);
	co_atomic_store(&go, 1, CO_RELEASE);
	test_join_all(co, n, 0);
}

/* All of the heap, in one piece, whose last byte is another hart's to write. */
static intptr_t fill_heap(void *arg)
{
	size_t bytes = co_spm_largest();
	unsigned char *all = co_spm_alloc(bytes, 16);

	if (!all || !co_spm_shared(all, bytes))
		return -ENOMEM;
	memset(all, 0xa5, bytes);
	co_spm_free(all);
	return (intptr_t)bytes;
}

TEST(the_heap_is_as_large_as_it_says)
{
	intptr_t bytes = test_join(test_spawn_on(co_harts() - 1, fill_heap, NULL));
	struct co_spm_use use;

	co_spm_use(co_harts() - 1, &use);
	printf("# a heap of %lu KiB, %lu in one piece\n", (unsigned long)use.heap_bytes >> 10,
	       (unsigned long)bytes >> 10);
	CHECK(bytes > 0 && (size_t)bytes <= use.heap_bytes);
}

/* ---- Caches of loops ---- */

static const struct co_spm_part *part_named(const char *name)
{
	unsigned n;
	const struct co_spm_part *part = co_spm_parts(&n);

	while (n && strcmp(part->name, name) != 0)
		part++, n--;
	return n ? part : NULL;
}

static const struct co_loop_cache cached = CO_LOOP_CACHE(64, 16, 4);
static _Alignas(64) int32_t lines[16 * 64];

/* Of each line its first number, through the cache, which lies in the part `arg`. */
static int adds_one(void *arg, struct co_part *p)
{
	const struct co_spm_part *part = arg;
	uintptr_t at = (uintptr_t)p->cache - (uintptr_t)co_spm_base(co_hart());
	struct co_cache_view v = co_cache_view(p->cache);

	CHECK(at - part->offset < part->bytes);
	CO_EACH(i, p, 0)
	{
		int32_t *x = &lines[i * 16];

		co_cache_store(v, int32_t, x, co_cache_load(v, int32_t, x) + 1);
		if (i == 60 && *x == 0) /* the first time */
			co_panic("it is asked to");
	}
	return 0;
}

TEST_FAULTY(b3_caches_of_loops_have_a_part_of_their_own)
{
	static struct co_parallel loop;
	struct co_spm_part *part;

	if (!part_named("caches of loops"))
		SKIP("--spm= says nothing of caches");
	part = co_spm_alloc(sizeof(*part), 16); /* shared memory */
	REQUIRE(part);
	*part = *part_named("caches of loops");
	printf("# caches: %lu KiB\n", (unsigned long)part->bytes >> 10);
	REQUIRE(part->bytes >= co_cache_bytes(&cached.shape));
	loop = LOOP(adds_one, 64, .arg = part, .cache = &cached, .schedule = CO_CYCLIC,
		    .scope = co_scope_here(CO_GROUP, CO_ROLE_COMPUTE));
	CHECK_EQ(co_parallel_for(&loop), -EFAULT);
	memset(lines, 1, sizeof(lines));
	/* The member that a fault has ended has left it. */
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ(co_parallel_for(&loop), 0);
	for (unsigned i = 0; i < 64; i++)
		CHECK_EQ(lines[i * 16], 0x01010101 + 3);
	co_spm_free(part);
}

/* ---- Mailboxes ---- */

enum { FIRST = 11, SECOND, THIRD, WORDS = CO_MAILBOX_WORDS(2, 16) };

static struct co_mailbox box[3];

static bool lies_in(const struct co_mailbox *b, const struct co_spm_part *part)
{
	size_t at = (uintptr_t)b->storage - (uintptr_t)co_spm_base(co_hart()) - part->offset;

	return at < part->bytes && b->words * sizeof(uintptr_t) <= part->bytes - at;
}

static bool overlap(const struct co_mailbox *a, const struct co_mailbox *b)
{
	return a->storage < b->storage + b->words && b->storage < a->storage + a->words;
}

/* On hart 0, whose parts are known. */
TEST(b3_storage_of_mailboxes_has_a_part_of_its_own)
{
	const struct co_spm_part *part = part_named("mailboxes' storage");
	unsigned all;

	if (!part) {
		CHECK_EQ(co_mailbox_open(&box[0], FIRST, NULL, WORDS), -EINVAL);
		SKIP("--spm= says nothing of mailboxes");
	}
	printf("# mailboxes: %lu KiB\n", (unsigned long)part->bytes >> 10);
	all = (unsigned)(part->bytes / sizeof(uintptr_t));
	CHECK_EQ(co_mailbox_open(&box[0], FIRST, NULL, all + 1), -ENOMEM);
	REQUIRE_EQ(co_mailbox_open(&box[0], FIRST, NULL, WORDS), 0);
	REQUIRE_EQ(co_mailbox_open(&box[1], SECOND, NULL, WORDS), 0);
	CHECK(lies_in(&box[0], part) && lies_in(&box[1], part) && !overlap(&box[0], &box[1]));
	CHECK_EQ(co_mailbox_open(&box[2], THIRD, NULL, all - 2 * WORDS + 1), -ENOMEM);
	REQUIRE_EQ(co_mailbox_open(&box[2], THIRD, NULL, all - 2 * WORDS), 0);
	CHECK(lies_in(&box[2], part) && !overlap(&box[2], &box[1]));
	/* Messages stay apart. */
	for (uintptr_t i = 0; i < 16; i++) {
		for (int tag = FIRST; tag <= THIRD; tag++) {
			REQUIRE_EQ(co_mail_send(0, tag, (uintptr_t[]){ (uintptr_t)tag, i }, 2), 0);
			co_pause();
		}
	}
	for (uintptr_t i = 0; i < 16; i++) {
		for (unsigned b = 0; b < 3; b++) {
			uintptr_t got[2];

			REQUIRE_EQ(co_mailbox_recv(&box[b], got, 2, NULL), 2);
			CHECK(got[0] == FIRST + b && got[1] == i);
		}
	}
	/* What one leaves is another's. */
	CHECK_EQ(co_mailbox_close(&box[1]), 0);
	CHECK_EQ(co_mailbox_open(&box[1], SECOND, NULL, WORDS + 1), -ENOMEM);
	REQUIRE_EQ(co_mailbox_open(&box[1], SECOND, NULL, WORDS), 0);
	CHECK(lies_in(&box[1], part) && !overlap(&box[0], &box[1]) && !overlap(&box[2], &box[1]));
	for (unsigned b = 0; b < 3; b++)
		CHECK_EQ(co_mailbox_close(&box[b]), 0);
}

/* Of each group: what its harts have. The same block of heap, from the same offset on. */
TEST(b3_groups_may_divide_the_end_of_the_public_part_each_for_itself)
{
	for (unsigned g = 0; g < co_groups(); g++) {
		struct co_spm_use use;

		co_spm_use(co_group(g)->manager, &use);
		printf("# group %u: a heap of %lu KiB\n", g, (unsigned long)use.heap_bytes >> 10);
		CHECK(use.heap_bytes >= 4096 && use.heap_bytes < co_spm_bytes());
	}
}

TEST(parts_follow_each_other_in_the_window)
{
	unsigned n;
	const struct co_spm_part *part = co_spm_parts(&n);
	size_t end = 0;

	for (unsigned i = 0; i < n; i++) {
		CHECK(part[i].offset >= end);
		CHECK(part[i].bytes > 0 && part[i].bytes <= co_spm_bytes());
		end = part[i].offset + part[i].bytes;
	}
	CHECK(end <= co_spm_bytes());
}
