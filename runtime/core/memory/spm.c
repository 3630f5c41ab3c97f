/* spm.c - a hart's window: which harts may use an address, and its public heap (heap.c). */
#include "../hook.h"
#include "../lost.h"
#include "heap_check.h"

#define UNIT sizeof(struct co_heap_block)

/* An image's linker looks at the variables, too. */
_Static_assert(CO_SPM_VARS + 4096 <= BOARD_SPM_PUBLIC_BYTES,
	       "the public part holds the control blocks and some heap: enlarge it in memory.h");

_Static_assert(CO_SPM_VARS % UNIT == 0 && CO_LINE % UNIT == 0, "the heap begins with a whole unit");
_Static_assert(BOARD_SPM_PUBLIC_BYTES <= CO_SPM_PUBLIC_MOST,
	       "no more than the heap's proof is for");

/*
 * The heap of a window: a block of an owner, or NULL; its end; the end of all of an owner; the most
 * bytes that there is room for. A line is where the program calls, for reports. With DEBUG=1 each
 * block is checked: heap_check.h.
 */
#ifdef CO_DEBUG
#define LINE CO_CHECK_LINE

static void init_heap(struct co_hart *h, uint32_t units)
{
	uintptr_t low = (uintptr_t)h + CO_SPM_HEAP;

	co_heap_init(&h->heap, (struct co_heap_block *)low, units);
	h->check = (struct co_check_heap){ .low = low, .high = low + units * UNIT };
}

/*
 * Is the heap's own chain whole? An overrun beyond the zone may damage it, and a walk over it
 * then may have no end: nothing is done with the heap any more.
 */
static bool is_whole(struct co_hart *h, struct co_check_finding *f)
{
	const struct co_heap_block *block = h->heap.block;
	uint32_t b = 0, before = 0;

	while (b < h->heap.units && block[b].units && block[b].before == before &&
	       block[b].units <= h->heap.units - b) {
		before = block[b].units;
		b += before;
	}
	if (b == h->heap.units)
		return true;
	co_check_all(&h->check, f);
	co_check_note(f, CO_CHECK_CHAIN, NULL, block + b);
	return false;
}

static void give_checked(struct co_hart *h, void *p, uintptr_t line, struct co_check_finding *f)
{
	struct co_check_block *b = co_check_free(&h->check, p, line, f);
	void *raw;

	if (!b)
		return;
	if (is_whole(h, f))
		co_heap_free(&h->heap, (uint32_t)(((uintptr_t)b->raw - h->check.low) / UNIT));
	while (co_check_evict(&h->check, false, &raw, f))
		;
}

static void *take_spm(struct co_hart *h, size_t bytes, size_t align, uint32_t owner, uintptr_t line)
{
	const struct co_check_block about = { .bytes = bytes, .taken_at = line, .owner = owner };
	size_t more = co_check_bytes(bytes, align);
	struct co_check_finding f = { 0 };
	uintptr_t raw;
	uint32_t unit;

	if (is_whole(h, &f))
		co_check_kept(&h->check, &f);
	co_check_report("co_spm_alloc", &f);
	unit = co_heap_alloc(&h->heap, more, 1, 0);
	if (!unit)
		return NULL;
	raw = (uintptr_t)&h->heap.block[unit];
	/* The heap writes a header before it, and perhaps one behind it or a unit later. */
	co_check_forget(&h->check, raw - UNIT, raw + more + 2 * UNIT);
	return co_check_enter(&h->check, (void *)raw, &about, align);
}

static void give_block(struct co_hart *h, void *p, uintptr_t line)
{
	struct co_check_finding f = { 0 };

	give_checked(h, p, line, &f);
	co_check_report("co_spm_free", &f);
}

/* Free all blocks of an owner. Its coroutine ends by a fault: further findings are not reported. */
static void give_blocks_of(struct co_hart *h, uint32_t owner)
{
	struct co_check_finding f = { 0 };
	void *p;

	while ((p = co_check_owned(&h->check, owner)))
		give_checked(h, p, 0, &f);
}

/* Does a block of the owner hold the address? */
static uint32_t owner_at(struct co_hart *h, uintptr_t at)
{
	bool inside = at - h->check.low < h->check.high - h->check.low;

	return inside ? (uint32_t)co_check_owner(&h->check, at) : 0;
}

static size_t largest_block(struct co_hart *h)
{
	struct co_check_finding f = { 0 };

	is_whole(h, &f);
	co_check_report("co_spm_largest", &f);
	return co_check_room(co_heap_largest(&h->heap));
}

void co_spm_check(void)
{
	struct co_check_finding f = { 0 };

	if (is_whole(co_executor.self, &f))
		co_check_all(&co_executor.self->check, &f);
	co_check_report("co_debug_check_heap", &f);
}

void co_spm_check_end(void)
{
	char what[48];

	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		struct co_text t = { what, sizeof(what), 0 };

		co_text_add(&t, "the scratchpad heap of hart %u", hart);
		co_check_end(&co_hart_at(hart)->check, what);
	}
}

#else
#define LINE 0 /* for findings, of which there are none */

