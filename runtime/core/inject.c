/* inject.c - faults injected by a seed: see inject.h. */
#include "inject.h"

#ifdef CO_FAULTS

#include <stdlib.h>

#include "core.h"

/* relaxed, all: counts and rates; they publish nothing. */
static struct {
	const char *name;
	struct co_a32 rate; /* the default, unless --faults= sets another */
	struct co_a32 nth;
	struct co_a32 happened;
} injected[CO_INJECT_KINDS] = {
	[CO_INJECT_DOORBELL] = { "doorbell", { 64 } },
	[CO_INJECT_SPURIOUS] = { "spurious", { 64 } },
	[CO_INJECT_WAKE] = { "wake", { 8 } },
	[CO_INJECT_FILE] = { .name = "file" },
	[CO_INJECT_DMA] = { .name = "dma" },
	[CO_INJECT_MEMORY] = { .name = "memory" },
};

static uint64_t seed = 1;

static _Thread_local uint64_t state;

/* Marsaglia's xorshift64*. */
static uint32_t draw(void)
{
	if (!state)
		state = (seed + 1) * 0x9e3779b97f4a7c15u ^
			(co_executor.hart + 1) * 0xbf58476d1ce4e5b9u;
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)(state * 0x2545f4914f6cdd1du >> 32);
}

/* Is this the n-th call? */
static bool is_nth(enum co_inject_kind what)
{
	uint32_t n = co_atomic_load(&injected[what].nth, CO_RELAXED);

	return n && n < UINT32_MAX / 2 && co_atomic_add(&injected[what].nth, -1u, CO_RELAXED) == 1;
}

bool co_inject(enum co_inject_kind what)
{
	uint32_t rate = co_atomic_load(&injected[what].rate, CO_RELAXED);

	if (co_machine.booting || (!is_nth(what) && (!rate || draw() % rate)))
		return false;
	co_atomic_add(&injected[what].happened, 1, CO_RELAXED);
	return true;
}

void co_ring_astray(void)
{
	if (co_inject(CO_INJECT_SPURIOUS))
		hal_ipi_ring(co_hart_at(draw() % co_machine.harts)->doorbell);
}

void co_inject_rate(enum co_inject_kind what, uint32_t rate)
{
	co_atomic_store(&injected[what].rate, rate, CO_RELAXED);
}

void co_inject_nth(enum co_inject_kind what, uint32_t n)
{
	co_atomic_store(&injected[what].nth, n, CO_RELAXED);
}

uint32_t co_inject_count(enum co_inject_kind what)
{
	return co_atomic_load(&injected[what].happened, CO_RELAXED);
}

/* Returned for wrong text: neither a comma nor the end. */
static const char wrong[] = "?";

/* Set "name:rate" or "name=call", up to a comma. Returns the text behind it, or `wrong`. */
static const char *take_rate(const char *text)
{
	const char *colon = strpbrk(text, ":=");
	char *end;

	for (unsigned i = 0; i < CO_INJECT_KINDS && colon; i++) {
		size_t n = (size_t)(colon - text);
		unsigned long rate;

		if (strlen(injected[i].name) != n || strncmp(text, injected[i].name, n) != 0)
			continue;
		rate = strtoul(colon + 1, &end, 10);
		if (end == colon + 1 || rate > UINT32_MAX)
			return wrong;
		if (*colon == ':')
			co_inject_rate((enum co_inject_kind)i, (uint32_t)rate);
		else
			co_inject_nth((enum co_inject_kind)i, (uint32_t)rate);
		return end;
	}
	return wrong;
}

/* Of before co_inject_begin(). */
static uint32_t rates[CO_INJECT_KINDS];
static bool begun;

bool co_inject_begin(const char *list)
{
	const char *at = list;

	for (unsigned i = 0; i < CO_INJECT_KINDS; i++)
		rates[i] = co_atomic_load(&injected[i].rate, CO_RELAXED);
	begun = true;
	do {
		at = take_rate(at);
	} while (*at++ == ',');
	return !at[-1];
}

void co_inject_end(void)
{
	for (unsigned i = 0; i < CO_INJECT_KINDS && begun; i++) {
		co_inject_rate((enum co_inject_kind)i, rates[i]);
		co_inject_nth((enum co_inject_kind)i, 0);
	}
	begun = false;
}

void co_inject_option(const char *text)
{
	char *end;
	const char *at;

	seed = strtoull(text, &end, 10);
	for (at = end == text ? wrong : end; *at == ',';)
		at = take_rate(at + 1);
	if (*at)
		co_die("--faults=%s: write a seed, and what else is to be one in N: 7,doorbell:50,spurious:50,wake:8,file:10,dma:10,memory:100",
		       text);
}

#endif
