/* spm.c - a hart's window: which harts may use an address, and its public heap (heap.c). */
#include "lost.h"
#include "spm_heap.h"

_Static_assert(CO_SPM_HEAP + 4096 <= BOARD_SPM_PUBLIC_BYTES,
	       "the public part holds the control blocks and some heap: enlarge it in memory.h");

#define HEAP_UNITS ((BOARD_SPM_PUBLIC_BYTES - CO_SPM_HEAP) / CO_HEAP_UNIT)

_Static_assert(CO_SPM_HEAP % CO_HEAP_UNIT == 0, "the heap begins with a whole unit");
_Static_assert(HEAP_UNITS <= CO_HEAP_UNITS_MAX, "as many as the heap's proof is for");

#ifndef CO_DEBUG
/* The heap as it is: what spm_heap.h has with checks. */
#define CO_SPM_LINE 0

static void co_spm_heap_init(struct co_hart *h, uint32_t units)
{
	co_heap_init(&h->heap, (struct co_heap_block *)((unsigned char *)h + CO_SPM_HEAP), units);
}

static void *co_spm_take(struct co_hart *h, size_t bytes, size_t align, uint32_t owner,
			 uintptr_t line)
{
	uint32_t unit = co_heap_alloc(&h->heap, bytes, align, owner);

	(void)line;
	return unit ? &h->heap.block[unit] : NULL;
}

static void co_spm_give(struct co_hart *h, void *p, uintptr_t line)
{
	uintptr_t offset = (uintptr_t)p - (uintptr_t)h->heap.block;

	(void)line;
	CO_ASSERT_THAT(offset >= CO_HEAP_UNIT && offset < HEAP_UNITS * CO_HEAP_UNIT &&
			       offset % CO_HEAP_UNIT == 0,
		       "co_spm_alloc() has returned it on this hart");
	co_heap_free(&h->heap, (uint32_t)(offset / CO_HEAP_UNIT));
}

static void co_spm_give_of(struct co_hart *h, uint32_t owner)
{
	co_heap_free_of(&h->heap, owner);
}

static size_t co_spm_room(struct co_hart *h)
{
	return co_heap_largest(&h->heap);
}
#endif

void co_spm_init(unsigned hart)
{
	co_spm_heap_init(co_hart_at(hart), HEAP_UNITS);
}

/* A number for c that the next 67 million coroutines of its block do not have; 0: no coroutine. */
static uint32_t owner_number(const struct co *c)
{
	/* relaxed: only c's hart writes it. */
	return c ? co_atomic_load(&c->generation, CO_RELAXED) * co_machine.per_hart + c->index + 1
		 : 0;
}

static void *alloc(size_t bytes, size_t align, const struct co *c, uintptr_t line)
{
	CO_ASSERT(bytes > 0);
	CO_ASSERT(align && !(align & (align - 1)));
	if (co_inject(CO_INJECT_MEMORY))
		return NULL;
	return co_spm_take(co_executor.self, bytes, align, owner_number(c), line);
}

void *co_spm_alloc(size_t bytes, size_t align)
{
	return alloc(bytes, align, co_executor.current, CO_SPM_LINE);
}

void *co_spm_keep(size_t bytes, size_t align)
{
	return alloc(bytes, align, NULL, CO_SPM_LINE);
}

size_t co_spm_largest(void)
{
	return co_spm_room(co_executor.self);
}

void co_spm_free(void *p)
{
	if (p)
		co_spm_give(co_executor.self, p, CO_SPM_LINE);
}

/* Runs on the block's hart. */
static void free_block(struct co_msg *m)
{
	co_spm_free(m);
}

void co_spm_give_back(void *block)
{
	struct co_msg *m = block; /* nobody reads it any more */
	unsigned hart = (unsigned)co_spm_hart(block);

	if (hart == co_hart()) {
		co_spm_free(block);
	} else if (!co_hart_lost(hart)) {
		m->run = free_block;
		co_post(hart, m);
	}
}

void co_spm_release(const struct co *c)
{
	co_spm_give_of(co_executor.self, owner_number(c));
}

int co_spm_hart(const void *p)
{
	uintptr_t offset = (uintptr_t)p - co_machine.spm;

	return offset < (uintptr_t)co_machine.harts * BOARD_SPM_BYTES
		       ? (int)(offset / BOARD_SPM_BYTES)
		       : -1;
}

