/*
 * machine.h - the machine as boot found it: its harts, what of each others may reach, and where
 * that lies (layout.h has the sizes).
 *
 * Rule: struct co_hart is the window's public part: each line in it says which harts write it.
 */
#ifndef COHART_CORE_MACHINE_H
#define COHART_CORE_MACHINE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/detail/barrier.h>
#include <cohart/hart.h>
#include <cohart/spm.h>
#include <hal/board.h>

#include "control.h"
#include "heap.h"
#include "layout.h"
#include "lf/bits.h"
#include "mail.h"
#include "report.h"
#include "trace.h"
#include "watch.h"

/* A hart's public part: the start of its window. */
struct co_hart {
	struct co_inbox
		inbox; /* a NULL run means: the message is that of a coroutine that is ready */
	struct co_a32 online;
	/*
	 * What is free; all write. A pair is a control block with the SPM slot of the same number,
	 * its own stack; one of them alone is free while the other is not.
	 */
	alignas(CO_LINE) struct co_aword free_pairs;
	struct co_aword free[CO_PER_HART / CO_WORD_BITS]; /* control blocks */
	struct co_aword free_stacks;                      /* SPM slots */
	alignas(CO_LINE) struct hal_boot boot;            /* hart 0 writes, before this one runs */
	struct co_msg cancel_msg;                         /* "some of yours are cancelled", */
	struct co_a32 cancel_sent;                        /* which is under way; all write */
	alignas(CO_LINE) struct co_heap heap;             /* co_spm_alloc()'s */
	alignas(CO_LINE) struct co_a32 report_state;      /* enum report, report.c */
	struct co_msg report_msg;
	struct co *report_of;   /* whose fault, or NULL */
	struct co_a32 lost;     /* hart 0 has given it up: lost.h */
	struct co_msg lost_msg; /* "stop", in case it goes on */
	struct co_a32 notified; /* joins there say so; hart 0 writes */
	struct co_a32 stopped;  /* the hart says itself that it has stopped, */
	struct co_outlet left;  /* and leaves its inbox's other end to hart 0, */
	bool cleaned_up;        /* which has cleaned up after its coroutines */
	struct co_a32 faults;   /* of its coroutines; its hart writes */
	struct co_a32 reports;  /* how many of them were reported */
	struct co_barrier_member member[CO_BARRIER_SCOPES]; /* in the machine's barriers */
	struct co_heartbeat heartbeat;                      /* what the watch knows it by */
};

/* The shared area of a hart: more that others may reach; in its window or main memory (layout.h) */
struct co_area {
	char report[CO_REPORT_BYTES];         /* what its last fault has to say */
	struct co_waiter node[CO_WAIT_NODES]; /* of waits on several queues */
	alignas(CO_LINE) struct co co[CO_PER_HART];
	alignas(CO_LINE) uintptr_t worker[24];        /* for loops: data/member.c; */
	uintptr_t mover[3];                           /* and for transfers: data/dma.c */
	alignas(CO_LINE) struct co_waitq bounce_wait; /* its own coroutines take turns at: */
	struct co *bounce_owner;                      /* or NULL */
	alignas(CO_LINE) unsigned char bounce[CO_BOUNCE_BYTES]; /* data of proxy calls */
	alignas(CO_LINE) struct co_aword printed;               /* hart 0 writes */
	alignas(CO_LINE) unsigned char print_ring[CO_PRINT_RING_BYTES +
						  CO_RECORD_BYTES]; /* io/print_ring.h */
	struct co_trace_ring trace;                                 /* its last events; it writes */
	/* How deep its coroutines' stacks were, when it was asked: watch.c; it writes. */
	struct co_a32 depth[CO_PER_HART]; /* bytes, 0: unknown */
	struct co_a32 depth_asked;        /* 1: the message is under way */
	struct co_msg depth_msg;
};

