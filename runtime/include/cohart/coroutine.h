/*
 * coroutine.h - stackful, cooperative, and at home on one hart.
 *
 * Example
 *	static intptr_t square(void *arg)
 *	{
 *		intptr_t n = (intptr_t)arg;
 *
 *		return n * n;
 *	}
 *	...
 *	struct co *c;
 *	intptr_t result;
 *	int r = co_spawn(&c, &(struct co_attr){ .name = "square", .on = CO_ON_HART(3) }, square,
 *			 (void *)7);
 *	if (r == 0)
 *		r = co_join(c, &result);
 *
 * A coroutine runs on one hart from its start to its end and others run only at waits and pauses.
 * It has a name for reports, a stack of a class, an argument and a result.
 *
 * Cancellation is cooperative: after co_cancel() a wait point that would wait (or waits already)
 * returns -ECANCELED, and so does each later one, until the coroutine ends. Operations that need
 * not wait go on working, and I/O through the proxy is not cut short, so that it can clean up.
 */
#ifndef COHART_COROUTINE_H
#define COHART_COROUTINE_H

#include <cohart/detail/base.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>
#include <cohart/time.h>

CO_BEGIN_C
struct co; /* a coroutine; the runtime's */
struct co_chan;

/* What a coroutine runs; what it returns is for its joiner. */
typedef intptr_t co_fn(void *arg);

/* Microseconds that coroutines have to end after main() has returned. */
#define CO_SHUTDOWN_US 100000

/* Where a coroutine runs. */
#define CO_ON_ANY 0                  /* a compute hart of the machine: the scheduler chooses */
#define CO_ON_HART(h) ((int)(h) + 1) /* that hart */
#define CO_ON_GROUP(g) (-(int)(g)-1) /* a compute hart of that group: the scheduler chooses */

/* What its stack is cut from; sizes in the SPM map that `tour` prints. */
enum co_stack {
	CO_STACK_ANY,  /* SPM if a slot is free, else main memory */
	CO_STACK_SPM,  /* the hart's scratchpad, if co_spm_stacks() is not 0 */
	CO_STACK_MAIN, /* main memory: at least CO_STACK_MAIN_BYTES */
	CO_STACK_BIG,  /* main memory: at least CO_STACK_BIG_BYTES; few */
	/*
	 * Main memory, smaller, for many coroutines, of which the image's option --coroutines=
	 * allows more. What the first two have room for is said in docs/limits.md: they have no
	 * guard page, as all others do; one that overflows is found out at its end, and ends the
	 * run.
	 */
	CO_STACK_1K,
	CO_STACK_2K,
	CO_STACK_4K,
	CO_STACK_8K,
};

#define CO_STACK_MAIN_BYTES (32u << 10)
#define CO_STACK_BIG_BYTES (256u << 10)

/* How to start one. Zero-filled is valid: unnamed, anywhere, any stack. */
struct co_attr {
	const char *name; /* kept by reference: a literal, or shared memory (asserted) that stays */
	int on;           /* CO_ON_... */
	enum co_stack stack;
	/*
	 * NULL, or a channel in which it counts as a sender (co_chan_bind()) from before it starts
	 * until it ends, however that comes about.
	 */
	struct co_chan *sends;
};

/*
 * Start fn(arg) as a coroutine.
 * @param c     where its handle goes, to be joined or detached once; NULL: it starts detached
 * @param attr  NULL for all defaults
 * @return 0; -EINVAL if attr names a hart, group or stack class that does not exist, or a group
 *         without compute harts; -EAGAIN if the hart's (for a group: every hart's) control blocks
 *         or stacks of that class are all in use, and a line says by whom (docs/limits.md);
 *         -EHOSTDOWN: the hart is lost. On error *c is
 *         untouched and nothing has started.
 * Context: coroutine. Order: fn sees all that the caller wrote before (release; paired with the
 * executor's take from its inbox). Cost: about 65 instructions, and a doorbell if the hart sleeps.
 * Source: seeds A1, E1.
 */
