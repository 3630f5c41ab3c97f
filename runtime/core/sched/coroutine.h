/* coroutine.h - how coroutines start, end and are counted: the runtime's side. By core.h. */
#ifndef COHART_CORE_COROUTINE_H
#define COHART_CORE_COROUTINE_H

#include "waiting.h"

/* coroutine.c */
bool co_has_ended(struct co *c);  /* or is lost: a join does not wait. For waiters in c->joiner */
extern const char co_wait_join[]; /* kind of a wait for a coroutine's end */
static inline uint32_t co_batch_canceled(const struct co_batch *b)
{
	/* relaxed: as for co_canceled(). */
	return co_atomic_load(&b->cancelled, CO_RELAXED);
}
/* Does co_batch_try_join_any() return something else than -EAGAIN? For waiters in b->any. */
bool co_batch_any_ended(struct co_batch *b);
/* Start c, whose hart is awake: here, or by its message. Returns 0. */
int co_start_awake(struct co *c);
/* co_cancel() of c, which may have ended. */
void co_cancel_block(struct co *c);
/* On c's hart: start c by its message; start c where no other coroutine is ready. */
void co_start_msg(struct co_msg *m);
void co_start_alone(struct co_executor *e, struct co *c);
/* Start the coroutine of main(), on hart 0, which calls it. Returns 0 or -ENOBUFS. */
int co_start_main(co_fn *fn);
/* Does c live? False for coroutines of the runtime. */
bool co_is_live(const struct co *c);

/* shortage.c: nothing was free on harts first..first+n-1; hart 0 says so, now and then. */
void co_shortage(unsigned first, unsigned n, enum co_stack wanted);

/* end.c */
/* The first function of every coroutine. */
void co_entry(void);
#ifdef CO_DEBUG
void co_end_check(struct co *c); /* fails if c holds an object or has a transfer under way */
#else
static inline void co_end_check(struct co *c)
{
	(void)c;
}
#endif
/* cleanup.c: end c's co_locals, until its end list is empty. Context: c; may wait. */
void co_locals_end(struct co *c);
/* Others use c's stack, or may: it is not freed when c ends. */
static inline void co_stack_keep(struct co *c)
{
	c->flags |= CO_FLAG_KEPT | (c->flags & CO_FLAG_STACK ? 0 : CO_FLAG_RETIRED);
}

/*
 * c ends, or a part of a loop in it: run its end list. Stops a lost hart.
 * Context: c; may wait.
 */
void co_let_go(struct co *c);

/*
 * Have c call `run` last, CO_CLEANUP_END however c ends; or hart 0, CO_CLEANUP_HOST_DOWN. Context:
 * c, or before c starts.
 */
static inline void co_last_set(struct co *c, void (*run)(struct co *, enum co_cleanup_why),
			       void *arg)
{
	c->last = (struct co_last){ run, arg };
	c->flags |= CO_FLAG_ENDS;
}

/* Its `last` is not to run any more. Context: c. */
static inline void co_last_clear(struct co *c)
{
	/* Hart 0 reads it if this hart is lost and has not stopped: give_up_coroutine(). */
	co_plain_store(&c->last.run, NULL);
	c->flags &= (uint16_t)~CO_FLAG_ENDS;
}

/* Run c->last, once, before c's stack is freed. Context: c, or its end. */
void co_at_end(struct co *c);
/* c has ended: free its stack and its block, notify its joiner. */
void co_finish(struct co *c);
/* The record of c, which has CO_FLAG_CHILD. */
static inline struct co_child *co_child_of(const struct co *c)
{
	return co_container_of(c->batch_result, struct co_child, result);
}
/* A child of b has ended so: give its record to the joiner of any. Before it is counted down. */
void co_child_ended(struct co_batch *b, struct co_child *child, int status);

/*
 * End the coroutine that runs, called on a stack of this hart that is not its own: co_finish(),
 * then the executor's loop.
 */
_Noreturn void co_end_at_once(void);
/* End the coroutine that runs; result is its function's, and ignored after a fault. */
_Noreturn void co_end(intptr_t result);

/* counter.c: co_counter_wait() that a cancel does not end. */
void co_counter_wait_shielded(struct co_counter *c);

/* Sleep; a cancel does not end it. `kind` is for reports. Context: coroutine. */
#define CO_LOOK_US 50 /* from look to look where nobody wakes */
static inline void co_sleep_shielded(const void *object, const char *kind, uint64_t us)
{
	co_wait_prepare(NULL, object, kind);
	(void)co_wait_sleep(co_executor.current, co_after_us(us));
}

/* Wait for transfers that access memory of c: c has begun them, or sends their data. */
static inline void co_await_transfers(const struct co *c)
{
	/* acquire: the transfers' writes; pairs with the mover's decrement. */
	while (co_atomic_load(&c->transfers, CO_ACQUIRE))
		co_sleep_shielded(c, "its transfers", CO_LOOK_US);
}

/*
 * spawn.c, not there where main()'s coroutine is the only one: main() has returned. Cancel all
 * other live coroutines but the runtime's own, and wait for a bounded time. Returns how many have
 * not ended. Context: main()'s coroutine.
 */
unsigned co_end_others(void) __attribute__((weak));

/* shutdown.c: main() has returned, or its coroutine has ended in another way. */
_Noreturn void co_main_ended(int code);

/* shutdown.c: end the run now; exit handlers run before if `handlers`. Context: hart 0. */
_Noreturn void co_run_end(int code, bool handlers);

#endif
