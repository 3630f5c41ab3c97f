/*
 * team.h - teams: ranks 0 to n - 1, a coroutine each, that broadcast, scatter, gather and wait
 * together.
 *
 * Example: every compute hart of this hart's node adds up a part
 *	static int add_up(struct co_member *me, void *arg)
 *	{
 *		long part[EACH], sum = 0;
 *		int r = co_scatter(me, 0, numbers, sizeof(part), part);
 *
 *		for (unsigned i = 0; r == 0 && i < EACH; i++)
 *			sum += part[i];
 *		return r ? r : co_gather(me, 0, &sum, sizeof(sum), sums);
 *	}
 *
 *	static struct co_team team;
 *	team.scope = co_scope_here(CO_NODE, CO_ROLE_COMPUTE);
 *	int r = co_team_run(&team, add_up, NULL);
 *
 * All members call collectives in one order (asserted as far as a member sees it), with equal root
 * and number of bytes. Two members exchange lines of 64 bytes, written into the receiver's
 * scratchpad with their flags; a receiver has room for CO_TEAM_DEPTH lines, so that a root may be
 * CO_TEAM_DEPTH short broadcasts ahead. More than CO_TEAM_SHORT bytes are copied once, by each
 * member from or into the root's memory.
 *
 * The way of a line is a tree whose root is the collective's:
 *	linear  the root sends to all
 *	tree    depth first: a member whose subtree has up to 2^i - 1 ranks sends to the next rank
 *	        and to that after 2^(i-1): 2 log2 n in a row, and nobody sends more than two
 *
 * A member that a fault ends, whose hart is lost and has stopped, that is cancelled in a collective
 * or whose function returns an error breaks the team: every call of every member returns
 * -EOWNERDEAD from then on, calls that wait at once.
 *
 * Source: seeds C7 (multicast linear and depth first, scatter, gather), E3.
 */
#ifndef COHART_TEAM_H
#define COHART_TEAM_H

#include <cohart/coroutine.h>
#include <cohart/detail/base.h>
#include <cohart/hart.h>
#include <cohart/sync.h>

CO_BEGIN_C
struct co_member; /* a member, in its hart's public scratchpad */

/* What each member of co_team_run() does; not 0: it has failed. */
typedef int co_member_fn(struct co_member *me, void *arg);

enum co_team_form {
	CO_TEAM_AUTO, /* linear for few, a tree for many */
	CO_TEAM_LINEAR,
	CO_TEAM_TREE,
};

/* The most members for which AUTO takes the linear form. */
#define CO_TEAM_FEW 4

/* Lines on their way to a member, and the most bytes of a broadcast that pass within one. */
#define CO_TEAM_DEPTH 4
#define CO_TEAM_SHORT 48

/*
 * A team, in memory that every hart may use (asserted). Zero-filled is valid: the compute harts of
 * the machine. It may be filled in anew when all members have closed it.
 */
struct co_team {
	struct co_scope scope; /* rank i is on harts[i]; a hart may stand there more than once */
	enum co_team_form form;
	const char *name; /* of the coroutines of co_team_run(); NULL: "member" */

	struct co_aword last; /* from here on the runtime's: the members, the last to come first */
	struct co_a32 come;   /* how many have come */
	struct co_a32 broken; /* before all had come, or after that */
	struct co_event open; /* all have come, or it is broken */
	struct co_counter present;
	struct co_aword ended; /* members that have ended early, in a list: their memory */
	struct co_a32 gone;    /* number of members that have ended early */
	struct co_batch members;
	co_member_fn *fn;
	void *arg;
	struct co_a32 failures;
	int error;                           /* the first one */
	const struct co_team_beyond *beyond; /* NULL: all members are on this board */
};

/*
 * Run fn(me, arg) as each member, in a coroutine on its hart, and wait for all of them.
 * @param t  not running yet; the runtime's part need not be zero
 * @return 0: all have returned 0; else the result of the first to fail; -EINVAL: the scope has no
 *         harts, or one that does not exist; -ENOBUFS, -EHOSTDOWN: a member could not be started,
 *         or its hart was lost; -ENOMEM: a hart's scratchpad heap has no room for a member;
 *         -EFAULT: a fault has ended one; -ECANCELED: this coroutine was cancelled, and so were all
 *         members. All have ended in any case.
 * Context: coroutine. Order: members see all that the caller wrote, and it sees all that they
 * wrote. Cost: a spawn, an opening and a close a member.
 */