CO_MUST_CHECK int co_spawn(struct co **c, const struct co_attr *attr, co_fn *fn, void *arg);

/*
 * Wait until c has ended and take its result; the handle is gone afterwards.
 * @param c       from co_spawn(), not detached, not this coroutine (asserted); one joiner at a time
 *                (asserted where the second would wait)
 * @param result  what its function returned; NULL: not wanted
 * @return 0; -EFAULT: a fault has ended it; -EHOSTDOWN: its hart is lost, and it with that: *result
 *         is untouched then; -ETIMEDOUT, -ECANCELED (this coroutine was): c goes on, its handle
 *         stays good.
 * Context: coroutine. Order: sees all that c wrote (acquire; paired with c's end).
 */
CO_MUST_CHECK int co_join(struct co *c, intptr_t *result);
CO_MUST_CHECK int co_join_until(struct co *c, intptr_t *result, uint64_t deadline);

/* A fault that has ended a coroutine. */
struct co_fault {
	const char *
		what; /* "store to an address that is not mapped", an assertion's text; a literal */
	uintptr_t address; /* that it accessed; 0: none */
	uintptr_t pc;      /* where it was, for tools/lines; 0: a panic or an assertion */
};

/*
 * co_join() that also tells why.
 * @param fault  written where -EFAULT is returned, and only then
 * @return, Context, Order: as co_join() and co_join_until().
 */
CO_MUST_CHECK int co_join_fault(struct co *c, intptr_t *result, struct co_fault *fault);
CO_MUST_CHECK int co_join_fault_until(struct co *c, intptr_t *result, struct co_fault *fault,
				      uint64_t deadline);

/* Give up the handle: c cleans up after itself when it ends. Context: coroutine. */
void co_detach(struct co *c);

/*
 * Ask c to end: see the top of this page. Asking again, or after its end, changes nothing.
 * Context: coroutine; the handle must be good. Cost: a message to its hart, which looks at all
 * control blocks that it has.
 */
void co_cancel(struct co *c);

/*
 * True once this coroutine has been asked to end, and from then on: for long loops without waits.
 * Context: coroutine (asserted). Order: relaxed: it hands nothing over, and comes to be seen in the
 * end. Cost: a load.
 */
bool co_canceled(void);

/*
 * End this coroutine with a result, as if its function had returned it. What it holds stays held,
 * as after a return; with DEBUG=1 that is a fault, with a report.
 * Context: coroutine (asserted). Order: the joiner sees all that it wrote.
 */
CO_NORETURN void co_exit(intptr_t result);

/*
 * Let the other runnable coroutines of this hart run.
 * Context: coroutine. Cost: a switch if another is runnable, a few instructions if not.
 */
void co_pause(void);

/*
 * Wait for a time; one that has passed still lets others run.
 * @return 0; -ECANCELED, at once or in the middle.
 * Context: coroutine. Cost: a wait, and a place in the hart's heap of deadlines.
 */
CO_MUST_CHECK int co_sleep_us(uint64_t us);
CO_MUST_CHECK int co_sleep_until(uint64_t deadline);

/* This coroutine; NULL outside of any. Context: any. */
struct co *co_self(void);

/* Context of these: any, the handle must be good. A name is never NULL. */
const char *co_name(const struct co *c);
unsigned co_home(const struct co *c);

/*
 * The most this coroutine's stack was ever used, in bytes (by it or an earlier owner of the slot),
 * and the stack's size.
 * Context: coroutine (asserted). Cost: the first reads the part that was never used, 8 bytes at a
 * time.
 */
size_t co_stack_high_water(void);
size_t co_stack_bytes(void);

/* Bytes of the control block that a coroutine costs beside its stack. Context: any. */
size_t co_control_bytes(void);

