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
 * Example: a deadline, and a report of the missing members
 *	r = co_barrier_wait_until(&step, me, co_after_us(1000));
 *	if (r == -ETIMEDOUT) {
 *		co_barrier_report(&step, text, sizeof(text));
 *		puts(text);       // "1 of 8 has not come: member 5, 'worker' of hart 12"
 *	}
 *
 * A barrier may be used again at once, any number of times. Static barriers and the machine's
 * barriers need no initialisation: they are ready from the first instruction on.
 *
 * A wait that ends with -ETIMEDOUT or -ECANCELED takes nothing back: the member has arrived and
 * stays arrived, as in C++'s std::barrier and MPI_Ibarrier. (A barrier that breaks for all members,
 * as Java's does, leaves nobody a safe moment to mend it.) The member calls again to continue its
 * episode; that call returns 0 as soon as the late members have arrived. Until it calls again, its
 * peers may have to wait for it, since members release each other. No state of the barrier is lost,
 * and none needs a reset. A barrier breaks only when a bound member ends early (co_barrier_bind()),
 * or when the hart of a member of a machine's barrier is lost.
 *
 * The members form a tree. A member that has arrived, after all members below it, stores the
 * episode into the data of the member above and rings the hart of that member; the release goes
 * down from member 0 in this way. The cost is 2 remote stores a member, of which 2 log n happen in
 * sequence; nobody waits for a remote access, and there is no shared count. Where the members' data
 * is in scratchpads, the tree follows the machine's groups.
 *
 * Order: writes of any member before it arrives are seen by all members after the barrier (release,
 * acquire).
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
	CO_BARRIER_CENTRAL, /* at most eight members below each: one level, up to nine members */
	CO_BARRIER_TREE,    /* at most four below each: less work for each, and more levels */
};

/* The most members of a barrier. */
#define CO_BARRIER_MAX 65536u

/* log2 of the most members below a member. CO_BARRIER_AUTO is central: it costs the least. */
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
 * @param data     an element for each member, aligned to CO_LINE, in memory that every hart may use
 *                 (asserted); the caller's, and in use as long as the barrier
 * @return 0; -EINVAL: members is out of range, form is no enum co_barrier_form, or data is NULL or
 *         misaligned. *b is untouched on error.
 * Context: any, before the barrier is used; not again while it is used or a coroutine is bound.
 */
CO_MUST_CHECK int co_barrier_init(struct co_barrier *b, unsigned members, enum co_barrier_form form,
				  struct co_barrier_member *data);

/*
 * Make a barrier whose members' data lies apart: table[i] points to the data of member i, which
 * belongs in the public scratchpad of that member's hart.
 * @param table  in memory that every hart may use (asserted); stays unchanged as long as the
 *               barrier is used
 * @return, Context: as co_barrier_init(); -EINVAL also if the table or an entry is NULL.
 */
CO_MUST_CHECK int co_barrier_init_at(struct co_barrier *b, unsigned members,
				     enum co_barrier_form form,
				     struct co_barrier_member *const *table);

/*
 * Take the next unused member number.
 * @return 0, 1, ...; more calls than the barrier has members are asserted against.
 * Context: any.
 */
unsigned co_barrier_enrol(struct co_barrier *b);

/*
 * Arrive, and wait until all members have arrived.
 * @param member  0..members-1 (asserted), this coroutine's alone: a second coroutine that arrives
 *                as this member during the wait is asserted against
 * @return 0: all have arrived; -ETIMEDOUT, -ECANCELED: not all have arrived yet, see the top of
 *         this page. With a deadline that has passed the call never waits: it only arrives, and a
 *         later call waits. -EOWNERDEAD: the barrier is broken, some members will never arrive
 *         (co_barrier_bind()).
 * Context: coroutine. The barrier outlives the last return of any member.
 * Cost: 94 instructions (row barrier_central_64,64), including the sleep and a member's share of
 * the releases (64 harts, rv64); on a machine of several groups a first arrival also looks where
 * all members' data is.
 */
CO_MUST_CHECK int co_barrier_wait(struct co_barrier *b, unsigned member);
CO_MUST_CHECK int co_barrier_wait_until(struct co_barrier *b, unsigned member, uint64_t deadline);

/*
 * Arrive as member 0, and wait until all members have arrived. They go on waiting in their calls of
 * co_barrier_wait() until co_barrier_release(): member 0 works alone between the two calls, and a
 * round of both costs each member one barrier.
 *
 * Example
 *	r = co_barrier_wait(&step, 0);         // all members begin a round
 *	while (r == 0 && (work(0), r = co_barrier_gather(&step)) == 0) {
 *		plan_next_round();             // alone
 *		co_barrier_release(&step);
 *	}
 * @return 0; -ECANCELED: only a co_barrier_wait() may follow (asserted), which continues the
 *         episode, and releases the members when all have arrived; -EOWNERDEAD: as
 *         co_barrier_wait()
 * Context: the coroutine whose last co_barrier_wait() as member 0 has returned 0, and that has
 * released the members that it has gathered (asserted).
 * Order: member 0 sees writes of all members before they arrived; they see its writes before
 * co_barrier_release().
 * Cost: as co_barrier_wait(), both together.
 */
