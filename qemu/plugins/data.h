/* data.h - which lines of main memory compute harts touch, for the planner's list of arrays. */
#ifndef LOCALITY_DATA_H
#define LOCALITY_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RECENT 8

/* Of a hart: the lines that it was in last. */
struct recent {
	uint64_t line[RECENT];
	unsigned next;
};

bool data_init(uint64_t lines);

/* The hart touches a line, by number from RAM's beginning. */
void data_access(struct recent *r, uint64_t line);

/* Lines "data ADDRESS ACCESSES ENTERED JUMPED", for each line that was touched. */
void data_write(FILE *f, uint64_t ram);

#endif
