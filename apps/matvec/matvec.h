/*
 * matvec.h - a stream of matrices, each times the same vector: Emitter, Workers, Collector.
 *
 * The Emitter hands out the address of each matrix, the Workers compute a part of the result's rows
 * each, the Collector puts the parts together. Vectors of results go round in a circle, so that a
 * stream of any length needs the same memory.
 */
#ifndef MATVEC_MATVEC_H
#define MATVEC_MATVEC_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/cohart.h>

enum {
	M_MAX = 168,
	WORKERS_MAX = 56,
	MATRICES = 4, /* different ones, which the stream repeats */
	SLOTS = 8,    /* matrices under way */
};

enum scalar { INT, FLOAT };

/* How to run one stream. */
struct setup {
	unsigned m; /* rows and columns */
	enum scalar type;
	bool by_mail;    /* over mailboxes, else over the lines of a map (cohart/pipeline.h) */
	bool tree;       /* multicast through the Workers, else by the Emitter alone */
	bool in_place;   /* Workers read the matrix where it is, not from their scratchpad */
	unsigned harts;  /* Emitter, Workers and Collector together */
	unsigned length; /* matrices */
};

/* Instructions of the busiest of each kind for a matrix, waits left out; see cost.h. */
struct costs {
	uint64_t emitter, worker, collector;
};

struct outcome {
	unsigned workers;
	unsigned wrong;  /* results that are not those of the plain loop */
	unsigned copied; /* Workers that had room for their part in the scratchpad */
	uint64_t ticks;  /* from the first matrix's completion to the last one's */
	struct costs costs;
};

/* Workers that so many harts allow: two are for Emitter and Collector, who share one if need be. */
unsigned workers_of(unsigned harts);

/* Run a stream. Returns 0 or a negative errno number. */
int run_stream(const struct setup *s, struct outcome *o);

/* numbers.c: the data; matrices and vectors are int32_t or float. */
void numbers_make(unsigned m, enum scalar type);
const void *numbers_matrix(unsigned k); /* the k-th of the stream */
const void *numbers_vector(void);
bool numbers_right(unsigned k, const void *result);

/*
 * Ticks and instructions of the plain loop for one matrix, on the last hart: one that computes.
 * Returns 0 or a negative errno number.
 */
int numbers_plain(uint64_t *ticks, uint64_t *instructions);

/* dot_fp.c: the sum of m products. */
float dot_float(const float *a, const float *b, unsigned m);

/* result[row] of rows from..to-1; `a` points to row `from`. The code that all use. */
void multiply(enum scalar type, unsigned m, const void *a, const void *b, void *result,
	      unsigned from, unsigned to);

/* mail.c: what a Worker, or the Collector, has for the map over mailboxes; see there. */
struct mail {
	const unsigned *harts;  /* of the Workers, then of the Collector */
	unsigned workers, rank; /* `workers`: the Collector */
	bool tree;
	/* mail.c's: */
	struct co_mailbox box;
	uintptr_t *storage;
	unsigned parent, child_of_parent, children, child[2];
	unsigned taken, reported;
	unsigned done[WORKERS_MAX]; /* by this Worker, by all below each child */
	uintptr_t under_way[SLOTS + 1];
};

/* All return 0 or a negative errno number. */
int mail_open(struct mail *m);
void mail_close(struct mail *m);
int mail_take(struct mail *m, uintptr_t *item); /* -EPIPE: there are no more */
int mail_done(struct mail *m);

/* To that rank; the Emitter sends to 0, from 0, and ends with an item 0. */
int mail_send(const struct mail *m, unsigned rank, uintptr_t item, unsigned from);

#endif
