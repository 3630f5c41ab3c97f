/*
 * local.h - variables in main memory with a copy for each node, or for each hart.
 *
 * Example: a lock and a sum for each node (hart.h)
 *	static CO_NODE_LOCAL(struct co_mutex, lock);
 *	static CO_NODE_LOCAL(long, sum) = 1000;
 *	int r = co_mutex_lock(co_node_copy(lock));
 *	*co_node_copy(sum) += part;                    // the copy of the calling hart's node
 *	co_mutex_unlock(co_node_copy(lock));
 *	for (unsigned i = 0; i < co_localities(CO_NODE); i++)
 *		all += *co_copy(sum, i);
 *
 * Example: too large for a scratchpad
 *	static CO_HART_LOCAL(double, buffer)[8192];
 *	double *mine = *co_hart_copy(buffer);
 *
 * Each copy begins with the initial value, and every hart may use all copies. The name by itself is
 * copy 0. A small variable for one hart alone is better in its scratchpad: _Thread_local.
 * Source: seeds E4, E9.
 */
#ifndef COHART_LOCAL_H
#define COHART_LOCAL_H

#include <cohart/detail/base.h>
#include <cohart/hart.h>

CO_BEGIN_C
/* Begin the definition of a variable with copies, aligned to 64 bytes at most. */
#define CO_NODE_LOCAL(type, name) __attribute__((section("co_per_node"))) type name
#define CO_HART_LOCAL(type, name) __attribute__((section("co_per_hart"))) type name

/*
 * A pointer to copy i of a variable: the copy of node i, or of hart i. It has the type of the
 * variable's address.
 * @param i  a node, or a hart, that exists (asserted)
 * Context: any. Cost: about 15 instructions.
 */
#define co_copy(name, i) ((__typeof__(name) *)co_copy_at(&(name), (i)))

/* Pointers to the copy of the calling hart's node, and to the copy of the calling hart. */
#define co_node_copy(name) co_copy(name, co_hart_locality(co_hart(), CO_NODE))
#define co_hart_copy(name) co_copy(name, co_hart())

/*
 * A pointer to the copy that the calling hart's super-node shares: its first node's copy, of a
 * variable with a copy for each node. So one variable has locks for nodes, for super-nodes or, as
 * copy 0, for all harts.
 */
#define co_super_node_copy(name) co_copy(name, co_first_node(co_hart()))

/* The first node of a hart's super-node. @param hart  0..co_harts()-1 (asserted). Context: any. */
unsigned co_first_node(unsigned hart);

/* For co_copy(). @param variable  of CO_NODE_LOCAL() or CO_HART_LOCAL() (asserted) */
void *co_copy_at(const void *variable, unsigned i);
CO_END_C
#endif
