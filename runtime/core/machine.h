/*
 * machine.h - the machine as boot found it: its harts, their shared memory, and where that lies
 * (layout.h has the sizes).
 *
 * Rule: struct co_hart is in the window's public part: each field says which harts write it.
 */
#ifndef COHART_CORE_MACHINE_H
#define COHART_CORE_MACHINE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/hart.h>
#include <cohart/process.h>
#include <cohart/spm.h>
#include <hal/board.h>

#include "compiler.h"
#include "control.h"
#include "heartbeat.h"
#include "layout.h"
#include "lf/bits.h"
#include "memory/heap.h"
#include "memory/heap_check.h"
#include "report.h"
#include "sched/trace.h"

/* A message that is posted again and again, and under way once at most: co_notify(). */
struct co_notice {
	struct co_msg msg;
	struct co_a32 under_way; /* 1: it is, and not taken; whoever posts it writes */
};

/* A hart's public part: the start of its window. */
struct co_hart {
	struct co_inbox inbox;         /* a message without a function makes its coroutine ready */
	uintptr_t doorbell;            /* hal/ipi.h */
	struct co_notice cancels;      /* "some of your coroutines were cancelled" */
	struct co_a32 batch_cancelled; /* 1: a batch was; any hart sets it */
	struct co_a32 online;
	uint32_t asleep_epoch; /* number of its sleeps at hart 0's last look: stuck.c */
	/* Free bits of its control blocks; all harts write. */
	alignas(CO_LINE) struct co_aword free[CO_PER_HART / CO_WORD_BITS];
	struct co_aword made[CO_PER_HART / CO_WORD_BITS]; /* a bit for each that was ever taken */
	/* A wait in place that a call ends (lf/rest.h): one coroutine's at a time. */
	struct co_rest call;
	struct co_aword recent; /* the free block that was used last, with a stack, or 0: block.h */
	struct co_a32 resting;  /* 1: parked coroutines rest (lf/rest.h); the hart writes */
	struct co_a32 slabs;    /* number of slabs; under the lock of slab.c */
	alignas(CO_LINE) struct hal_boot boot; /* hart 0 writes, before the hart runs */
	struct co_a32 arrival;                 /* enum arrival, boot.c */
	alignas(CO_LINE) struct co_heap heap;  /* co_spm_alloc()'s */
	uint32_t boxes_at;  /* in the window: where the heap ends and storage of mailboxes begins */
	uint32_t caches_at; /* where that ends and room for caches of loops begins */
	alignas(CO_LINE) struct co_a32 report_state; /* enum report, fault_report.c */
	struct co_msg report_msg;
	struct co *report_of;   /* the coroutine that the report is about, or NULL */
	struct co_a32 lost;     /* hart 0 has given it up: lost.h */
	uint64_t lost_at;       /* when it had stopped, or had not in time; hart 0's */
	struct co_msg lost_msg; /* stops the hart, should it run again */
	struct co_a32 notified; /* joins return -EHOSTDOWN; hart 0 writes */
	struct co_a32 stopped;  /* the hart has stopped; it writes */
	struct co_outlet left;  /* its outlet, for hart 0 then */
	bool looked;            /* hart 0 has done all that follows the loss */
	struct co_a32 losses;   /* number of lost harts, a moment ago; hart 0 writes */
	struct co_a32 faults;   /* number of its coroutines' faults; the hart writes */
	struct co_a32 reports;  /* number of faults that were reported */
	/*
	 * The batch, and the record in it, of a coroutine that has given its block back and is to
	 * be counted down; the hart writes.
	 */
	struct co_aword ending_batch, ending_record;
	struct co_heartbeat heartbeat; /* for the watch */
#ifdef CO_DEBUG
	struct co_check_heap check; /* of the heap; the hart writes */
#endif
};

/* Before the block of a coroutine of b says that it has ended. By its hart. */
static inline void co_ending(struct co_hart *h, const struct co_batch *b)
{
	/* relaxed: co_leave_batch() publishes it; pairs with orphans(), recover.c. */
	co_atomic_store(&h->ending_batch, (uintptr_t)b, CO_RELAXED);
}

/* After it was counted down: the hart does not touch the batch any more. */
static inline void co_ending_none(struct co_hart *h)
{
	/* release: the writes to the batch; pairs with orphans(), too. */
	co_atomic_store(&h->ending_batch, 0, CO_RELEASE);
}

