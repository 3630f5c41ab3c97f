/* section.h - the measured parts of a program, for each hart, and its transfers under way. */
#ifndef LOCALITY_SECTION_H
#define LOCALITY_SECTION_H

#include <stdint.h>
#include <stdio.h>

#define SECTIONS_OPEN 8
#define TRANSFERS 32
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
	struct {
		uint64_t handle, end;
	} transfer[TRANSFERS];
};

/* @param counts  the hart's, now */
void section_begin(struct sections *s, uint64_t name, const uint64_t *counts);
void section_end(struct sections *s, uint64_t name, uint32_t messages, const uint64_t *counts);

/* A transfer that ends at that time; when does it end (0: there is none)? */
void section_dma_start(struct sections *s, uint64_t handle, uint64_t end);
uint64_t section_dma_end(struct sections *s, uint64_t handle);

/* Lines "section NUMBER NAME HART FIRST LAST MESSAGES COUNTS...". */
void sections_write(FILE *f, unsigned hart, const struct sections *s);

#endif