/*
 * Something of a coroutine's own, found by a key: coroutine-local storage.
 *
 * Example: a library keeps a buffer for each coroutine that calls it
 *	struct mine { struct co_local local; char buffer[80]; };
 *	static const char key;              // its address is the key
 *	...
 *	struct mine *m = (struct mine *)co_local_find(&key);
 *	if (!m) {
 *		m = calloc(1, sizeof(*m));
 *		co_local_add(&m->local, &key, give_back);   // give_back() frees m
 *	}
 */
struct co_local {
	struct co_cleanup cleanup; /* the runtime's, as is the rest */
	const void *key;
	void (*end)(struct co_local *l, struct co *of, enum co_cleanup_why why);
};

/*
 * Add one to the calling coroutine.
 * @param l    as for co_cleanup_add() (asserted)
 * @param key  whatever address no other library uses
 * @param end  called once, with l taken out, when the coroutine, or the part of a loop that it
 * does, ends, in whatever way but that the run ends; `why` says where that is. NULL: nothing is
 * Context: coroutine. Cost: about 20 instructions; the coroutine ends as one whose stack is not its
 * block's own does.
 */
void co_local_add(struct co_local *l, const void *key,
		  void (*end)(struct co_local *l, struct co *of, enum co_cleanup_why why));

/*
 * The calling coroutine's own with that key, the newest; NULL: none.
 * Context: coroutine (asserted). Cost: a look at each thing that it holds.
 */
struct co_local *co_local_find(const void *key);

/*
 * A counter of things that are under way, and a wait until none is.
 *
 * Example
 *	struct co_counter left = { 0 };
 *	co_counter_add(&left, 3);
 *	... each of the three, on any hart, when it is done: co_counter_done(&left);
 *	int r = co_counter_wait(&left);
 *
 * Zero-filled is valid: nothing under way. It must lie in memory that every hart may use.
 */
struct co_counter {
	struct co_a32 state; /* counter.c */
	struct co_waitq queue;
};

/* n more are under way, at most a million in all (asserted). Context: any. Order: relaxed. */
void co_counter_add(struct co_counter *c, uint32_t n);

/*
 * One is done. Fewer than were added (asserted).
 * Context: any. Order: release (what the doer wrote is seen after the wait), then a look for
 * waiters.
 */
void co_counter_done(struct co_counter *c);

/*
 * Wait until none is under way.
 * @return 0; -ETIMEDOUT; -ECANCELED. After 0 the counter's memory may be given to another use.
 * Context: coroutine. Order: acquire; paired with every co_counter_done().
 */
CO_MUST_CHECK int co_counter_wait(struct co_counter *c);
CO_MUST_CHECK int co_counter_wait_until(struct co_counter *c, uint64_t deadline);

/*
 * A batch: many coroutines, one join (seed E: 31 times cheaper than one by one).
 *
 * Example
 *	struct co_batch b = { 0 };
 *	for (unsigned i = 0; i < n; i++)
 *		r = co_batch_spawn(&b, &attr, work, &part[i], &result[i]);
 *	r = co_batch_join(&b);
 *
 * Zero-filled is valid. It may be used again after the join. It must be memory that every hart may
 * use, as must the results: static, main(), a main-memory stack, or the public heap.
 */
struct co_batch {
	struct co_counter running;
	struct co_a32 ended;     /* CO_ENDED_...: one at least has ended so */
	struct co_a32 cancelled; /* not 0: until it is joined */
	struct co_aword uses;    /* the runtime's: of that coroutine's scratchpad memory; 0: none */
	struct co_waitq any;     /* of co_batch_join_any(); its lock guards the two below */
	struct co_aword last; /* the child that ended last, in a ring with those before; 0: none */
	struct co_a32 children; /* with a record that nobody has been given yet */
};

#define CO_ENDED_FAULT 1u  /* by a fault */
#define CO_ENDED_LOST 2u   /* with its hart */
#define CO_ENDED_CANCEL 4u /* none has: the batch is cancelled */
#define CO_ENDED_CHILD 8u  /* none has: there are children with records */