CO_MUST_CHECK int co_barrier_gather(struct co_barrier *b);

/*
 * Release the members that co_barrier_gather() has gathered.
 * Context: the coroutine that co_barrier_gather() has returned 0 to (asserted while the barrier is
 * whole).
 */
void co_barrier_release(struct co_barrier *b);

/*
 * Bind the calling coroutine to a member, until co_barrier_unbind() or a fault that ends it. If a
 * fault ends it, or its hart is lost and has stopped (cohart/debug.h), the barrier is broken: every
 * call of every member returns -EOWNERDEAD, and members that wait return it at once, until the
 * barrier is made anew. If all have arrived, a call under way at that moment returns 0 or
 * -EOWNERDEAD. The starter of the members joins them, and then calls co_barrier_init() or
 * co_barrier_mend().
 *
 * Example
 *	co_barrier_bind(&step, me);
 *	while (work_left() && (r = co_barrier_wait(&step, me)) == 0)
 *		compute(me);                   // a fault in here does not make its peers wait
 *	co_barrier_unbind(&step, me);          // r: 0, or -EOWNERDEAD
 *
 * The machine's barriers, whose members are harts, break without any binding when a member's hart
 * is lost and has stopped.
 * @param member  0..members-1, not bound yet (asserted)
 * Context: coroutine. Cost: about 20 instructions; waits cost no more.
 */
void co_barrier_bind(struct co_barrier *b, unsigned member);

/* End the binding; the barrier stays whole. Context: the bound coroutine (asserted). */
void co_barrier_unbind(struct co_barrier *b, unsigned member);

/*
 * Make a broken barrier new, as if no member had ever arrived.
 * @return 0; -EHOSTDOWN: it is one of the machine's barriers, and a member's hart is lost, so that
 *         all can never arrive; nothing has changed
 * Context: any, while no member waits, arrives or is bound: after a join of the members.
 */
CO_MUST_CHECK int co_barrier_mend(struct co_barrier *b);

/*
 * Find the first member, from `from` on, that has not arrived at the newest episode.
 * @return its number; -1: all from `from` on have arrived
 * Context: any. The result may be out of date.
 */
int co_barrier_missing(const struct co_barrier *b, unsigned from);

/*
 * Write as text how many members have not arrived at the newest episode, their numbers, and for
 * each the coroutine that arrived last as this member, with its hart; cut to fit. The report of a
 * deadlock has this text for each barrier with waiting members.
 * @param bytes  of text, at least 1 (asserted)
 * @return how many have not arrived
 * Context: any. The result may be out of date. Cost: three looks at each member's data.
 */
unsigned co_barrier_report(const struct co_barrier *b, char *text, size_t bytes);

/*
 * The machine's own barriers: each hart of the scope is a member, by one coroutine at a time (both
 * asserted). Their data is in the harts' scratchpads; their form is CO_BARRIER_AUTO.
 */
enum co_barrier_scope {
	CO_BARRIER_ALL = CO_ALL_HARTS,         /* every hart */
	CO_BARRIER_SUPER_NODE = CO_SUPER_NODE, /* harts of the calling hart's super-node */
	CO_BARRIER_NODE = CO_NODE,             /* harts of its node */
	CO_BARRIER_GROUP = CO_GROUP,           /* harts of its group, without move harts */
	CO_BARRIER_MANAGERS,                   /* the management harts of the machine */
	CO_BARRIER_COMPUTES,                   /* the compute harts of the machine */
};

/*
 * Arrive at the barrier of a scope, and wait until all its harts have arrived.
 * @return as co_barrier_wait(); -EOWNERDEAD: a member's hart is lost, and has stopped.
 * Context: coroutine, on a hart of the scope, one of each hart at a time (both asserted).
 * Cost: as co_barrier_wait(); a hart's first call for managers or computes also looks at all harts.
 */
CO_MUST_CHECK int co_barrier_all(void);
CO_MUST_CHECK int co_barrier_group(void);
CO_MUST_CHECK int co_barrier_managers(void);
CO_MUST_CHECK int co_barrier_computes(void);
CO_MUST_CHECK int co_barrier_scope_until(enum co_barrier_scope scope, uint64_t deadline);

/*
 * Get the barrier of a scope, for reports and for co_barrier_wait().
 * @param b       where the calling hart's view of the barrier goes, for use on this hart alone
 * @param member  where the calling hart's member number goes; NULL: not wanted
 * @return 0; -EINVAL: the calling hart does not belong to the scope; nothing is written.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_barrier_of(enum co_barrier_scope scope, struct co_barrier **b,
				unsigned *member);
CO_END_C
#endif
