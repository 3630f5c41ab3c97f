/*
 * cost.h - what a piece of work costs, in instructions: the least of many times.
 *
 * An emulator that counts instructions counts those of all harts together, and lets a hart run
 * until it waits: so the least of many counts is the work alone, without others and without waits.
 */
#ifndef MATVEC_COST_H
#define MATVEC_COST_H

#include <stdint.h>

#include <cohart/cohart.h>

struct cost {
	uint64_t start;
	uint64_t least; /* 0: none yet */
};

static inline void cost_start(struct cost *c)
{
	c->start = co_instructions();
}

static inline void cost_stop(struct cost *c)
{
	uint64_t n = co_instructions() - c->start;

	if (!c->least || n < c->least)
		c->least = n;
}

#endif
