/*
 * coroutine.c - start, join, detach and cancel. Spawns: spawn.c. Ends: end.c.
 */
#include <errno.h>
#include <limits.h>

#include <hal/ipi.h>

#include "../hook.h"
#include "../memory/block.h"
#include "../memory/slab.h"
#include "counter.h"
#include "../timeline.h"
#include "wait_inline.h"

static inline bool wants_paint(const struct co *c)
{
	return c->flags & (CO_FLAG_UNPAINTED | CO_FLAG_STACK);
}

static NOINLINE void paint(struct co *c)
{
	co_stack_paint(c);
	if (!(c->flags & CO_FLAG_STACK))
		c->flags &= ~CO_FLAG_UNPAINTED;
}

/* Start c, whose stack is painted, on this hart: append it, and build its first frame. */
INLINE int start_painted(struct co *c)
{
	struct co_executor *e = &co_executor;

	c->err = 0;
	c->fresh = true;
	co_ready_append(e, co_ready_first(e), c);
	return hal_context_init(&c->context, c->stack_top, co_entry);
}

static NOINLINE int paint_and_start(struct co *c)
{
	paint(c);
	return start_painted(c);
}

/*
 * Start c on this hart, and paint its stack if it needs that. All calls are last, so that no frame
 * is needed.
 */
INLINE int start_here(struct co *c)
{
	return wants_paint(c) ? paint_and_start(c) : start_painted(c);
}

void co_start_msg(struct co_msg *m)
{
	start_here(co_of_msg(m));
}

void co_start_alone(struct co_executor *e, struct co *c)
{
	e->first = c->next_ready = c->prev_ready = c;
	c->err = 0;
	c->fresh = true;
	if (wants_paint(c))
		paint(c);
}

int co_start_awake(struct co *c)
{
	if (c->hart == co_executor.hart)
		return start_here(c);
	c->msg.run = co_start_msg;
	co_post(c->hart, &c->msg);
	return 0;
}

int co_start_main(co_fn *fn)
{
	struct co *c = co_block_take_first();

	if (!c)
		return -ENOBUFS;
	co_name_next(c, "main");
	c->fn = fn;
	if (co_executor.trace)
		co_timeline_spawn(c, fn);
	/* relaxed, both: this hart alone knows it. */
	co_atomic_store(&c->generation, co_atomic_load(&c->generation, CO_RELAXED) + 1, CO_RELAXED);
	co_atomic_store(&c->refs, CO_RUNNING, CO_RELAXED);
	return start_here(c);
}

bool co_batch_any_ended(struct co_batch *b)
{
	/* relaxed, both: as in co_child_ended(). */
	return co_atomic_load(&b->last, CO_RELAXED) || !co_atomic_load(&b->children, CO_RELAXED);
}

/* Take the first record out; NULL: the list is empty. The caller has locked the queue. */
static struct co_child *take_ended(struct co_batch *b)
{
	struct co_child *last = (struct co_child *)co_atomic_load(&b->last, CO_RELAXED);
	struct co_child *child;

	if (!last)
		return NULL;
	child = co_plain_load(&last->next);
	co_plain_store(&last->next, co_plain_load(&child->next));
	if (child == last)
		co_atomic_store(&b->last, 0, CO_RELAXED);
	co_atomic_store(&b->children, co_atomic_load(&b->children, CO_RELAXED) - 1, CO_RELAXED);
	return child;
}

int co_batch_try_join_any(struct co_batch *b, struct co_child **child)
{
	struct co_waiter *first;
	struct co_child *taken;

	CO_ASSERT_THAT(b && child,
		       "a join of any child is given a batch, and where the child goes");
	if (!co_batch_any_ended(b))
		return -EAGAIN;
	first = co_waitq_lock(&b->any);
	taken = take_ended(b);
	if (co_atomic_load(&b->children, CO_RELAXED)) {
		co_waitq_unlock(&b->any, first);
		if (!taken)
			return -EAGAIN;
	} else {
		/* The last record has been given: waiters get -ECHILD. */
		co_waitq_wake_all(&b->any, first);
		if (!taken)
			return -ECHILD;
	}
	*child = taken;
	return 0;
}