/* The last measurement of a coroutine. */
struct co_seen {
	struct co_aword place; /* where the program's code waits, 0: unknown */
	struct co_a32 depth;   /* bytes of its stack, 0: unknown */
};

/* A hart's shared area, in its window or its main-memory part (layout.h): more for all harts. */
struct co_area {
	char report[CO_REPORT_BYTES];       /* of its last fault */
	struct co_node node[CO_WAIT_NODES]; /* for waits on several queues */
	alignas(CO_LINE) struct co co[CO_PER_HART];
	struct co_trace_ring trace; /* its last events, without a timeline; the hart writes */
	struct co_aword events[CO_TRACE_EVENTS][CO_TRACE_WORDS];
	/* Stack depths of its coroutines, as last measured: watch.c. The hart writes. */
	struct co_seen seen[CO_PER_HART];
	struct co_notice depths; /* "measure these" */
};

/* Offsets in the public part: shared area, variables (hart_var.h), heap. */
#define CO_SPM_AREA sizeof(struct co_hart)
#define CO_SPM_VARS (CO_SPM_AREA + (CO_SPM_ROOMY ? sizeof(struct co_area) : 0))
#define CO_SPM_HEAP (CO_SPM_VARS + CO_HART_VARS_BYTES)

/*
 * The variables' sections. In an image they have no memory, and an address is an offset in a window
 * or a main-memory part: a head of the section (boot.c) stands for the bytes in front of the
 * variables. A PC's linker puts them anywhere, and its windows are not tight.
 */
#if HAL_IMAGE
extern char __hart_vars_end[], __hart_buffers_end[]; /* linker/image.ld.S: multiples of CO_LINE */
#define CO_HART_VARS ".bss.hart_vars"
#if CO_SPM_ROOMY
#define CO_HART_BUFFERS CO_HART_VARS
#else
#define CO_HART_BUFFERS ".bss.hart_buffers"
#endif
#define CO_HART_VARS_AT ((uintptr_t)0)
#define CO_HART_VARS_BYTES (HAL_LOW_ADDRESS(__hart_vars_end) - CO_SPM_VARS)
#define CO_HART_BUFFERS_END HAL_LOW_ADDRESS(__hart_buffers_end)
#else
extern char __start_co_hart_vars[] __attribute__((weak));
extern char __stop_co_hart_vars[] __attribute__((weak));
#define CO_HART_VARS "co_hart_vars"
#define CO_HART_BUFFERS CO_HART_VARS
#define CO_HART_VARS_AT ((uintptr_t)__start_co_hart_vars - CO_SPM_VARS)
#define CO_HART_VARS_BYTES                                                                  \
	(((uintptr_t)__stop_co_hart_vars - (uintptr_t)__start_co_hart_vars + CO_LINE - 1) / \
	 CO_LINE * CO_LINE)
#define CO_HART_BUFFERS_END sizeof(struct co_area)
#endif

/* The largest public part: the heap's proof is for no more. */
#define CO_SPM_PUBLIC_MOST                               \
	(CO_SPM_VARS / HAL_PAGE_BYTES * HAL_PAGE_BYTES + \
	 CO_HEAP_UNITS_MAX * sizeof(struct co_heap_block))

/* The main-memory part of a hart with a tight window: area, buffers, then its two stacks. */
#define CO_MAIN_PART_STACKS \
	((CO_HART_BUFFERS_END + HAL_PAGE_BYTES - 1) / HAL_PAGE_BYTES * HAL_PAGE_BYTES)
#define CO_MAIN_PART_BYTES (CO_SPM_ROOMY ? 0 : CO_MAIN_PART_STACKS + CO_HART_STACKS_BYTES)

/* The largest set of roles. */
#define CO_ROLES (CO_ROLE_MANAGE | CO_ROLE_COMPUTE | CO_ROLE_MOVE)

