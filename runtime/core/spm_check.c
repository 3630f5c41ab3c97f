/* spm_check.c - the heap of a window in a build with DEBUG=1: see heap_check.h. */
#include "spm_heap.h"

#ifdef CO_DEBUG

#include <stdio.h>

#include "hook.h"

void co_spm_heap_init(struct co_hart *h, uint32_t units)
{
	uintptr_t low = (uintptr_t)h + CO_SPM_HEAP;

	co_heap_init(&h->heap, (struct co_heap_block *)low, units);
	h->check = (struct co_check_heap){ .low = low, .high = low + units * CO_HEAP_UNIT };
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

static void give(struct co_hart *h, void *p, uintptr_t line, struct co_check_finding *f)
{
	struct co_check_block *b = co_check_free(&h->check, p, line, f);
	void *raw;

	if (!b)
		return;
	if (is_whole(h, f))
		co_heap_free(&h->heap,
			     (uint32_t)(((uintptr_t)b->raw - h->check.low) / CO_HEAP_UNIT));
	while (co_check_evict(&h->check, false, &raw, f))
		;
}

void *co_spm_take(struct co_hart *h, size_t bytes, size_t align, uint32_t owner, uintptr_t line)
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
	co_check_forget(&h->check, raw - CO_HEAP_UNIT, raw + more + 2 * CO_HEAP_UNIT);
	return co_check_enter(&h->check, (void *)raw, &about, align);
}

void co_spm_give(struct co_hart *h, void *p, uintptr_t line)
{
	struct co_check_finding f = { 0 };

	give(h, p, line, &f);
	co_check_report("co_spm_free", &f);
}

/* Its coroutine ends by a fault: what else is wrong is not reported. */
void co_spm_give_of(struct co_hart *h, uint32_t owner)
{
	struct co_check_finding f = { 0 };
	void *p;

	while ((p = co_check_owned(&h->check, owner)))
		give(h, p, 0, &f);
}

size_t co_spm_room(struct co_hart *h)
{
	struct co_check_finding f = { 0 };

	is_whole(h, &f);
	co_check_report("co_spm_largest", &f);
	return co_check_room(co_heap_largest(&h->heap));
}

void co_debug_check_heap(void)
{
	struct co_check_finding f = { 0 };

	if (is_whole(co_executor.self, &f))
		co_check_all(&co_executor.self->check, &f);
	co_check_report("co_debug_check_heap", &f);
	co_hooks_call(check_heap);
}

void co_spm_check_end(void)
{
	char what[40];

	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		snprintf(what, sizeof(what), "the scratchpad heap of hart %u", hart);
		co_check_end(&co_hart_at(hart)->check, what);
	}
}

#endif
