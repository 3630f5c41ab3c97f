/*
 * hart.h - harts, their roles, their groups; sets of harts.
 *
 * Example
 *	const struct co_group *g = co_group(co_hart_group(co_hart()));
 *	printf("hart %u of %u; %u compute harts in my group\n", co_hart(), co_harts(), g->computes);
 *
 * Example: a loop on the compute harts of this hart's node
 *	loop.scope = co_scope_here(CO_NODE, CO_ROLE_COMPUTE);
 *
 * The topology is chosen at boot (--topology=4x(1+64), or a preset) and does not change. Harts of a
 * group are numbered one after the other: its management hart, compute harts, move harts. --node=N
 * makes N neighbouring groups a node, --super-node=N so many nodes a super-node; the last one may
 * have fewer. Without them all groups are one node, and all nodes one super-node.
 * Context of every function here: any. Cost: a load or two.
 */
#ifndef COHART_HART_H
#define COHART_HART_H

#include <cohart/detail/base.h>

CO_BEGIN_C
enum co_role {
	CO_ROLE_MANAGE = 1,  /* schedules, does I/O for its group */
	CO_ROLE_COMPUTE = 2, /* runs what the scheduler gives it */
	CO_ROLE_MOVE = 4,    /* moves memory for its group: cohart/dma.h */
};

/* A management hart with its compute and move harts. A single hart is its own group. */
struct co_group {
	unsigned manager;  /* hart */
	unsigned compute;  /* first compute hart */
	unsigned computes; /* how many follow; 0 in a group that only manages others */
	unsigned movers;   /* harts after these that move memory */
};

/* The calling hart, 0..co_harts()-1. */
unsigned co_hart(void);

/* Harts that run. */
unsigned co_harts(void);

/* Groups, at least 1. */
unsigned co_groups(void);

/* @param g  0..co_groups()-1 (asserted). */
const struct co_group *co_group(unsigned g);

/* @param hart  0..co_harts()-1 (asserted). Returns a set of enum co_role. */
unsigned co_hart_role(unsigned hart);

/* @param hart  0..co_harts()-1 (asserted). */
unsigned co_hart_group(unsigned hart);

/* Parts of the machine (locality domains), each within the one before it. */
enum co_locality {
	CO_ALL_HARTS,
	CO_SUPER_NODE,
	CO_NODE,
	CO_GROUP,
};

/* How many there are of that kind, at least 1. */
unsigned co_localities(enum co_locality kind);

/* The one that a hart belongs to. @param hart  0..co_harts()-1 (asserted). */
unsigned co_hart_locality(unsigned hart, enum co_locality kind);

/*
 * A set of harts in an order, for what takes harts: loops, tiles, tasks, teams. Zero-filled, it is
 * the compute harts of the machine; { harts, n } are those of a list, in memory that every hart may
 * use, which stays and does not change.
 */
struct co_scope {
	const unsigned *harts;
	unsigned n;
};

/*
 * The harts of a part that have one of these roles, in the order of their numbers; there may be
 * none.
 * @param which  0..co_localities(kind)-1 (asserted)
 * @param roles  a set of enum co_role, not empty (asserted)
 * Cost: a look at each group.
 */
struct co_scope co_scope_of(enum co_locality kind, unsigned which, unsigned roles);

/* The same of the part that the calling hart belongs to. */
struct co_scope co_scope_here(enum co_locality kind, unsigned roles);

/*
 * Has an answer of that hart to the watch (debug.h) been pending for longer than the limit of
 * --watch=?
 * @param hart  0..co_harts()-1 (asserted); of hart 0 it is known where the board has alarms
 * (debug.h)
 */
bool co_hart_silent(unsigned hart);

/* Is that hart lost, by its own fault or given up (co_watch_give_up())? */
bool co_hart_gone(unsigned hart);

/*
 * Can that hart compare and swap? Those of a topology that ends in "-cas" that do not manage only
 * add and swap, as on SW26010; none can in a build with NOCAS=1. Channels by default take that into
 * account.
 * @param hart  0..co_harts()-1 (asserted)
 * Source: seed A5.
 */
bool co_hart_has_cas(unsigned hart);

/* "manage", "compute", "manage+compute" or "move". */
const char *co_role_name(unsigned role);

/* The topology as it was asked for: "sw26010", "1x(1+4)". */
const char *co_topology(void);

/* The board's name: "qemu-virt-rv64". */
const char *co_board(void);
CO_END_C
#endif
