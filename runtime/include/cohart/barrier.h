/*
 * barrier.h - members wait until all of them have arrived.
 *
 * Example: a coroutine on every hart, as many times as wanted
 *	int r = co_barrier_all();
 *
 * Example: eight workers, wherever they are; each has a number
 *	CO_BARRIER(step, 8);
 *	...
 *	int r = co_barrier_wait(&step, me);    // me: 0..7, each number one coroutine
 *
 * Example: a deadline, and which are missing
 *	r = co_barrier_wait_until(&step, me, co_after_us(1000));
 *	if (r == -ETIMEDOUT) {
 *		co_barrier_report(&step, text, sizeof(text));
 *		puts(text);       // "1 of 8 has not come: member 5, 'worker' of hart 12"
 *	}
 *
 * A barrier is used again at once, any number of times. There is nothing to initialise late: static
 * barriers and those of the machine are right from the first instruction on.
 *
 * A wait that ends with -ETIMEDOUT or -ECANCELED takes nothing back: the member has come and stays
 * so (C++'s std::barrier and MPI_Ibarrier have it so; a barrier that breaks for all, as Java's
 * does, leaves nobody a safe moment to mend it). It calls again to go on with the same episode,
 * which returns 0 as soon as the late ones are there. Until it does, the others may have to wait
 * for it: members release each other. No state of the barrier is lost, and none needs a reset. Only
 * the end of a member that is bound breaks a barrier: co_barrier_bind().
 *
 * Members hang on each other as a tree: one that has come, with all below it, stores that into the
 * data of the member above, and rings its hart; from member 0 on each releases those below it in
 * the same way. So 2 remote stores a member, of which 2 log n are one after the other, no remote
 * access that somebody waits for, and no shared count. The tree keeps to the machine's groups where
 * the members' data is in scratchpads.
 *
 * Order: what any member wrote before it came is seen by all after it (release, acquire).
 * Source: seeds D1 (local, global, arm and nm barrier), E3.
 */
#ifndef COHART_BARRIER_H
#define COHART_BARRIER_H

#include <cohart/detail/barrier.h>
#include <cohart/detail/base.h>
#include <cohart/hart.h>
#include <cohart/time.h>

CO_BEGIN_C
enum co_barrier_form {
	CO_BARRIER_AUTO,
	CO_BARRIER_CENTRAL, /* eight members at most hang on each: flat, up to nine members */
	CO_BARRIER_TREE,    /* four: less to do for each, and more levels */
};

/* The most members of a barrier. */
#define CO_BARRIER_MAX 65536u

/* So many members, as a power of two, hang on each. AUTO is central: it costs the least. */
#define CO_BARRIER_CENTRAL_SHIFT 3
#define CO_BARRIER_TREE_SHIFT 2

