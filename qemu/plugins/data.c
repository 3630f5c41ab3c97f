/*
 * data.c - see data.h.
 *
 * A line is entered when the hart was not in it of late; it jumps there if it was not in the line
 * before it either. Who goes through an array enters each line once and jumps to the first alone,
 * beside other arrays or not.
 */
#include "data.h"

#include <stdlib.h>

#include "machine.h"

static struct {
	uint64_t accesses;
	uint32_t entered, jumped;
} * touched;
static uint64_t n_lines;

bool data_init(uint64_t lines)
{
	n_lines = lines;
	touched = calloc(lines, sizeof(*touched));
	return touched;
}

void data_access(struct recent *r, uint64_t line)
{
	bool follows = false;

	touched[line].accesses++;
	for (unsigned i = 0; i < RECENT; i++) {
		if (r->line[i] == line + 1) /* numbers from 1: 0 is none */
			return;
		follows |= r->line[i] && r->line[i] == line;
	}
	touched[line].entered++;
	touched[line].jumped += !follows;
	r->line[r->next++ % RECENT] = line + 1;
}

void data_write(FILE *f, uint64_t ram)
{
	for (uint64_t i = 0; i < n_lines; i++) {
		if (touched[i].accesses)
			fprintf(f, "data 0x%llx %llu %u %u\n",
				(unsigned long long)(ram + i * MEMORY_LINE),
				(unsigned long long)touched[i].accesses, touched[i].entered,
				touched[i].jumped);
	}
}
