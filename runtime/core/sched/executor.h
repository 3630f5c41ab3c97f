/*
 * executor.h - a hart's scheduler: ready coroutines, messages, deadlines.
 *
 * Rules:
 * - A hart's executor is a _Thread_local variable in private scratchpad: only that hart uses it.
 * - Interrupts stay masked. Messages and deadlines are handled in scheduling points only:
 *   co_pause(), every wait, the end of a coroutine, and the executor's idle loop. Handlers run
 *   there, outside of any coroutine, and never wait.
 */
#ifndef COHART_CORE_EXECUTOR_H
#define COHART_CORE_EXECUTOR_H

#include <hal/cpu.h>

#include "../compiler.h"
#include "../machine.h"

/*
 * Ready coroutines are a ring that begins with the running one: a pause makes the next one the
 * first.
 */
struct co_executor {
	struct co *current;          /* the running coroutine; NULL in handlers and while idle */
	struct co *first;            /* while current is NULL: the first ready one, or NULL */
	struct co_outlet outlet;     /* the consumer's end of the inbox */
	const struct co_aword *more; /* points to 0 if a scheduling point need only switch */
	/*
	 * The value of `more` while only messages can come, so that the hart may sleep at once.
	 * NULL on hart 0, which watches all harts, while it has set no alarm.
	 */
	const struct co_aword *quiet;
	uint64_t alarm;         /* of hart 0, at the latest; on other harts CO_FOREVER */
	struct co_aword always; /* never 0 */
	union {
		struct {
			bool timed;       /* there are deadlines */
			uint8_t handling; /* nesting of handlers */
			bool resting;     /* there are `rests` */
			uint8_t devices;  /* how many are at work: each `device` looks */
		};
		uint32_t attention; /* not 0: there is more to look at than messages */
	};
	struct co_device *device; /* the first of a list */
	bool busy;
	uint8_t ringing; /* how many of `devices` end a sleep by an interrupt */
	bool input;      /* hart 0: it waits for input, so that it is not stuck */
	struct co_hart *self;
	unsigned hart;
	struct co_node *free_node;          /* of co_area()->node[]: wait.c */
	bool nodes_made;                    /* they have been linked */
	struct co *leaving;                 /* has ended; the loop finishes it, off its stack */
	uintptr_t stack_top;                /* of the executor's own stack */
	struct co **timer;                  /* notes of coroutines with a deadline: deadline.c */
	uint32_t notes;                     /* number of notes, co_machine.per_hart at most */
	uint32_t sorted;                    /* how many of them, the first, are a binary heap */
	uint32_t deadlines;                 /* how many of them are not stale */
	uint64_t soonest;                   /* no deadline is earlier */
	struct co_rest *rests;              /* rests of parked coroutines, a ring: wait.c */
	struct co *few_timers[CO_PER_HART]; /* `timer` until there are more */
	uintptr_t map;                      /* this hart's memory map: hal/guard.h */
	/* As in co_machine, which lies in main memory; before the boot of a hart, 0. */
	uintptr_t spm, spm_end;
	size_t spm_public;
	uintptr_t beside;            /* bytes that are in no window: from spm_end around to spm */
	unsigned open;               /* as in co_machine, when this hart last looked */
	struct co_trace_ring *trace; /* the timeline's, or NULL: timeline.h */
	const struct co *trace_last; /* of the ready ones, when the timeline last looked */
};
extern _Thread_local struct co_executor co_executor;

/* A device that a hart looks at while e->devices is not 0. */
struct co_device {
	bool (*look)(struct co_executor *); /* true: the hart must not sleep */
	struct co_device *next;
};

static inline void co_device_add(struct co_device *d, bool (*look)(struct co_executor *))
{
	d->look = look;
	d->next = co_executor.device;
	co_executor.device = d;
}

static inline struct co_area *co_area(void)
{
	return co_area_of(co_executor.self, co_executor.hart);
}

/*
 * The watch, if there is one (fault/watch.c): when hart 0 calls co_look() next, in a scheduling
 * point or in its sleep. It sets the next time, and may wake waiters. Hart 0 alone uses both.
 */
extern uint64_t co_look_next;
extern void (*co_look)(uint64_t now);
/* How long hart 0 sleeps without a deadline before it calls the hook `idle`. */
#define CO_STUCK_US 50000

/* hart.c */
/*
 * How long a hart waits for another hart, which may have stopped. From look to look a moment counts
 * at most, however late the second look comes: an emulator that does not run the waiting hart does
 * not run its peer either.
 */
struct co_patience {
	uint64_t looked; /* when */
	uint64_t left;   /* ticks */
};

/* Context: any. */
struct co_patience co_patience_begin(uint32_t us);

/* Call it with each look, which are a moment (1 ms) apart at most. False: over. Context: any. */
bool co_patience_lasts(struct co_patience *p);
/* Post m to a hart's executor and ring if it sleeps. Context: any. Order: release to m's run(). */
void co_post(unsigned hart, struct co_msg *m);
/*
 * Post n to a hart, to be run there, unless it is under way. Its run() calls co_notice_taken()
 * first, and sees the callers' writes before all calls until then. Context: any. Order: acq_rel:
 * releases the caller's writes, and acquires that the inbox has read the message, which is written
 * anew; pairs with co_notice_taken().
 */
static inline void co_notify(unsigned hart, struct co_notice *n, void (*run)(struct co_msg *))
{
	if (co_atomic_swap(&n->under_way, 1, CO_ACQ_REL))
		return;
	n->msg.run = run;
	co_post(hart, &n->msg);
}

