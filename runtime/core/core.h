/*
 * core.h - what core offers the runtime's other files beside its public headers: the machine, the
 * executor, the parts of a wait, and what is below.
 */
#ifndef COHART_CORE_H
#define COHART_CORE_H

#include "executor.h"
#include "inject.h"
#include "machine.h"
#include "waiting.h"

/* end.c */
/* Where a coroutine begins. */
void co_entry(void);
#ifdef CO_DEBUG
void co_end_check(struct co *c); /* the last look at one that has done its work */
#else
static inline void co_end_check(struct co *c)
{
	(void)c;
}
#endif
/* Tell the hook `at_end` that c ends, once; before its stack is gone. Context: c, or its end. */
void co_at_end(struct co *c);
/* c has ended: its stack and its block go back, and its joiner is notified. */
void co_finish(struct co *c);

/*
 * The end of the one that runs, on whatever stack of this hart but its own: as co_finish(), then on
 * to the executor's loop.
 */
_Noreturn void co_end_at_once(void);
/* How it ended: result is what its function has returned, unless a fault has ended it. */
_Noreturn void co_end(intptr_t result);

/* counter.c: co_counter_wait() that no cancel ends. */
void co_counter_wait_shielded(struct co_counter *c);

/* coroutine.c */
extern const char co_wait_join[]; /* the kind of a wait for a coroutine's end */
void co_blocks_init(struct co_hart *h, unsigned hart);
/* On c's hart: the message that starts it; the same where nobody else is ready. */
void co_start_msg(struct co_msg *m);
void co_start_alone(struct co_executor *e, struct co *c);
/* Coroutines that live, but for the runtime's own; asks them to end. Hart 0. */
unsigned co_sweep(void);
/* True while c is somebody's: not for coroutines of the runtime. */
bool co_is_live(const struct co *c);

/* spm.c, topology.c, options.c */
/* co_spm_shared() in short, for what lies in main memory. */
static inline bool co_spm_beside(const void *p, size_t bytes)
{
	/* Not in a window, nor running into the first: main memory is a ring with that one gap. */
	return (uintptr_t)p - co_machine.spm_end <= co_machine.spm - co_machine.spm_end - bytes;
}
void co_spm_init(unsigned hart);
/* As co_spm_alloc(), but the block stays when a fault ends its taker. */
void *co_spm_keep(size_t bytes, size_t align);
/* What c has of this hart's heap goes back. Context: c's hart. */
void co_spm_release(const struct co *c);
/* Whose window or main-memory part p lies in, -1: nobody's. */
int co_hart_owning(const void *p);
/* Fill in harts and groups. Returns NULL, or what is wrong with the text, for people. */
const char *co_topology_parse(const char *text, struct co_machine *m);
void co_topology_default(unsigned harts, struct co_machine *m);
/* Keep the harts that are there. Returns NULL, or what is wrong with what is left. */
const char *co_topology_shrink(unsigned harts, struct co_machine *m);
/* Read the command line, take the runtime's options out of it, leave the program's. */
void co_options_read(int *argc, char ***argv);

/* Sleep, whether the caller is cancelled or not; `kind` is for reports. Context: coroutine. */
static inline void co_sleep_shielded(const void *object, const char *kind, uint64_t us)
{
	co_wait_prepare(NULL, object, kind);
	(void)co_wait_sleep(co_executor.current, co_after_us(us));
}

/* boot.c: main() has returned, or its coroutine has ended otherwise. */
_Noreturn void co_main_ended(int code);

#include "stack.h"

#endif
