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

/*
 * Mail, with credits (seed C5): an outlet has as many as messages may be under way, spends one with
 * each, and gets it back by mail when that has been received. So no more mail comes than there is
 * room for, and nobody's mail waits behind a line's.
 */
static int open_box(struct co_mailbox *box, unsigned tag, unsigned messages, void **buffer)
{
	unsigned words = CO_MAILBOX_WORDS(1, messages);
	int r = -ENOMEM;

	*buffer = co_spm_alloc(words * sizeof(uintptr_t), sizeof(uintptr_t));
	if (*buffer)
		r = co_mailbox_open(box, (int)tag, *buffer, words);
	if (r)
		co_spm_free(*buffer);
	return r;
}

static void close_box(struct co_mailbox *box, void *buffer)
{
	int r = co_mailbox_close(box);

	CO_ASSERT(!r); /* nothing is under way */
	co_spm_free(buffer);
}

static int make_mail(struct inlet *in)
{
	struct line *line = in->line;
	int r = open_box(&in->box, line->tag, line->depth * line->senders, &in->buffer);

	if (r)
		return r;
	line->hart = co_hart();
	co_counter_add(&line->used, line->senders);
	co_event_set(&line->open);
	return 0;
}

static int receive_mail(struct inlet *in, uintptr_t *word)
{
	struct co_mail m;
	int r = co_mailbox_recv(&in->box, word, 1, &m);

	return r < 0 ? r : co_mail_send(m.sender, (int)in->line->tag + 1, &(uintptr_t){ 1 }, 1);
}

/* Wait until there are so many. */
static int await_credits(struct outlet *out, unsigned n)
{
	uintptr_t word;

	for (; out->credits < n; out->credits++) {
		int r = co_mailbox_recv(&out->box, &word, 1, NULL);

		if (r < 0)
			return r;
	}
	return 0;
}

static int send_mail(struct outlet *out, uintptr_t word)
{
	int r = await_credits(out, 1);

	if (r == 0)
		r = co_mail_send(out->line->hart, (int)out->line->tag, &word, 1);
	if (r == 0)
		out->credits--;
	return r;
}

int inlet_open(struct inlet *in, struct line *line)
{
	*in = (struct inlet){ .line = line };
	if (line->by == BY_CHANNEL)
		return make_channel(in);
	if (line->by == BY_MAIL)
		return make_mail(in);
	line->link = (struct co_link){ .words = 1,
				       .depth = (uint16_t)line->depth,
				       .senders = (uint16_t)line->senders };
	co_event_set(&line->open);
	return co_link_open_rx(&line->link, &in->rx);
}

int outlet_open(struct outlet *out, struct line *line)
{
	int r = co_event_wait(&line->open);

	*out = (struct outlet){ .line = line };
	if (r)
		return r;
	if (line->by == BY_LINK)
		return co_link_open_tx(&line->link, &out->tx);
	if (line->by == BY_CHANNEL)
		return 0;
	out->credits = line->depth;
	return open_box(&out->box, line->tag + 1, line->depth, &out->buffer);
}

int inlet_recv(struct inlet *in, void **p)
{
	uintptr_t word;
	int r;

	if (in->line->by == BY_CHANNEL)
		return co_chan_recv(in->line->chan, p);
	r = in->line->by == BY_MAIL ? receive_mail(in, &word) : co_link_recv(in->rx, &word);
	if (r < 0)
		return r;
	*p = (void *)word; /* NOLINT(performance-no-int-to-ptr): messages carry words */
	return 0;
}

int outlet_send(struct outlet *out, void *p)
{
	uintptr_t word = (uintptr_t)p;

	if (out->line->by == BY_CHANNEL)
		return co_chan_send(out->line->chan, &p);
	if (out->line->by == BY_MAIL)
		return send_mail(out, word);
	return co_link_send(out->tx, &word);
}

void outlet_close(struct outlet *out)
{
	if (out->line->by == BY_LINK) {
		co_link_close_tx(out->tx);
		return;
	}
	if (out->line->by == BY_MAIL && await_credits(out, out->line->depth) == 0)
		close_box(&out->box, out->buffer);
	co_counter_done(&out->line->used);
}

void inlet_close(struct inlet *in)
{
	if (in->line->by == BY_LINK) {
		co_link_close_rx(in->rx);
		return;
	}
	if (co_counter_wait(&in->line->used))
		return; /* it is still used */
	if (in->line->by == BY_MAIL) {
		close_box(&in->box, in->buffer);
		return;
	}
	co_spm_free(in->buffer);
	co_spm_free(in->line->chan);
}
