/*
 * stage.c - see stage.h.
 */
#include "stage.h"

#include <errno.h>

uint64_t stage_work(unsigned number, uint64_t item)
{
	/* Not commutative: an item that skips a stage, or takes two in the wrong order, shows. */
	return (item ^ item >> 29) * (2 * (uint64_t)number + 0xbf58476d1ce4e5b9u) + number;
}

/* The i-th of the compute harts, beginning again after the last one. */
static unsigned place(unsigned i)
{
	unsigned computes = 0;

	for (unsigned g = 0; g < co_groups(); g++)
		computes += co_group(g)->computes;
	if (!computes)
		return 0;
	i %= computes;
	for (unsigned g = 0; g < co_groups(); g++) {
		if (i < co_group(g)->computes)
			return co_group(g)->compute + i;
		i -= co_group(g)->computes;
	}
	return 0; /* i is less than the sum */
}

/* A channel whose elements lie in this hart's scratchpad: receiving reads nothing remote. */
static int make_channel(struct stage *s)
{
	size_t bytes = CO_CHAN_BYTES(sizeof(uint64_t), s->line->capacity);
	struct co_chan *c = co_spm_alloc(sizeof(*c), CO_LINE);
	void *buffer = co_spm_alloc(bytes, CO_LINE);
	int r = c && buffer ? co_chan_init_as(c, buffer, bytes, sizeof(uint64_t), CO_SPSC,
					      CO_CLAIM_DEFAULT)
			    : -ENOMEM;

	if (r) {
		co_spm_free(buffer);
		co_spm_free(c);
		return r;
	}
	s->in = c;
	s->buffer = buffer;
	return 0;
}

static struct co_chan *next_channel(struct stage *s)
{
	struct line *line = s->line;

	return s->number + 1 < line->stages ? line->stage[s->number + 1].in : &line->out;
}

static int pass_items(struct stage *s)
{
	struct co_chan *next = next_channel(s);
	uint64_t item;
	int r;

	while ((r = co_chan_recv(s->in, &item)) == 0) {
		item = stage_work(s->number, item);
		r = co_chan_send(next, &item);
		if (r)
			return r;
		s->passed++;
	}
	co_chan_close(next);
	return r == -EPIPE ? 0 : r;
}

static intptr_t run_stage(void *arg)
{
	struct stage *s = arg;
	struct line *line = s->line;

	s->error = make_channel(s);
	co_counter_done(&line->opening);
	if (s->error)
		return s->error;
	s->error = co_event_wait(&line->go);
	if (s->error == 0)
		s->error = pass_items(s);
	/* The one before may still be in its close. */
	if (s->error == 0)
		s->error = co_event_wait(&line->over);
	co_spm_free(s->buffer);
	co_spm_free(s->in);
	return s->error;
}

int line_open(struct line *line)
{
	int r = co_chan_init_as(&line->out, line->buffer,
				CO_CHAN_BYTES(sizeof(uint64_t), line->capacity), sizeof(uint64_t),
				CO_SPSC, CO_CLAIM_DEFAULT);

	for (unsigned i = 0; i < line->stages && r == 0; i++) {
		struct stage *s = &line->stage[i];
		const struct co_attr attr = { .name = "stage", .on = CO_ON_HART(place(i)) };

		*s = (struct stage){ .line = line, .number = i };
		line->failed = i;
		co_counter_add(&line->opening, 1);
		r = co_spawn(&s->co, &attr, run_stage, s);
		if (r)
			co_counter_done(&line->opening);
	}
	if (r)
		return r;
	r = co_counter_wait(&line->opening);
	for (unsigned i = 0; i < line->stages && r == 0; i++) {
		line->failed = i;
		r = line->stage[i].error;
	}
	if (r == 0)
		co_event_set(&line->go);
	return r;
}

int line_put(struct line *line, uint64_t item)
{
	return co_chan_send(line->stage[0].in, &item);
}

int line_get(struct line *line, uint64_t *item)
{
	return co_chan_recv(&line->out, item);
}

void line_end(struct line *line)
{
	co_chan_close(line->stage[0].in);
}

int line_close(struct line *line)
{
	int error = 0;

	co_event_set(&line->over);
	for (unsigned i = 0; i < line->stages; i++) {
		intptr_t result;
		int r = co_join(line->stage[i].co, &result);

		if (!error)
			error = r ? r : (int)result;
	}
	return error;
}
