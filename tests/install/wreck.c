/*
 * wreck.c - coroutines on stacks of every class fault with stack and frame pointers drawn from a
 * seed, most of them hostile: each ends its coroutine, with a report. wreck SEED, built with
 * -DDEVICE=ADDRESS
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#define WILD 0x23458u /* nothing is there on any board */
#define REPORTS 16u   /* of a hart */

void wreck(uintptr_t sp, uintptr_t fp, uintptr_t at);

static uint64_t state;

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 33) % n;
}

/* Private to a hart that is not this one. */
static uintptr_t foreign(void)
{
	unsigned n = 0;
	const struct co_spm_part *part = co_spm_parts(&n);

	while (n-- && part->is_public)
		part++;
	return (uintptr_t)co_spm_base((co_hart() + 1) % co_harts()) + part->offset +
	       below((unsigned)(co_spm_bytes() - part->offset)) / 16 * 16;
}

/* A pointer, most often a hostile one; `frame` is 8 words of the caller's, which may become a loop.
 */
static uintptr_t hostile(uintptr_t *frame)
{
	uintptr_t here = (uintptr_t)frame;

	switch (below(14)) {
	case 0:
		return 0;
	case 1:
		return WILD + below(16);
	case 2:
		return UINTPTR_MAX - below(32);
	case 3:
		return here + below(64);
	case 4:
		return DEVICE + below(16);
	case 5:
		return foreign();
	case 6: /* about the guard page, and below it */
		return here - co_stack_bytes() - below(8192);
	case 7: /* about the end */
		return here + below(512);
	case 8: /* frames that lead to each other; what they return to is code, or nearly */
		for (unsigned i = 0; i < 8; i++)
			frame[i] = i % 2 ? here + below(9) * sizeof(*frame)
					 : (uintptr_t)wreck + below(32);
		return here + below(9) * sizeof(*frame);
	case 9:
		for (unsigned i = 0; i < 8; i++)
			frame[i] = below(2) ? here + i * sizeof(*frame) : UINTPTR_MAX - below(16);
		return here + below(9) * sizeof(*frame);
	case 10:
		return (uintptr_t)&state;
	case 11:
		return (uintptr_t)hostile + below(8);
	case 12:
		return (uintptr_t)state;
	default:
		return here;
	}
}

static intptr_t wrecked(void *arg)
{
	uintptr_t frame[8] = { 0 };

	for (unsigned i = 0; i < 8; i++)
		frame[i] = (uintptr_t)state;
	uintptr_t sp = hostile(frame), fp = hostile(frame);

	wreck(sp, fp, WILD);
	return (intptr_t)arg;
}

int main(int argc, char **argv)
{
	static const enum co_stack class[] = { CO_STACK_ANY, CO_STACK_1K, CO_STACK_2K,
					       CO_STACK_4K,  CO_STACK_8K, CO_STACK_MAIN,
					       CO_STACK_BIG };
	const unsigned classes = sizeof(class) / sizeof(*class);
	unsigned n = 0;

	state = 0x9e3779b97f4a7c15u * (argc > 1 ? (unsigned)atoi(argv[1]) : 1);
	for (unsigned i = 0; i < co_harts() * REPORTS; i++) {
		const struct co_attr attr = { .name = "wrecked",
					      .on = CO_ON_HART(i % co_harts()),
					      .stack = class[below(classes)] };
		struct co_fault fault = { 0 };
		struct co *c;

		if (co_spawn(&c, &attr, wrecked, NULL) ||
		    co_join_fault(c, NULL, &fault) != -EFAULT || fault.address != WILD ||
		    !strstr(fault.what, "load"))
			return 1;
		n++;
	}
	printf("%u were wrecked\n", n);
	return 42;
}