const char co_wait_child[] = "child of batch";

int co_batch_join_any_until(struct co_batch *b, struct co_child **child, uint64_t deadline)
{
	bool slept = false;
	int r;

	while ((r = co_batch_try_join_any(b, child)) == -EAGAIN) {
		/* One that was woken, and overtaken by a try, is the first again. */
		struct co_waiter *w = slept ? co_wait_prepare_front(&b->any, b, co_wait_child)
					    : co_wait_prepare(&b->any, b, co_wait_child);

		slept = true;
		r = co_batch_any_ended(b) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
		if (r)
			return r;
	}
	return r;
}

int co_batch_join_any(struct co_batch *b, struct co_child **child)
{
	return co_batch_join_any_until(b, child, CO_FOREVER);
}

/* Forget the records that nobody has been given: the batch can be used again. */
static void forget_children(struct co_batch *b)
{
	struct co_waiter *first = co_waitq_lock(&b->any);

	co_atomic_store(&b->last, 0, CO_RELAXED);
	co_atomic_store(&b->children, 0, CO_RELAXED);
	co_waitq_wake_all(&b->any, first);
}

/* The result of a join of a batch in which coroutines ended early, or with records. */
static NOINLINE int batch_ended(struct co_batch *b)
{
	/* acquire: pairs with co_batch_cancel(). No coroutine is left. */
	uint32_t how = co_atomic_swap(&b->ended, 0, CO_ACQUIRE);

	co_atomic_store(&b->cancelled, 0, CO_RELAXED);
	if (how & CO_ENDED_CHILD)
		forget_children(b);
	return how & CO_ENDED_LOST ? -EHOSTDOWN : how & CO_ENDED_FAULT ? -EFAULT : 0;
}

int co_batch_join_until(struct co_batch *b, uint64_t deadline)
{
	int r = co_counter_wait_until(&b->running, deadline);

	if (r)
		return r;
	return co_atomic_load(&b->ended, CO_RELAXED) ? batch_ended(b) : 0; /* as there */
}

int co_batch_join(struct co_batch *b)
{
	return co_batch_join_until(b, CO_FOREVER);
}

#define NO_HANDLE \
	"the coroutine is one that co_spawn() has returned, and that was not joined or detached"

/* Is there a handle? It is good for one join or detach. A coroutine of a batch has no handle. */
static inline bool has_handle(const struct co *c)
{
	/* relaxed: the handle's owner would have read it. */
	return co_atomic_load(&c->refs, CO_RELAXED) & CO_HANDLE;
}

const char co_wait_join[] = "end of coroutine";

static inline bool ended(struct co *c)
{
	/*
	 * relaxed: a join acquires the result by the lock of `joiner`, which drop_block() holds,
	 * end.c; and a waiter that enters that later has acquired the end.
	 */
	return !(co_atomic_load(&c->refs, CO_RELAXED) & CO_RUNNING);
}

/* Is c lost with its hart? */
static bool gone(const struct co *c)
{
	return co_harts_lost() && co_hart_notified(c->hart);
}

bool co_has_ended(struct co *c)
{
	return ended(c) || gone(c);
}

static NOINLINE int take_fault(struct co *c, struct co_fault *fault)
{
	if (fault)
		*fault = (struct co_fault){ c->arg, (uintptr_t)c->result, (uintptr_t)c->fn };
	co_block_free(c);
	return -EFAULT;
}

/* c has ended, and there is no handle any more: take its result and free its block. */
static int take_result(struct co *c, intptr_t *result, struct co_fault *fault)
{
	if (c->flags & CO_FLAG_FAULTED)
		return take_fault(c, fault);
	if (result)
		*result = c->result;
	co_block_free(c);
	return 0;
}

/*
 * Waiting: calls that are not inlined are last, so that nothing is saved for them, and rare, except
 * calls that sleep while other coroutines run.
 */
static int join_again(struct co *c, intptr_t *result, struct co_fault *fault, uint64_t deadline);

/* The wait has ended without a result of the coroutine that it was for. */
static NOINLINE int look_again(intptr_t *result, struct co_fault *fault, uint64_t deadline, int r)
{
	/* relaxed: its own. */
	struct co *c = (struct co *)co_atomic_load(&co_executor.current->waits_for, CO_RELAXED);

	return r && !ended(c) ? r : join_again(c, result, fault, deadline);
}

