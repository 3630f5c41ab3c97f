/*
 * windows.c - rung 6: the runtime boots, and each hart looks at its scratchpad window: what is its
 * own and what others have, by its page tables or what the board has instead.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>
#include <hal/board.h>

#define PATTERN 0x5ca1ab1eu

static _Thread_local uint32_t own = PATTERN; /* in the private part */
static uint32_t **words;                     /* in the public part of each hart */
static struct co_a32 wrong;

/* There thread-locals are the C library's, and a hart may touch all. */
static bool is_host(void)
{
	return strcmp(co_board(), "host") == 0;
}

/* Has that hart M-mode alone, so that PMP ranges stand in for page tables? */
static bool has_no_map(unsigned hart)
{
	extern const bool hal_machine_hart[] __attribute__((weak)); /* boot/riscv/start.S */

	return hal_machine_hart && hal_machine_hart[hal_board.hwid[hart]];
}

static void check(bool holds, const char *what, const char *next)
{
	if (holds)
		return;
	printf("  hart %u: %s\n  check next: %s\n", co_hart(), what, next);
	co_atomic_store(&wrong, 1, CO_RELAXED); /* read after a join */
}

static intptr_t look(void *arg)
{
	unsigned hart = co_hart();
	uint32_t *mine = co_spm_alloc(sizeof(*mine), sizeof(*mine));

	(void)arg;
	check(own == PATTERN, "a thread-local does not have its first value",
	      "BOARD_SPM_BASE, BOARD_SPM_BYTES: is there memory, and does it keep what is stored?");
	check(co_spm_hart(&own) == (int)hart || is_host(),
	      "its thread-locals are not in its window", "the thread pointer (boot/)");
	check(co_spm_hart(mine) == (int)hart, "its window has no room for a word",
	      "BOARD_SPM_PUBLIC_BYTES");
	words[hart] = mine;
	if (!mine)
		return 0;
	*mine = PATTERN + hart;
	check(*mine == PATTERN + hart, "its window does not keep what is stored",
	      "BOARD_SPM_BASE: where memory for windows begins, and how much of it is enabled");
	for (unsigned before = 0; before < hart; before++)
		check(words[before] && *words[before] == PATTERN + before,
		      "an earlier hart's public part does not hold what that has stored",
		      "do windows overlap (BOARD_SPM_BYTES)? Are harts coherent there?");
	return 0;
}

/* The first private byte of another hart's window. */
static intptr_t trespass(void *other)
{
	unsigned n = 0;
	const struct co_spm_part *part = co_spm_parts(&n);

	while (n-- && part->is_public)
		part++;
	return *((volatile uint8_t *)other + part->offset);
}

static int on(unsigned hart, intptr_t (*fn)(void *), void *arg)
{
	struct co *c;
	int r = co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(hart) }, fn, arg);

	return r ? r : co_join(c, NULL);
}

int main(void)
{
	unsigned last = co_harts() - 1;

	printf("rung 6: windows\n");
	words = calloc(co_harts(), sizeof(*words));
	check(words, "the heap has no room for a table", "how much RAM rung 2 has found");
	for (unsigned hart = 0; words && hart <= last; hart++) {
		int r = on(hart, look, NULL);

		printf("  hart %u: window at %p, %zu KiB: %s\n", hart, co_spm_base(hart),
		       co_spm_bytes() >> 10, r ? "NOT REACHED" : "looked at");
		if (r)
			check(false, "a look at its window has ended early", "the report above");
	}
	if (last > 0 && has_no_map(last)) {
		printf("  hart %u has no page tables: what is private to others is open to it\n",
		       last);
	} else if (last > 0 && !is_host()) {
		printf("  hart %u now touches what is private to hart 0: a report is to follow\n",
		       last);
		fflush(stdout);
		check(on(last, trespass, co_spm_base(0)) == -EFAULT, "it was let through",
		      "page tables: does hal_map_activate() switch them on? Without an MMU "
		      "this cannot be caught: say so in the board's README.md");
	}
	printf("rung 6: %s\n", co_atomic_load(&wrong, CO_RELAXED) ? "WRONG" : "passed");
	return (int)co_atomic_load(&wrong, CO_RELAXED);
}
