/* owner.h - memory that goes with a coroutine, and the waits in an object there. */
#ifndef COHART_CORE_OWNER_H
#define COHART_CORE_OWNER_H

#include "executor.h"

/*
 * The coroutine of this hart in whose stack or scratchpad memory p lies, or NULL. False: p lies in
 * the window of another hart, or on a stack of no live coroutine of this hart, so that no end of a
 * coroutine here tells that the memory goes. Context: coroutine.
 */
bool co_owner_of(const void *p, struct co **owner);
/*
 * End the waits of this hart's coroutines in q with a result; a wait on several objects ends as if
 * its object had ended. `intact`: false if q may have been overwritten, so that no waiter leaves
 * it. Context: q's hart.
 */
void co_waits_end_in(const struct co_waitq *q, int result, bool intact);

#endif
