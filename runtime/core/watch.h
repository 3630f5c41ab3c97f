/*
 * watch.h - what the runtime's files know of the watch (watch.c). By core.h.
 */
#ifndef COHART_CORE_WATCH_H
#define COHART_CORE_WATCH_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include <cohart/atomic.h>
#include <cohart/msg.h>

/* In each hart's public part. */
struct co_pulse {
	alignas(CO_LINE) struct co_msg msg; /* hart 0's question */
	struct co_a32 asked;                /* 1: it is under way; the hart that answers clears */
	struct co_a32 silent;               /* 1: for longer than the limit; hart 0 writes */
};

/* When hart 0 is to look next; its own. */
extern uint64_t co_watch_next;

/* Hart 0, before main: from now on. */
void co_watch_start(void);
/* Hart 0, in a scheduling point or before it sleeps: it is time. */
void co_watch_look(uint64_t now);

#endif
