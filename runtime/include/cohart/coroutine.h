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
 * A coroutine runs on one hart from its start to its end; the hart's other coroutines run only at
 * its waits and pauses. It has a name for reports, a stack of a class, an argument and a result.
 *
 * Cancellation is cooperative: after co_cancel() a wait that has begun, and each call that would
 * wait, returns -ECANCELED, until the coroutine ends. Operations that need not wait go on working,
 * and I/O through the proxy is not cut short, so that the coroutine can clean up.
 */
#ifndef COHART_COROUTINE_H
#define COHART_COROUTINE_H

#include <cohart/detail/base.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/waitq.h>
#include <cohart/time.h>

CO_BEGIN_C
struct co; /* a coroutine; the runtime's */

/* A coroutine's function; its result is for the joiner. */
typedef intptr_t co_fn(void *arg);

/* Microseconds within which coroutines have to end after main() has returned. */
#define CO_SHUTDOWN_US 100000

/* Where a coroutine runs. */
#define CO_ON_ANY 0                  /* a compute hart of the machine: the scheduler chooses */
#define CO_ON_HART(h) ((int)(h) + 1) /* that hart */
#define CO_ON_GROUP(g) (-(int)(g)-1) /* a compute hart of that group: the scheduler chooses */

/* The class of a stack; sizes are in the SPM map that `tour` prints. */
enum co_stack {
	CO_STACK_ANY,  /* SPM if a slot is free, else main memory */
	CO_STACK_SPM,  /* the hart's scratchpad, if co_spm_stacks() is not 0 */
	CO_STACK_MAIN, /* main memory: at least CO_STACK_MAIN_BYTES */
	CO_STACK_BIG,  /* main memory: at least CO_STACK_BIG_BYTES; few */
	/*
	 * Main memory, smaller, for many coroutines; the image's option --coroutines= allows more
	 * of them. Stacks of 1 and 2 KiB have no guard page, unlike all larger ones: an overflow
	 * is found when the coroutine ends, and ends the run. docs/limits.md lists calls that fit
	 * into them.
	 */
	CO_STACK_1K,
	CO_STACK_2K,
	CO_STACK_4K,
	CO_STACK_8K,
};

#define CO_STACK_MAIN_BYTES (32u << 10)
#define CO_STACK_BIG_BYTES (256u << 10)

/* CO_SENDS(channel) of channel.h, or zero-filled: none. All fields are the runtime's. */
struct co_sends {
	void (*count)(struct co *c, void *channel); /* called before c starts */
	void *channel;
};

/* How to start a coroutine. Zero-filled is valid: unnamed, anywhere, any stack. */
struct co_attr {
	const char *name; /* kept by reference: a literal, or shared memory (asserted) that stays */
	int on;           /* CO_ON_... */
	enum co_stack stack;
	/*
	 * A channel in which the coroutine counts as a sender (co_chan_bind()) from before its
	 * start until its end, in whatever way it ends.
	 */
	struct co_sends sends;
};

/*
 * Start fn(arg) as a coroutine.
 * @param c     where its handle goes, to be joined or detached once; NULL: it starts detached
 * @param attr  NULL for all defaults
 * @return 0; -EINVAL: attr names a hart, group or stack class that does not exist, or a group
 *         without compute harts; -ENOBUFS: the hart's (for a group: every hart's) control blocks or
 *         stacks of that class are all in use, and a line says by whom (docs/limits.md);
 *         -EHOSTDOWN: the hart is lost. On error *c is untouched and nothing has started.
 * Context: coroutine. Order: fn sees all that the caller wrote before (release; paired with the
 * executor's take from its inbox). Cost: with the run, the join and the doorbell
 * 225 instructions (row spawn_join_cross) of both harts (rv64).
 * Source: seeds A1, E1.
 */
CO_MUST_CHECK int co_spawn(struct co **c, const struct co_attr *attr, co_fn *fn, void *arg);

/*
 * Wait until c has ended and take its result; the handle is gone afterwards.
 * @param c       from co_spawn(), not detached, not this coroutine (asserted); one joiner at a time
 *                (asserted where the second would wait)
 * @param result  where the result of c's function goes; NULL: not wanted. Untouched on error
 * @return 0; -EFAULT: a fault has ended c; -EHOSTDOWN: c is lost with its hart; -ETIMEDOUT;
 *         -ECANCELED: the caller was cancelled. After the latter two c goes on, and its handle
 *         stays good.
 * Context: coroutine. Order: sees all that c wrote (acquire; paired with c's end).
 */
