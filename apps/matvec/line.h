/*
 * line.h - pointers from one sender, or a few, to one receiver, over any of three mechanisms.
 *
 *	static struct line line = { .by = BY_LINK, .senders = 1, .depth = 4 };
 *	...
 *	struct inlet in;                             // the receiver, on its hart
 *	int r = inlet_open(&in, &line);
 *	r = inlet_recv(&in, &p);                     // NULL is one, too
 *	...
 *	struct outlet out;                           // a sender, on its hart
 *	int r = outlet_open(&out, &line);
 *	r = outlet_send(&out, p);
 *	outlet_close(&out);
 */
#ifndef MATVEC_LINE_H
#define MATVEC_LINE_H

#include <cohart/cohart.h>

enum transport {
	BY_CHANNEL, /* its buffer in the receiver's scratchpad */
	BY_LINK,    /* each side waits on its own scratchpad */
	BY_MAIL,    /* the harts' mailboxes, with credits; each sender on a hart of its own */
};

/* In main memory; valid when these are set and the rest is zero. */
struct line {
	enum transport by;
	unsigned senders;
	unsigned depth; /* messages under way */
	unsigned tag;   /* BY_MAIL: for what is sent; the next one for credits */

	struct co_link link;
	struct co_chan *chan;
	unsigned hart;          /* BY_MAIL: the receiver's */
	struct co_event open;   /* that is there */
	struct co_counter used; /* senders that have not closed yet */
};

struct inlet {
	struct line *line;
	struct co_link_rx *rx;
	struct co_mailbox box;
	void *buffer;
};

struct outlet {
	struct line *line;
	struct co_link_tx *tx;
	struct co_mailbox box; /* for credits */
	void *buffer;
	unsigned credits;
};

/* All return 0 or a negative errno number. */
int inlet_open(struct inlet *in, struct line *line);
int inlet_recv(struct inlet *in, void **p);
int outlet_open(struct outlet *out, struct line *line);
int outlet_send(struct outlet *out, void *p);

void outlet_close(struct outlet *out);

/* Waits until all senders have closed. */
void inlet_close(struct inlet *in);

#endif