/*
 * INLINE where the part for DEBUG=1 has a function of that name: gcovr knows one line of a file for
 * each.
 */

static void init_heap(struct co_hart *h, uint32_t units)
{
	co_heap_init(&h->heap, (struct co_heap_block *)((unsigned char *)h + CO_SPM_HEAP), units);
}

INLINE void *take_spm(struct co_hart *h, size_t bytes, size_t align, uint32_t owner, uintptr_t line)
{
	uint32_t unit = co_heap_alloc(&h->heap, bytes, align, owner);

	(void)line;
	return unit ? &h->heap.block[unit] : NULL;
}

INLINE void give_block(struct co_hart *h, void *p, uintptr_t line)
{
	uintptr_t offset = (uintptr_t)p - (uintptr_t)h->heap.block;

	(void)line;
	CO_ASSERT_THAT(offset >= UNIT && offset < h->heap.units * UNIT && offset % UNIT == 0,
		       "what co_spm_free() is given was returned by co_spm_alloc() on this hart");
	co_heap_free(&h->heap, (uint32_t)(offset / UNIT));
}

static void give_blocks_of(struct co_hart *h, uint32_t owner)
{
	co_heap_free_of(&h->heap, owner);
}

/* The owner of the block that holds the address; 0: none. */
static uint32_t owner_at(struct co_hart *h, uintptr_t at)
{
	const struct co_heap_block *block = h->heap.block;
	uintptr_t unit = (at - (uintptr_t)block) / UNIT;

	if (at < (uintptr_t)block || unit >= h->heap.units)
		return 0;
	for (uint32_t b = 0; b <= unit; b += block[b].units) {
		if (unit - b < block[b].units)
			return block[b].mark == CO_BLOCK_TAKEN ? block[b].owner : 0;
	}
	return 0;
}

static size_t largest_block(struct co_hart *h)
{
	return co_heap_largest(&h->heap);
}
#endif

void co_spm_init(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	co_spm_divide_end(h, hart);
	init_heap(h, (uint32_t)((h->boxes_at - CO_SPM_HEAP) / UNIT));
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
	CO_ASSERT_THAT(bytes > 0, "co_spm_alloc() is asked for a byte or more");
	CO_ASSERT_THAT(align && !(align & (align - 1)), "an alignment is a power of two");
	if (co_inject(CO_INJECT_MEMORY))
		return NULL;
	return take_spm(co_executor.self, bytes, align, owner_number(c), line);
}

void *co_spm_alloc(size_t bytes, size_t align)
{
	return alloc(bytes, align, co_executor.current, LINE);
}

void *co_spm_keep(size_t bytes, size_t align)
{
	return alloc(bytes, align, NULL, LINE);
}

size_t co_spm_largest(void)
{
	return largest_block(co_executor.self);
}

void co_spm_free(void *p)
{
	if (p)
		give_block(co_executor.self, p, LINE);
}

/* Runs on the block's hart. */
static void free_away(struct co_msg *m)
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
		m->run = free_away;
		co_post(hart, m);
	}
}

void co_spm_release(const struct co *c)
{
	give_blocks_of(co_executor.self, owner_number(c));
}

bool co_spm_owns(const struct co *c, uintptr_t at)
{
	return owner_at(co_executor.self, at) == owner_number(c);
}

bool co_spm_owned(uintptr_t at)
{
	return owner_at(co_executor.self, at);
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

	CO_ASSERT_THAT(offset < co_machine.spm_public,
		       "co_spm_at() is given an address in the public part of a scratchpad");
	CO_ASSERT_THAT(hart < co_machine.harts,
		       "there is a hart of that number (co_harts() of them)");
	return (unsigned char *)co_hart_at(hart) + offset;
}

bool co_spm_shared(const void *p, size_t bytes)
{
	uintptr_t offset = (uintptr_t)p - co_executor.spm;

	/* So much that the sums would overflow. */
	if (bytes > UINTPTR_MAX - (uintptr_t)p || bytes > UINTPTR_MAX / 2)
		return false;
	if (co_spm_beside(p, bytes))
		return !co_is_private(p);
	return bytes <= co_executor.spm_public &&
	       offset % BOARD_SPM_BYTES <= co_executor.spm_public - bytes;
}

void co_spm_use(unsigned hart, struct co_spm_use *use)
{
	CO_ASSERT_THAT(hart < co_machine.harts,
		       "there is a hart of that number (co_harts() of them)");
	/* Without a division all heaps are equally large: read no window of another hart. */
	use->heap_bytes = co_machine.division ? co_hart_at(hart)->heap.units * UNIT
					      : CO_SPM_HEAP_END - CO_SPM_HEAP;
	/* relaxed: for reports. */
	use->used = co_atomic_load(&co_hart_at(hart)->heap.used, CO_RELAXED) * UNIT;
	use->high_water = co_atomic_load(&co_hart_at(hart)->heap.high, CO_RELAXED) * UNIT;
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
	CO_ASSERT_THAT(hart < co_machine.harts,
		       "there is a hart of that number (co_harts() of them)");
	return co_hart_at(hart);
}
