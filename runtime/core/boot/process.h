/* process.h - process.c's interface for boot, for launch.c and for exit(). */
#ifndef COHART_CORE_PROCESS_H
#define COHART_CORE_PROCESS_H

#include <cohart/process.h>

#include "../core.h"
#include "../memory/image.h"

/* Why a rank ends the run. */
enum co_rank_end { CO_RANK_FAULTS, CO_RANK_LOST, CO_RANK_EXITS, CO_RANK_LEAVES };

struct co_rank {
	bool needed;                 /* co_process_need() */
	char **argv;                 /* its own copy, argc of them */
	struct co *main;             /* the coroutine that runs main() */
	char name[16];               /* its name */
	void *group;                 /* what at_end is called with */
	void (*at_end)(void *group); /* or NULL; in the rank's main(), when it ends */
	enum co_rank_end why;
	int code;
	struct co_msg end; /* to hart 0: end the run */
};

/* A variable of the runtime that each rank has for itself. In other images there is one. */
#define CO_PER_RANK __attribute__((section(".private")))

/* There are co_machine.ranks. Hart 0 writes them at boot, their harts from then on. */
extern struct co_rank *co_ranks;

/*
 * process.c is in images of ranks alone, and where a program asks for its rank. Take memory for all
 * ranks' private data and arguments. Context: hart 0, before memory is carved.
 */
void co_process_make(int argc, char **argv) __attribute__((weak));

/* The most page tables that co_process_map() takes, on all harts. */
size_t co_process_map_pages(void) __attribute__((weak));

/*
 * Make this hart's private data, if it has a rank, and map it in its view of `shared`.
 * @return as hal_map_own()
 */
int co_process_map(uintptr_t view, uintptr_t shared, unsigned hart) __attribute__((weak));

/* Tell a locality plug-in of this map. Context: the hart, on its view. */
void co_process_mark(unsigned hart) __attribute__((weak));

/* The hart's rank, without that file where there are none. */
unsigned co_process_rank(void) __attribute__((weak));

static inline unsigned co_rank_here(void)
{
	return co_process_rank ? co_process_rank() : CO_NO_RANK;
}

/*
 * launch.c, which is in images of ranks alone: exit(), on a rank's hart; _exit(), without the exit
 * handlers. The rank ends with `code`; if a coroutine other than the rank's main() calls it, or the
 * code is not 0, all ranks end.
 */
_Noreturn void co_process_exit(int code, bool handlers) __attribute__((weak));

/* launch.c: c, on this hart, has faulted: if it is of a rank, all ranks end. Context: c. */
void co_process_faulted(struct co *c) __attribute__((weak));

#endif
