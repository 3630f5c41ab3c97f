/*
 * core.h - what the runtime's own files know of each other.
 *
 * Rules of this house:
 * - A hart's executor is a _Thread_local variable: private scratchpad, touched by that hart alone.
 * - struct co_hart is the window's public part: each line in it says who writes it.
 * - Interrupts stay masked. Messages and timers are looked at in scheduling points only:
 *   co_yield(), every wait, the end of a coroutine, and the executor's idle loop. Handlers run
 *   there, outside of any coroutine: they never wait.
 */
#ifndef COHART_CORE_H
#define COHART_CORE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/barrier_member.h>
#include <cohart/coroutine.h>
#include <cohart/hart.h>
#include <cohart/spm.h>
#include <cohart/wait.h>
#include <hal/board.h>
#include <hal/cpu.h>

#include "container.h"
#include "control.h"
#include "heap.h"
#include "inject.h"
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
	struct co_msg sweep_msg;                          /* "cancel all yours", from hart 0 */
	struct co_a32 sweep_sent;
	alignas(CO_LINE) struct co_heap heap;        /* co_spm_alloc()'s */
	alignas(CO_LINE) struct co_a32 report_state; /* enum report, deliver.c */
	struct co_msg report_msg;
	struct co *report_of;   /* whose fault, or NULL */
	struct co_a32 lost;     /* it has stopped for good, and hart 0 has said so: lost.h */
	struct co_msg lost_msg; /* "stop", in case that is not so */
	struct co_a32 told;    /* joins there say so: what was held is let go of by now, or never */
	struct co_a32 stopped; /* it says so itself: it touches nothing of others' any more, */
	struct co_outlet left; /* its inbox's other end, as it has left it; hart 0's since */
	struct co_a32 broken;  /* and the machine's barriers have been told; hart 0 writes */
	struct co_a32 faults;  /* of its coroutines, and how many were reported; its hart writes */
	struct co_a32 reports;
	struct co_barrier_member member[CO_BARRIER_SCOPES]; /* in the machine's barriers */
	struct co_msg poke_msg; /* "come round", for nothing but that, */
	struct co_a32 poked;    /* which is under way */
	struct co_pulse pulse;  /* what the watch knows it by */
};

/*
 * More of a hart that others may reach: in its window too, or in main memory (layout.h).
 */
struct co_annex {
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
	/* How deep its coroutines' stacks were, when it was asked: depth.c; it writes. */
	struct co_a32 depth[CO_PER_HART]; /* bytes, 0: unknown */
	struct co_a32 depth_asked;        /* 1: the message is under way */
	struct co_msg depth_msg;
};

/* Where these lie in the public part, and where the heap begins. */
#define CO_SPM_MAIL sizeof(struct co_hart)
#define CO_SPM_ANNEX (CO_SPM_MAIL + (CO_MAIL_IN_SPM ? sizeof(struct co_mailboxes) : 0))
#define CO_SPM_HEAP (CO_SPM_ANNEX + (CO_SPM_ROOMY ? sizeof(struct co_annex) : 0))

/* A tight window's hart has this in main memory: annex, mailboxes, then its two stacks. */
#define CO_YARD_MAIL sizeof(struct co_annex)
#define CO_YARD_STACKS                                                                        \
	((CO_YARD_MAIL + sizeof(struct co_mailboxes) + HAL_PAGE_BYTES - 1) / HAL_PAGE_BYTES * \
	 HAL_PAGE_BYTES)
#define CO_YARD_BYTES (CO_SPM_ROOMY ? 0 : CO_YARD_STACKS + CO_HART_STACKS_BYTES)

/*
 * What a hart runs; its own, in its private scratchpad. Those who are ready are a ring, and the one
 * that runs is where it begins: to give way is to let the next one be that.
 */
struct co_executor {
	struct co *current;          /* NULL in handlers and while idle; */
	struct co *first;            /* then, where the ring begins, or NULL */
	struct co_outlet outlet;     /* the inbox's other end */
	const struct co_aword *more; /* not 0: a scheduling point has more to do than to switch */
	struct co_aword always;      /* never 0 */
	union {
		struct {
			uint16_t timers;  /* in use of timer[] */
			uint8_t handling; /* handlers run: there is no current coroutine */
			uint8_t devices;  /* transfers that `device` looks after */
		};
		uint32_t attention; /* any: messages are not all that there is to look at */
	};
	bool (*device)(struct co_executor *); /* true: it is busy, no time to sleep */
	bool busy;
	struct co_hart *self;
	unsigned hart;
	uint64_t nodes_taken; /* a bit for each of co_annex()->node[] */
	struct co *leaving;   /* has ended on a stack that is not the hart's own; to be buried */
	uintptr_t stack_top;  /* the executor's own */
	struct co *timer[CO_PER_HART]; /* a binary heap by deadline */
	uintptr_t map; /* what this hart may touch: hal/guard.h; one without tables has one too */
};
extern _Thread_local struct co_executor co_executor;

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
	uintptr_t yards;      /* what tight windows have no room for: CO_YARD_BYTES each */
	uintptr_t stacks_base, stacks_end;
	uintptr_t heap_base, heap_end;   /* libc's */
	uintptr_t bell[BOARD_MAX_HARTS]; /* hal/ipi.h; here, where to look is no remote read */
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
	unsigned watch_ms;     /* --watch=MS: who has not given way for so long is silent; 0: off */
};
extern struct co_options co_options;

