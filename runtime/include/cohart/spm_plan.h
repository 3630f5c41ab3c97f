/*
 * spm_plan.h - the table that the planner of scratchpads (make plan TABLE=1, docs/tiles.md) has
 * made, read at run time: which arrays lie in scratchpads whole, and how large the buffers of all
 * other arrays are.
 *
 * Example
 *	static struct co_plan plan;
 *	int r = co_plan_read(&plan, "weather.plan", NULL);
 *	...
 *	loop.array[0].buffer = co_plan_buffer(&plan, "old");          // of struct co_tiles
 *	r = co_plan_array(&plan, "sines", &table, sines, sizeof(sines));
 *	...
 *	const float *sine = co_spm_array_get(&table); // a copy, or sines itself: as it is planned
 *
 * A line of the table has a name, the bytes of an array that lies in the scratchpad whole, else 0,
 * and the bytes of each of its two buffers, else 0. An array of which nothing is said is treated as
 * it would be without a plan: its tiles take what room there is, and it stays in main memory.
 * Tables of several kernels may follow one another in a file: the scratchpad memory of one kernel
 * is given back when its loop ends, and serves the next.
 *
 * Source: seeds B3, E13.
 */
#ifndef COHART_SPM_PLAN_H
#define COHART_SPM_PLAN_H

#include <cohart/detail/base.h>
#include <cohart/spm_array.h>

CO_BEGIN_C
#define CO_PLAN_ROWS 32
#define CO_PLAN_NAME 32 /* bytes of a name with its end */

struct co_plan_row {
	char name[CO_PLAN_NAME];
	size_t whole, buffer; /* bytes; one of them is 0, or both are */
};

/* Zero-filled: nothing is planned. */
struct co_plan {
	struct co_plan_row row[CO_PLAN_ROWS];
	unsigned rows;
};

/*
 * Add a line of the table; nothing if it is empty, or has a # at its beginning.
 * @return 0; -EINVAL: it is no line of a table, or both numbers are not 0; -EEXIST: the name is in
 *         *p; -ENOSPC: *p has CO_PLAN_ROWS already. *p is unchanged then.
 * Context: any.
 */
CO_MUST_CHECK int co_plan_add(struct co_plan *p, const char *line);

/*
 * Read a table from a file, in place of the contents of *p.
 * @param line  after -EINVAL, -EEXIST and -ENOSPC the number of the line that is wrong; NULL: not
 *              wanted
 * @return 0; as co_plan_add(); else why the file cannot be read, negative. Nothing is planned then.
 * Context: coroutine.
 */
CO_MUST_CHECK int co_plan_read(struct co_plan *p, const char *path, unsigned *line);

/* @return the row of an array; NULL: nothing is planned. Context: any. Cost: compares all names. */
const struct co_plan_row *co_plan_of(const struct co_plan *p, const char *name);

/*
 * @return the bytes of a buffer, for struct co_tiled; 0: nothing is said.
 * Context: any. Cost: compares all names.
 */
size_t co_plan_buffer(const struct co_plan *p, const char *name);

/*
 * Make an array that co_spm_array_get() brings into scratchpads if that is planned, and it is not
 * larger than planned; else co_spm_array_get() returns `from` itself.
 * @return as co_spm_array_make()
 * Context: coroutine.
 */
CO_MUST_CHECK int co_plan_array(const struct co_plan *p, const char *name, struct co_spm_array *a,
				const void *from, size_t bytes);
CO_END_C
#endif
