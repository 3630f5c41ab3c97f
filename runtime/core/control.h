/*
 * control.h - a coroutine's control block.
 */
#ifndef COHART_CONTROL_H
#define COHART_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/coroutine.h>
#include <cohart/wait.h>
#include <hal/context.h>

#include "lf/inbox.h"
#include "lf/waitq.h"

struct co_cleanup;

/* A proxy call that is going on (runtime/io/proxy.c); one in each control block. */
struct co_request {
	struct co_msg msg;
	struct co_request *next; /* server's list */
	co_fn *fn;
	void *arg;
	intptr_t result;
	int err;            /* errno, there and back */
	bool faulted;       /* the server's work on it has; it writes, with the answer */
	struct co_a32 done; /* the server's answer is in; the owner's hart alone */
	struct co *owner;
	struct co_aword line; /* its unfinished output; the server writes (runtime/io/console.c) */
	bool unended; /* what it posted last (io/print_ring.h) ends no line; its own hart alone */
};

enum co_state { CO_FREE, CO_LIVE, CO_DONE };

/*
 * A coroutine's control block: public scratchpad of its hart. Its hart writes it, except as said.
 */
struct co {
	struct hal_context context; /* first: the switch takes its address */
	struct co *next_ready;      /* the executor's ring */
	struct co *prev_ready;
	int err;              /* its errno while others run */
	struct co_a32 token;  /* of its wait: lf/waitq.h */
	struct co_msg msg;    /* start and wake travel by it */
	struct co_a32 state;  /* enum co_state; others only look, for reports */
	struct co_a32 cancel; /* set by anyone */
	struct co_a32 refs;   /* parties that need the block; the last one frees it */
	int wait_result;      /* written by the token's taker, before the wake */
	uint16_t hart;
	uint16_t index;        /* in its hart's array */
	uint16_t timer;        /* place in the executor's timer heap + 1; 0: none */
	uint8_t stack_class;   /* enum co_stack */
	bool shielded;         /* the wait that is going on ignores cancels */
	struct co_a32 service; /* the runtime's own: set while it boots, and between loops */
	bool fresh;            /* has not begun to run */
	uint8_t quirks;        /* CO_QUIRK_...: what is not as in most */
	uint32_t stack_slot;
	uintptr_t stack_top;
	struct co_a32 births; /* how many coroutines have had this block */
	uint64_t deadline;
	co_fn *fn;
	void *arg;
	intptr_t result;
	struct co_batch *batch;
	intptr_t *batch_result;
	/*
	 * CO_QUIRK_AT_END: called at its end, whatever brings that about, on its own hart before
	 * its stack is gone: 0, it has called co_exit() or returned; -EFAULT; or, on another hart,
	 * -EHOSTDOWN. A handler: it does not wait.
	 */
	void (*at_end)(struct co *c, int why);
	void *at_end_arg;
	struct co_waitq joiner;
	struct co_waiter waiter;
	struct co_waiter *woken_by; /* written with wait_result 0 */
	/* What it was woken with: CO_WOKEN_WITH. */
	uint64_t value[CO_WAITER_VALUE_BYTES / sizeof(uint64_t)];
	/*
	 * For people, relaxed: a report may look while the coroutine goes on, or a new one is born.
	 */
	struct co_aword name;        /* const char *, */
	struct co_a32 named;         /* and whose it is: of the birth of that number */
	struct co_aword waits_for;   /* the object, */
	struct co_aword waits_kind;  /* const char *: what it is, */
	struct co_aword since;       /* and when the wait began: co_since() */
	struct co_aword until;       /* and its deadline likewise, 0: none */
	struct co_aword waypoint;    /* const char *: where it was last, */
	struct co_aword waypoint_at; /* when: co_since(), */
	struct co_a32 waypoint_of;   /* and whose: of the birth of that number */
	struct co_aword budget;      /* co_since() of how long it may keep its hart; 0: for ever */
	struct co_a32 budget_of;     /* whose: as above */
	struct co_request req;
	struct co_msg cancel_msg;
	struct co_cleanup *cleanups; /* to be run if it ends early, the newest first: cleanup.c */
	struct co_a32 transfers;     /* that it has begun and are under way; movers write, too */
	struct co_a32 unfinished; /* DEBUG=1: those of them that nobody could have waited for yet */
};

#define CO_QUIRK_MAIN 1      /* runs main() */
#define CO_QUIRK_STACK 2     /* not on the block's own stack */
#define CO_QUIRK_UNPAINTED 4 /* nobody has used that yet */
#define CO_QUIRK_UNTIDY 8    /* has left a cancel in the block */
#define CO_QUIRK_AT_END 16   /* at_end is to be called */
#define CO_QUIRK_FAULTED 32  /* a fault has ended it; joins say so */
#define CO_QUIRK_KEPT 128    /* its stack and heap memory do not go back */

#endif
