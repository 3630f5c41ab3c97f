/*
 * spawn.c - a spawn takes a control block and a stack of the hart where the coroutine will live,
 * and hands it over to be started there.
 */
#include <errno.h>

#include <hal/ipi.h>
#include <hal/time.h>

#include "../hook.h"
#include "../lf/start_slot.h"
#include "../lost.h"
#include "../memory/block.h"
#include "../memory/slab.h"
#include "counter.h"
#include "../timeline.h"

/* io/remote.c serves coroutines of other harts, if the program calls for it. */
co_brings(co_spawn_brings);

static struct co_a32 turn; /* of the harts, where a coroutine may start on several */

/* The next of n. relaxed: spreading the load needs no order. */
INLINE unsigned next_of(unsigned n)
{
	return co_atomic_add(&turn, 1, CO_RELAXED) % n;
}

/*
 * Try n harts in turn, each time from where the last spawn stopped: list[0..n-1], or, without a
 * list, first..first+n-1. NULL: there is no block.
 */
static NOINLINE struct co *take_any(const unsigned *list, unsigned first, unsigned n,
				    enum co_stack class)
{
	struct co *c = NULL;

	for (unsigned i = 0; i < n && !c; i++) {
		unsigned next = next_of(n);

		c = co_block_take(list ? list[next] : first + next, class);
	}
	/* Other spawns share `turn`, so some harts may have been skipped: try each once more. */
	for (unsigned i = 0; i < n && !c; i++)
		c = co_block_take(list ? list[i] : first + i, class);
	return c;
}

static NOINLINE int why_not(unsigned hart)
{
	return co_hart_lost(hart) ? -EHOSTDOWN : -ENOBUFS;
}

INLINE int place(const struct co_attr *attr, struct co **out)
{
	if ((unsigned)attr->stack > CO_STACK_8K &&
	    ((int)attr->stack != CO_STACK_RANK || !co_machine.ranks))
		return -EINVAL;
	if (!CO_SPM_ROOMY && attr->stack == CO_STACK_SPM)
		return -EINVAL;
	if (attr->on == CO_ON_ANY) {
		*out = take_any(co_machine.computes.harts, 0, co_machine.computes.n, attr->stack);
		return *out ? 0 : -ENOBUFS;
	}
	if (attr->on > 0) {
		if ((unsigned)attr->on > co_machine.harts)
			return -EINVAL;
		*out = co_block_take((unsigned)attr->on - 1, attr->stack);
		return *out ? 0 : why_not((unsigned)attr->on - 1);
	}
	unsigned group = (unsigned)-(attr->on + 1);

	if (group >= co_machine.groups || !co_machine.group[group].computes)
		return -EINVAL;
	*out = take_any(NULL, co_machine.group[group].compute, co_machine.group[group].computes,
			attr->stack);
	return *out ? 0 : -ENOBUFS;
}

/*
 * Hand c over to the hart where it starts: by the start slot if the executor there sleeps, else by
 * its message, unless that is this hart. Returns 0. Order: release to its start.
 */
INLINE int hand_over(struct co_hart *h, struct co *c)
{
	c = co_start_slot_give(&h->inbox, c);
	if (c)
		return co_start_awake(c);
	co_ring(h->doorbell);
	return 0;
}

/* Fill a block taken from h and start it. `refs`: CO_RUNNING, and further flags that apply. */
INLINE int launch(struct co *c, struct co_hart *h, co_fn *fn, void *arg, struct co_batch *batch,
		  intptr_t *result, uint32_t refs)
{
	c->fn = fn;
	c->arg = arg;
	c->batch = batch;
	c->batch_result = result;
	/* relaxed, all: the hand-over publishes them. The block's last user may have left these. */
	co_atomic_store(&c->cancel, 0, CO_RELAXED);
	if (batch && co_batch_canceled(batch))
		co_atomic_store(&c->cancel, 1, CO_RELAXED);
	co_atomic_store(&c->generation, co_atomic_load(&c->generation, CO_RELAXED) + 1, CO_RELAXED);
	/* Before hart 0 can give c up. */
	if (batch)
		co_counter_more(&batch->running, 1);
	/* release: the batch, and its count; pairs with end_waits() and co_give_up(). */
	co_atomic_store(&c->refs, refs, CO_RELEASE);
	return hand_over(h, c);
}

