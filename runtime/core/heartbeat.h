/* heartbeat.h - a hart's answers to hart 0's watch, and hart 0's notes about it. By machine.h. */
#ifndef COHART_CORE_HEARTBEAT_H
#define COHART_CORE_HEARTBEAT_H

#include <cohart/atomic.h>
#include <cohart/detail/waitq.h>

/* Part of struct co_hart. Accesses are relaxed unless commented otherwise: for reports. */
struct co_heartbeat {
	alignas(CO_LINE) struct co_msg msg; /* hart 0's question */
	struct co_a32 asked;                /* the question's number until it is answered, then 0 */
	struct co_a32 silent;               /* 1: silent for longer than the limit; hart 0 writes */
	struct co_a32 budgets;              /* 1: a coroutine there has a budget; its hart writes */
	struct co_a32 want;                 /* 1: hart 0 wants pc, ra and who at the next alarm */
	struct co_aword pc, ra;             /* where the alarm interrupted the hart */
	struct co_aword who;                /* struct co * that it ran, or 0 */
	/* What hart 0 knows of the hart; it alone uses these. */
	uint32_t epoch;  /* number of its sleeps at the last look */
	uint64_t since;  /* when something became pending for the hart; 0: nothing is */
	uint64_t waited; /* how long of that time hart 0 has watched */
};

#endif