/*
 * co_spawn() into a batch.
 * @param result  where fn's result goes before the join returns; NULL: not wanted
 * @return as co_spawn(); on error the batch is as it was.
 * Context, Order: as co_spawn(). Cost: as co_spawn(), and an add to the batch.
 */
CO_MUST_CHECK int co_batch_spawn(struct co_batch *b, const struct co_attr *attr, co_fn *fn,
				 void *arg, intptr_t *result);

/*
 * Wait until all of the batch have ended.
 * @return 0; -EHOSTDOWN, -EFAULT: all have ended, one at least with its hart, or by a fault, and
 *         their results are untouched; -ETIMEDOUT, -ECANCELED: the batch goes on and can be joined
 *         again.
 * Context: coroutine; one at a time for a batch. Order: sees all that they wrote.
 */
CO_MUST_CHECK int co_batch_join(struct co_batch *b);
CO_MUST_CHECK int co_batch_join_until(struct co_batch *b, uint64_t deadline);

/*
 * co_cancel() for all of the batch, and for those that are spawned into it until it is joined. One
 * that another coroutine is just spawning may be missed: call again, or have that one look.
 * Context: coroutine. Cost: a message to each hart.
 */
void co_batch_cancel(struct co_batch *b);

/*
 * The record of one of a batch: how it has ended, to be read once it has been given by
 * co_batch_join_any() or the batch has been joined.
 *
 * Example: as soon as one has ended, the next begins
 *	struct co_child child[4], *one;
 *	for (i = 0; i < 4; i++)
 *		r = co_batch_spawn_child(&b, &attr, work, &part[i], &child[i]);
 *	while (co_batch_join_any(&b, &one) == 0) {
 *		use(one - child, one->status, one->result);
 *		if (i < n)
 *			r = co_batch_spawn_child(&b, &attr, work, &part[i++], one);
 *	}
 *	r = co_batch_join(&b);
 */
struct co_child {
	intptr_t result; /* what its function returned, if status is 0 */
	int status; /* 0; -EFAULT: a fault ended it; -EHOSTDOWN: its hart is lost; -EINPROGRESS */
	struct co_fault fault; /* if status is -EFAULT: as of co_join_fault() */
	struct co_child *next; /* the runtime's */
};

/*
 * co_batch_spawn() with a record.
 * @param child  memory that every hart may use (asserted), and the runtime's until it is given, or
 *               the batch joined
 * @return, Context, Order: as co_batch_spawn(). Cost: as co_spawn(), and its end about as one that
 *         is joined.
 */
CO_MUST_CHECK int co_batch_spawn_child(struct co_batch *b, const struct co_attr *attr, co_fn *fn,
				       void *arg, struct co_child *child);

/*
 * Wait until a child of the batch that has a record has ended, and take it: in the order in which
 * they end, those first that had ended before. Each is given once, to one of those that wait, here
 * or in a select (co_case_batch()); its control block and stack are free by then. Cancelled ones
 * are given as well. The batch is to be joined all the same; a join takes all that were not given.
 * @param child  the record, where 0 is returned; it may be used for another at once
 * @return 0, however the child has ended: see its status; -ECHILD: all records have been given, or
 *         there was none; -ETIMEDOUT, -ECANCELED (this coroutine was); -EAGAIN (_try_): none has
 *         ended since.
 * Context: coroutine. Order: sees all that the child wrote (acquire; paired with its end).
 */
CO_MUST_CHECK int co_batch_join_any(struct co_batch *b, struct co_child **child);
CO_MUST_CHECK int co_batch_join_any_until(struct co_batch *b, struct co_child **child,
					  uint64_t deadline);
CO_MUST_CHECK int co_batch_try_join_any(struct co_batch *b, struct co_child **child);
CO_END_C
#endif
