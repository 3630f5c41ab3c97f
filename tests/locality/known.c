/*
 * known.c - accesses whose number is known, section by section, for tests/locality/run: hart 1
 * makes them. What the marks themselves cost is given by the
 * sections that are empty.
 */
#include <cohart/cohart.h>
#include <cohart/detail/mark.h>

#include "../harness/test.h"

enum { LOADS = 100, STORES = 70, ATOMICS = 30, WORK = 200000, BYTES = 5 * 1024 };

struct target {
	alignas(CO_LINE) struct co_a32 word;
};

static struct target in_main;
static struct target news; /* written by hart 2 */
static struct co_counter done;

/* The loops are in registers: an access is the only one of its turn. */
static __attribute__((noinline)) void load(struct target *t, const char *name, uint32_t n)
{
	co_mark_begin(name);
	for (unsigned i = 0; i < n; i++)
		(void)co_atomic_load(&t->word, CO_RELAXED);
	co_mark_end(name, n);
}

static __attribute__((noinline)) void store(struct target *t, const char *name, uint32_t n)
{
	co_mark_begin(name);
	for (unsigned i = 0; i < n; i++)
		co_atomic_store(&t->word, i, CO_RELEASE);
	co_mark_end(name, n);
}

static __attribute__((noinline)) void add(struct target *t, const char *name, uint32_t n)
{
	co_mark_begin(name);
	for (unsigned i = 0; i < n; i++)
		co_atomic_add(&t->word, 1, CO_RELAXED);
	co_mark_end(name, n);
}

static intptr_t write_news(void *arg)
{
	co_atomic_store(&news.word, 1, CO_RELEASE);
	return 0;
}

static intptr_t work(void *arg)
{
	for (unsigned i = 0; i < WORK; i++)
		__asm__ volatile("" : : "r"(i)); /* keeps the compiler from dropping the turn */
	co_counter_done(&done);
	return 0;
}

static void on_hart_2(co_fn *fn)
{
	const struct co_attr there = { .name = "other", .on = CO_ON_HART(2) };
	struct co *c;

	CHECK_EQ(co_spawn(&c, &there, fn, NULL), 0);
	CHECK_EQ(co_join(c, NULL), 0);
}

static void wait_for_work(void)
{
	const struct co_attr there = { .name = "other", .on = CO_ON_HART(2) };
	struct co *c;

	co_counter_add(&done, 1);
	co_mark_begin("wait");
	CHECK_EQ(co_spawn(&c, &there, work, NULL), 0);
	CHECK_EQ(co_counter_wait(&done), 0);
	co_mark_end("wait", 1);
	CHECK_EQ(co_join(c, NULL), 0);
}

static intptr_t write_there(void *arg)
{
	struct target *t = arg;

	co_atomic_store(&t->word, 1, CO_RELEASE); /* paired with poll()'s acquire */
	return 0;
}

/* A hart that never sleeps reads what another has written: not before it can be there. */
static void poll(struct target *t)
{
	const struct co_attr there = { .name = "other", .on = CO_ON_HART(2) };
	struct co *c;

	co_atomic_store(&t->word, 0, CO_RELAXED); /* spawning publishes it */
	CHECK_EQ(co_spawn(&c, &there, write_there, t), 0);
	co_mark_begin("poll");
	while (!co_atomic_load(&t->word, CO_ACQUIRE))
		;
	co_mark_end("poll", 1);
	CHECK_EQ(co_join(c, NULL), 0);
}

static void transfer(const struct target *t)
{
	co_mark_begin("dma");
	co_mark_dma_start(t, BYTES, 1);
	co_mark_dma_wait(t);
	co_mark_end("dma", 1);
}

/* Rows pass in whole lines of the profile's, 128 bytes. */
static void transfer_rows(const struct target *t)
{
	co_mark_begin("dma rows");
	co_mark_dma_start(t, 100, 40);
	co_mark_dma_wait(t);
	co_mark_end("dma rows", 1);
}

/* Two at a time have half of the speed each; they are waited for together. */
static void transfer_two(const struct target *t)
{
	co_mark_begin("dma two");
	co_mark_dma_start(t, BYTES, 1);
	co_mark_dma_start(t, BYTES, 1);
	co_mark_dma_wait(t);
	co_mark_end("dma two", 1);
}

