/* place.c - what an address belongs to: its description, for reports. */
#include "place.h"

#include <hal/trap.h>

#include "image.h"
#include "slab.h"

/* The owner of a stack, or its last owner; NULL: unknown. */
static const struct co *stack_owner(const struct co_stack_place *p)
{
	for (const struct co *c = NULL; (c = co_block_next_of_all(c));) {
		size_t bytes;

		/* relaxed: for reports. */
		if (co_atomic_load(&c->refs, CO_RELAXED) && co_stack_of(c, &bytes) == p->low)
			return c;
	}
	return NULL;
}

static void add_stack(struct co_text *t, const struct co_stack_place *p)
{
	const struct co *c = stack_owner(p);

	co_text_add(t, "%s %s stack %u", p->guard ? "guard page under" : "inside", p->name,
		    p->slot);
	if (p->hart >= 0)
		co_text_add(t, " of hart %d", p->hart);
	if (c)
		co_text_add(t, ", coroutine '%s'", co_name(c));
	if (p->guard && p->larger)
		co_text_add(t, "; %s makes it larger", p->larger);
}

void co_text_place(struct co_text *t, uintptr_t address)
{
	struct co_stack_place p;
	bool on_stack = co_machine.spm && co_stack_find(address, &p);
	int hart = co_machine.spm ? co_spm_hart((const void *)address) : -1;
	bool shared = hart >= 0 && co_spm_shared((const void *)address, 1);
	size_t before = t->used;

	if (address < HAL_PAGE_BYTES)
		co_text_add(t, " (page zero: a null pointer");
	else if (co_image_code(address))
		co_text_add(t, " (the image's code");
	else if (address >= (uintptr_t)__rodata_start && address < (uintptr_t)__rodata_end)
		co_text_add(t, " (the image's constants");
	else if (co_image_guard(address))
		co_text_add(t, " (a guard page between static data");
	else if (co_is_private((const void *)address))
		co_text_add(t, " (static data that each rank has for itself");
	else if (address >= (uintptr_t)__data_start && address < (uintptr_t)__image_end)
		co_text_add(t, " (the image's data");
	else if (hart >= 0)
		co_text_add(t, " (%s SPM of hart %d", shared ? "public" : "private", hart);
	else if (!on_stack)
		return;
	if (on_stack) {
		co_text_add(t, t->used != before ? ": " : " (");
		add_stack(t, &p);
	}
	co_text_add(t, ")");
}

/*
 * The first place from sp on that has a return address of a call out of the program's code, or
 * NULL. The frames before it need have no records; remains of earlier calls may lie in them.
 */
UNSANITIZED static const uintptr_t *first_call(const struct co *c, uintptr_t sp, uintptr_t high)
{
	uintptr_t fn = c ? (uintptr_t)c->fn : 0; /* it may follow a call, too */
	const uintptr_t *word = (const uintptr_t *)(sp & ~(sizeof(sp) - 1));

	for (; (uintptr_t)word < high; word++) {
		uintptr_t target = co_image_program(*word - 1) ? co_image_call(*word) : 0;

		if (target && !co_image_program(target) && *word != fn)
			return word;
	}
	return NULL;
}

/*
 * The place of the program's call that the frame records from fp on lead to, or NULL. Each return
 * address on the way is to follow a call of a function that is named there and is not the
 * program's: so no function of the program between them can have been passed over.
 */
UNSANITIZED static const uintptr_t *call_of_records(uintptr_t fp, uintptr_t high)
{
	struct hal_frame f = { .fp = fp };
	struct co_stack_place p;

	if (!co_stack_find(fp, &p) || p.high != high)
		return NULL;
	while (f.fp >= p.low + 2 * sizeof(fp) && f.fp <= high - sizeof(fp) * (HAL_FRAME_ABOVE) &&
	       f.fp % sizeof(fp) == 0) {
		uintptr_t at = f.fp;
		uintptr_t target;

		hal_frame_next(&f);
		target = co_image_call(f.ra);
		if (target <= 1 || co_image_program(target))
			break;
		if (co_image_program(f.ra - 1))
			return (const uintptr_t *)at + (HAL_FRAME_ABOVE)-1;
		if (f.fp <= at)
			break;
	}
	return NULL;
}

const uintptr_t *co_program_call(const struct co *c, uintptr_t sp, uintptr_t fp, uintptr_t high)
{
	const uintptr_t *call = call_of_records(fp, high);

	return call ? call : first_call(c, sp, high);
}

bool co_is_programs(uintptr_t p, size_t bytes)
{
	int hart = co_spm_hart((const void *)p);
	uintptr_t window;

	if (co_image_plain(p, bytes) || co_image_guarded(p, bytes) ||
	    co_range_holds(co_machine.heap_base, co_slabs_lowest(), p, bytes))
		return true;
	if (hart < 0)
		return false;
	window = (uintptr_t)co_hart_at((unsigned)hart);
	return co_range_holds(window + CO_SPM_HEAP, window + co_machine.spm_public, p, bytes);
}
