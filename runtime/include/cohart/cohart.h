/*
 * cohart.h - everything, for programs that want one line.
 *
 * Example: a coroutine on each compute hart
 *	static intptr_t work(void *arg)
 *	{
 *		printf("hart %u\n", co_hart());
 *		return 0;
 *	}
 *
 *	int main(void)
 *	{
 *		struct co_batch b = { 0 };
 *		int r = 0;
 *
 *		for (unsigned i = 0; i < co_group(0)->computes && r == 0; i++)
 *			r = co_batch_spawn(&b, NULL, work, NULL, NULL);
 *		return co_batch_join(&b) || r;
 *	}
 *
 * main() is a coroutine on management hart 0, with ordinary libc; its result is the run's exit
 * code. When it returns, coroutines that still live are cancelled, given CO_SHUTDOWN_US to end, and
 * named if they do not.
 *
 * Rules for all headers:
 *	- a function that can fail returns 0 or a negative errno number, which must be looked at;
 *	  results come through pointers and are untouched on error, unless its comment differs
 *	- -ECANCELED: this coroutine was asked to end (co_cancel()) where it would have waited
 *	- co_noun_verb() waits as long as it takes, co_noun_verb_until() until a deadline (time.h),
 *	  which is absolute: -ETIMEDOUT; co_noun_try_verb() never waits: -EAGAIN, which is of these
 *	  calls alone; where control blocks, stacks or wait nodes are all in use: -ENOBUFS
 *	- a caller's bug is no error: it ends the coroutine with a report, as a fault (CO_ASSERT())
 *	- nothing calls malloc(): objects are the caller's, or in a scratchpad's heap
 *	- objects that harts share lie in memory that every hart may use: static data, malloc()'s,
 *	  main()'s stack, main-memory stacks, co_spm_alloc()'s; not a scratchpad stack
 *	- "Source: seed A5" is a row of docs/sources.md: the paper that the idea is from
 *	- all headers are C11 and C++17; cohart/detail/ is for these headers, not for programs
 */
#ifndef COHART_COHART_H
#define COHART_COHART_H

#include <cohart/atomic.h>
#include <cohart/barrier.h>
#include <cohart/cache.h>
#include <cohart/channel.h>
#include <cohart/coroutine.h>
#include <cohart/debug.h>
#include <cohart/device.h>
#include <cohart/dma.h>
#include <cohart/guarded.h>
#include <cohart/hart.h>
#include <cohart/irq.h>
#include <cohart/link.h>
#include <cohart/local.h>
#include <cohart/mailbox.h>
#include <cohart/message.h>
#include <cohart/parallel.h>
#include <cohart/pipeline.h>
#include <cohart/process.h>
#include <cohart/proxy.h>
#include <cohart/sandbox.h>
#include <cohart/select.h>
#include <cohart/spm.h>
#include <cohart/spm_array.h>
#include <cohart/spm_plan.h>
#include <cohart/stopwatch.h>
#include <cohart/stream.h>
#include <cohart/sync.h>
#include <cohart/task.h>
#include <cohart/team.h>
#include <cohart/tile.h>
#include <cohart/time.h>
#include <cohart/timer.h>
#include <cohart/typed.h>
#include <cohart/vector.h>

#include <cohart/detail/version.h>

#endif
