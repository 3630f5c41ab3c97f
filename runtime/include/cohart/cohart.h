/*
 * cohart.h - everything, for programs that want one line.
 *
 * The user's program is main(argc, argv): a coroutine on management hart 0, with ordinary libc;
 * what it returns is the run's exit code. When it returns, coroutines that still live are
 * cancelled, given CO_SHUTDOWN_US to end, and named if they do not.
 *
 * What all of these have in common:
 *	- errors are negative errno numbers, and results are untouched then, where nothing else is
 *	  said. -ECANCELED: this coroutine was asked to end (co_cancel()) where it would have waited
 *	- a caller's bug is no error: it ends the run with a report (CO_ASSERT())
 *	- ..._until() takes a deadline (time.h), ..._try_...() never waits
 *	- nothing calls malloc(): objects are the caller's, or in a scratchpad's heap
 */
#ifndef COHART_COHART_H
#define COHART_COHART_H

#include <cohart/assert.h>
#include <cohart/atomic.h>
#include <cohart/barrier.h>
#include <cohart/cache.h>
#include <cohart/channel.h>
#include <cohart/confined.h>
#include <cohart/coroutine.h>
#include <cohart/counter.h>
#include <cohart/dma.h>
#include <cohart/event.h>
#include <cohart/guarded.h>
#include <cohart/hart.h>
#include <cohart/link.h>
#include <cohart/mailbox.h>
#include <cohart/mark.h>
#include <cohart/move.h>
#include <cohart/mutex.h>
#include <cohart/parallel.h>
#include <cohart/proxy.h>
#include <cohart/select.h>
#include <cohart/signal.h>
#include <cohart/spm.h>
#include <cohart/spm_array.h>
#include <cohart/stopwatch.h>
#include <cohart/stream.h>
#include <cohart/task.h>
#include <cohart/tile.h>
#include <cohart/time.h>
#include <cohart/tlock.h>
#include <cohart/trace.h>
#include <cohart/user.h>
#include <cohart/vector.h>
#include <cohart/watch.h>

/* Of this tree: major, minor, patch. CHANGELOG.md says what each brought. */
#define CO_VERSION "0.1.0"

#endif