CO_MUST_CHECK int co_team_run(struct co_team *t, co_member_fn *fn, void *arg);

/*
 * Become the member of a rank, in a coroutine of one's own, and wait until all have come.
 * @param rank  the calling hart's by t->scope, nobody else's (asserted)
 * @param me    where the member goes; used by this coroutine alone
 * @return 0; -EINVAL: the rank does not exist, or is another hart's; -ENOMEM: no room in this
 *         hart's scratchpad; -EOWNERDEAD: another has failed to come; -ETIMEDOUT; -ECANCELED. After
 *         an error but -EINVAL the team is broken: when all have returned it can be filled in anew.
 * Context: coroutine. Cost: a wait and a look at every other member; 1216 bytes of scratchpad and
 * 16 for each rank (1024 and 12 where words have 32 bits).
 */
CO_MUST_CHECK int co_team_open(struct co_team *t, unsigned rank, struct co_member **me);
CO_MUST_CHECK int co_team_open_until(struct co_team *t, unsigned rank, struct co_member **me,
				     uint64_t deadline);

/*
 * In an image of ranks (cohart/process.h): the member of this rank in the team of all ranks; rank i
 * of the image is rank i of the team. The first call opens it, as co_team_open(); it is closed when
 * the rank ends, which therefore waits for the end of all ranks.
 * @return as co_team_open().
 * Context: the coroutine of a rank's main() (asserted). Cost: the first call as co_team_open(), a
 * few instructions then.
 */
CO_MUST_CHECK int co_team_of_ranks(struct co_member **me);

/*
 * Leave; waits until all others leave, or have ended, whatever becomes of this coroutine.
 * Context: the coroutine that has opened it (asserted).
 */
void co_team_close(struct co_member *me);

/* Break the team: for a member that cannot go on. Context: the coroutine that has opened it. */
void co_team_break(struct co_member *me);

/* Its rank, and how many there are. Context: any. */
unsigned co_member_rank(const struct co_member *me);
unsigned co_member_ranks(const struct co_member *me);

/*
 * Wait until all members have come here.
 * @return 0; -EOWNERDEAD: it is broken; -ECANCELED: this coroutine was cancelled, but the member
 *         has come (cohart/barrier.h).
 * Context: the member's coroutine. Order: what any member wrote before is seen by all after it.
 * Cost: as co_barrier_wait().
 */
CO_MUST_CHECK int co_team_barrier(struct co_member *me);

/*
 * co_team_barrier() in which messages go on, and all that co_team_go_on() has named: a collective.
 * @return 0; -EOWNERDEAD: the team is broken; -ECANCELED: this coroutine was cancelled, and so it
 *         is.
 * Context: the member's coroutine. Order: as co_team_barrier().
 * Cost: 342 instructions (row meet_team,64), and the tree of a barrier (cohart/barrier.h): a remote
 * write up and one down for each member.
 */
CO_MUST_CHECK int co_team_sync(struct co_member *me);

/*
 * Copy the root's bytes to all other members.
 * @param root  a rank
 * @param data  at the root the data to send, elsewhere where it goes. The root's is in memory that
 *              every hart may use (asserted) if there are more than CO_TEAM_SHORT bytes
 * @return 0: it is here, or, at the root, on its way (all have it, if it is longer than
 *         CO_TEAM_SHORT): data may be changed; -EINVAL: no rank `root`; -EMSGSIZE, -EBADMSG: the
 *         root has sent more, or fewer, bytes; as many as fit are here; -EOWNERDEAD: the team is
 *         broken; -ECANCELED: this coroutine was cancelled, and so it is. After an error data may
 *         be written in part.
 * Context: the member's coroutine. Order: all members see afterwards all that the root wrote
 * before. Cost: a remote write for each 8 bytes and flag and one for its acknowledgement, for each
 * member; about 100 instructions a member, and the copy.
 */
CO_MUST_CHECK int co_broadcast(struct co_member *me, unsigned root, void *data, size_t bytes);

/*
 * co_broadcast() of up to CO_TEAM_SHORT bytes. If the root has more, all members learn how many,
 * and no data is sent.
 * @param bytes  that `data` has, and the root sends
 * @param sent   the number that the root sends. Of more than `bytes` the first ones are in `data`
 * @return 0; -EINVAL, -EOWNERDEAD, -ECANCELED as co_broadcast().
 * Context, Order: as co_broadcast(). Cost: as a short broadcast.
 */
