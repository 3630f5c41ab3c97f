/*
 * line.c - see line.h.
 */
#include "line.h"

#include <errno.h>

static int make_channel(struct inlet *in)
{
	struct line *line = in->line;
	size_t bytes = CO_CHAN_BYTES(sizeof(void *), line->depth);
	struct co_chan *c = co_spm_alloc(sizeof(*c), CO_LINE);
	int r = -ENOMEM;

	in->buffer = co_spm_alloc(bytes, CO_LINE);
	if (c && in->buffer)
		r = co_chan_init_as(c, in->buffer, bytes, sizeof(void *),
				    line->senders > 1 ? CO_MPSC : CO_SPSC, CO_CLAIM_DEFAULT);
	if (r) {
		co_spm_free(in->buffer);
		co_spm_free(c);
		return r;
	}
	co_counter_add(&line->used, line->senders);
	line->chan = c;
	co_event_set(&line->open);
	return 0;
}

int inlet_open(struct inlet *in, struct line *line)
{
	*in = (struct inlet){ .line = line };
	if (line->by == BY_CHANNEL)
		return make_channel(in);
	line->link =
		(struct co_link){ .kind = line->by == BY_MAIL ? CO_LINK_MAILBOX : CO_LINK_HOMED,
				  .words = 1,
				  .depth = (uint16_t)line->depth,
				  .senders = (uint16_t)line->senders,
				  .tag = (uint16_t)line->tag };
	co_event_set(&line->open);
	return co_link_open_rx(&line->link, &in->rx);
}

int outlet_open(struct outlet *out, struct line *line)
{
	int r = co_event_wait(&line->open);

	*out = (struct outlet){ .line = line };
	if (r == 0 && line->by != BY_CHANNEL)
		r = co_link_open_tx(&line->link, &out->tx);
	return r;
}

int inlet_recv(struct inlet *in, void **p)
{
	uintptr_t word;
	int from;

	if (in->line->by == BY_CHANNEL)
		return co_chan_recv(in->line->chan, p);
	from = co_link_recv(in->rx, &word);
	if (from < 0)
		return from;
	*p = (void *)word; /* NOLINT(performance-no-int-to-ptr): a link carries words */
	return 0;
}

int outlet_send(struct outlet *out, void *p)
{
	uintptr_t word = (uintptr_t)p;

	if (out->line->by == BY_CHANNEL)
		return co_chan_send(out->line->chan, &p);
	return co_link_send(out->tx, &word);
}

void outlet_close(struct outlet *out)
{
	if (out->line->by == BY_CHANNEL)
		co_counter_done(&out->line->used);
	else
		co_link_close_tx(out->tx);
}

void inlet_close(struct inlet *in)
{
	if (in->line->by != BY_CHANNEL) {
		co_link_close_rx(in->rx);
		return;
	}
	co_counter_wait(&in->line->used);
	co_spm_free(in->buffer);
	co_spm_free(in->line->chan);
}
