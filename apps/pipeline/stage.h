/*
 * stage.h - stages in a row, each a coroutine with a channel before it.
 *
 *	static struct line line = { .stages = 8, .capacity = 4 };
 *	int r = line_open(&line);
 *	... one coroutine: line_put(&line, x) for each item, then line_end(&line);
 *	... another one: line_get(&line, &y) until -EPIPE
 *	line_close(&line);
 */
#ifndef PIPELINE_STAGE_H
#define PIPELINE_STAGE_H

#include <stdint.h>

#include <cohart/cohart.h>

enum { STAGES_MAX = 1024, CAPACITY_MAX = 256 };

struct stage {
	struct co *co;
	struct line *line;
	struct co_chan *in; /* in its own hart's scratchpad */
	void *buffer;       /* so is its buffer */
	unsigned number;
	unsigned passed; /* items; read when it has ended */
	int error;
};

/* Main memory: every stage reads it. */
struct line {
	unsigned stages;   /* 1..STAGES_MAX */
	unsigned capacity; /* of each channel, 1..CAPACITY_MAX */
	struct stage stage[STAGES_MAX];
	struct co_chan out; /* behind the last stage */
	alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(uint64_t), CAPACITY_MAX)];
	struct co_counter opening;
	struct co_event go;   /* all channels are there */
	struct co_event over; /* nobody uses them any more */
	unsigned failed;      /* the stage that could not be opened, and why */
};

/*
 * Start the stages, round-robin on the compute harts. Returns 0 or a negative errno number; then
 * line->failed is the stage that it is about.
 */
int line_open(struct line *line);

/* Put an item in, take one out; 0 or as co_chan_send(), co_chan_recv(). */
int line_put(struct line *line, uint64_t item);
int line_get(struct line *line, uint64_t *item);

/* No more items. */
void line_end(struct line *line);

/* Wait for all stages. Returns the first one's error. */
int line_close(struct line *line);

/* What a stage does to an item. */
uint64_t stage_work(unsigned number, uint64_t item);

#endif
