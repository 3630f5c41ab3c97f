/* barrier.h - the interface between barrier.c, shape.c and scope.c. */
#ifndef COHART_COMM_BARRIER_H
#define COHART_COMM_BARRIER_H

#include <cohart/barrier.h>

#include "../../core/hart_var.h"
#include "../../core/lf/rest.h"

/* Of the machine's barriers: a hart is a member in each scope. */
#define CO_BARRIER_SCOPES (CO_BARRIER_COMPUTES + 1)
CO_HART_EXTERN(struct co_barrier_member[CO_BARRIER_SCOPES], barrier_members);

static inline struct co_barrier_member *co_barrier_member_at(const struct co_barrier *b,
							     uint32_t member)
{
	/* As an int, which it fits into: RISC-V extends the sign of a 32-bit argument, no zeros. */
	intptr_t i = (int)member;

	if (b->table)
		return b->table[i];
	return (struct co_barrier_member *)((uintptr_t)b->first + (uintptr_t)i * b->stride);
}

/*
 * Link m, which is b's member number `member`, with the members below it and the member above it.
 * @return where, in the memory of the member above, m announces its doorbell; NULL: no member is
 *         above m
 */
struct co_aword *co_barrier_link(const struct co_barrier *b, uint32_t member,
				 struct co_barrier_member *m);

/*
 * Is c the coroutine that came as m last, has it not given up waiting, and is the barrier whole?
 * Should it break later, c's hart is rung.
 */
static inline bool co_barrier_came_as(const struct co_barrier_member *m, const struct co *c)
{
	/*
	 * relaxed: the member's own. co_barrier_break_for() changes it, then rings c's hart: the
	 * hart acquires the change if it wakes by the ring, which is pending if the hart has not
	 * slept since.
	 */
	return co_atomic_load(&m->who, CO_RELAXED) == (uintptr_t)c;
}

/* co_barrier_wait() for `self`, of which co_barrier_came_as(m, self) is true. */
int co_barrier_wait_again(struct co_barrier_member *m, struct co *self);

/* A member was ended: break b for all others. Context: any. */
void co_barrier_break_for(const struct co_barrier *b, uint32_t member);

/* Is b one of the machine's barriers, and the hart of a member lost? */
bool co_barrier_has_lost(const struct co_barrier *b);

/* Set *b to the machine's barrier that has this member; false: none has. */
bool co_barrier_of_member(uintptr_t member, struct co_barrier *b);

#endif