int co_hart_owning(const void *p)
{
	if (!CO_SPM_ROOMY &&
	    (uintptr_t)p - co_machine.main_parts < co_machine.harts * CO_MAIN_PART_BYTES)
		return (int)(((uintptr_t)p - co_machine.main_parts) /
			     (CO_MAIN_PART_BYTES | CO_SPM_ROOMY));
	return co_spm_hart(p);
}

void *co_spm_at(const void *p, unsigned hart)
{
	uintptr_t offset = (uintptr_t)p - (uintptr_t)co_executor.self;

	CO_ASSERT(offset < BOARD_SPM_PUBLIC_BYTES);
	CO_ASSERT(hart < co_machine.harts);
	return (unsigned char *)co_hart_at(hart) + offset;
}

bool co_spm_shared(const void *p, size_t bytes)
{
	uintptr_t offset = (uintptr_t)p - co_machine.spm;

	/* So much that the sums would overflow. */
	if (bytes > UINTPTR_MAX - (uintptr_t)p || bytes > UINTPTR_MAX / 2)
		return false;
	if (co_spm_beside(p, bytes))
		return !co_is_private(p);
	return bytes <= BOARD_SPM_PUBLIC_BYTES &&
	       offset % BOARD_SPM_BYTES <= BOARD_SPM_PUBLIC_BYTES - bytes;
}

void co_spm_use(unsigned hart, struct co_spm_use *use)
{
	CO_ASSERT(hart < co_machine.harts);
	/* relaxed: for reports. */
	use->heap_bytes = HEAP_UNITS * CO_HEAP_UNIT;
	use->used = co_atomic_load(&co_hart_at(hart)->heap.used, CO_RELAXED) * CO_HEAP_UNIT;
	use->high_water = co_atomic_load(&co_hart_at(hart)->heap.high, CO_RELAXED) * CO_HEAP_UNIT;
}

#define AREA(part) (CO_SPM_AREA + offsetof(struct co_area, part))

static const struct co_spm_part roomy[] = {
	{ "hart", 0, CO_SPM_MAIL, true },
	{ "mailboxes", CO_SPM_MAIL, sizeof(struct co_mailboxes), true },
	{ "report, nodes", CO_SPM_AREA, offsetof(struct co_area, co), true },
	{ "coroutines", AREA(co), AREA(bounce_wait) - AREA(co), true },
	{ "bounce buffer", AREA(bounce_wait), AREA(printed) - AREA(bounce_wait), true },
	{ "print ring", AREA(printed), CO_SPM_HEAP - AREA(printed), true },
	{ "heap", CO_SPM_HEAP, BOARD_SPM_PUBLIC_BYTES - CO_SPM_HEAP, true },
	{ "thread-locals", CO_SPM_TLS, CO_TLS_BYTES, false },
	{ "executor stack", CO_SPM_STACKS0 + CO_EXECUTOR_STACK, CO_EXECUTOR_STACK_BYTES, false },
	{ "trap stack", CO_SPM_STACKS0 + CO_TRAP_STACK, CO_TRAP_STACK_BYTES, false },
	{ "coroutine stacks", CO_SPM_STACK0, CO_SPM_STACKS *CO_SPM_STACK_STRIDE - CO_GUARD_BYTES,
	  false },
};

static const struct co_spm_part tight[] = {
	{ CO_MAIL_IN_SPM ? "hart, mailboxes" : "hart", 0, CO_SPM_HEAP, true },
	{ "heap", CO_SPM_HEAP, BOARD_SPM_PUBLIC_BYTES - CO_SPM_HEAP, true },
	{ "thread-locals", CO_SPM_TLS, CO_TLS_BYTES, false },
};

const struct co_spm_part *co_spm_parts(unsigned *count)
{
	*count = CO_SPM_ROOMY ? sizeof(roomy) / sizeof(*roomy) : sizeof(tight) / sizeof(*tight);
	return CO_SPM_ROOMY ? roomy : tight;
}

unsigned co_spm_stacks(void)
{
	return CO_SPM_STACKS;
}

size_t co_spm_bytes(void)
{
	return BOARD_SPM_BYTES;
}

void *co_spm_base(unsigned hart)
{
	CO_ASSERT(hart < co_machine.harts);
	return co_hart_at(hart);
}