INLINE int woken(intptr_t *result, struct co_fault *fault, uint64_t deadline, int r)
{
	if (r != CO_WOKEN_WITH)
		return look_again(result, fault, deadline, r);
	/* The coroutine that has ended has handed over its result, and has freed its own block. */
	if (result)
		*result = (intptr_t)co_executor.current->value[0];
	return 0;
}

static NOINLINE int join_until(intptr_t *result, struct co_fault *fault, uint64_t deadline)
{
	return woken(result, fault, deadline, co_wait_go_on(co_executor.current, deadline));
}

static NOINLINE int sleep_for_ever(intptr_t *result)
{
	return woken(result, NULL, CO_FOREVER, co_wait_go_on(co_executor.current, CO_FOREVER));
}

/* It was cancelled before the wait. */
static NOINLINE int refused(intptr_t *result, struct co_fault *fault, uint64_t deadline)
{
	return woken(result, fault, deadline, co_wait_refuse(&co_executor.current->waiter));
}

/* c's queue is locked, and there is no need to enter it, or no right. */
static NOINLINE int look_closer(struct co *c, struct co_waiter *first, uint32_t refs,
				intptr_t *result, struct co_fault *fault)
{
	bool takes = (refs & (CO_RUNNING | CO_HANDLE)) == CO_HANDLE;

	/* Before the unlock: another join finds no handle. relaxed: the lock orders it. */
	if (takes)
		co_atomic_store(&c->refs, 0, CO_RELAXED);
	co_waitq_unlock(&c->joiner, first);
	CO_ASSERT_THAT(refs & CO_HANDLE, NO_HANDLE);
	if (takes)
		return take_result(c, result, fault);
	/* Two joiners would both drop the handle. */
	CO_ASSERT_THAT(!first, "nobody else joins the coroutine");
	return -EHOSTDOWN;
}

/* c's queue is locked. */
INLINE int await_end(struct co *self, struct co *c, struct co_waiter *first, intptr_t *result,
		     struct co_fault *fault, uint64_t deadline)
{
	/* relaxed: it ends, and its hart is given up, before a lock of the queue. */
	uint32_t refs = co_atomic_load(&c->refs, CO_RELAXED);

	if (first || (refs & (CO_RUNNING | CO_HANDLE | CO_GIVEN_UP)) != (CO_RUNNING | CO_HANDLE))
		return look_closer(c, first, refs, result, fault);
	co_wait_begin(self, &c->joiner, NULL, c, co_wait_join, false, CO_WAITER_TAKES);
	if (co_wait_canceled(self))
		return refused(result, fault, deadline);
	if (co_wait_in_place(self, deadline))
		return woken(result, fault, deadline, self->wait_result);
	return fault || deadline != CO_FOREVER ? join_until(result, fault, deadline)
					       : sleep_for_ever(result);
}

static NOINLINE int join_again(struct co *c, intptr_t *result, struct co_fault *fault,
			       uint64_t deadline)
{
	struct co *self = co_executor.current;

	CO_ASSERT_COROUTINE(self);
	CO_ASSERT_THAT(c && c != self, "a coroutine that is joined is another one, and not NULL");
	return await_end(self, c, co_waitq_lock(&c->joiner), result, fault, deadline);
}

INLINE int join(struct co *c, intptr_t *result, struct co_fault *fault, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_waiter *first;

	if (!self || !c || c == self || !co_waitq_try_lock(&c->joiner, &first))
		return join_again(c, result, fault, deadline);
	return await_end(self, c, first, result, fault, deadline);
}

int co_join_until(struct co *c, intptr_t *result, uint64_t deadline)
{
	return join(c, result, NULL, deadline);
}

int co_join_fault_until(struct co *c, intptr_t *result, struct co_fault *fault, uint64_t deadline)
{
	CO_ASSERT_THAT(fault, "co_join_fault() is given where the fault goes");
	return join(c, result, fault, deadline);
}

int co_join_fault(struct co *c, intptr_t *result, struct co_fault *fault)
{
	return co_join_fault_until(c, result, fault, CO_FOREVER);
}

