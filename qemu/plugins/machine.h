/*
 * machine.h - the machine that is modelled: harts with clocks, memory that remembers who wrote it
 * and when.
 */
#ifndef LOCALITY_MACHINE_H
#define LOCALITY_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../hal/include/hal/mark_code.h"
#include "profile.h"

#define MAX_HARTS 512
#define MEMORY_LINE 64u

/* What is counted: for each hart, section and instruction. */
enum count {
	COUNT_INSNS,
	COUNT_CYCLES, /* modelled: all below, and one for every other instruction */
	COUNT_WAITED, /* of these: for what another hart had yet to write */
	COUNT_ACCESS, /* PLACES x KINDS of them */
	COUNT_FETCHED = COUNT_ACCESS + PLACES * KINDS, /* reads of main memory another wrote */
	COUNT_DEVICE,
	COUNT_ZEROED, /* lines zeroed by an instruction: where is not known */
	COUNT_QUEUED, /* of the cycles: for others' accesses to main memory, and others' atomics */
	COUNT_MOVED,  /* bytes, by transfers */
	COUNT_MOVING, /* cycles with a transfer of this hart's under way, */
	COUNT_UNHID,  /* and of these, of the waited ones too: for one to end */
	COUNTS
};

/* What is given by the launcher. */
struct machine_setup {
	uint64_t ram, ram_bytes;
	uint64_t window_bytes;
	unsigned harts;
	struct profile profile;
};

extern struct machine_setup setup;

struct hart; /* one for each vCPU */

bool machine_init(void);
struct hart *machine_hart(unsigned vcpu);

/* The hart begins a block of n instructions; true if others should run before it goes on. */
bool machine_block(struct hart *h, unsigned n);

/* What the hart executes is an engine's work: it is counted nowhere. */
bool machine_engine(const struct hart *h);

/* Only n of the block's instructions are executed. Returns how many are not. */
unsigned machine_cut(struct hart *h, unsigned n);

enum access { ACCESS_PLAIN, ACCESS_ATOMIC, ACCESS_POSTED };

/*
 * An access by the instruction at place i of the hart's block; true if others should run next, for
 * it may have rung one of them.
 * @param access   of an atomic the load counts, its store is a part of it; of a posted one, which
 *                 nobody waits for, the store alone is an access
 * @param counts   where it is counted beside the hart; COUNTS numbers
 */
bool machine_access(struct hart *h, unsigned i, uint64_t address, bool store, enum access access,
		    uint64_t *counts);

/* The hart rings another by an instruction of its own. */
void machine_ring(struct hart *h, uint64_t *counts);

/* The hart is about to sleep, at that place of its block. */
void machine_sleep(struct hart *h);
void machine_zero_line(struct hart *h);

/* A mark; the hart's next access tells its address and is not counted. */
void machine_mark(struct hart *h, unsigned i, enum hal_mark_code code);

/* A number for the sections that the hart is in now, 0: none. */
unsigned machine_section(const struct hart *h);

/* Write all down: harts and sections. */
void machine_write(FILE *f);

#endif
