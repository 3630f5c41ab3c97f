/*
 * plan.h - what belongs in the scratchpad: which arrays whole, which through buffers of what size.
 *
 * Example
 *	struct co_plan_array arrays[] = {
 *		{ .name = "table", .bytes = 8192, .accesses = 900000 },
 *		{ .name = "image", .bytes = 4 << 20, .accesses = 3 << 20, .passes = 1 },
 *	};
 *	static struct co_plan plan = { .array = arrays, .arrays = 2, .budget = 160 << 10 };
 *	char line[CO_PLAN_LINE];
 *	int r = co_plan_make(&plan);
 *
 *	for (unsigned i = 0; r == 0 && co_plan_line(&plan, i, line); i++)
 *		puts(line);
 *
 * An array is left in main memory, put into the scratchpad whole, or passed through two buffers of
 * one of the sizes that are given. What is chosen saves the most cycles of all choices that the
 * budget has room for (a multiple-choice knapsack), if that can be found in so many steps
 * (`exact`); else it is the best that was found, and `bound` says what no choice can exceed.
 *
 * Numbers come from whoever knows them, or from a run: `make run LOCALITY=...` and
 * `tools/locality --arrays` print the lines that co_plan_read() reads.
 *
 * Context: any, for every function. Source: seed E13.
 */
#ifndef COHART_PLAN_H
#define COHART_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/wait.h>

#define CO_PLAN_ARRAYS 32
#define CO_PLAN_SIZES 6 /* buffer sizes to choose from */
#define CO_PLAN_NAME 32
#define CO_PLAN_LINE 192
#define CO_PLAN_WORK 16384

enum co_plan_place { CO_PLAN_MAIN, CO_PLAN_WHOLE, CO_PLAN_BUFFERED };

struct co_plan_array {
	char name[CO_PLAN_NAME];
	size_t bytes;
	uint64_t accesses;
	/* How often it is gone through from end to end; 0: accesses jump, so no buffer helps. */
	uint32_t passes;
	/* Bytes of a buffer, of which there are two; all 0: 512 to 16 KiB, each twice the last. */
	size_t buffer[CO_PLAN_SIZES];

	/* What was chosen. */
	enum co_plan_place place;
	size_t chosen;  /* bytes of a buffer, if buffered */
	size_t taken;   /* bytes of the scratchpad */
	uint64_t saved; /* cycles */
};

struct co_plan {
	struct co_plan_array *array;
	unsigned arrays; /* at most CO_PLAN_ARRAYS */
	size_t budget;   /* bytes of the scratchpad, at most UINT32_MAX / 2 */
	/*
	 * Cycles: of an access to main memory and to the scratchpad, of a transfer's start and for
	 * each 1024 bytes of it. All 0: those of SW26010 (278, 4, 435, 44).
	 */
	uint32_t far, near, start, kib;
	uint32_t steps; /* to look for the best; 0: 100000 */

	size_t taken;
	uint64_t saved;
	uint64_t bound; /* no choice saves more; `saved` if that is exact */
	bool exact;

	uint64_t work[CO_PLAN_WORK / 8]; /* from here on the planner's */
};

/*
 * Choose. @return 0; -EINVAL: more than CO_PLAN_ARRAYS, an array without bytes, or a budget beyond
 * its limit.
 * Cost: `steps` times the number of sizes of all arrays, at most.
 */
CO_MUST_CHECK int co_plan_make(struct co_plan *plan);

/*
 * Line i of a report: the arrays in their order, then the sum.
 * @return false: there is no such line
 */
bool co_plan_line(const struct co_plan *plan, unsigned i, char line[CO_PLAN_LINE]);

/*
 * Read arrays from lines "array NAME BYTES ACCESSES PASSES"; empty ones, and what follows a #, are
 * left out.
 * @param n  how many there is room for, and then how many there are
 * @return 0; -EINVAL: *bad is the number of a line that is none of these; -ENOSPC: more than n.
 */
CO_MUST_CHECK int co_plan_read(const char *text, struct co_plan_array *array, unsigned *n,
			       unsigned *bad);

#endif
