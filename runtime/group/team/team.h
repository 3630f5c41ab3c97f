/*
 * team.h - a member of a team, and the interface between team.c and collective.c.
 *
 * Each member counts the collectives; a line of number k lies in slot k % CO_TEAM_DEPTH of its
 * receiver. Between two members is a lane (comm/lf/lane.h), but the peers with
 * whom a member exchanges lines change with the root: so it has acknowledgements from each rank,
 * and tells its count to the member from which it expects the next line, unless that member knows
 * it.
 *
 * A line up the tree lies in a slot that the parent has for each of its children, one at a time. A
 * line says how far its sender is, too: its receiver needs no acknowledgement to send the next line
 * back.
 */
#ifndef COHART_GROUP_TEAM_H
#define COHART_GROUP_TEAM_H

#include <cohart/team.h>

#include "../../comm/barrier/barrier.h"
#include "../../comm/lane/lane.h"

#define CO_TEAM_WORDS (CO_LINE / sizeof(uintptr_t) - 1) /* of a line, beside its flag */
#define CO_TEAM_NOBODY UINT32_MAX
#define CO_TEAM_UPS (CO_TEAM_FEW - 1) /* children of a member that lines go up from, at most */

_Static_assert(1 + CO_TEAM_SHORT / sizeof(uintptr_t) <= CO_TEAM_WORDS, "a short one fits a line");

/* The words of an item of a map. */
#define CO_ITEM_WORDS 2

/* The head of a block that lives as long as the member, at most. */
struct co_member_block {
	struct co_member_block *next, **link; /* the next block; the pointer to this block */
};

/*
 * Sleep once in the port, whose messages go on, until ask() finds a reason not to, or the wait has
 * ended. -EAGAIN: nothing is to go on meanwhile, and the caller sleeps by itself.
 */
typedef int co_member_serve_fn(struct co_member *m, co_lane_ask_fn *ask, void *arg);

struct co_member {
	struct co_barrier_member in_barrier;
	/* Others write these. */
	struct co_waitq queue; /* the member, while it waits */
	struct co_a32 broken;
	/* `ranks` if there is a port, and the team is whole; else 0: one look for quick ways. */
	struct co_a32 reach;
	struct co_aword to_fetch; /* messages (message/port.h), newest first, by the queue's lock */
	struct co_a32 callable; /* the member writes it. 1: it sleeps in place: co_member_call() */
	alignas(CO_LINE) unsigned char slots[CO_TEAM_DEPTH][CO_LINE]; /* struct co_lane_slot */
	unsigned char ups[CO_TEAM_UPS][CO_LINE]; /* struct co_lane_slot, of each child */
	/* The member's own; others read `copies`, `next`, `waiter`, `self`. */
	alignas(CO_LINE) struct co_a32 copies; /* 1: it uses the root's memory, unless broken */
	struct co_team *team;
	struct co_member *next; /* the member that came before it */
	struct co_member *next_ended;
	struct co_lane_waiter waiter;   /* in `queue` */
	struct co *self;                /* its coroutine */
	struct co_member_block *blocks; /* more of this hart's heap, freed with the member */
	struct co_port *port;           /* for messages; NULL: it has sent and received none yet */
	co_member_serve_fn *serve;      /* the port's; NULL: it has none */
	const struct co_team_meanwhile *meanwhile;
	struct co_cleanup cleanup;
	struct co_barrier barrier; /* this member's view of it */
	uint32_t rank, ranks;
	struct co_lane_cursor in; /* on `line`; its count is that of collectives */
	uint32_t done,
		reported; /* of a map: items this member has done; that are said to be done */
	uint32_t knower;  /* the rank that knows the count; CO_TEAM_NOBODY: none */
	/* The tree of the last root. */
	uint32_t tree_of[2]; /* the root, by the way of lines that the tree is for: collective.c */
	uint32_t root, parent; /* ranks */
	uint32_t nth;          /* of its parent's children */
	uint32_t since;        /* the count when the tree was set: the children may not know it */
	bool asks;      /* an acknowledgement says whether the parent has read the last line up */
	uint32_t below; /* the children have read all lines of collectives before that number */
	uint32_t children;
	uint32_t child[2]; /* relative to the root; others, of a linear form, come after these */
	/* The tree of co_team_sync(), that of the barrier: ranks. */
	bool linked;
	uint32_t above, below_it;
	uint32_t below_at[CO_BARRIER_BELOW];
	struct co_lane_ack *ack; /* of each rank, which writes it, but `wake` is lowered here */
	struct co_barrier_member *at[]; /* of each rank: in_barrier; the acknowledgements follow */
};

static inline struct co_member *co_member_at(const struct co_member *m, uint32_t rank)
{
	/* As an int, which it fits into: RISC-V extends the sign of a 32-bit argument, no zeros. */
	return co_container_of(m->at[(int32_t)rank], struct co_member, in_barrier);
}

/*
 * Begin to use memory of other members, which stays until co_member_let_go(). Returns false if the
 * team is broken: then they may be gone. Never waits in between.
 */
static inline bool co_member_reach(struct co_member *m)
{
	/* seq_cst: before the look; pairs with co_team_break(). */
	co_atomic_store(&m->copies, 1, CO_SEQ_CST);
	if (!co_atomic_load(&m->broken, CO_SEQ_CST))
		return true;
	/* relaxed: it has touched nothing. */
	co_atomic_store(&m->copies, 0, CO_RELAXED);
	return false;
}