static inline void co_notice_taken(struct co_notice *n)
{
	/*
	 * acq_rel: acquires the callers' writes, and releases the inbox's read of the message;
	 * pairs with co_notify().
	 */
	co_atomic_swap(&n->under_way, 0, CO_ACQ_REL);
}

/*
 * The rare cases of co_ready(): c is about to wait and still in the ring, so that it sends itself a
 * message; c lives on another hart; and it has been parked there. They return 0, for tail calls.
 */
int co_ready_self(struct co *c);
int co_ready_away(struct co *c);
int co_ready_parked(struct co *c);

/* The first of the ring of ready coroutines, in which the running one stays; or NULL. */
static inline struct co *co_ready_first(const struct co_executor *e)
{
	return e->current ? e->current : e->first;
}

/* Append c to the ring of ready coroutines, which begins with `first`. */
static inline void co_ready_append(struct co_executor *e, struct co *first, struct co *c)
{
	struct co *last;

	if (!first) {
		e->first = c->next_ready = c->prev_ready = c;
		return;
	}
	last = first->prev_ready;
	c->next_ready = first;
	c->prev_ready = last;
	last->next_ready = first->prev_ready = c;
}

/* Make c, which lives on this hart, ready, as the last one. Returns 0. */
static inline int co_ready_push(struct co *c)
{
	struct co_executor *e = &co_executor;
	struct co *first = co_ready_first(e);

	if (first == c)
		return co_ready_self(c);
	co_ready_append(e, first, c);
	return 0;
}

/* Make c ready, wherever it lives. Returns 0. Context: the taker of its token. */
static inline int co_ready(struct co *c)
{
	return c->hart == co_executor.hart ? co_ready_push(c) : co_ready_away(c);
}

/* executor.c */
void co_executor_init(unsigned hart);
_Noreturn void co_executor_loop(void);
/* A part of co_park_now(). `place` is c, or NULL where a message will make c ready. */
int co_park_long(struct co_executor *e, struct co *c, struct co *place);
/* The slow part of co_park_long(), which looks once more at all that co_may_go_on() looks at. */
int co_park_slowly(struct co_executor *e, struct co *c, struct co *place);
/* Handle messages and deadlines. */
void co_poll(struct co_executor *e);
/*
 * Set `more` after a change of `attention` or of the outlet: to the oldest message's link, or, if
 * there is more to look at, to a word that is never 0.
 */
static inline void co_attend(struct co_executor *e)
{
	e->more = e->attention ? &e->always : &e->outlet.oldest->next;
}

static inline bool co_has_more(const struct co_executor *e)
{
	return co_atomic_load(e->more, CO_RELAXED); /* relaxed: as in co_inbox_glance() */
}

/* Handlers run between these two; they belong to no coroutine. */
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

/*
 * The deadline of c's wait; CO_FOREVER: none, and its note is stale. relaxed, here and below: c's
 * hart writes it; other harts read it for reports, and with words of 32 bits may get halves of two
 * deadlines.
 */
static inline uint64_t co_deadline(const struct co *c)
{
	uint64_t high =
		CO_TIME_WORDS > 1 ? co_atomic_load(&c->deadline[CO_TIME_WORDS - 1], CO_RELAXED) : 0;

	return high << 32 | co_atomic_load(&c->deadline[0], CO_RELAXED);
}

static inline void co_deadline_set(struct co *c, uint64_t deadline)
{
	co_atomic_store(&c->deadline[0], (uintptr_t)deadline, CO_RELAXED);
	if (CO_TIME_WORDS > 1)
		co_atomic_store(&c->deadline[CO_TIME_WORDS - 1], (uintptr_t)(deadline >> 32),
				CO_RELAXED);
}

/* Are name, waypoint and budget c's own, or of an earlier coroutine of its block? */
static inline bool co_noted(const struct co *c)
{
	/* relaxed, here and below: for reports. */
	return co_atomic_load(&c->noted, CO_RELAXED) == co_atomic_load(&c->generation, CO_RELAXED);
}

/* Before writing a name, waypoint or budget of `generation`: clear the values of an earlier one. */
static inline void co_note_as(struct co *c, uint32_t generation)
{
	if (co_atomic_load(&c->noted, CO_RELAXED) == generation)
		return;
	co_atomic_store(&c->name, 0, CO_RELAXED);
	co_atomic_store(&c->waypoint, 0, CO_RELAXED);
	co_atomic_store(&c->budget, 0, CO_RELAXED);
	co_atomic_store(&c->noted, generation, CO_RELAXED);
}

/* Name the next coroutine of block c. relaxed: the hand-over publishes it. */
static inline void co_name_next(struct co *c, const char *name)
{
	co_note_as(c, co_atomic_load(&c->generation, CO_RELAXED) + 1);
	co_atomic_store(&c->name, (uintptr_t)name, CO_RELAXED);
}

/* Does c belong to the runtime? relaxed: a guess for other harts, which read it for reports. */
static inline bool co_is_service(const struct co *c)
{
	return co_atomic_load(&c->refs, CO_RELAXED) & CO_SERVICE;
}

/* Do `refs` say that a coroutine has begun, has not ended, and does not belong to the runtime? */
static inline bool co_refs_live(uint32_t refs)
{
	return (refs & (CO_RUNNING | CO_SERVICE)) == CO_RUNNING;
}

static inline struct co *co_of_msg(struct co_msg *m)
{
	return co_container_of(m, struct co, msg);
}

/* The coroutine that waits by this node, whose token is the coroutine's. */
static inline struct co *co_waiter_co(const struct co_waiter *w)
{
	return co_container_of(w->token, struct co, token);
}

#endif
