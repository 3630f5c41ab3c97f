/* spm_parts.c - how a window is divided, for those that print it: others' images are without. */
#include "../core.h"
#include "../hook.h"

#define AREA(part) (CO_SPM_AREA + offsetof(struct co_area, part))

#define PARTS_MOST 13

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

static void describe_parts(void)
{
	const struct co_hart *h = co_hart_at(0);

	n_parts = 0;
	if (CO_SPM_ROOMY) {
		add_part("hart", 0, CO_SPM_MAIL, true);
		add_part("mailboxes", CO_SPM_MAIL, CO_SPM_AREA, true);
		add_part("report, nodes", CO_SPM_AREA, AREA(co), true);
		add_part("coroutines", AREA(co), AREA(bounce_wait), true);
		add_part("bounce buffer", AREA(bounce_wait), AREA(printed), true);
		add_part("print ring", AREA(printed), CO_SPM_HEAP, true);
	} else {
		add_part(CO_MAIL_IN_SPM ? "hart, mailboxes" : "hart", 0, CO_SPM_HEAP, true);
	}
	add_part("heap", CO_SPM_HEAP, h->boxes_at, true);
	if (h->caches_at > h->boxes_at)
		add_part("mailboxes' storage", h->boxes_at, h->caches_at, true);
	if (CO_SPM_CACHES_BYTES(h))
		add_part("caches of loops", h->caches_at, co_machine.spm_public, true);
	add_part("thread-locals", CO_SPM_TLS, CO_SPM_STACKS0, false);
	if (!CO_SPM_ROOMY)
		return;
	add_own_stack("executor stack", CO_EXECUTOR_STACK, CO_EXECUTOR_STACK_BYTES);
	add_own_stack("trap stack", CO_TRAP_STACK, CO_TRAP_STACK_BYTES);
	add_part("coroutine stacks", CO_SPM_STACK0,
		 CO_SPM_STACK0 + co_machine.spm_stacks * CO_SPM_STACK_STRIDE - CO_GUARD_BYTES,
		 false);
}

CO_HOOKS = { .machine_up = describe_parts };

const struct co_spm_part *co_spm_parts(unsigned *count)
{
	*count = n_parts;
	return parts;
}