CO_MUST_CHECK int co_broadcast_short(struct co_member *me, unsigned root, void *data, size_t bytes,
				     size_t *sent);

/*
 * Copy to each member its part of the root's data: rank i gets `bytes` from `from` + i * bytes.
 * @param from   the root's, in memory that every hart may use (asserted); not looked at elsewhere
 * @param bytes  of one part
 * @param to     where the member's own part goes
 * @return as co_broadcast(), and, at the root, 0: all have their parts; -EINVAL also if all parts
 *         together are larger than memory.
 * Context, Order: as co_broadcast(). Cost: as a broadcast of a word, an acknowledgement from each
 * member to its parent in the tree, and a copy by each.
 */
CO_MUST_CHECK int co_scatter(struct co_member *me, unsigned root, const void *from, size_t bytes,
			     void *to);

/*
 * Copy a part of each member to the root: that of rank i to `to` + i * bytes.
 * @param from   the member's part
 * @param to     the root's, in memory that every hart may use (asserted); not looked at elsewhere
 * @return as co_scatter(); at the root 0: all are there; elsewhere: `from` may be changed.
 * Context: the member's coroutine. Order: the root sees afterwards all that the members wrote
 * before.
 * Cost: as co_scatter().
 */
CO_MUST_CHECK int co_gather(struct co_member *me, unsigned root, const void *from, size_t bytes,
			    void *to);

/*
 * ---- Reductions ----
 *
 * Values of up to CO_TEAM_SHORT bytes go up the tree in lines, are combined by its members, and
 * come down as lines. The tree depends on root and number of members alone: so do a sum's bits.
 */

/* value = value op right; both have the collective's bytes. Must not wait. */
typedef void co_combine_fn(void *value, const void *right, void *arg);

/*
 * Combine the values of all members into the root's: in the order of ranks from the root on, and
 * rank 0 behind the last.
 * @param value  the member's; at the root the result, elsewhere unchanged
 * @return 0; -EINVAL: no rank `root`, or more than CO_TEAM_SHORT bytes; -EMSGSIZE, -EBADMSG:
 *         members do not agree on the bytes, and `value` is unchanged; -EOWNERDEAD, -ECANCELED as
 *         co_broadcast().
 * Context, Order: as co_gather(). Cost: a line from each member to its parent, and an
 * acknowledgement.
 */
CO_MUST_CHECK int co_reduce(struct co_member *me, unsigned root, void *value, size_t bytes,
			    co_combine_fn *fn, void *arg);

/*
 * Combine the values of all members, in the order of ranks, into each member's.
 * @param value  the member's, then the result
 * @return as co_reduce().
 * Context: the member's coroutine. Order: what any member wrote before is seen by all after it.
 * Cost: a line up and a line down for each member.
 */
CO_MUST_CHECK int co_all_reduce(struct co_member *me, void *value, size_t bytes, co_combine_fn *fn,
				void *arg);

/*
 * Combine the values of all ranks up to each.
 * @param value   the member's, then the result with it
 * @param before  where the result without it goes, NULL: nowhere; untouched at rank 0
 * @return as co_reduce().
 * Context: the member's coroutine. Order: a member sees afterwards what all ranks before it wrote
 * before. Cost: as co_all_reduce().
 */
CO_MUST_CHECK int co_scan(struct co_member *me, void *value, void *before, size_t bytes,
			  co_combine_fn *fn, void *arg);

/*
 * ---- Meanwhile ----
 *
 * While a member waits in a collective, but co_team_barrier(), the messages that it has begun to
 * receive (cohart/message.h) go on. Other work of its coroutine goes on by functions:
 */
struct co_team_meanwhile {
	bool (*news)(void);  /* is there something to do? Looks only */
	void (*go_on)(void); /* do it; must not wait */
};

/*
 * From now on a wait of this member in a collective calls go_on() after messages, and does not
 * sleep while there is news.
 * @param meanwhile  kept by reference; NULL: nothing is under way any more
 * Context: the member's coroutine. Cost: a few instructions.
 */
void co_team_go_on(struct co_member *me, const struct co_team_meanwhile *meanwhile);
CO_END_C
#endif
