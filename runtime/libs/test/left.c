/* left.c - leftovers of a case: coroutines, held objects, scratchpad memory, libc's heap. */
#include <stdio.h>

#include "../../core/hart_var.h"
#include "../../core/hook.h"
#include "../../core/memory/main_heap.h"
#include "../../core/memory/slab.h"
#include "../../core/sched/cleanup.h"
#include "test.h"

/* Most coroutines that lived before the case. */
#define KNOWN 64
/* Most lines of one case. */
#define LINES 20
/* A coroutine may be about to end: a look each LOOK_US, LOOKS times. */
#define LOOK_US 500
#define LOOKS 100

/* Not there in an image without libc's heap. */
extern __typeof__(co_main_gather) co_main_gather __attribute__((weak));
extern __typeof__(co_main_count) co_main_count __attribute__((weak));

static const struct co *known[KNOWN];
static unsigned known_count;

CO_HART_VAR(size_t, test_window); /* bytes of its heap that are taken, before the case */

/* A lost hart's window is not looked at: it may be damaged. */
static size_t window_used(unsigned hart)
{
	struct co_spm_use use = { 0 };

	if (!co_hart_gone(hart))
		co_spm_use(hart, &use);
	return use.used;
}

static bool is_known(const struct co *c)
{
	for (unsigned i = 0; i < known_count; i++) {
		if (known[i] == c)
			return true;
	}
	return c == co_self();
}

/* Bytes of libc's heap, in spans that have a block in use. */
static size_t heap_used(void)
{
	size_t used, unused;

	if (!co_main_gather || !co_main_count)
		return 0;
	/* A team's code may have brought these functions alone, into an image for BOARD=host. */
	co_hooks_needed(heap);
	co_main_gather();
	co_main_count(&used, &unused);
	return used - unused;
}

void co_test_take_stock(struct co_test_stock *s)
{
	known_count = 0;
	for (const struct co *c = NULL; (c = co_block_next_of_all(c)) && known_count < KNOWN;) {
		if (co_is_live(c))
			known[known_count++] = c;
	}
	for (unsigned hart = 0; hart < co_harts(); hart++)
		*co_hart_var(test_window, hart) = window_used(hart);
	s->heap = heap_used();
}

/* Count leftovers. The first `lines` things are printed. */
static unsigned look(const struct co_test_stock *before, unsigned lines)
{
	size_t heap = heap_used();
	unsigned left = 0;

	for (const struct co *c = NULL; (c = co_block_next_of_all(c));) {
		/* A coroutine of a lost hart can neither end nor be ended. */
		if (!co_is_live(c) || is_known(c) || co_hart_gone(c->hart))
			continue;
		if (left++ < lines)
			printf("# left behind: coroutine '%s' on hart %u\n", co_name(c),
			       co_home(c));
	}
	for (unsigned hart = 0; hart < co_harts(); hart++) {
		size_t was = *co_hart_var(test_window, hart), is = window_used(hart);

		if (is > was && left++ < lines)
			printf("# left behind: %lu bytes in the scratchpad of hart %u\n",
			       (unsigned long)(is - was), hart);
	}
	if (heap > before->heap && left++ < lines)
		printf("# left behind: up to %lu bytes of libc's heap\n",
		       (unsigned long)(heap - before->heap));
	if (lines && left > lines)
		printf("# left behind: %u things more\n", left - lines);
	return left;
}

bool co_test_nothing_left(const struct co_test_stock *before)
{
	for (unsigned i = 0; i < LOOKS; i++) {
		if (!look(before, 0))
			return true;
		(void)!co_sleep_us(LOOK_US);
	}
	look(before, LINES);
	return false;
}

bool co_test_holds_nothing(void)
{
	struct co *self = co_self();
	unsigned n = 0;

	for (uintptr_t at = self->cleanups; at && n < CO_CLEANUPS_MOST;
	     at = co_cleanup_at(at)->next) {
		/* It ends with the coroutine, which it may have others released at. */
		if (at & CO_CLEANUP_ALWAYS)
			return true;
		n++;
	}
	if (n)
		printf("# left behind: '%s' ends while it holds %u of what others wait for: a lock, "
		       "a member of a barrier, an end of a channel\n",
		       co_name(self), n);
	return !n;
}
