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

#include <stdint.h>

#include <cohart/cohart.h>

enum transport {
	BY_CHANNEL, /* its buffer in the receiver's scratchpad */
	BY_LINK,    /* homed: each side waits on its own scratchpad */
	BY_MAIL,    /* a link over the harts' mailboxes */
};

/* In main memory; valid when these are set and the rest is zero. */
struct line {
	enum transport by;
	unsigned senders;
	unsigned depth; /* messages under way */
	unsigned tag;   /* BY_MAIL: senders + 1 tags from here on are its own */

	struct co_link link;
	struct co_chan *chan;
	struct co_event open;   /* chan is there */
	struct co_counter used; /* senders that have not closed yet */
};

struct inlet {
	struct line *line;
	struct co_link_rx *rx;
	void *buffer;
};

struct outlet {
	struct line *line;
	struct co_link_tx *tx;
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
