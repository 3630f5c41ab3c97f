/* section.h - the measured parts of a program, for each hart. */
#ifndef LOCALITY_SECTION_H
#define LOCALITY_SECTION_H

#include <stdint.h>
#include <stdio.h>

#define SECTIONS_OPEN 8
#define SECTIONS_MAX 64

struct sections {
	unsigned depth;
	struct {
		uint64_t name; /* its address in the image */
		unsigned number;
		unsigned entered;
		uint64_t *start; /* COUNTS numbers */
	} open[SECTIONS_OPEN];
	struct section *ended; /* what has been counted, section by section */
};

/* @param counts  the hart's, now */
void section_begin(struct sections *s, uint64_t name, const uint64_t *counts);
void section_end(struct sections *s, uint64_t name, uint32_t messages, const uint64_t *counts);

/* Lines "section NUMBER NAME HART FIRST LAST MESSAGES COUNTS...". */
void sections_write(FILE *f, unsigned hart, const struct sections *s);

#endif
