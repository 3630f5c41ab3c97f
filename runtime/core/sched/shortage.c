/*
 * shortage.c - a spawn has found no control block, or no stack: a line says which of them are in
 * use, and how many by coroutines that have ended and are still to be joined.
 */
#include <hal/time.h>

#include "../lost.h"
#include "../memory/block.h"
#include "../memory/slab.h"

#define AGAIN_US 1000000 /* from one line to the next */

/* Where it looked. The spawner that has set `under_way` writes it, hart 0 reads it. */
static struct co_a32 under_way;
static unsigned first_hart, harts;
static enum co_stack class;

static struct co_msg msg;

struct use {
	unsigned blocks, in_use, ended; /* of the harts that were looked at */
	bool full;                      /* none of them can have more slabs */
};

static struct use count_uses(void)
{
	struct use u = { .full = true };

	for (unsigned h = first_hart; h < first_hart + harts; h++) {
		if (co_hart_lost(h) || (harts > 1 && !(co_hart_role(h) & CO_ROLE_COMPUTE)))
			continue;
		u.blocks += co_machine.per_hart;
		u.full &= co_slabs_full(h);
		for (const struct co *c = NULL; (c = co_block_next(h, c));) {
			/* relaxed: a moment old anyway. */
			uint32_t refs = co_atomic_load(&c->refs, CO_RELAXED);

			u.in_use += refs != 0;
			u.ended += refs == CO_HANDLE;
		}
	}
	return u;
}

static void say_blocks(struct use u, const char *where)
{
	if (u.in_use < u.blocks)
		co_report(
			"cohart: no coroutine can start: %u of %u control blocks are in use, and those "
			"that are free keep their stacks of other classes (--coroutines=%u: more)",
			u.in_use, u.blocks, 2 * co_machine.per_hart);
	else
		co_report(
			"cohart: no coroutine can start on %s: %u of %u control blocks are in use, %u of them by "
			"coroutines that have ended and wait for co_join() or co_detach() (--coroutines=%u: more)",
			where, u.in_use, u.blocks, u.ended, 2 * co_machine.per_hart);
}

static void say_stacks(void)
{
	co_report(
		"cohart: no coroutine can start: all stacks of %u KiB or more in main memory are in use "
		"(--mem: more, or a smaller class)",
		(unsigned)(co_stack_bytes_in(class) >> 10));
}

/* Append the harts that were looked at; of several harts, only the compute harts. */
static void name_harts(struct co_text *t)
{
	while (harts > 1 && !(co_hart_role(first_hart) & CO_ROLE_COMPUTE)) {
		first_hart++;
		harts--;
	}
	if (harts == 1)
		co_text_add(t, "hart %u", first_hart);
	else
		co_text_add(t, "harts %u to %u", first_hart, first_hart + harts - 1);
}

/* On hart 0. */
static void say(struct co_msg *m)
{
	static uint64_t next;
	uint64_t now = hal_time_now();

	(void)m;
	if (now >= next) {
		struct use u = count_uses();
		bool small = class == CO_STACK_1K || class == CO_STACK_2K;
		char where[64];

		name_harts(&(struct co_text){ where, sizeof(where), 0 });
		next = co_after_us(AGAIN_US);
		if (u.in_use >= u.blocks)
			say_blocks(u, where);
		else if (class == CO_STACK_SPM)
			co_report(
				"cohart: no coroutine can start on %s: all scratchpad stacks, %d on a hart, are in use",
				where, CO_SPM_STACKS);
		else if (!small && !co_stacks_free(class))
			say_stacks();
		else if (u.full)
			say_blocks(u, where);
		else if (!co_slabs_room())
			co_report(
				"cohart: no coroutine can start: main memory is used up, by libc's heap and %u "
				"coroutines (--mem: more)",
				u.in_use);
		else
			next = 0; /* one has become free meanwhile */
	}
	/*
	 * release: co_shortage() may write the variables that this function has read; pairs with
	 * it.
	 */
	co_atomic_store(&under_way, 0, CO_RELEASE);
}

void co_shortage(unsigned first, unsigned n, enum co_stack wanted)
{
	/* acquire: pairs with say(). */
	if (co_atomic_swap(&under_way, 1, CO_ACQUIRE))
		return;
	first_hart = first;
	harts = n;
	class = wanted;
	msg.run = say;
	if (co_executor.hart)
		co_post(0, &msg);
	else
		say(&msg);
}