/* The machine as boot found it; constant once harts run. */
struct co_machine {
	unsigned harts;
	unsigned groups;
	bool adds_only;       /* compute and move harts have no compare-and-swap */
	bool booting;         /* coroutines spawned now belong to the runtime */
	bool is_over;         /* main() has returned, and others have had their time to end */
	bool exits;           /* the run ends by an exit code of the program's */
	struct co *main;      /* the coroutine that runs main() */
	const char *topology; /* as asked for */
	unsigned open;        /* to quick spawns: number of harts, once they have booted; else 0 */
	uintptr_t spm;        /* start of all windows, hart 0's first */
	uintptr_t spm_end;    /* end of the last window */
	uintptr_t spm_public; /* bytes of a window's public part */
	const char *division; /* of windows, as asked for (--spm=), or NULL */
	uintptr_t spm_stack0; /* where the first of the coroutines' stacks is, from its start */
	uintptr_t with_stack; /* a bit for each of the control blocks that have one */
	unsigned spm_stacks;  /* how many these are */
	uintptr_t rank_data;  /* bytes of a rank's static data in the window, or 0 */
	uintptr_t rank_stack; /* bytes at its end that are the top of a rank's stack, or 0 */
	uintptr_t main_parts; /* main-memory parts, CO_MAIN_PART_BYTES each */
	unsigned per_hart; /* control blocks, at most: CO_PER_HART in the shared area, or slabs */
	uintptr_t tables;  /* of slabs and deadlines, table_bytes for each hart: slab.h */
	size_t table_bytes;
	uint32_t hz; /* ticks a second, for debuggers */
	uintptr_t stacks_base, stacks_end;
	uintptr_t heap_base, heap_end; /* libc's heap grows up, slabs grow down */
	unsigned room;                 /* how many harts the tables have room for */
	uint16_t *group_of;            /* of each hart */
	struct co_group *group;
	unsigned *scope_harts; /* room for CO_ROLES lists of harts */
	/* By set of roles: harts with one of them; each list ends where the next one begins. */
	const unsigned *scope[CO_ROLES + 2];
	struct co_scope computes; /* all compute harts */
	unsigned ranks;           /* number of ranks: cohart/process.h; else 0 */
	unsigned *rank_hart;      /* the hart of each */
	uint16_t *rank_of;        /* by hart: its rank + 1; 0: none */
};
extern struct co_machine co_machine;

/* The hart's rank, or CO_NO_RANK. */
static inline unsigned co_rank_of(unsigned hart)
{
	return co_machine.rank_of ? co_machine.rank_of[hart] - 1u : CO_NO_RANK;
}

extern const char *co_image; /* argv[0]: the image's name */

/* The runtime's options of the command line; rooms above have their own, by option.h. */
struct co_options {
	const char *topology;
	const char *spm;           /* --spm=: how windows are divided; NULL: as usual */
	unsigned node, super_node; /* --node=: groups; --super-node=: nodes; 0: all */
	bool allow_missing;
	bool console_semihost; /* --console=semihost */
	bool console_none;     /* --console=none: no output but reports, and no input */
	unsigned ranks;        /* --ranks=; 0: on all compute harts */
	bool rank_groups;      /* --ranks=groups: one in each group, whose compute harts are its */
	unsigned stack_kib;    /* --stack=: of a rank */
	unsigned per_hart;     /* --coroutines=, rounded up to a multiple of CO_PER_HART */
	bool tty;              /* --tty: the console is a terminal */
	bool tty_in;           /* --tty-in: its input is a terminal */
	unsigned watch_ms; /* --watch=MS: a hart is silent after so long without a pause; 0: off */
};
extern struct co_options co_options;

/* Fill in the tables of co_scope_of(), when the machine's harts are known for good. */
void co_scopes_make(void);

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

/* The control blocks of a hart; h: its window. */
static inline struct co *co_blocks_of(const struct co_hart *h, unsigned hart)
{
	/* Written so that it compiles to one addition. */
	if (CO_SPM_ROOMY)
		return (struct co *)((uintptr_t)h + CO_SPM_AREA + offsetof(struct co_area, co));
	return co_area_of(h, hart)->co;
}

static inline struct co_area *co_area_at(unsigned hart)
{
	return co_area_of(co_hart_at(hart), hart);
}

/* The first guard page of a hart's own stacks: CO_EXECUTOR_STACK, CO_TRAP_STACK from there. */
static inline uintptr_t co_hart_stacks(unsigned hart)
{
	return CO_SPM_ROOMY ? (uintptr_t)co_hart_at(hart) + CO_SPM_STACKS0
			    : co_main_part(hart) + CO_MAIN_PART_STACKS;
}

#endif
