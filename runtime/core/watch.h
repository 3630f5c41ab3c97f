/* watch.h - what the runtime's files know of the watch (watch.c). By core.h. */
#ifndef COHART_CORE_WATCH_H
#define COHART_CORE_WATCH_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include <cohart/atomic.h>
#include <cohart/detail/waitq.h>

struct hal_trap;

/* In each hart's public part. relaxed where it says nothing else: for reports. */
struct co_heartbeat {
	alignas(CO_LINE) struct co_msg msg; /* hart 0's question */
	struct co_a32 asked;                /* its number while it is under way, else 0 */
	struct co_a32 silent;               /* 1: for longer than the limit; hart 0 writes */
	struct co_a32 close;                /* 1: somebody there has a budget; its hart writes */
	struct co_a32 want;                 /* 1: word is wanted of */
	struct co_aword pc, ra;             /* where it was when the alarm came, */
	struct co_aword who;                /* and what it ran: struct co *, 0: nothing */
};

/* When hart 0 is to look next; its own. */
extern uint64_t co_watch_next;

/* Hart 0, before main: from now on. */
void co_watch_start(void);
/* Hart 0, in a scheduling point or before it sleeps: it is time. */
void co_watch_look(uint64_t now);
/* Hart 0's own alarm has come. Context: trap. */
void co_watch_tick(void);
/* Somebody on this hart has a budget of so many microseconds. */
void co_watch_closely(uint32_t us);

/* alarm.c: each hart, while it boots; whether this board has alarms. */
void co_alarm_boot(unsigned hart);
bool co_alarms(void);
/*
 * The alarm has come. Returns why the coroutine that runs is to end, as by a fault, or NULL: it
 * goes on. Context: trap.
 */
const char *co_alarm(const struct hal_trap *t);
/* Hart 0: ask a hart where it is. True: its heartbeat says so. Waits for CO_ALARM_US at most. */
bool co_alarm_ask(unsigned hart);
#define CO_ALARM_US 50000

#endif