/* What the hart does in an engine's place is neither counted nor paid for. */
static void stand_in(const struct target *t)
{
	co_mark_begin("dma by hart");
	co_mark_dma_start(t, BYTES, 1);
	co_mark_dma_move(t);
	for (unsigned i = 0; i < LOADS; i++) {
		(void)co_atomic_load(&in_main.word, CO_RELAXED);
		co_atomic_store(&in_main.word, i, CO_RELAXED);
	}
	co_mark_dma_moved(t);
	co_mark_dma_wait(t);
	co_mark_end("dma by hart", 1);
}

static struct co_a32 over;

static intptr_t crowd(void *arg)
{
	struct target *t = arg;

	co_counter_done(&done);
	/* No cache answers an atomic; clang makes a load of one that changes nothing. */
	while (!co_atomic_load(&over, CO_RELAXED)) {
		for (unsigned i = 0; i < ATOMICS; i++)
			co_atomic_add(&t->word, 1, CO_RELAXED);
	}
	return 0;
}

/* Main memory serves a group's harts one after the other, and so does a word. */
static void add_in_a_crowd(struct target *theirs, const char *name)
{
	const struct co_attr there = { .name = "other", .on = CO_ON_HART(2) };
	struct co *c;

	co_atomic_store(&over, 0, CO_RELAXED);
	co_counter_add(&done, 1);
	CHECK_EQ(co_spawn(&c, &there, crowd, theirs), 0);
	CHECK_EQ(co_counter_wait(&done), 0);
	add(&in_main, name, ATOMICS);
	co_atomic_store(&over, 1, CO_RELEASE);
	CHECK_EQ(co_join(c, NULL), 0);
}

/* The second time through so many lines. */
static void sweep(const char *name, unsigned lines)
{
	static alignas(CO_LINE) struct co_a32 memory[256][CO_LINE / sizeof(struct co_a32)];

	for (unsigned pass = 0; pass < 2; pass++) {
		if (pass)
			co_mark_begin(name);
		for (unsigned i = 0; i < lines; i++)
			(void)co_atomic_load(&memory[i][0], CO_RELAXED);
	}
	co_mark_end(name, lines);
}

static void all_kinds(struct target *t, const char *const names[3])
{
	load(t, names[0], LOADS);
	store(t, names[1], STORES);
	add(t, names[2], ATOMICS);
}

static intptr_t on_hart_1(void *arg)
{
	struct target *own = co_spm_alloc(sizeof(*own), CO_LINE);

	load(own, "empty load", 0);
	store(own, "empty store", 0);
	add(own, "empty atomic", 0);
	co_mark_begin("number");
	co_mark_end("number", 0x12345678);
	all_kinds(own, (const char *const[]){ "own load", "own store", "own atomic" });
	all_kinds(co_spm_at(own, 2),
		  (const char *const[]){ "near load", "near store", "near atomic" });
	all_kinds(co_spm_at(own, 0),
		  (const char *const[]){ "boss load", "boss store", "boss atomic" });
	all_kinds(co_spm_at(own, co_harts() - 1),
		  (const char *const[]){ "far load", "far store", "far atomic" });
	all_kinds(&in_main, (const char *const[]){ "main load", "main store", "main atomic" });
	on_hart_2(write_news);
	load(&news, "fetched load", LOADS);
	load(&news, "again load", LOADS);
	sweep("16 lines", 16);
	sweep("64 lines", 64);
	sweep("256 lines", 256);
	wait_for_work();
	poll(own);
	transfer(own);
	transfer_rows(own);
	transfer_two(own);
	stand_in(own);
	add_in_a_crowd(&news, "crowded atomic");
	add_in_a_crowd(&in_main, "contended atomic");
	co_spm_free(own);
	return 0;
}

TEST(known_accesses)
{
	const struct co_attr there = { .name = "known", .on = CO_ON_HART(1) };
	struct co *c = test_spawn(&there, on_hart_1, NULL);

	REQUIRE_EQ(co_join(c, NULL), 0);
}
