/* divide.c - a window's parts, as --spm= says: read once at boot, by each hart for its group. */
#include <string.h>

#include "../core.h"
#include "image.h"

#define NOT_SAID UINT32_MAX
#define MOST_SAID 0x3fffffffu

/*
 * Read a number at *at, with a K or M behind it if `bytes`. Returns NOT_SAID without a number, or
 * if it is too large.
 */
static uint32_t read_number(const char **at, bool bytes)
{
	const char *p = *at;
	uint32_t n = 0, unit = 1;

	for (; *p >= '0' && *p <= '9' && n <= MOST_SAID / 10; p++)
		n = 10 * n + (uint32_t)(*p - '0');
	if (p == *at)
		return NOT_SAID;
	if (bytes && (*p == 'K' || *p == 'M'))
		unit = *p++ == 'K' ? 1u << 10 : 1u << 20;
	*at = p;
	return n <= MOST_SAID / unit ? n * unit : NOT_SAID;
}

/* Bytes, but for a number of stacks. */
enum { HEAP, STACKS, BOXES, CACHE, RANK_STACK, RANK_DATA, PARTS };

/*
 * "heap:160K,stacks:4,cache:16K,mailboxes:4K,stack:32K,data:0", or some of them, up to the text's
 * end or a slash. Returns where it ends; NULL: it is not so written.
 */
static const char *read_division(const char *at, uint32_t said[PARTS])
{
	static const char *const names[PARTS] = { "heap:",  "stacks:", "mailboxes:",
						  "cache:", "stack:",  "data:" };

	for (unsigned i = 0; i < PARTS; i++)
		said[i] = NOT_SAID;
	for (;; at++) {
		unsigned i = 0;

		while (i < PARTS && strncmp(at, names[i], strlen(names[i])) != 0)
			i++;
		if (i == PARTS || said[i] != NOT_SAID)
			return NULL;
		at += strlen(names[i]);
		said[i] = read_number(&at, i != STACKS);
		if (said[i] == NOT_SAID || (!said[i] && i < RANK_STACK))
			return NULL;
		if (!*at || *at == '/')
			return at;
		if (*at != ',')
			return NULL;
	}
}

/* The bytes that the text gives a part, in whole lines; 0 if it does not name the part. */
static size_t lines_of(const uint32_t said[PARTS], unsigned part)
{
	return said[part] == NOT_SAID ? 0 : co_round_up((size_t)said[part], CO_LINE);
}

static size_t aside(const uint32_t said[PARTS])
{
	return lines_of(said, BOXES) + lines_of(said, CACHE);
}

/* Is there a page of heap beside them in the public part? */
static bool fits_beside_heap(const uint32_t said[PARTS], size_t public_bytes)
{
	return public_bytes >= CO_SPM_HEAP + HAL_PAGE_BYTES &&
	       public_bytes - CO_SPM_HEAP - HAL_PAGE_BYTES >= aside(said);
}

/*
 * Group 0 has the text's first division, group 1 the next; the last one is for all further groups,
 * too.
 */
void co_spm_divide_end(struct co_hart *h, unsigned hart)
{
	unsigned group = co_hart_group(hart);
	const char *next = co_machine.division;
	uint32_t said[PARTS];

	h->boxes_at = h->caches_at = (uint32_t)CO_SPM_HEAP_END;
	while (next && (next = read_division(next, said)) && *next && group--)
		next++;
	if (co_machine.division) {
		h->caches_at -= (uint32_t)lines_of(said, CACHE);
		h->boxes_at = h->caches_at - (uint32_t)lines_of(said, BOXES);
	}
}

/* As many as fit, at most the bits of a word. */
static uint32_t stacks_behind(uint32_t public_bytes)
{
	uint32_t taken = public_bytes + (uint32_t)co_machine.rank_stack;
	int fit = CO_SPM_ROOM(taken) > 0 ? CO_SPM_FIT(taken) : 0;

	return fit < CO_WORD_BITS ? (uint32_t)fit : CO_WORD_BITS;
}

/* The largest public part beside `stacks` stacks; 0: they leave no room. */
static uint32_t public_beside(uint32_t stacks)
{
	uint64_t beside = CO_PRIVATE_BYTES + (uint64_t)stacks * CO_SPM_STACK_STRIDE -
			  CO_GUARD_BYTES + co_machine.rank_stack;

	if (beside >= BOARD_SPM_BYTES)
		return 0;
	beside = BOARD_SPM_BYTES - beside;
	return (uint32_t)(beside < CO_SPM_PUBLIC_MOST ? beside : CO_SPM_PUBLIC_MOST);
}

static void die_of(const char *why)
{
	co_die("--spm=%s: %s: a window of %u KiB has %u for the heap, mailboxes, the cache and stacks of %u (1 to %d of them)",
	       co_machine.division, why, BOARD_SPM_BYTES >> 10,
	       (unsigned)(BOARD_SPM_BYTES - CO_SPM_HEAP - CO_PRIVATE_BYTES) >> 10,
	       (unsigned)CO_SPM_STACK_STRIDE >> 10, CO_WORD_BITS);
}

