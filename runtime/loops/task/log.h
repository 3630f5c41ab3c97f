/*
 * log.h - the format of the file of finished tasks: a head, then records of one size, each with a
 * checksum over its contents, its file and its place. A record is whole, or it ends the file, as
 * when a run was killed in the middle of writing it. Numbers are little-endian.
 *
 * No files and no tasks here, only bytes and numbers.
 */
#ifndef COHART_LOOPS_TASK_LOG_H
#define COHART_LOOPS_TASK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CO_TASK_LOG_HEAD 24
#define CO_TASK_LOG_RECORD 16

/* Identifies a log. */
struct co_task_log {
	uint32_t total; /* tasks, 0 to total - 1 */
	uint32_t tag;   /* the program's own number */
	uint32_t sum;   /* of the head; part of each record's sum */
};

/* Write a head for `total` and `tag`; fills in the sum. */
void co_task_log_begin(struct co_task_log *log, unsigned char head[CO_TASK_LOG_HEAD]);

/* Read a head. Returns 0, or -EBADMSG if these bytes are none. */
int co_task_log_open(struct co_task_log *log, const unsigned char head[CO_TASK_LOG_HEAD]);

/* Could these n bytes, fewer than a head, be the beginning of one? True for n = 0. */
bool co_task_log_begins(const unsigned char *bytes, size_t n);

/* Write a file's record number `place`: tasks first to first + count - 1 are finished. */
void co_task_log_put(const struct co_task_log *log, uint32_t place, uint32_t first, uint32_t count,
		     unsigned char record[CO_TASK_LOG_RECORD]);

/*
 * Read a file's record number `place`.
 * @return 0: there are `count` tasks from `first` on, at least one, all below log->total; -EBADMSG:
 *         it is not whole, or another file's: the file's contents end before it.
 */
int co_task_log_get(const struct co_task_log *log, uint32_t place,
		    const unsigned char record[CO_TASK_LOG_RECORD], uint32_t *first,
		    uint32_t *count);

#endif
