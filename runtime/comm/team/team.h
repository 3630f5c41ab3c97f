/*
 * team.h - a member of a team, and the interface between team.c and collective.c.
 *
 * Each member counts the collectives; a line of number k lies in slot k % CO_TEAM_DEPTH of its
 * receiver. The protocol between two members is that of a link (core/lf/link.h), but with whom a
 * member exchanges lines changes with the root: so it has acknowledgements from each other member,
 * and tells how far it is to the one from which it expects the next line, unless that knows.
 */
#ifndef COHART_COMM_TEAM_H
#define COHART_COMM_TEAM_H

#include <cohart/team.h>

#include "../../core/core.h"
#include "../../core/lf/link.h"
#include "../barrier/barrier.h"

#define CO_TEAM_WORDS (CO_LINE / sizeof(uintptr_t) - 1) /* of a line, beside its flag */
#define CO_TEAM_NOBODY UINT32_MAX

_Static_assert(1 + CO_TEAM_SHORT / sizeof(uintptr_t) <= CO_TEAM_WORDS, "a short one fits a line");

struct co_member {
	struct co_barrier_member in_barrier;
	/* Others write these. */
	struct co_waitq queue; /* the member, while it waits */
	struct co_a32 broken;
	alignas(CO_LINE) unsigned char slots[CO_TEAM_DEPTH][CO_LINE]; /* struct co_link_slot */
	/* The member's own; others read `copies` and `next`. */
	alignas(CO_LINE) struct co_a32
		copies; /* 1: it is at the root's memory, if the team is not broken */
	struct co_team *team;
	struct co_member *next; /* the one that came before it */
	struct co_member *next_ended;
	struct co_cleanup cleanup;
	struct co_barrier barrier; /* this member's view of it */
	uint32_t rank, ranks;
	struct co_link_cursor in; /* on `line`; its count is that of collectives */
	uint32_t knower;          /* the rank that knows the count; CO_TEAM_NOBODY: none */
	/* The tree of the last root. */
	uint32_t root, parent; /* ranks */
	uint32_t children;
	uint32_t child[2]; /* relative to the root; others, of a linear form, come after these */
	struct co_link_ack *ack; /* of each rank; that one writes, but `wake` is lowered here */
	struct co_barrier_member *at[]; /* of each rank: in_barrier; the acknowledgements follow */
};

static inline struct co_member *co_member_at(const struct co_member *m, uint32_t rank)
{
	return co_container_of(m->at[rank], struct co_member, in_barrier);
}

#endif
