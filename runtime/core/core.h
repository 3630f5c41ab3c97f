/* core.h - what core offers the other files of the runtime, besides the public headers. */
#ifndef COHART_CORE_H
#define COHART_CORE_H

#include <errno.h>
#include <string.h>

#include "executor.h"
#include "inject.h"
#include "machine.h"
#include "waiting.h"

/* end.c */
/* The first function of every coroutine. */
void co_entry(void);
#ifdef CO_DEBUG
void co_end_check(struct co *c); /* asserts what must hold when a coroutine returns */
#else
static inline void co_end_check(struct co *c)
{
	(void)c;
}
#endif
/* Call the hook `at_end` for c, once, before its stack is freed. Context: c, or its end. */
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
void co_blocks_init(struct co_hart *h, unsigned hart); /* block.c */
/* Start c, whose hart is awake: here, or by its message. Returns 0. */
int co_start_awake(struct co *c);
/* Notify a hart that one of its coroutines was cancelled. */
void co_announce_cancel(unsigned hart);
/* On c's hart: start c by its message; start c where no other coroutine is ready. */
void co_start_msg(struct co_msg *m);
void co_start_alone(struct co_executor *e, struct co *c);
/* Start the coroutine of main(), on hart 0, which calls it. Returns 0 or -EAGAIN. */
int co_start_main(co_fn *fn);
/* Does c live? False for coroutines of the runtime. */
bool co_is_live(const struct co *c);

/* spm.c, topology.c, topology_text.c, options.c */
/* A quick co_spm_shared() for main memory. */
static inline bool co_spm_beside(const void *p, size_t bytes)
{
	/* Outside of all windows, and not reaching into the first: addresses wrap around them. */
	return (uintptr_t)p - co_executor.spm_end <= co_executor.beside - bytes;
}
/* process.c: is p in static data that each rank has for itself? */
static inline bool co_is_private(const void *p)
{
	extern char __private_start[], __private_bytes[]; /* linker/ */

	return (uintptr_t)p - (uintptr_t)__private_start < (uintptr_t)__private_bytes;
}
void *co_process_public(const void *p) __attribute__((weak)); /* not there in other images */
/*
 * Where every hart finds [p, p + bytes): elsewhere if all of it is such data of the caller's
 * (cohart/process.h), else at p.
 */
static inline void *co_public(const void *p, size_t bytes)
{
	extern char __private_end[];

	return co_is_private(p) && bytes <= (uintptr_t)__private_end - (uintptr_t)p
		       ? co_process_public(p)
		       : (void *)(uintptr_t)p;
}
/* How each window is divided: --spm= (NULL: as usual). Context: hart 0, at boot. */
void co_spm_divide(const char *text);
void co_spm_init(unsigned hart);
/* divide.c: what its group has for mailboxes and caches, of the hart's own window. */
void co_spm_divide_end(struct co_hart *h, unsigned hart);
/* As co_spm_alloc(), but a fault of the caller does not free the block. */
void *co_spm_keep(size_t bytes, size_t align);
/*
 * Free a block of co_spm_keep() of any hart: that does it, soon. Nothing happens if it is lost.
 * Context: coroutine.
 */
void co_spm_give_back(void *block);
/* Free what c has of this hart's heap. Context: c's hart. */
void co_spm_release(const struct co *c);
#ifdef CO_DEBUG
/* Print what is wrong with the heaps. Context: hart 0, when no coroutine of the program lives. */
void co_spm_check_end(void);
#else
static inline void co_spm_check_end(void)
{
}
#endif
/* The hart in whose window or main-memory part p lies, or -1. */
int co_hart_owning(const void *p);
/*
 * Fill in harts and groups, these as far as they begin within m->room. Returns NULL, or an error
 * message.
 */
const char *co_topology_parse(const char *text, struct co_machine *m);
void co_topology_default(unsigned harts, struct co_machine *m);
/* Drop all but so many, which are in m's tables. Returns NULL, or an error message. */
const char *co_topology_shrink(unsigned harts, struct co_machine *m);
/* local.c: make the copies of variables. Context: hart 0, before memory is carved. */
void co_local_make(void);
/*
 * Map the pages that each hart has for itself; the most page tables that takes.
 * @return as hal_map_own()
 */
int co_local_map(uintptr_t view, uintptr_t shared, unsigned hart);
size_t co_local_map_pages(void);
/* Fill in the tables of co_scope_of(), when the machine's harts are known for good. */
void co_scopes_make(void);
/* Read the command line and remove the runtime's options from it. */
void co_options_read(int *argc, char ***argv);

/* Sleep; a cancel does not end it. `kind` is for reports. Context: coroutine. */
#define CO_LOOK_US 50 /* from look to look where nobody wakes */
static inline void co_sleep_shielded(const void *object, const char *kind, uint64_t us)
{
	co_wait_prepare(NULL, object, kind);
	(void)co_wait_sleep(co_executor.current, co_after_us(us));
}

/* Wait for transfers that access memory of c, which has begun them or sends what they move. */
static inline void co_await_transfers(const struct co *c)
{
	/* acquire: what the transfers wrote; pairs with the mover's decrement. */
	while (co_atomic_load(&c->transfers, CO_ACQUIRE))
		co_sleep_shielded(c, "its transfers", CO_LOOK_US);
}

/* shutdown.c: main() has returned, or its coroutine has ended in another way. */
_Noreturn void co_main_ended(int code);

/* shutdown.c: end the run now; exit handlers run before if `handlers`. Context: hart 0. */
_Noreturn void co_run_end(int code, bool handlers);

#include "stack.h"

#endif