static inline struct co_hart *co_hart_at(unsigned hart)
{
	return (struct co_hart *)(co_machine.spm + (uintptr_t)hart * BOARD_SPM_BYTES);
}

static inline uintptr_t co_yard(unsigned hart)
{
	return co_machine.yards + hart * CO_YARD_BYTES;
}

static inline struct co_annex *co_annex_of(const struct co_hart *h, unsigned hart)
{
	return (struct co_annex *)(CO_SPM_ROOMY ? (uintptr_t)h + CO_SPM_ANNEX : co_yard(hart));
}

/* The control blocks in there. */
static inline struct co *co_blocks_of(const struct co_hart *h, unsigned hart)
{
	/* One sum, one constant. */
	if (CO_SPM_ROOMY)
		return (struct co *)((uintptr_t)h + CO_SPM_ANNEX + offsetof(struct co_annex, co));
	return co_annex_of(h, hart)->co;
}

static inline struct co_annex *co_annex_at(unsigned hart)
{
	return co_annex_of(co_hart_at(hart), hart);
}

static inline struct co_annex *co_annex(void)
{
	return co_annex_of(co_executor.self, co_executor.hart);
}

static inline struct co_mailboxes *co_mailboxes_of(const struct co_hart *h, unsigned hart)
{
	return (struct co_mailboxes *)(CO_MAIL_IN_SPM ? (uintptr_t)h + CO_SPM_MAIL
						      : co_yard(hart) + CO_YARD_MAIL);
}

/* The first guard page of a hart's own stacks: CO_EXECUTOR_STACK, CO_TRAP_STACK from there. */
static inline uintptr_t co_hart_stacks(unsigned hart)
{
	return CO_SPM_ROOMY ? (uintptr_t)co_hart_at(hart) + CO_SPM_STACKS0
			    : co_yard(hart) + CO_YARD_STACKS;
}

/* executor.c */
void co_executor_init(unsigned hart);
_Noreturn void co_executor_loop(void);
/* Post m to a hart's executor and ring if it sleeps. Context: any. Order: release to m's run(). */
void co_post(unsigned hart, struct co_msg *m);
/*
 * The rare ways: c is about to wait, and in the ring still (by a message to itself); c lives on
 * another hart. They return 0, for callers whose last word they are.
 */
int co_ready_self(struct co *c);
int co_ready_away(struct co *c);

/* Put c into the ring that begins with `first`: the last. */
static inline void co_ready_behind(struct co *first, struct co *c)
{
	struct co *last = first->prev_ready;

	c->next_ready = first;
	c->prev_ready = last;
	last->next_ready = first->prev_ready = c;
}

/* Make c, which lives here, ready: the last. Returns 0. */
static inline int co_ready_push(struct co *c)
{
	struct co_executor *e = &co_executor;
	struct co *first = e->current ? e->current : e->first;

	if (!first) {
		e->first = c->next_ready = c->prev_ready = c;
	} else if (first == c) {
		return co_ready_self(c);
	} else {
		co_ready_behind(first, c);
	}
	co_atomic_store(&c->state, CO_READY, CO_RELAXED);
	return 0;
}

/* Make c ready, wherever it lives. Returns 0. Context: the one who took its token. */
static inline int co_ready(struct co *c)
{
	return c->hart == co_executor.hart ? co_ready_push(c) : co_ready_away(c);
}

/* Give the hart away until this coroutine is ready again. Returns its wait_result. */
int co_park(void);
/* For co_park_now(), which see. */
int co_park_long(struct co_executor *e, struct co *c);
int co_park_alone(struct co_executor *e, struct co *c);
/* Look at messages and timers. */
void co_poll(struct co_executor *e);
/*
 * Where to look whether there is more to do than to switch: at the oldest message's link, or, if
 * that is not enough, at a word that is never 0. After a change of `attention` or the outlet.
 */
static inline void co_attend(struct co_executor *e)
{
	e->more = e->attention ? &e->always : &e->outlet.oldest->next;
}

static inline bool co_has_more(const struct co_executor *e)
{
	return co_atomic_load(e->more, CO_RELAXED); /* relaxed: as in co_inbox_glance() */
}

/* What runs between the two is a handler: it belongs to no coroutine. */
static inline struct co *co_handlers_begin(struct co_executor *e)
{
	struct co *current = e->current;

	if (current)
		e->first = current;
	e->current = NULL;
	e->handling++;
	e->more = &e->always;
	return current;
}