static inline void co_member_let_go(struct co_member *m)
{
	/* release: the member's reads and writes; pairs with co_team_break(). */
	co_atomic_store(&m->copies, 0, CO_RELEASE);
}

/*
 * Call m if it waits in no queue. The caller has written the word that m waits for, seq_cst: m
 * first says that it is callable, then looks at that word.
 */
static inline void co_member_call(struct co_member *m)
{
	/* seq_cst: after the word that m waits for; pairs with co_member_ask(). */
	if (co_atomic_load(&m->callable, CO_SEQ_CST))
		co_call(m->waiter.at, m->waiter.doorbell);
}

/*
 * The first step of a co_lane_ask_fn of a member: tell members without a lane how to wake it. True:
 * the team is broken.
 */
INLINE bool co_member_ask(struct co_member *m, uint32_t how)
{
	/* seq_cst: before the looks; pairs with co_member_call() and tell_sender(), port.c. */
	co_atomic_store(&m->callable, how == CO_LANE_CALLED, CO_SEQ_CST);
	/* seq_cst: after it, or the entry in the queue; pairs with co_team_break(). */
	return co_atomic_load(&m->broken, CO_SEQ_CST);
}

/* The last step of a member's wait, which has resulted in r. Returns r. */
INLINE int co_member_waited(struct co_member *m, int r)
{
	/* relaxed: a call that is late is spurious. */
	co_atomic_store(&m->callable, 0, CO_RELAXED);
	return r;
}

/*
 * The ranks of a team that spans boards (libs/cluster): from `first` on, one for each hart of the
 * scope, they are here; messages for all others go to the stand-in. It takes no part in
 * collectives: members of a team that spans boards exchange messages, and nothing else.
 */
struct co_team_beyond {
	uint32_t first, ranks;
	struct co_member *stand_in;
};

/*
 * ranks.c: have the team of all ranks span boards. The stand-in is a member of the calling hart, in
 * no list; its `self` is to be set. Context: hart 0, before any rank opens the team.
 * @return false: there is no room in the scratchpad.
 */
bool co_team_of_ranks_spans(struct co_team_beyond *beyond);

/* team.c: a member in no list; NULL: there is no room. */
struct co_member *co_team_stand_in(struct co_team *t, uint32_t ranks);
/* Have all members here come? Then note where they are. Context: the stand-in's hart. */
bool co_team_stand_in_ready(struct co_member *stand_in);

extern const char co_wait_collective[]; /* kind of a wait in a collective */

/*
 * team.c: of this hart's heap, the first bytes zeroed; begins with a co_member_block. NULL: there
 * is no room.
 */
void *co_member_take(struct co_member *m, size_t bytes, size_t zeroed);
/* co_member_take() of main memory, which is not zeroed. */
void *co_member_take_main(struct co_member *m, size_t bytes);
void co_member_give(struct co_member *m, void *block);

/* ---- collective.c ---- */

/* Ways of lines: of `tree_of` of a member. */
enum co_team_way { CO_TEAM_DOWN, CO_TEAM_UP };

void co_team_set_tree(struct co_member *m, uint32_t root, enum co_team_way way);

/* The rank of a child. */
static inline uint32_t co_team_child(const struct co_member *m, uint32_t i)
{
	uint32_t child = (i < 2 ? m->child[i] : i + 1) + m->root;

	return child < m->ranks ? child : child - m->ranks;
}

/* This member's acknowledgement at `rank`, which lies there as in all members. */
static inline struct co_lane_ack *co_team_ack_at(const struct co_member *m, uint32_t rank)
{
	uintptr_t offset = (uintptr_t)&m->ack[m->rank] - (uintptr_t)m;

	return (struct co_lane_ack *)((uintptr_t)co_member_at(m, rank) + offset);
}

/* Wake `rank`, if it may sleep for the word that was just written there. */
static inline void co_team_wake(struct co_member *m, uint32_t rank)
{
	co_lane_wake(&m->ack[rank].wake, &co_member_at(m, rank)->waiter);
}

/* Send a line of CO_ITEM_WORDS to each child. */
CO_MUST_CHECK int co_team_send_item(struct co_member *m, const uintptr_t *line);

/*
 * items.c: items of a map (pipeline.c), in place of collectives. For each item, rank 0 puts a
 * line of two words down the tree; each other member takes it, and passes it on. A member counts
 * the items that it has done in `done`. The acknowledgement of a line reports that a member and all
 * below it have done the item. So rank 0 knows how many items all members have done: `reported`.
 */
void co_items_begin(struct co_member *m);
CO_MUST_CHECK int co_items_put(struct co_member *m, const uintptr_t *line);
CO_MUST_CHECK int co_items_take(struct co_member *m, uintptr_t *line);

/* Report; returns whether there is news. */
bool co_items_report(struct co_member *m);

/* Rank 0: wait until there is. Returns 0, -EOWNERDEAD, -ECANCELED. */
CO_MUST_CHECK int co_items_await(struct co_member *m);

/* A co_lane_ask_fn: is there news, a line, or no team any more? */
bool co_items_ask(void *member, uint32_t how);

#endif
