/* control.h - a coroutine's control block. */
#ifndef COHART_CONTROL_H
#define COHART_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/coroutine.h>
#include <cohart/detail/cleanup.h>
#include <cohart/detail/wait.h>
#include <hal/context.h>

#include "lf/inbox.h"
#include "lf/waitq.h"

/* A proxy call in progress (runtime/io/remote.c); the coroutine's message carries it. */
struct co_request {
	co_fn *fn;            /* NULL once the answer has arrived */
	intptr_t arg;         /* the argument, then the result */
	struct co_aword line; /* unfinished output line (runtime/io/console.c); the server writes */
	struct co_cleanup unended; /* in its end list if its last output has ended no line */
};

/*
 * In `refs`, the users of a control block: the coroutine until it has ended, and its handle. 0: the
 * block is free, or is just being given to a coroutine.
 */
#define CO_HANDLE 1u
#define CO_RUNNING 2u
#define CO_GIVEN_UP 4u /* its hart is lost and its joiner notified: it never ends */
#define CO_ENDING 8u   /* its `last` runs, or has run, on the hart that has set this */
#define CO_SERVICE 16u /* it is the runtime's: spawned at boot, or idle until it is used again */

/*
 * The function that a coroutine runs last, before its stack is freed; hart 0 runs
 * it if the hart is lost, when joins are notified. Unlike a cleanup it runs even if the lost hart
 * has not stopped. It must not wait.
 */
struct co_last {
	void (*run)(struct co *c, enum co_cleanup_why why); /* or NULL */
	void *arg;
};

/* How many words a time takes that other harts read. */
#define CO_TIME_WORDS (sizeof(uint64_t) / sizeof(uintptr_t))

/*
 * A coroutine's control block, in the public scratchpad of its hart, which alone writes it unless a
 * field says otherwise.
 */
struct co {
	struct hal_context context; /* first, since the switch takes the block's address */
	struct co *next_ready;      /* ring of ready coroutines, with prev_ready */
	struct co *prev_ready;
	int err;              /* saved errno while other coroutines run */
	struct co_a32 token;  /* of the current wait: lf/waitq.h */
	struct co_msg msg;    /* of its start, wake or proxy call: one at a time */
	struct co_a32 refs;   /* CO_RUNNING, ...; the last one frees the block */
	struct co_a32 cancel; /* any hart sets it */
	int wait_result;      /* the token's taker writes it before the wake */
	uint32_t index;       /* among its hart's */
	uint16_t flags;       /* CO_FLAG_... */
	bool shielded;        /* the current wait ignores cancels */
	uint16_t hart;
	uint8_t stack_class; /* enum co_stack */
	bool fresh;          /* has not run yet */
	uint32_t timer;      /* number of its note among the hart's + 1; 0: none */
	int call_err;        /* errno of a proxy call's caller, then its own; -1: it has faulted */
	uintptr_t doorbell;  /* its hart's: hal/ipi.h */
	uint32_t stack_slot;
	struct co_a32 transfers; /* its transfers under way; movers write it too */
	uintptr_t stack_top;
	struct co_a32 generation; /* number of coroutines that have used this block */
	struct co_a32 noted;      /* the generation that name, waypoint and budget belong to */
	co_fn *fn;
	void *arg;
	struct co_batch *batch;
	union {
		/* In a batch: where the result goes, or NULL; with CO_FLAG_CHILD in its record. */
		intptr_t *batch_result;
		intptr_t result; /* otherwise: the result, for the joiner */
	};
	struct co_last last;
	struct co_waitq joiner;
	struct co_aword deadline[CO_TIME_WORDS]; /* of the current wait: co_deadline() */
	struct co_waiter waiter;
	union {
		struct co_waiter *woken_by; /* the node that was woken; set with wait_result 0 */
		/* The value that the waker hands over. */
		uint64_t value[CO_WAITER_VALUE_BYTES / sizeof(uint64_t)];
	};
	union {
		/* void *: where a waker on this hart writes a value: CO_WOKEN_DONE. */
		struct co_aword into;
		struct co_aword rest; /* struct co_rest *: in a wait whose token has CO_RESTS */
	};
	/* For reports, which read them (relaxed) while the coroutine runs or another starts. */
	struct co_aword waits_for;  /* the object waited for */
	struct co_aword waits_kind; /* const char *: the object's kind: co_wait_kind() */
	struct co_aword since;      /* start of the wait: co_since() */
	/* Valid if `noted` is the current generation: co_noted(). */
	struct co_aword name;      /* const char *, or 0 */
	struct co_aword waypoint;  /* const char *: the last way-point, or 0 */
	struct co_a32 waypoint_at; /* time of that way-point: co_coarse() */
	struct co_a32 budget;      /* longest time without a pause: co_coarse(); 0: no limit */
	struct co_request req;
	uintptr_t cleanups; /* its end list, newest first: a link, sched/cleanup.h */
#ifdef CO_DEBUG
	struct co_a32 unfinished; /* transfers that cannot have been waited for yet */
#endif
};

#define CO_FLAG_MAIN 1      /* runs main() */
#define CO_FLAG_STACK 2     /* its stack is not the block's own */
#define CO_FLAG_UNPAINTED 4 /* the block's own stack has never been used */
#define CO_FLAG_ENDS 8      /* `last` is set: its end is not the usual one */
#define CO_FLAG_FAULTED 32  /* ended by a fault; joins return -EFAULT */
#define CO_FLAG_CHILD 64    /* of a batch, with a record */
#define CO_FLAG_KEPT 128    /* its stack and scratchpad memory are not freed */
#define CO_FLAG_SMALL 256   /* the block's own stack is small and has a canary: slab.h */
#define CO_FLAG_RETIRED 512 /* the block is not used again, for its own stack is in use */
#define CO_FLAG_TRACED 2048 /* there is a timeline */

#endif
