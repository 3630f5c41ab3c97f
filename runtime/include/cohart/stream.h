/*
 * stream.h - loops that follow one another while the caller goes on.
 *
 * Example
 *	static struct co_stream s;
 *	int r = co_stream_open(&s, "x-direction");
 *
 *	if (r == 0)
 *		r = co_stream_start(&s, &halo);      // a co_parallel each
 *	if (r == 0)
 *		r = co_stream_start(&s, &flux);      // when halo has ended
 *	if (r == 0)
 *		r = co_stream_set(&s, &flux_done);   // an event, for another stream:
 *	...     r = co_stream_await(&other, &flux_done);
 *	r = co_stream_close(&s);                     // all of it is done
 *
 * A stream is a coroutine of the hart that opens it, with a queue of steps. Loops of several
 * streams are under way at once. A loop that fails does not hold back later loops.
 *
 * A stream ends with the coroutine that opened it, in whatever way that ends: its loop is cancelled
 * then and waited for, and loops that wait in its queue end with -ECANCELED.
 *
 * Context: coroutine, for every function.
 */
#ifndef COHART_STREAM_H
#define COHART_STREAM_H

#include <cohart/channel.h>
#include <cohart/detail/base.h>
#include <cohart/parallel.h>
#include <cohart/sync.h>

CO_BEGIN_C
#define CO_STREAM_DEPTH 16 /* steps that wait; a caller with one more waits, too */

struct co_step {
	enum { CO_STEP_LOOP, CO_STEP_SET, CO_STEP_AWAIT } kind;
	void *what;
};

/*
 * Shared memory (asserted), the runtime's until it is closed or the caller of co_stream_open() has
 * ended: in a frame only of a function that closes it before it returns.
 */
struct co_stream {
	struct co_chan steps;
	struct co_local local;
	struct co_batch runner;
	int error; /* the first of its loops; its coroutine's until it is closed */
	unsigned char queue[CO_CHAN_BYTES(sizeof(struct co_step), CO_STREAM_DEPTH)]
		__attribute__((aligned(CO_LINE)));
};

/*
 * @param name  of its coroutine; NULL: "stream". A literal, or shared memory that stays
 * @return 0; -ENOBUFS: this hart has no control block or stack to spare.
 */
CO_MUST_CHECK int co_stream_open(struct co_stream *s, const char *name);

/*
 * Start a loop when all that the stream was given before is done. co_parallel_wait() waits for it,
 * on any hart; nobody need.
 * @return 0; -EINVAL as co_parallel_start(); -EPIPE: the stream is closed; -ECANCELED. Errors that
 *         only its turn shows (-ENOMEM, -ENOBUFS, -EHOSTDOWN, the body's error) come from
 *         co_parallel_wait().
 */
CO_MUST_CHECK int co_stream_start(struct co_stream *s, struct co_parallel *p);

/*
 * Set an event, in shared memory (asserted), when all earlier steps are done.
 * @return 0; -EPIPE: the stream is closed; -ECANCELED.
 */
CO_MUST_CHECK int co_stream_set(struct co_stream *s, struct co_event *e);

/*
 * Let the stream wait for an event in shared memory before its next step. @return as
 * co_stream_set().
 */
CO_MUST_CHECK int co_stream_await(struct co_stream *s, struct co_event *e);

/*
 * Wait until all is done, and end the stream; its memory is free then.
 * @return 0; the first error that a loop of it ended with; -ECANCELED: this coroutine was
 *         cancelled, the stream goes on and is to be closed again.
 * Context: the coroutine that opened it (asserted).
 */
CO_MUST_CHECK int co_stream_close(struct co_stream *s);
CO_END_C
#endif