CO_MUST_CHECK int co_join(struct co *c, intptr_t *result);
CO_MUST_CHECK int co_join_until(struct co *c, intptr_t *result, uint64_t deadline);

/* A fault that has ended a coroutine. */
struct co_fault {
	const char *
		what; /* "store to an address that is not mapped", an assertion's text; a literal */
	uintptr_t address; /* that was accessed; 0: none */
	uintptr_t pc;      /* of the fault, for tools/lines; 0: a panic or an assertion */
};

/*
 * Wait as co_join(), and also get the fault that has ended c.
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
 * Context: coroutine; the handle must be good. Cost: a message to its hart.
 */
void co_cancel(struct co *c);

/*
 * Has this coroutine been asked to end? For long loops without waits.
 * Context: coroutine (asserted). Order: relaxed: the flag hands nothing over, and is seen some time
 * after co_cancel(). Cost: a load.
 */
bool co_canceled(void);

/*
 * End this coroutine with a result, as if its function had returned it. Objects that it holds stay
 * held, as after a return; with DEBUG=1 that is a fault, with a report.
 * Context: coroutine (asserted). Order: the joiner sees all writes of this coroutine.
 */
CO_NORETURN void co_exit(intptr_t result);

/*
 * Let this hart's runnable coroutines run before the caller goes on.
 * Context: coroutine. Cost: a switch if another is runnable, a few instructions if not.
 */
void co_pause(void);

/*
 * Wait for a time; after a time that has passed, too, the hart's other coroutines run first.
 * @return 0; -ECANCELED: the caller was cancelled before or during the wait.
 * Context: coroutine. Cost: a wait, and a place in the hart's heap of deadlines.
 */
CO_MUST_CHECK int co_sleep_us(uint64_t us);
CO_MUST_CHECK int co_sleep_until(uint64_t deadline);

/* @return the calling coroutine; NULL outside of coroutines. Context: any. */
struct co *co_self(void);

/* The name, never NULL, and the hart of a coroutine. Context: any; the handle must be good. */
const char *co_name(const struct co *c);
unsigned co_home(const struct co *c);

/*
 * The most bytes of this coroutine's stack that were ever used, by it or an earlier owner of the
 * stack, and the stack's size.
 * Context: coroutine (asserted). Cost: co_stack_high_water() reads the part that was never used, 8
 * bytes at a time.
 */
size_t co_stack_high_water(void);
size_t co_stack_bytes(void);

/* Bytes of a control block: a coroutine takes them beside its stack. Context: any. */
size_t co_control_bytes(void);

/*
 * Coroutine-local storage: an object of one coroutine, found by a key.
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
	struct co_cleanup cleanup; /* all fields are the runtime's */
	const void *key;
	void (*end)(struct co_local *l, struct co *of, enum co_cleanup_why why);
};

/*
 * Add an object to the calling coroutine.
 * @param l    as for co_cleanup_add() (asserted)
 * @param key  an address that no other library uses as a key
 * @param end  called once, with l taken out, when the coroutine ends, or the part of a loop that it
 *             does; not when the run ends. `why` says how it ended, and on which hart `end` runs.
 *             NULL: nothing is called
 * Context: coroutine. Cost: about 20 instructions; and the coroutine's end takes the longer way of
 * a coroutine whose stack is not part of its control block.
 */
void co_local_add(struct co_local *l, const void *key,
		  void (*end)(struct co_local *l, struct co *of, enum co_cleanup_why why));

/*
 * Find the newest object with a key that the calling coroutine has; NULL: it has none.
 * Context: coroutine (asserted). Cost: a look at each entry of its cleanup list.
 */
struct co_local *co_local_find(const void *key);

/*
 * A counter of operations that are under way, and a wait until all are done.
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

/* Add n operations, at most a million in all (asserted). Context: any. Order: relaxed. */
void co_counter_add(struct co_counter *c, uint32_t n);

/*
 * Note that an operation is done; no more may be done than were added (asserted).
 * Context: any. Order: release (the caller's writes are seen after the wait), then a look for
 * waiters.
 */
void co_counter_done(struct co_counter *c);

/*
 * Wait until no operation is under way.
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
 * Zero-filled is valid. A batch may be used again after the join. Batch and results must lie in
 * memory that every hart may use: static, main()'s stack, a main-memory stack, or the public heap.
 */
