/*
 * msg.h - what travels to another hart's executor: objects that are handed over embed one. Users
 * have channels, and what else sends; core/lf/inbox.h has the queue.
 *
 * A message is where its object is, in memory that every hart may use, and is never copied. Who
 * posts it gives it away: it lies in one inbox at a time, and nobody touches it until it has been
 * run. It is run at a scheduling point of its hart, after what the same hart had posted there
 * before.
 */
#ifndef COHART_MSG_H
#define COHART_MSG_H

#include <cohart/atomic.h>

struct co_msg {
	struct co_aword next; /* the inbox's: the one that was posted after it */
	/*
	 * Called once, on the receiving hart; NULL: the message is that of a coroutine that is
	 * ready. It may post m again.
	 * Context: inbox handler: it cannot wait, and the coroutines of the hart stand still
	 * meanwhile. Order: sees all that was written before the post.
	 */
	void (*run)(struct co_msg *m);
};

#endif
