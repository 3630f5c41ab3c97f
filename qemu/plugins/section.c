/*
 * section.c - see section.h.
 */
#include "section.h"

#include <stdlib.h>
#include <string.h>

#include "machine.h"

struct section {
	struct section *next;
	uint64_t name;
	unsigned number;
	uint64_t first, last; /* the hart's clock at the first begin and the last end */
	uint64_t messages;
	uint64_t counts[COUNTS];
};

/* Sections are numbered by name, from 1, the same on all harts. */
static uint64_t names[SECTIONS_MAX];

static unsigned number_of(uint64_t name)
{
	unsigned i = 0;

	while (i < SECTIONS_MAX && names[i] && names[i] != name)
		i++;
	if (i == SECTIONS_MAX) {
		fprintf(stderr, "locality: more than %u names of sections\n", SECTIONS_MAX);
		exit(1);
	}
	names[i] = name;
	return i + 1;
}

void section_begin(struct sections *s, uint64_t name, const uint64_t *counts)
{
	for (unsigned i = 0; i < s->depth; i++) {
		if (s->open[i].name == name) {
			s->open[i].entered++;
			return;
		}
	}
	if (s->depth == SECTIONS_OPEN) {
		fprintf(stderr, "locality: a hart is in more than %u sections\n", SECTIONS_OPEN);
		exit(1);
	}
	s->open[s->depth].name = name;
	s->open[s->depth].number = number_of(name);
	s->open[s->depth].entered = 1;
	s->open[s->depth].start = malloc(COUNTS * sizeof(*counts));
	memcpy(s->open[s->depth].start, counts, COUNTS * sizeof(*counts));
	s->depth++;
}

static struct section *ended(struct sections *s, uint64_t name, uint64_t first)
{
	struct section *e;

	for (e = s->ended; e; e = e->next) {
		if (e->name == name)
			return e;
	}
	e = calloc(1, sizeof(*e));
	e->name = name;
	e->number = number_of(name);
	e->first = first;
	e->next = s->ended;
	s->ended = e;
	return e;
}

void section_end(struct sections *s, uint64_t name, uint32_t messages, const uint64_t *counts)
{
	struct section *e;
	unsigned i = s->depth;

	while (i && s->open[i - 1].name != name)
		i--;
	if (!i)
		return; /* it has not begun */
	i--;
	e = ended(s, name, s->open[i].start[COUNT_CYCLES]);
	e->messages += messages;
	if (--s->open[i].entered)
		return;
	e->last = counts[COUNT_CYCLES];
	for (unsigned c = 0; c < COUNTS; c++)
		e->counts[c] += counts[c] - s->open[i].start[c];
	free(s->open[i].start);
	s->depth--;
	memmove(&s->open[i], &s->open[i + 1], (s->depth - i) * sizeof(s->open[i]));
}

void sections_write(FILE *f, unsigned hart, const struct sections *s)
{
	for (const struct section *e = s->ended; e; e = e->next) {
		fprintf(f, "section %u 0x%llx %u %llu %llu %llu", e->number,
			(unsigned long long)e->name, hart, (unsigned long long)e->first,
			(unsigned long long)e->last, (unsigned long long)e->messages);
		for (unsigned c = 0; c < COUNTS; c++)
			fprintf(f, " %llu", (unsigned long long)e->counts[c]);
		fprintf(f, "\n");
	}
}