struct co_batch {
	struct co_counter running;
	struct co_a32 ended;     /* a set of CO_ENDED_... */
	struct co_a32 cancelled; /* not 0: cancelled, until the join */
	struct co_aword uses;    /* the runtime's: coroutine whose heap memory members use; or 0 */
	struct co_waitq any;     /* of co_batch_join_any(); its lock guards `last`, `children` */
	struct co_aword last;    /* the child that ended last, in a ring with older ones; 0: none */
	struct co_a32 children;  /* children whose records nobody has been given yet */
};

#define CO_ENDED_FAULT 1u  /* a coroutine was ended by a fault */
#define CO_ENDED_LOST 2u   /* a coroutine was lost with its hart */
#define CO_ENDED_CANCEL 4u /* the batch is cancelled; says nothing of ends */
#define CO_ENDED_CHILD 8u  /* there are children with records; says nothing of ends */

/*
 * Start fn(arg) as a coroutine of a batch.
 * @param result  where fn's result goes before the join returns; NULL: not wanted
 * @return as co_spawn(); on error the batch is unchanged.
 * Context, Order: as co_spawn(). Cost: as co_spawn(), and an add to the batch.
 */
CO_MUST_CHECK int co_batch_spawn(struct co_batch *b, const struct co_attr *attr, co_fn *fn,
				 void *arg, intptr_t *result);

/*
 * Wait until all coroutines of the batch have ended.
 * @return 0; -EHOSTDOWN, -EFAULT: all have ended, at least one was lost with its hart, or ended by
 *         a fault, and has left its result untouched; -ETIMEDOUT, -ECANCELED: the batch goes on and
 *         can be joined again.
 * Context: coroutine; one at a time for a batch. Order: sees all writes of the batch's coroutines.
 */
CO_MUST_CHECK int co_batch_join(struct co_batch *b);
CO_MUST_CHECK int co_batch_join_until(struct co_batch *b, uint64_t deadline);

/*
 * Cancel all coroutines of the batch, and all that are spawned into it until it is joined. A
 * coroutine whose spawn is under way on another hart may be missed: call again when the spawn
 * has returned, or let the spawning coroutine check for the cancel itself.
 * Context: coroutine. Cost: a message to each hart, which looks at all control blocks that it has.
 */
void co_batch_cancel(struct co_batch *b);

/*
 * The record of a child: how it has ended, to be read once co_batch_join_any() has given it or the
 * batch has been joined.
 *
 * Example: as soon as a child has ended, the next begins
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
	intptr_t result; /* of its function, if status is 0 */
	int status; /* 0; -EFAULT: a fault ended it; -EHOSTDOWN: its hart is lost; -EINPROGRESS */
	struct co_fault fault; /* if status is -EFAULT: as co_join_fault() */
	struct co_child *next; /* the runtime's */
};

/*
 * Start fn(arg) as a child: a coroutine of a batch, with a record of its end.
 * @param child  the record, in memory that every hart may use (asserted); the runtime's until
 *               co_batch_join_any() gives it or the batch is joined
 * @return, Context, Order: as co_batch_spawn(). Cost: as co_spawn(); the child's end costs about as
 * much as that of a coroutine that is joined.
 */
CO_MUST_CHECK int co_batch_spawn_child(struct co_batch *b, const struct co_attr *attr, co_fn *fn,
				       void *arg, struct co_child *child);

/*
 * Wait until a child of the batch has ended, and take its record. Children are given in the order
 * in which they end, including children that ended before the call. Each is given once, to one
 * waiter, here or in a select (co_case_batch()); its control block and stack are free by then.
 * Cancelled children are given as well. The batch must be joined nevertheless; the join takes all
 * children that were not given.
 * @param child  where the record goes if 0 is returned; the record may be used again at once
 * @return 0, in whatever way the child has ended: see its status; -ECHILD: all records have been
 *         given, or there were none; -ETIMEDOUT; -ECANCELED: the caller was cancelled; -EAGAIN
 *         (_try_): no further child has ended.
 * Context: coroutine. Order: sees all writes of the child (acquire; paired with its end).
 */
CO_MUST_CHECK int co_batch_join_any(struct co_batch *b, struct co_child **child);
CO_MUST_CHECK int co_batch_join_any_until(struct co_batch *b, struct co_child **child,
					  uint64_t deadline);
CO_MUST_CHECK int co_batch_try_join_any(struct co_batch *b, struct co_child **child);
CO_END_C
#endif