/* Not by a call of the first: without a deadline it saves fewer registers. */
int co_join(struct co *c, intptr_t *result)
{
	return join(c, result, NULL, CO_FOREVER);
}

void co_detach(struct co *c)
{
	CO_ASSERT_THAT(has_handle(c), NO_HANDLE);
	/* acq_rel: every use of c comes before it is free; pairs with drop_block(), end.c. */
	if (co_atomic_and(&c->refs, ~CO_HANDLE, CO_ACQ_REL) == CO_HANDLE)
		co_block_free(c);
}

bool co_is_live(const struct co *c)
{
	return co_refs_live(co_atomic_load(&c->refs, CO_RELAXED));
}

/*
 * Does c, of this hart, live in a batch that is cancelled? The batch of one with CO_SERVICE, which
 * does not live, may change at any time. acquire: the batch; pairs with the write that takes
 * CO_SERVICE away.
 */
static bool batch_cancelled(const struct co *c)
{
	return co_refs_live(co_atomic_load(&c->refs, CO_ACQUIRE)) && c->batch &&
	       co_batch_canceled(c->batch);
}

static void end_wait(struct co *c)
{
	if (co_atomic_load(&c->cancel, CO_RELAXED) && co_is_live(c) && co_sleeps(c) && !c->shielded)
		co_wait_end(c, -ECANCELED);
}

/* Runs on the hart of cancelled coroutines: end their waits. */
static void end_waits(struct co_msg *m)
{
	unsigned hart = co_executor.hart;
	struct co_tree cancelled = co_slabs_cancelled(hart);
	int i;

	co_notice_taken(co_container_of(m, struct co_notice, msg));
	/* A block may have got another coroutine since, whose `cancel` is its own. */
	while ((i = co_tree_pop(&cancelled)) >= 0)
		end_wait(co_block_of(hart, (unsigned)i));
	/* acquire: `cancelled` of the batch; pairs with co_batch_cancel(). */
	if (!co_atomic_swap(&co_executor.self->batch_cancelled, 0, CO_ACQUIRE))
		return;
	for (struct co *c = NULL; (c = co_block_next(hart, c));) {
		if (batch_cancelled(c))
			co_atomic_store(&c->cancel, 1, CO_RELAXED);
		end_wait(c);
	}
}

static void announce_cancel(unsigned hart)
{
	co_notify(hart, &co_hart_at(hart)->cancels, end_waits);
}

void co_cancel_block(struct co *c)
{
	struct co_tree cancelled = co_slabs_cancelled(c->hart);

	/* relaxed: a flag; the tree and the message order it before the wait's end. */
	if (co_atomic_swap(&c->cancel, 1, CO_RELAXED))
		return;
	co_tree_add(&cancelled, c->index);
	announce_cancel(c->hart);
}

void co_cancel(struct co *c)
{
	CO_ASSERT_THAT(
		c && co_atomic_load(&c->refs, CO_RELAXED),
		"co_cancel() is given a coroutine that co_spawn() has returned, and that has not been joined or detached");
	co_cancel_block(c);
}

void co_batch_cancel(struct co_batch *b)
{
	CO_ASSERT_THAT(b && co_executor.current,
		       "co_batch_cancel() is given a batch, by a coroutine");
	/* relaxed: as in co_cancel_block(). */
	co_atomic_store(&b->cancelled, 1, CO_RELAXED);
	/* release: for the join to look, and to clear both; pairs with batch_ended(). */
	co_atomic_or(&b->ended, CO_ENDED_CANCEL, CO_RELEASE);
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		/* release: `cancelled`; pairs with end_waits(), for an earlier notice, too. */
		co_atomic_store(&co_hart_at(hart)->batch_cancelled, 1, CO_RELEASE);
		announce_cancel(hart);
	}
}

bool co_canceled(void)
{
	CO_ASSERT_COROUTINE(co_self());
	return co_atomic_load(&co_self()->cancel, CO_RELAXED) != 0;
}

unsigned co_home(const struct co *c)
{
	return c->hart;
}

size_t co_control_bytes(void)
{
	return sizeof(struct co);
}
