/* control.h - a coroutine's control block. */
#ifndef COHART_CONTROL_H
#define COHART_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/coroutine.h>
#include <cohart/detail/wait.h>
#include <hal/context.h>

#include "lf/inbox.h"
#include "lf/waitq.h"

struct co_cleanup;

/* A proxy call that is going on (runtime/io/proxy.c); one in each control block. */
struct co_request {
	struct co_msg msg;
	struct co_request *next; /* server's list */
	co_fn *fn;
	intptr_t arg; /* and its result */
	int err;      /* errno, there and back */
	bool faulted; /* the server's work on it has; it writes, with the answer */
	bool unended; /* what it printed last (io/print_ring.h) ends no line; its own hart alone */
	struct co_a32 done;   /* the server's answer is in; its hart's alone */
	struct co_aword line; /* its unfinished output; the server writes (runtime/io/console.c) */
};

enum co_state { CO_FREE, CO_LIVE, CO_DONE };

/* A coroutine's control block: public scratchpad of its hart, which writes it, except as said. */
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
	uint8_t flags;         /* CO_FLAG_...: what is not as in most */
	uint32_t stack_slot;
	uintptr_t stack_top;
	struct co_a32 generation; /* how many coroutines have had this block */
	struct co_a32 noted;      /* which of them the notes below are of */
	uint64_t deadline;        /* while `timer` is not 0 */
	co_fn *fn;
	void *arg;
	struct co_batch *batch;
	union {
		intptr_t *batch_result; /* of a batch: where its result goes, or NULL */
		intptr_t result;        /* of others, for the joiner */
	};
	union {
		void *part;            /* CO_FLAG_AT_END: the hook's; data/member.c */
		struct co_chan *sends; /* CO_FLAG_COUNTED: it counts as its sender */
	};
	struct co_waitq joiner;
	struct co_waiter waiter;
	union {
		struct co_waiter *woken_by; /* written with wait_result 0 */
		/* What it was woken with: CO_WOKEN_WITH. */
		uint64_t value[CO_WAITER_VALUE_BYTES / sizeof(uint64_t)];
	};
	/* For people, relaxed: a report may look while it goes on, or a new one starts. */
	struct co_aword waits_for;  /* the object, */
	struct co_aword waits_kind; /* const char *: what it is, */
	struct co_aword since;      /* and when the wait began: co_since() */
	/* These are of the generation `noted`: co_noted(). */
	struct co_aword name;        /* const char *, or 0 */
	struct co_aword waypoint;    /* const char *: where it was last, or 0, */
	struct co_aword waypoint_at; /* and when: co_since() */
	struct co_aword budget;      /* co_since() of how long it may keep its hart; 0: for ever */
	struct co_request req;
	struct co_cleanup *cleanups; /* to be run if it ends early, the newest first: cleanup.c */
	struct co_a32 transfers;     /* that it has begun and are under way; movers write, too */
#ifdef CO_DEBUG
	struct co_a32 unfinished; /* those of them that nobody could have waited for yet */
#endif
};

#define CO_FLAG_MAIN 1      /* runs main() */
#define CO_FLAG_STACK 2     /* not on the block's own stack */
#define CO_FLAG_UNPAINTED 4 /* nobody has used that yet */
#define CO_FLAG_COUNTED 8   /* the hook `uncount` is to be called at its end */
#define CO_FLAG_AT_END 16   /* the hook `at_end` is to be called */
#define CO_FLAG_FAULTED 32  /* a fault has ended it; joins say so */
#define CO_FLAG_KEPT 128    /* its stack and heap memory do not go back */

#endif
