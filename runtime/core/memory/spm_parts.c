/*
 * spm_parts.c - how a window is divided, for programs that print it: other images are without this
 * file.
 */
#include "../core.h"
#include "../hart_var.h"
#include "../hook.h"

#define AREA(part) (CO_SPM_AREA + offsetof(struct co_area, part))

#define PARTS_MOST 40

/* Written before the program runs. */
static struct co_spm_part parts[PARTS_MOST];
static unsigned n_parts;

static void add_part(const char *name, size_t offset, size_t end, bool is_public)
{
	CO_ASSERT_OWN(n_parts < PARTS_MOST);
	parts[n_parts++] = (struct co_spm_part){ name, offset, end - offset, is_public };
}

static void add_own_stack(const char *name, size_t offset, size_t bytes)
{
	add_part(name, CO_SPM_STACKS0 + offset, CO_SPM_STACKS0 + offset + bytes, false);
}

/* The variables of harts that are in the window, where the files' order has put them. */
static void add_variables(void)
{
	unsigned first = n_parts;

	/* Has the linker keep the list. */
	__asm__ volatile("" ::"r"(__start_co_hart_parts));
	for (const struct co_hart_part *p = __hart_parts_start; p < __hart_parts_end; p++) {
		if (CO_SPM_ROOMY || !p->is_buffer)
			add_part(p->name, (uintptr_t)p->variable - CO_HART_VARS_AT, 0, true);
	}
	for (unsigned i = first + 1; i < n_parts; i++) {
		for (unsigned k = i; k > first && parts[k].offset < parts[k - 1].offset; k--) {
			struct co_spm_part later = parts[k - 1];

			parts[k - 1] = parts[k];
			parts[k] = later;
		}
	}
	/* A variable's part includes the bytes that align the next variable. */
	for (unsigned i = first; i < n_parts; i++)
		parts[i].bytes =
			(i + 1 < n_parts ? parts[i + 1].offset : CO_SPM_HEAP) - parts[i].offset;
}

static void describe_parts(void)
{
	const struct co_hart *h = co_hart_at(0);

	n_parts = 0;
	add_part("hart", 0, CO_SPM_AREA, true);
	if (CO_SPM_ROOMY) {
		add_part("report, nodes", CO_SPM_AREA, AREA(co), true);
		add_part("coroutines", AREA(co), CO_SPM_VARS, true);
	}
	add_variables();
	add_part("heap", CO_SPM_HEAP, h->boxes_at, true);
	if (h->caches_at > h->boxes_at)
		add_part("mailboxes' storage", h->boxes_at, h->caches_at, true);
	if (CO_SPM_CACHES_BYTES(h))
		add_part("caches of loops", h->caches_at, CO_SPM_HEAP_END, true);
	if (co_machine.rank_data)
		add_part("a rank's static data", CO_SPM_HEAP_END, co_machine.spm_public, true);
	add_part("thread-locals", CO_SPM_TLS, CO_SPM_STACKS0, false);
	if (!CO_SPM_ROOMY)
		return;
	add_own_stack("executor stack", CO_EXECUTOR_STACK, CO_EXECUTOR_STACK_BYTES);
	add_own_stack("trap stack", CO_TRAP_STACK, CO_TRAP_STACK_BYTES);
	add_part("coroutine stacks", CO_SPM_STACK0,
		 CO_SPM_STACK0 + co_machine.spm_stacks * CO_SPM_STACK_STRIDE - CO_GUARD_BYTES,
		 false);
	if (co_machine.rank_stack)
		add_part("a rank's stack", BOARD_SPM_BYTES - co_machine.rank_stack, BOARD_SPM_BYTES,
			 false);
}

CO_HOOKS = { .machine_up = describe_parts };

const struct co_spm_part *co_spm_parts(unsigned *count)
{
	*count = n_parts;
	return parts;
}
