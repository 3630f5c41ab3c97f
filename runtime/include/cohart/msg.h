/*
 * msg.h - what travels to another hart's executor: objects that are handed over embed one.
 */
#ifndef COHART_MSG_H
#define COHART_MSG_H

#include <cohart/atomic.h>

/* Intrusive; the receiver's between post and run. Its run() may post it again. */
struct co_msg {
	struct co_aword next;
	void (*run)(struct co_msg *m); /* NULL: the message is that of a coroutine that is ready */
};

#endif