/* A static barrier of n members, 1..CO_BARRIER_MAX; their data is in main memory. */
#define CO_BARRIER(name, n)                                \
	static struct co_barrier_member name##_members[n]; \
	static struct co_barrier name = CO_BARRIER_OF(n, name##_members)
#define CO_BARRIER_OF(n, data)                                                                 \
	{                                                                                      \
		(n), CO_BARRIER_CENTRAL_SHIFT, (data), sizeof(struct co_barrier_member), NULL, \
			{ 0 }, 0                                                               \
	}

/*
 * Make a barrier.
 * @param members  1..CO_BARRIER_MAX
 * @param data     one a member, aligned to CO_LINE, in memory that every hart may use (asserted);
 *                 used until the barrier is; the caller's
 * @return 0; -EINVAL for a number or form that is none, or data that is NULL or misaligned. *b is
 *         untouched on error.
 * Context: any, before it is used; not again while it is used or a coroutine is bound.
 */
CO_MUST_CHECK int co_barrier_init(struct co_barrier *b, unsigned members, enum co_barrier_form form,
				  struct co_barrier_member *data);

/*
 * The same with the data of each member where it belongs: table[i] is in the public scratchpad of
 * member i's hart.
 * @param table  in memory that every hart may use (asserted), as long as the barrier is, and not
 *               changed
 * @return, Context: as co_barrier_init(); -EINVAL also if the table or an entry is NULL.
 */
CO_MUST_CHECK int co_barrier_init_at(struct co_barrier *b, unsigned members,
				     enum co_barrier_form form,
				     struct co_barrier_member *const *table);

/*
 * A number for a coroutine that has none: each caller gets the next.
 * @return 0, 1, ...; more than the barrier has members are asserted against.
 * Context: any.
 */
unsigned co_barrier_enrol(struct co_barrier *b);

/*
 * Come, and wait until all have come.
 * @param member  0..members-1 (asserted), this coroutine's alone: another one that comes as the
 *                same member, while this one waits, is asserted against
 * @return 0: all have come; -ETIMEDOUT, -ECANCELED: not yet, see the top of this page. A deadline
 *         that has passed makes it a step that never waits: come now, go on later. -EOWNERDEAD: not
 *         all will ever come, the barrier is broken (co_barrier_bind()).
 * Context: coroutine. The barrier outlives the last return of any member.
 * Cost: 94 instructions, the sleep and a member's share of releasing others included (64 harts,
 * rv64); a first arrival on a machine of several groups also looks where the others' data is.
 */
CO_MUST_CHECK int co_barrier_wait(struct co_barrier *b, unsigned member);
CO_MUST_CHECK int co_barrier_wait_until(struct co_barrier *b, unsigned member, uint64_t deadline);

/*
 * This coroutine is that member, until co_barrier_unbind() or a fault that ends it. If a fault ends
 * it, or its hart is lost and has stopped (cohart/debug.h), the barrier is broken: every call of
 * every member returns -EOWNERDEAD, those that wait at once, until the barrier is made anew. A call
 * under way at that moment returns the one or the other, if all have come. The starter of the
 * members joins them, and then calls co_barrier_init() or co_barrier_mend().
 *
 * Example
 *	co_barrier_bind(&step, me);
 *	while (work_left() && (r = co_barrier_wait(&step, me)) == 0)
 *		compute(me);                   // a fault in here is not the others' deadlock
 *	co_barrier_unbind(&step, me);          // r: 0, or -EOWNERDEAD
 *
 * The machine's barriers, whose members are harts, break without any binding when a member's hart
 * is lost and has stopped.
 * @param member  0..members-1, not bound yet (asserted)
 * Context: coroutine. Cost: 20 instructions; waits cost what they did.
 */
void co_barrier_bind(struct co_barrier *b, unsigned member);

/* It leaves without harm. Context: the coroutine that is bound as that member (asserted). */
void co_barrier_unbind(struct co_barrier *b, unsigned member);

/*
 * Make a broken barrier new, as if no member had ever arrived.
 * @return 0; -EHOSTDOWN: it is one of the machine's, and a member's hart is lost, so that all can
 *         never come; nothing has changed
 * Context: any, while no member waits, arrives or is bound: after a join of those that did.
 */
CO_MUST_CHECK int co_barrier_mend(struct co_barrier *b);

/*
 * The first member from `from` on that has not come to the episode that others have come to.
 * @return its number; -1: there is none
 * Context: any. What it says was so a moment ago.
 */
int co_barrier_missing(const struct co_barrier *b, unsigned from);

/*
 * The same as text: how many have not arrived, which, and what arrived as each before, from its
 * hart; cut to fit. The report of a deadlock has it for each barrier with waiting members.
 * @param bytes  of text, at least 1 (asserted)
 * @return how many have not come
 * Context: any. What it says was so a moment ago. Cost: three looks at each member's data.
 */
unsigned co_barrier_report(const struct co_barrier *b, char *text, size_t bytes);

/*
 * The machine's own barriers: one coroutine a hart is a member (asserted, like the scope: the hart
 * belongs to it). Their data is in the harts' scratchpads, they have the form CO_BARRIER_AUTO.
 */
enum co_barrier_scope {
	CO_BARRIER_ALL = CO_ALL_HARTS,         /* every hart */
	CO_BARRIER_SUPER_NODE = CO_SUPER_NODE, /* those of the calling hart's super-node, */
	CO_BARRIER_NODE = CO_NODE,             /* of its node, */
	CO_BARRIER_GROUP = CO_GROUP,           /* or of its group, but the ones that move memory */
	CO_BARRIER_MANAGERS,                   /* the management harts of the machine */
	CO_BARRIER_COMPUTES,                   /* its compute harts */
};

/*
 * Come to it, and wait until all of the scope have come.
 * @return as co_barrier_wait(); -EOWNERDEAD: a member's hart is lost, and has stopped.
 * Context: coroutine, of a hart of the scope (asserted); one a hart at a time (asserted).
 * Cost: as co_barrier_wait(); on a hart's first call also a look at all harts, for the latter two.
 */
CO_MUST_CHECK int co_barrier_all(void);
CO_MUST_CHECK int co_barrier_group(void);
CO_MUST_CHECK int co_barrier_managers(void);
CO_MUST_CHECK int co_barrier_computes(void);
CO_MUST_CHECK int co_barrier_scope_until(enum co_barrier_scope scope, uint64_t deadline);

/*
 * The barrier behind one of these, for reports and waits of one's own.
 * @param b       where this hart's own view of it goes, which is not for other harts
 * @param member  where the calling hart's number in it goes; NULL: not wanted
 * @return 0; -EINVAL: the hart does not belong to it, and nothing is written.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_barrier_of(enum co_barrier_scope scope, struct co_barrier **b,
				unsigned *member);
CO_END_C
#endif
