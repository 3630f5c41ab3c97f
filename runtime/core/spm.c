/*
 * spm.c - a hart's window: who may use an address, and the heap in its public part.
 *
 * The heap is a row of blocks without gaps, each after a header: its size, whether it is taken, and
 * the size of the block before it. First fit; free neighbours are joined at once. Only the owner
 * allocates and frees, so there is no lock; others read the figures alone.
 */
#include <stddef.h>

#include "core.h"

#define UNIT 16u
#define TAKEN 1u /* in size, whose low bits are free */

struct block {
	uint32_t size;   /* header included; TAKEN or not */
	uint32_t before; /* size of the block before, 0 for the first */
	uint32_t owner;  /* which coroutine took it: owner_of() */
	uint16_t magic;  /* on a block that is handed out: finds wild frees */
	uint16_t shift;  /* units from the header's end to what was handed out */
};

#define MAGIC 0x5ca7u
#define SIGN 0xa358u /* right before what was handed out, if that is not the header's end */

_Static_assert(sizeof(struct block) == UNIT, "blocks keep the alignment");
_Static_assert(BOARD_SPM_PUBLIC_BYTES / UNIT <= UINT16_MAX, "shifts fit");
_Static_assert(CO_SPM_HEAP + 4096 <= BOARD_SPM_PUBLIC_BYTES,
	       "the public part holds the control blocks and some heap: enlarge it in memory.h");

static unsigned char *heap_of(unsigned hart)
{
	return (unsigned char *)co_hart_at(hart) + CO_SPM_HEAP;
}

static size_t heap_bytes(void)
{
	return (BOARD_SPM_PUBLIC_BYTES - CO_SPM_HEAP) & ~(size_t)(UNIT - 1);
}

static struct block *block_at(size_t offset)
{
	return (struct block *)(heap_of(co_executor.hart) + offset);
}

static struct block *after(struct block *b)
{
	return (struct block *)((unsigned char *)b + (b->size & ~TAKEN));
}

static bool is_last(const struct block *b)
{
	const unsigned char *end = heap_of(co_executor.hart) + heap_bytes();

	return (const unsigned char *)b + (b->size & ~TAKEN) == end;
}

static void account(int32_t bytes)
{
	struct co_hart *h = co_executor.self;
	uint32_t used = co_atomic_load(&h->heap_used, CO_RELAXED) + (uint32_t)bytes;

	/* relaxed: figures for people. */
	co_atomic_store(&h->heap_used, used, CO_RELAXED);
	if (used > co_atomic_load(&h->heap_high, CO_RELAXED))
		co_atomic_store(&h->heap_high, used, CO_RELAXED);
}

void co_spm_init(unsigned hart)
{
	struct block *b = (struct block *)heap_of(hart);

	*b = (struct block){ .size = (uint32_t)heap_bytes() };
	co_atomic_store(&co_hart_at(hart)->heap_used, 0, CO_RELAXED);
	co_atomic_store(&co_hart_at(hart)->heap_high, 0, CO_RELAXED);
}

/*
 * Where in b's bytes an aligned run of that size would start, as an offset from the header's end.
 */
static size_t shift_for(const struct block *b, size_t align)
{
	uintptr_t at = (uintptr_t)(b + 1);

	return ((at + align - 1) & ~(uintptr_t)(align - 1)) - at;
}

static void split(struct block *b, uint32_t need)
{
	uint32_t rest = b->size - need;
	struct block *r;

	if (rest < 2 * UNIT)
		return;
	b->size = need;
	r = after(b);
	*r = (struct block){ .size = rest, .before = need };
	if (!is_last(r))
		after(r)->before = rest;
}

/* A name for c among all that were ever on this hart, but for one in 67 million; 0: nobody. */
static uint32_t owner_of(const struct co *c)
{
	/* relaxed: the owner's own. */
	return c ? (co_atomic_load(&c->births, CO_RELAXED) << 6) + c->index + 1 : 0;
}

void *co_spm_alloc(size_t bytes, size_t align)
{
	struct block *b = block_at(0);

	CO_ASSERT(bytes > 0);
	CO_ASSERT(align && !(align & (align - 1)));
	if (bytes > heap_bytes() || align > heap_bytes() || co_accident(CO_ACC_MEMORY))
		return NULL;
	bytes = (bytes + UNIT - 1) & ~(size_t)(UNIT - 1);
	if (align < UNIT)
		align = UNIT;
	for (;;) {
		size_t shift = shift_for(b, align);
		size_t need = sizeof(*b) + shift + bytes;

		if (!(b->size & TAKEN) && b->size >= need) {
			split(b, (uint32_t)need);
			account((int32_t)b->size);
			b->size |= TAKEN;
			b->owner = owner_of(co_executor.current);
			b->magic = MAGIC;
			b->shift = (uint16_t)(shift / UNIT);
			if (shift) /* a sign right before what is handed out leads back */
				b[b->shift] = (struct block){ .magic = SIGN, .shift = b->shift };
			return b + 1 + b->shift;
		}
		if (is_last(b))
			return NULL;
		b = after(b);
	}
}

