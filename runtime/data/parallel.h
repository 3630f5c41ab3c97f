/*
 * parallel.h - a loop's launch in its steps, for who does not wait right after it (stream.c).
 */
#ifndef COHART_DATA_PARALLEL_H
#define COHART_DATA_PARALLEL_H

#include <cohart/parallel.h>

/* Look whether p makes sense, and how it is cut. @return 0; -EINVAL */
int co_parallel_check(struct co_parallel *p);
/* Start its members. @return 0; -ENOMEM; -EAGAIN: none could be started. */
int co_parallel_launch(struct co_parallel *p);
/*
 * Its members have ended: combine their partial results. @return as co_parallel_wait(). Context:
 * the hart that has launched it.
 */
int co_parallel_finish(struct co_parallel *p);

#endif