/*
 * Take a free block with a scratchpad stack, of the hart that `on` names or of the next hart. NULL:
 * no block is free, or no hart has that number.
 */
INLINE struct co *take_quickly(int on, struct co_hart **h)
{
	uintptr_t open = co_executor.open;
	/* As an unsigned number, any `on` that names no hart is larger than all harts. */
	uintptr_t hart = (uintptr_t)(intptr_t)on - 1;
	struct co *c;

	if (hart >= open) {
		if (on != CO_ON_ANY || !open || !co_machine.computes.n)
			return NULL;
		hart = co_machine.computes.harts[next_of(co_machine.computes.n)];
	}
	*h = (struct co_hart *)(co_executor.spm + hart * BOARD_SPM_BYTES);
	c = co_block_take_own(*h, (unsigned)hart);
	/* The hart has its turn still. relaxed: as in next_of(). */
	if (!c && on == CO_ON_ANY)
		co_atomic_add(&turn, -1u, CO_RELAXED);
	return c;
}

/*
 * The usual spawn: a scratchpad stack, and a name in main memory or none. NULL: look closer. These
 * imply valid arguments.
 */
INLINE struct co *take_usual(const struct co_attr *attr, co_fn *fn, struct co_hart **h)
{
	struct co *c;

	if (CO_FAULTS_ON || !fn)
		return NULL;
	if (!attr)
		return take_quickly(CO_ON_ANY, h);
	if (attr->sends.count || (unsigned)attr->stack > CO_STACK_SPM)
		return NULL;
	if (!attr->name)
		return take_quickly(attr->on, h);
	if (!co_spm_beside(attr->name, 1))
		return NULL;
	(void)*(const volatile char *)attr->name; /* a wild pointer faults here */
	c = take_quickly(attr->on, h);
	if (c)
		co_name_next(c, attr->name);
	return c;
}

static NOINLINE int refuse(const struct co_attr *attr, int r)
{
	const struct co_group *g;

	if (r != -ENOBUFS) /* -ENOBUFS says that the group exists */
		return r;
	g = attr->on < 0 ? &co_machine.group[-(attr->on + 1)] : NULL;
	if (attr->on > 0)
		co_shortage((unsigned)attr->on - 1, 1, attr->stack);
	else
		co_shortage(g ? g->compute : 0, g ? g->computes : co_machine.harts, attr->stack);
	return r;
}

/* Take a block for fn, as attr says, to be launched. NULL: *error is what co_spawn() returns. */
INLINE struct co *prepare(const struct co_attr *attr, co_fn *fn, int *error)
{
	static const struct co_attr defaults;
	struct co *c;
	int r;

	CO_ASSERT_THAT(fn, "a coroutine is given a function to run");
	if (attr && attr->name) {
		/* Other harts read it for reports. */
		CO_ASSERT_SHARED(attr->name, 1, "the name of a coroutine");
		(void)*(const volatile char *)attr->name; /* a wild pointer faults here */
	}
	CO_ASSERT_THAT(!attr || !attr->sends.count || co_spm_shared(attr->sends.channel, 1),
		       CO_SHARED("the channel that a coroutine sends to (sends)"));
	if (!attr)
		attr = &defaults;
	r = place(attr, &c);
	if (r) {
		*error = refuse(attr, r);
		return NULL;
	}
	if (attr->name)
		co_name_next(c, attr->name);
	if (attr->sends.count)
		attr->sends.count(c, attr->sends.channel);
	if (co_executor.trace)
		co_timeline_spawn(c, fn);
	return c;
}

