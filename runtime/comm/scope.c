/*
 * scope.c - the machine's own barriers: of all harts, of a group, of the managers, of the compute harts.
 *
 * The seats are in the harts' windows and all zero since boot, so there is nothing to get ready. What
 * a hart needs to find them, it works out when it first comes and keeps in its private scratchpad.
 */
#include <cohart/barrier.h>

#include "../core/core.h"

struct scope {
	struct co_barrier barrier;
	uint32_t member;
	bool known;
};
static _Thread_local struct scope scopes[CO_SEATS];

/* Seats of managers and of compute harts, which do not follow each other in memory. */
static struct co_aword tables[CO_SEATS][BOARD_MAX_HARTS];
static struct co_a32 table_ready[CO_SEATS];