static inline void co_handlers_end(struct co_executor *e, struct co *current)
{
	e->handling--;
	co_attend(e);
	e->current = current;
}

/* Is it the runtime's own? relaxed: its hart's word; others look for reports. */
static inline bool co_is_service(const struct co *c)
{
	return co_atomic_load(&c->service, CO_RELAXED) != 0;
}

static inline struct co *co_of_msg(struct co_msg *m)
{
	return co_container_of(m, struct co, msg);
}

/* Whose wait a node is of: its token is the coroutine's. */
static inline struct co *co_waiter_co(const struct co_waiter *w)
{
	return co_container_of(w->token, struct co, token);
}

/* timer.c: the heap of this hart's deadlines. c has none yet (has one). */
void co_timer_add(struct co_executor *e, struct co *c, uint64_t deadline);
void co_timer_remove(struct co_executor *e, struct co *c);
/* End the waits whose time has come. */
void co_timer_poll(struct co_executor *e);
static inline uint64_t co_timer_next(const struct co_executor *e)
{
	return e->timers ? e->timer[0]->deadline : CO_FOREVER;
}

/* wait.c */
/* Does c sleep? For others, a moment old. */
static inline bool co_sleeps(const struct co *c)
{
	return co_atomic_load(&c->state, CO_RELAXED) == CO_WAITING;
}

/* A time in a word: with 32 bits it lasts a thousand times longer in steps of 1024 ticks. */
#define CO_SINCE_SHIFT (sizeof(uintptr_t) < sizeof(uint64_t) ? 10 : 0)
static inline uintptr_t co_since(uint64_t ticks)
{
	return (uintptr_t)(ticks >> CO_SINCE_SHIFT);
}

/* Note for reports what c is about to wait for. */
static inline void co_wait_note(struct co *c, const void *object, const char *kind)
{
	co_atomic_store(&c->waits_for, (uintptr_t)object, CO_RELAXED);
	co_atomic_store(&c->waits_kind, (uintptr_t)kind, CO_RELAXED);
}

/*
 * The parts that waits are made of, for objects whose wake-ups are more than hints. A wait is armed
 * by co_wait_prepare(NULL, ...); whoever takes its token wakes it.
 */
/* co_wake_one() for one who has acquired the entry of whoever waits. Returns 0. */
int co_wake_known(struct co_waitq *q);
/*
 * For one who has locked q, with its first waiter in hand: unlock it, and wake all that wait now;
 * one that waits again is not woken twice. Returns how many they were.
 */
unsigned co_waitq_wake_all(struct co_waitq *q, struct co_waiter *first);
/* Make the coroutine ready that w's token was taken of. Context: who has taken it. */
void co_wake(struct co_waiter *w);
/* Sleep; a cancel that came before is not looked for. The node is where it was. */
int co_wait_sleep(struct co *c, uint64_t deadline);
/* End one's own wait instead; true if somebody else had, whose message has been taken then. */
bool co_wait_withdraw(struct co *c);
/*
 * Take its nodes out of the queues and give them back: the wait has ended, by a sleep or a
 * withdrawal.
 */
void co_wait_any_leave(struct co_wait_any *a);
/*
 * Is q's lock to be had soon, or has somebody stopped in the middle of it? Who is put aside by an
 * emulator for long looks the same: only for those who may not wait. Context: any.
 */
bool co_waitq_usable(struct co_waitq *q);
#define CO_LOCKED_US \
	20000 /* nobody holds a queue's lock for so long, even where harts take turns */
/* The one that runs, whom a fault has ended, may have been about to wait: now it is not. */
void co_wait_forget(struct co *c);
/* End c's wait with a result if nobody has yet. Context: c's hart. */
void co_wait_end(struct co *c, int result);

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
/* c has ended: its stack and its block go back, and who waits for it is told. */
void co_bury(struct co *c);

/*
 * The end of the one that runs, on whatever stack of this hart but its own: as co_bury(), then on
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
/* As co_spm_alloc(): what others know of stays if a fault ends who has taken it. */
void *co_spm_keep(size_t bytes, size_t align);
/* What c has of this hart's heap goes back. Context: c's hart. */
void co_spm_release(const struct co *c);
/* Whose window or yard p lies in, -1: nobody's. */
int co_hart_owning(const void *p);
/* Fill in harts and groups. Returns NULL, or what is wrong with the text, for people. */
const char *co_topology_parse(const char *text, struct co_machine *m);
void co_topology_default(unsigned harts, struct co_machine *m);
/* Keep the harts that are there. Returns NULL, or what is wrong with what is left. */
const char *co_topology_shrink(unsigned harts, struct co_machine *m);
/* Read the command line, take the runtime's options out of it, leave the program's. */
void co_options_read(int *argc, char ***argv);

/* boot.c: main() has returned, or its coroutine has ended otherwise. */
_Noreturn void co_main_ended(int code);

#include "stack.h"

#endif
