/*
 * credit.h - the data of a store of credits; what can be done with it is in core/lf/ticket.h.
 */
#ifndef COHART_CREDIT_H
#define COHART_CREDIT_H

#include <cohart/atomic.h>
#include <cohart/waitq.h>

/*
 * Credits, less the registered ones that have none. Zero-filled is valid: no credit, nobody
 * waits.
 */
struct co_credit {
	struct co_aword count; /* signed */
	struct co_waitq queue; /* registered ones that sleep; its lock guards the rest */
	uint32_t owed;         /* credits for registered ones not in the queue yet */
	uint32_t dead;         /* registered ones that have given up: their credit is nobody's */
};

#endif
