/*
 * executor.h - what a hart runs: what is ready, its messages, its deadlines.
 *
 * Rules:
 * - A hart's executor is a _Thread_local variable: private scratchpad, touched by that hart alone.
 * - Interrupts stay masked. Messages and timers are looked at in scheduling points only:
 *   co_yield(), every wait, the end of a coroutine, and the executor's idle loop. Handlers run
 *   there, outside of any coroutine: they never wait.
 */
#ifndef COHART_CORE_EXECUTOR_H
#define COHART_CORE_EXECUTOR_H

#include <hal/cpu.h>

#include "compiler.h"
#include "machine.h"

/*
 * What a hart runs; its own, in its private scratchpad. What is ready is a ring, and the one
 * that runs is where it begins: to give way is to let the next one be that.
 */
struct co_executor {
	struct co *current;          /* NULL in handlers and while idle; */
	struct co *first;            /* then, where the ring begins, or NULL */
	struct co_outlet outlet;     /* the inbox's other end */
	const struct co_aword *more; /* not 0: a scheduling point has more to do than to switch */
	/*
	 * What `more` is where nothing but a message may come: a sleep needs no look around then.
	 * NULL on hart 0, which watches the others.
	 */
	const struct co_aword *quiet;
	struct co_aword always; /* never 0 */
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
	uint64_t nodes_taken; /* a bit for each of co_area()->node[] */
	struct co *leaving;   /* has ended on a stack that is not the hart's own; to be finished */
	uintptr_t stack_top;  /* the executor's own */
	struct co *timer[CO_PER_HART]; /* a binary heap by deadline */
	uintptr_t map; /* what this hart may touch: hal/guard.h; one without tables has one too */
};
extern _Thread_local struct co_executor co_executor;

static inline struct co_area *co_area(void)
{
	return co_area_of(co_executor.self, co_executor.hart);
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
	return 0;
}

/* Make c ready, wherever it lives. Returns 0. Context: the taker of its token. */
static inline int co_ready(struct co *c)
{
	return c->hart == co_executor.hart ? co_ready_push(c) : co_ready_away(c);
}

/* Give the hart away until this coroutine is ready again. Returns its wait_result. */
int co_park(void);
/* For co_park_now(), which see. `place` is c, or NULL where a message will make c ready. */
int co_park_long(struct co_executor *e, struct co *c, struct co *place);
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

/* Are c's notes for reports its own? An earlier coroutine of that block may have left them. */
static inline bool co_noted(const struct co *c)
{
	/* relaxed, here and below: a report may look at any moment. */
	return co_atomic_load(&c->noted, CO_RELAXED) == co_atomic_load(&c->generation, CO_RELAXED);
}

/* Before a note of the coroutine of that number: no other is left. */
static inline void co_note_as(struct co *c, uint32_t generation)
{
	if (co_atomic_load(&c->noted, CO_RELAXED) == generation)
		return;
	co_atomic_store(&c->name, 0, CO_RELAXED);
	co_atomic_store(&c->waypoint, 0, CO_RELAXED);
	co_atomic_store(&c->budget, 0, CO_RELAXED);
	co_atomic_store(&c->noted, generation, CO_RELAXED);
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

#endif
