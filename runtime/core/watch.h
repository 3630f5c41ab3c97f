/* watch.h - the internal interface of watch.c and alarm.c. By core.h. */
#ifndef COHART_CORE_WATCH_H
#define COHART_CORE_WATCH_H

#include <cohart/atomic.h>
#include <cohart/detail/waitq.h>

struct hal_trap;

/* Part of struct co_hart. Accesses are relaxed unless commented otherwise: for reports. */
struct co_heartbeat {
	alignas(CO_LINE) struct co_msg msg; /* hart 0's question */
	struct co_a32 asked;                /* the question's number until it is answered, then 0 */
	struct co_a32 silent;               /* 1: silent for longer than the limit; hart 0 writes */
	struct co_a32 close;                /* 1: a coroutine there has a budget; its hart writes */
	struct co_a32 want;                 /* 1: hart 0 wants pc, ra and who at the next alarm */
	struct co_aword pc, ra;             /* where the alarm interrupted the hart */
	struct co_aword who;                /* struct co * that it ran, or 0 */
	/* What hart 0 knows of the hart; it alone uses these. */
	uint32_t epoch;  /* number of its sleeps at the last look */
	uint64_t since;  /* since when the hart has something pending; 0: nothing */
	uint64_t waited; /* how much of that hart 0 has watched */
};

/* Time of hart 0's next look; hart 0 alone uses it. */
extern uint64_t co_watch_next;

/* Start watching. Context: hart 0, before main(). */
void co_watch_start(void);
/* Look at all harts. Context: hart 0, in a scheduling point or before it sleeps. */
void co_watch_look(uint64_t now);
/* Hart 0's own alarm. Context: trap. */
void co_watch_tick(void);
/* A coroutine on this hart has a budget of so many microseconds: look often enough. */
void co_watch_closely(uint32_t us);

/* alarm.c: set up this hart's alarm, while it boots. And whether this board has alarms. */
void co_alarm_boot(unsigned hart);
bool co_alarms(void);
/*
 * Handle the alarm. Returns why the coroutine that runs must end, as by a fault, or NULL.
 * Context: trap.
 */
const char *co_alarm(const struct hal_trap *t);
/*
 * Ask a hart where it is, by its alarm; wait for CO_ALARM_US at most. True: its heartbeat says.
 * Context: hart 0.
 */
bool co_alarm_ask(unsigned hart);
#define CO_ALARM_US 50000

#endif