/* ---- The parts of a rank ---- */

/* By default: the static data if all of it fits, and the top of the stack. */
static size_t data_of(uint32_t most)
{
	return CO_PRIVATE_DATA_BYTES <= most ? CO_PRIVATE_DATA_BYTES : 0;
}

static size_t stack_of(uint32_t most)
{
	return co_least(co_round_up(most, HAL_PAGE_BYTES), co_stack_of_rank());
}

/* A text that divides a window between heap and stacks says all of it. */
static void place_rank(const uint32_t said[PARTS])
{
	bool divides = said[HEAP] != NOT_SAID || said[STACKS] != NOT_SAID;
	uint32_t data = said[RANK_DATA], stack = said[RANK_STACK];

	if (!co_has_ranks()) {
		if (data != NOT_SAID || stack != NOT_SAID)
			co_die("--spm=%s: stack and data are for images of ranks",
			       co_machine.division);
		return;
	}
	co_machine.rank_data = data_of(data != NOT_SAID ? data : divides ? 0 : CO_RANK_DATA_NEAR);
	co_machine.rank_stack = stack_of(stack != NOT_SAID ? stack
					 : divides         ? 0
							   : CO_RANK_STACK_NEAR);
	if (data == NOT_SAID && stack == NOT_SAID &&
	    stacks_behind(BOARD_SPM_PUBLIC_BYTES + (uint32_t)co_machine.rank_data) <
		    CO_RANK_STACKS_LEAST)
		co_machine.rank_data = co_machine.rank_stack = 0;
	if (data != NOT_SAID && data && !co_machine.rank_data)
		co_report(
			"cohart: --spm=%s: each rank's %lu KiB of static data are more than that: they stay in main memory",
			co_machine.division, (unsigned long)(CO_PRIVATE_DATA_BYTES >> 10));
}

static const char *read_or_die(const char *at, uint32_t said[PARTS])
{
	at = read_division(at, said);
	if (!at)
		co_die("--spm=%s: write heap:64K, stacks:4, cache:16K, mailboxes:4K, or several with commas between (for ranks stack:32K, data:16K, too); a slash before what the next group has of the last two",
		       co_machine.division);
	return at;
}

static void divide(void)
{
	uint32_t said[PARTS];
	uint32_t stacks, public_bytes, data;
	const char *next = read_or_die(co_machine.division, said);

	place_rank(said);
	data = (uint32_t)co_machine.rank_data;
	public_bytes = BOARD_SPM_PUBLIC_BYTES + data;
	if (said[HEAP] != NOT_SAID)
		public_bytes = (uint32_t)co_round_up((size_t)CO_SPM_HEAP + said[HEAP] + aside(said),
						     HAL_PAGE_BYTES) +
			       data;
	else if (said[STACKS] != NOT_SAID)
		public_bytes = public_beside(said[STACKS]);
	stacks = said[STACKS] != NOT_SAID ? said[STACKS] : stacks_behind(public_bytes);
	if (!stacks || stacks > CO_WORD_BITS || public_bytes < data ||
	    !fits_beside_heap(said, public_bytes - data) || public_bytes > public_beside(stacks))
		die_of("it does not fit");
	co_machine.spm_public = public_bytes;
	co_machine.spm_stacks = stacks;
	for (unsigned group = 1; *next; group++) {
		next = read_or_die(next + 1, said);
		if (group >= co_machine.groups)
			die_of("there are not so many groups");
		if (said[HEAP] != NOT_SAID || said[STACKS] != NOT_SAID ||
		    said[RANK_STACK] != NOT_SAID || said[RANK_DATA] != NOT_SAID)
			die_of("heap and stacks are the same for all groups, and so are stack and data");
		if (!fits_beside_heap(said, public_bytes - data))
			die_of("it does not fit");
	}
}

/* As usual. */
static void divide_by_default(void)
{
	static const uint32_t none[PARTS] = { NOT_SAID, NOT_SAID, NOT_SAID,
					      NOT_SAID, NOT_SAID, NOT_SAID };

	if (CO_SPM_ROOMY)
		place_rank(none);
	co_machine.spm_public = BOARD_SPM_PUBLIC_BYTES + co_machine.rank_data;
	co_machine.spm_stacks = CO_SPM_ROOMY ? stacks_behind((uint32_t)co_machine.spm_public) : 0;
}

void co_spm_divide(const char *text)
{
	if (text && !CO_SPM_ROOMY)
		co_die("--spm=%s: windows of %u KiB are not divided: they have no coroutines' stacks",
		       text, BOARD_SPM_BYTES >> 10);
	co_machine.division = text;
	if (text)
		divide();
	else
		divide_by_default();
	co_machine.spm_stack0 = co_machine.spm_public + CO_PRIVATE_BYTES;
	co_machine.with_stack =
		co_machine.spm_stacks ? ~(uintptr_t)0 >> (CO_WORD_BITS - co_machine.spm_stacks) : 0;
}
