/*
 * faults.c - what --break shows: coroutines that fault in a dozen ways, on harts that are busy
 * counting words, and count them right.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "shows.h"
#include "team.h"

#define WORDS 20000u
#define SLICE 512 /* bytes between two pauses */

#define NOWHERE 0x23458 /* nothing is there on any board */

/* An address that the compiler must not know. */
static void *at(uintptr_t address)
{
	__asm__ volatile("" : "+r"(address));
	return (void *)address;
}

static void call(void *function)
{
	((void (*)(void))function)();
}

static intptr_t load_null(void *arg)
{
	return *(intptr_t *)at(0) + (intptr_t)arg;
}

static intptr_t store_null(void *arg)
{
	*(int *)at(0) = 1;
	return (intptr_t)arg;
}

static intptr_t jump_null(void *arg)
{
	call(at(0));
	return (intptr_t)arg;
}

static intptr_t store_wild(void *arg)
{
	*(int *)at(NOWHERE) = 1;
	return (intptr_t)arg;
}

static intptr_t jump_wild(void *arg)
{
	call(at(NOWHERE));
	return (intptr_t)arg;
}

static intptr_t run_data(void *arg)
{
	static uint32_t data[16];

	call(at((uintptr_t)data));
	return (intptr_t)arg;
}

static intptr_t store_code(void *arg)
{
	*(uint32_t *)at((uintptr_t)&store_wild) = 0;
	return (intptr_t)arg;
}

static intptr_t store_constant(void *arg)
{
	static const uint32_t constant = 5;

	*(uint32_t *)at((uintptr_t)&constant) = 6;
	return (intptr_t)arg;
}

static __attribute__((noinline)) uint32_t dig(const uint32_t *above)
{
	uint32_t here[64] = { *above };
	const uint32_t *below = at((uintptr_t)here);

	return *above ? 0 : dig(below) + below[1];
}

static intptr_t overflow(void *arg)
{
	uint32_t top = 0;

	return (intptr_t)dig(&top) + (intptr_t)arg;
}

static intptr_t trap(void *arg)
{
	(void)arg;
	__builtin_trap();
}

static intptr_t fail(void *arg)
{
	CO_ASSERT(!at(NOWHERE));
	return (intptr_t)arg;
}

static intptr_t give_up(void *arg)
{
	(void)arg;
	abort();
}

static const struct {
	const char *name;
	co_fn *fn;
} ways[] = {
	{ "null load", load_null },      { "null store", store_null },
	{ "null call", jump_null },      { "wild store", store_wild },
	{ "wild call", jump_wild },      { "runs data", run_data },
	{ "store to code", store_code }, { "store to constants", store_constant },
	{ "stack overflow", overflow },  { "trap instruction", trap },
	{ "failed assertion", fail },    { "abort()", give_up },
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

static char *text;
static size_t bytes;
static struct co_a32 over; /* all have faulted */

/* Words of 1 to 8 letters, by a row of numbers that is always the same. */
static int write_text(void)
{
	uint32_t n = 1;

	text = malloc(9 * WORDS);
	if (!text)
		return -ENOMEM;
	for (unsigned w = 0; w < WORDS; w++) {
		n = n * 1664525u + 1013904223u;
		for (unsigned letters = 1 + (n >> 24) % 8; letters; letters--)
			text[bytes++] = (char)('a' + letters);
		text[bytes++] = ' ';
	}
	return 0;
}

/* Words that end in a part of the text, counted until the others are through, or -1. */
static intptr_t count(void *arg)
{
	size_t n = team_size(), i = (size_t)(uintptr_t)arg;
	size_t from = bytes * i / n, to = bytes * (i + 1) / n;
	intptr_t first = -1;

	do {
		intptr_t words = 0;

		for (size_t at = from; at < to; at++) {
			words += text[at] == ' ';
			if (at % SLICE == 0)
				co_pause();
		}
		if (first >= 0 && words != first)
			return -1;
		first = words;
	} while (!co_atomic_load(&over, CO_RELAXED)); /* a hint to stop */
	return first;
}

static int break_all(unsigned *contained)
{
	for (unsigned i = 0; i < WAYS; i++) {
		const struct co_attr attr = { .name = ways[i].name,
					      .on = CO_ON_HART(team_hart(i % team_size())) };
		struct co *c;
		int r = co_spawn(&c, &attr, ways[i].fn, NULL);

		if (r)
			return r;
		r = co_join(c, NULL);
		printf("  %-19s on hart %-4u %s\n", ways[i].name, team_hart(i % team_size()),
		       r ? strerror(-r) : "it went well?");
		*contained += r == -EFAULT;
	}
	return 0;
}

static int count_meanwhile(unsigned *contained, intptr_t *words)
{
	static struct co_batch batch;
	intptr_t *results = team_results();
	int r = 0, joined;

	for (unsigned i = 0; i < team_size() && !r; i++) {
		const struct co_attr attr = { .name = "count", .on = CO_ON_HART(team_hart(i)) };

		r = co_batch_spawn(&batch, &attr, count, (void *)(uintptr_t)i, &results[i]);
	}
	if (!r)
		r = break_all(contained);
	co_atomic_store(&over, 1, CO_RELAXED);
	joined = co_batch_join(&batch);
	for (unsigned i = 0; i < team_size(); i++)
		*words += results[i];
	return r ? r : joined;
}

int show_faults(void)
{
	unsigned contained = 0;
	intptr_t words = 0;
	int r = write_text();

	if (r)
		return r;
	printf("\nfaults, while %u words are counted on %u harts\n", WORDS, team_size());
	r = count_meanwhile(&contained, &words);
	free(text);
	if (r)
		return r;
	printf("  %u of %u ended one coroutine and no more; %ld words were counted\n", contained,
	       (unsigned)WAYS, (long)words);
	return contained == WAYS && words == WORDS ? 0 : -EIO;
}