size_t co_spm_largest(void)
{
	size_t most = 0;

	for (struct block *b = block_at(0);; b = after(b)) {
		if (!(b->size & TAKEN) && b->size - UNIT > most)
			most = b->size - UNIT;
		if (is_last(b))
			return most;
	}
}

static struct block *header_of(void *p)
{
	struct block *b = (struct block *)p - 1;

	return b->magic == SIGN ? b - b->shift : b;
}

/* a and the free block after it become one. */
static void join(struct block *a)
{
	struct block *b = after(a);

	a->size += b->size;
	if (!is_last(a))
		after(a)->before = a->size;
}

void co_spm_free(void *p)
{
	struct block *b;

	if (!p)
		return;
	CO_ASSERT((uintptr_t)p - (uintptr_t)block_at(sizeof(*b)) < heap_bytes());
	CO_ASSERT((uintptr_t)p % UNIT == 0);
	b = header_of(p);
	CO_ASSERT(b->magic == MAGIC && (b->size & TAKEN)); /* a wild pointer, or a second free */
	b->magic = 0;
	b->size &= ~TAKEN;
	account(-(int32_t)b->size);
	if (!is_last(b) && !(after(b)->size & TAKEN))
		join(b);
	if (b->before) {
		struct block *a = (struct block *)((unsigned char *)b - b->before);

		if (!(a->size & TAKEN))
			join(a);
	}
}

void co_spm_release(const struct co *c)
{
	uint32_t owner = owner_of(c);

	for (struct block *b = block_at(0);; b = after(b)) {
		/*
		 * What is freed may become one with the block before, and is stepped over with it.
		 */
		if (b->size & TAKEN && b->owner == owner)
			co_spm_free(b + 1 + b->shift);
		if (is_last(b))
			return;
	}
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
	if (!CO_SPM_ROOMY && (uintptr_t)p - co_machine.yards < co_machine.harts * CO_YARD_BYTES)
		return (int)(((uintptr_t)p - co_machine.yards) / (CO_YARD_BYTES | CO_SPM_ROOMY));
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

	/* So much that the sums would go round. */
	if (bytes > UINTPTR_MAX - (uintptr_t)p || bytes > UINTPTR_MAX / 2)
		return false;
	if (co_spm_beside(p, bytes))
		return true;
	return bytes <= BOARD_SPM_PUBLIC_BYTES &&
	       offset % BOARD_SPM_BYTES <= BOARD_SPM_PUBLIC_BYTES - bytes;
}

void co_spm_use(unsigned hart, struct co_spm_use *use)
{
	CO_ASSERT(hart < co_machine.harts);
	use->heap_bytes = heap_bytes();
	use->used = co_atomic_load(&co_hart_at(hart)->heap_used, CO_RELAXED);
	use->high_water = co_atomic_load(&co_hart_at(hart)->heap_high, CO_RELAXED);
}

#define ANNEX(part) (CO_SPM_ANNEX + offsetof(struct co_annex, part))

static const struct co_spm_part roomy[] = {
	{ "hart", 0, CO_SPM_MAIL, true },
	{ "mailboxes", CO_SPM_MAIL, sizeof(struct co_mailboxes), true },
	{ "report, nodes", CO_SPM_ANNEX, offsetof(struct co_annex, co), true },
	{ "coroutines", ANNEX(co), sizeof(struct co[CO_PER_HART]), true },
	{ "bounce buffer", ANNEX(bounce_wait), ANNEX(outbox_served) - ANNEX(bounce_wait), true },
	{ "outbox", ANNEX(outbox_served), CO_SPM_HEAP - ANNEX(outbox_served), true },
	{ "heap", CO_SPM_HEAP, BOARD_SPM_PUBLIC_BYTES - CO_SPM_HEAP, true },
	{ "thread-locals", CO_SPM_TLS, CO_TLS_BYTES, false },
	{ "executor stack", CO_SPM_STACKS0 + CO_EXECUTOR_STACK, CO_EXECUTOR_STACK_BYTES, false },
	{ "trap stack", CO_SPM_STACKS0 + CO_TRAP_STACK, CO_TRAP_STACK_BYTES, false },
	{ "coroutine stacks", CO_SPM_STACK0, CO_SPM_STACKS *CO_SPM_STACK_STRIDE - CO_GUARD_BYTES,
	  false },
};

static const struct co_spm_part tight[] = {
	{ CO_MAIL_IN_SPM ? "hart, mailboxes" : "hart", 0, CO_SPM_ANNEX, true },
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
