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
 * group have consecutive numbers: its management hart, compute harts, move harts. --node=N makes N
 * neighbouring groups a node, --super-node=N makes N neighbouring nodes a super-node; the last node
 * or super-node may have fewer. By default all groups are one node, and all nodes one super-node.
 * Context of every function here: any. Cost: a load or two.
 */
#ifndef COHART_HART_H
#define COHART_HART_H

#include <cohart/detail/base.h>

CO_BEGIN_C
enum co_role {
	CO_ROLE_MANAGE = 1,  /* schedules, does I/O for its group */
	CO_ROLE_COMPUTE = 2, /* runs coroutines that the scheduler gives it */
	CO_ROLE_MOVE = 4,    /* moves memory for its group: cohart/dma.h */
};

/* A management hart with its compute and move harts. A single hart is its own group. */
struct co_group {
	unsigned manager;  /* hart */
	unsigned compute;  /* first compute hart */
	unsigned computes; /* number of compute harts; 0 in a group that only manages others */
	unsigned movers;   /* number of move harts, which follow the compute harts */
};

/* The calling hart, 0..co_harts()-1. */
unsigned co_hart(void);

/* The number of harts. */
unsigned co_harts(void);

/* The number of groups, at least 1. */
unsigned co_groups(void);

/* @param g  0..co_groups()-1 (asserted). */
const struct co_group *co_group(unsigned g);

/* @param hart  0..co_harts()-1 (asserted). @return a set of enum co_role. */
unsigned co_hart_role(unsigned hart);

/* @param hart  0..co_harts()-1 (asserted). @return the number of its group. */
unsigned co_hart_group(unsigned hart);

/* The kinds of localities: parts of the machine, each within a part of the kind before. */
enum co_locality {
	CO_ALL_HARTS,
	CO_SUPER_NODE,
	CO_NODE,
	CO_GROUP,
};

/* The number of localities of a kind, at least 1. */
unsigned co_localities(enum co_locality kind);

/* The locality that a hart belongs to. @param hart  0..co_harts()-1 (asserted). */
unsigned co_hart_locality(unsigned hart, enum co_locality kind);

/*
 * A set of harts in an order, for loops, tiles, tasks and teams. Zero-filled: the compute harts of
 * the machine; { harts, n }: the n harts of a list, which stays unchanged in memory that every hart
 * may use.
 */
struct co_scope {
	const unsigned *harts;
	unsigned n;
};

/*
 * The harts of a locality that have one of the roles, in the order of their numbers; the scope may
 * be empty.
 * @param which  0..co_localities(kind)-1 (asserted)
 * @param roles  a set of enum co_role, not empty (asserted)
 * Cost: a look at each group.
 */
struct co_scope co_scope_of(enum co_locality kind, unsigned which, unsigned roles);

/* As co_scope_of(), for the locality that the calling hart belongs to. */
struct co_scope co_scope_here(enum co_locality kind, unsigned roles);

/*
 * Is a hart silent: has its answer to the watch (debug.h) been pending for longer than the limit of
 * --watch=?
 * @param hart  0..co_harts()-1 (asserted); of hart 0 it is known only where the board has alarms
 *              (debug.h)
 */
bool co_hart_silent(unsigned hart);

/* Is a hart lost, by its own fault or given up (co_watch_give_up())? */
bool co_hart_gone(unsigned hart);

/*
 * Has a hart compare-and-swap? In a topology that ends in "-cas" only management harts have it; the
 * rest only add and swap, as on SW26010. In a build with NOCAS=1 no hart has it. CO_CLAIM_DEFAULT
 * of a channel follows this.
 * @param hart  0..co_harts()-1 (asserted)
 * Source: seed A5.
 */
bool co_hart_has_cas(unsigned hart);

/*
 * Bytes of the program's own _Thread_local variables, which each hart has a copy of: coroutines of
 * a hart share it. 0 where the operating system makes them (BOARD=host). Variables of archives
 * that the program is linked with are not counted.
 */
size_t co_hart_thread_locals(void);

/*
 * In one file, outside of functions: every hart may use all harts' _Thread_local variables by their
 * addresses, which are private to a hart elsewhere. Nothing keeps a wild write out of them then.
 */
#define CO_SHARE_THREAD_LOCALS                     \
	extern const char co_thread_locals_shared; \
	const char co_thread_locals_shared = 1

/* "manage", "compute", "manage+compute" or "move". */
const char *co_role_name(unsigned role);

/* The topology as it was asked for: "sw26010", "1x(1+4)". */
const char *co_topology(void);

/* The board's name: "qemu-virt-rv64". */
const char *co_board(void);
CO_END_C
#endif
