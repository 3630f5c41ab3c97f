/*
 * log.h - the file in which finished tasks are written down: a head, then records of one size,
 * each with a sum over all that it says and over which file and place it belongs to. A record is
 * whole or it is not there: the first one that is not ends the file, as when a run was killed in
 * the middle of writing it. Numbers are little-endian.
 *
 * It knows neither files nor tasks: bytes in, numbers out, and the other way round.
 */
#ifndef COHART_DATA_TASK_LOG_H
#define COHART_DATA_TASK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CO_TASK_LOG_HEAD 24
#define CO_TASK_LOG_RECORD 16

/* Whose it is. */
struct co_task_log {
	uint32_t total; /* tasks, 0 to total - 1 */
	uint32_t tag;   /* the program's own number */
	uint32_t sum;   /* of the head; goes into each record's */
};

/* Write a head for `total` and `tag`; fills in the sum. */
void co_task_log_begin(struct co_task_log *log, unsigned char head[CO_TASK_LOG_HEAD]);

/* Read one. @return 0; -EBADMSG: these bytes are no such head. */
int co_task_log_open(struct co_task_log *log, const unsigned char head[CO_TASK_LOG_HEAD]);

/* Could these n bytes, fewer than a head, be the beginning of one? No bytes could. */
bool co_task_log_begins(const unsigned char *bytes, size_t n);

/* Write a file's record number `place`: tasks first to first + count - 1 are finished. */
void co_task_log_put(const struct co_task_log *log, uint32_t place, uint32_t first, uint32_t count,
		     unsigned char record[CO_TASK_LOG_RECORD]);

/*
 * Read a file's record number `place`.
 * @return 0: there are `count` tasks from `first` on, at least one, all below log->total; -EBADMSG:
 *         it is not whole, or another file's: what the file says ends before it.
 */
int co_task_log_get(const struct co_task_log *log, uint32_t place,
		    const unsigned char record[CO_TASK_LOG_RECORD], uint32_t *first,
		    uint32_t *count);

#endif