static NOINLINE int spawn(struct co **handle, const struct co_attr *attr, co_fn *fn, void *arg,
			  struct co_batch *batch, intptr_t *result)
{
	int error = 0;
	struct co *c = prepare(attr, fn, &error);

	co_executor.open = co_machine.open;
	if (!c)
		return error;
	if (handle)
		*handle = c;
	return launch(c, co_hart_at(c->hart), fn, arg, batch, result,
		      CO_RUNNING | (handle ? CO_HANDLE : 0) |
			      (co_machine.booting ? CO_SERVICE : 0));
}

int co_spawn(struct co **c, const struct co_attr *attr, co_fn *fn, void *arg)
{
	struct co_hart *h;
	struct co *new = take_usual(attr, fn, &h);

	if (!new)
		return spawn(c, attr, fn, arg, NULL, NULL);
	if (!c)
		return launch(new, h, fn, arg, NULL, NULL, CO_RUNNING);
	*c = new;
	return launch(new, h, fn, arg, NULL, NULL, CO_RUNNING | CO_HANDLE);
}

static NOINLINE int batch_spawn(struct co_batch *b, const struct co_attr *attr, co_fn *fn,
				void *arg, intptr_t *result)
{
	CO_ASSERT_SHARED(b, sizeof(*b), "a struct co_batch");
	CO_ASSERT_THAT(!result || co_spm_shared(result, sizeof(*result)),
		       CO_SHARED("the result of a batch's child"));
	return spawn(NULL, attr, fn, arg, b, result);
}

int co_batch_spawn(struct co_batch *b, const struct co_attr *attr, co_fn *fn, void *arg,
		   intptr_t *result)
{
	struct co_hart *h;
	struct co *c = NULL;

	/* Usually both are in main memory. */
	if (b && co_spm_beside(b, sizeof(*b)) &&
	    (!result || co_spm_beside(result, sizeof(*result))))
		c = take_usual(attr, fn, &h);
	if (!c)
		return batch_spawn(b, attr, fn, arg, result);
	return launch(c, h, fn, arg, b, result, CO_RUNNING);
}

/* Count a child with a record. */
static void count_child(struct co_batch *b)
{
	struct co_waiter *first = co_waitq_lock(&b->any);

	/* relaxed, all: the queue's lock orders them. */
	co_atomic_store(&b->children, co_atomic_load(&b->children, CO_RELAXED) + 1, CO_RELAXED);
	co_waitq_unlock(&b->any, first);
	/* relaxed: the child's start publishes it, and its end, to the join. */
	co_atomic_or(&b->ended, CO_ENDED_CHILD, CO_RELAXED);
}

int co_batch_spawn_child(struct co_batch *b, const struct co_attr *attr, co_fn *fn, void *arg,
			 struct co_child *child)
{
	struct co *c;
	int error = 0;

	CO_ASSERT_SHARED(b, sizeof(*b), "a struct co_batch");
	CO_ASSERT_SHARED(child, sizeof(*child), "a struct co_child");
	c = prepare(attr, fn, &error);
	if (!c)
		return error;
	*child = (struct co_child){ .status = -EINPROGRESS };
	c->flags |= CO_FLAG_CHILD;
	count_child(b);
	return launch(c, co_hart_at(c->hart), fn, arg, b, &child->result, CO_RUNNING);
}

/*
 * Cancel all live coroutines, but the runtime's own. Returns how many. The next call finds the
 * coroutines that have not reached their hart yet.
 */
static unsigned sweep(void)
{
	unsigned live = 0;

	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		for (struct co *c = NULL; (c = co_block_next(hart, c));) {
			if (!co_is_live(c) || co_hart_lost(hart))
				continue;
			co_cancel_block(c);
			live++;
		}
	}
	return live;
}

unsigned co_end_others(void)
{
	struct co_patience patience = co_patience_begin(CO_SHUTDOWN_US);
	unsigned live;

	while ((live = sweep()) && co_patience_lasts(&patience))
		co_sleep_shielded(NULL, "the others' end", 1000);
	return live;
}