/* Where these lie in the public part, and where the heap begins. */
#define CO_SPM_MAIL sizeof(struct co_hart)
#define CO_SPM_AREA (CO_SPM_MAIL + (CO_MAIL_IN_SPM ? sizeof(struct co_mailboxes) : 0))
#define CO_SPM_HEAP (CO_SPM_AREA + (CO_SPM_ROOMY ? sizeof(struct co_area) : 0))

/* A tight window's hart has this in main memory: area, mailboxes, then its two stacks. */
#define CO_MAIN_PART_MAIL sizeof(struct co_area)
#define CO_MAIN_PART_STACKS                                                                        \
	((CO_MAIN_PART_MAIL + sizeof(struct co_mailboxes) + HAL_PAGE_BYTES - 1) / HAL_PAGE_BYTES * \
	 HAL_PAGE_BYTES)
#define CO_MAIN_PART_BYTES (CO_SPM_ROOMY ? 0 : CO_MAIN_PART_STACKS + CO_HART_STACKS_BYTES)

/* The machine as boot found it; constant once harts run. */
struct co_machine {
	unsigned harts;
	unsigned groups;
	bool booting;         /* what is spawned now is the runtime's own */
	struct co *main;      /* the coroutine that runs main() */
	const char *topology; /* as asked for */
	unsigned open;        /* as many as harts, once they have booted */
	uintptr_t spm;        /* window of hart 0; the others follow, */
	uintptr_t spm_end;    /* to here */
	uintptr_t main_parts; /* what tight windows have no room for: CO_MAIN_PART_BYTES each */
	uintptr_t stacks_base, stacks_end;
	uintptr_t heap_base, heap_end;       /* libc's */
	uintptr_t doorbell[BOARD_MAX_HARTS]; /* hal/ipi.h; here, where to look is no remote read */
	uint16_t group_of[BOARD_MAX_HARTS];
	struct co_group group[BOARD_MAX_HARTS];
};
extern struct co_machine co_machine;
extern const char *co_image; /* argv[0]: the image's name */

/* Options of the command line that are the runtime's. */
struct co_options {
	const char *topology;
	bool allow_missing;
	bool console_semihost; /* --console=semihost */
	bool tty;              /* --tty: somebody looks at the console */
	bool tty_in;           /* --tty-in: somebody types there */
	unsigned watch_ms; /* --watch=MS: a hart is silent after so long without a yield; 0: off */
};
extern struct co_options co_options;

static inline struct co_hart *co_hart_at(unsigned hart)
{
	return (struct co_hart *)(co_machine.spm + (uintptr_t)hart * BOARD_SPM_BYTES);
}

static inline uintptr_t co_main_part(unsigned hart)
{
	return co_machine.main_parts + hart * CO_MAIN_PART_BYTES;
}

static inline struct co_area *co_area_of(const struct co_hart *h, unsigned hart)
{
	return (struct co_area *)(CO_SPM_ROOMY ? (uintptr_t)h + CO_SPM_AREA : co_main_part(hart));
}

/* The control blocks in there. */
static inline struct co *co_blocks_of(const struct co_hart *h, unsigned hart)
{
	/* One sum, one constant. */
	if (CO_SPM_ROOMY)
		return (struct co *)((uintptr_t)h + CO_SPM_AREA + offsetof(struct co_area, co));
	return co_area_of(h, hart)->co;
}

static inline struct co_area *co_area_at(unsigned hart)
{
	return co_area_of(co_hart_at(hart), hart);
}

static inline struct co_mailboxes *co_mailboxes_of(const struct co_hart *h, unsigned hart)
{
	return (struct co_mailboxes *)(CO_MAIL_IN_SPM ? (uintptr_t)h + CO_SPM_MAIL
						      : co_main_part(hart) + CO_MAIN_PART_MAIL);
}

/* The first guard page of a hart's own stacks: CO_EXECUTOR_STACK, CO_TRAP_STACK from there. */
static inline uintptr_t co_hart_stacks(unsigned hart)
{
	return CO_SPM_ROOMY ? (uintptr_t)co_hart_at(hart) + CO_SPM_STACKS0
			    : co_main_part(hart) + CO_MAIN_PART_STACKS;
}

#endif
