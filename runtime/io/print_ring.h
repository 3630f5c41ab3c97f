/*
 * print_ring.h - deferred output.
 *
 * Printing on the console cannot fail, and the number of characters is mostly known without
 * formatting: then there is nothing to wait for. The hart writes a record into its print ring, in
 * its public scratchpad, and links the record into the machine's one list. Hart 0 prints the
 * records in the order in which they were linked, before it does anything else (co_io_catch_up()):
 * a coroutine that knows that a record was written, by whatever way, prints after it. A coroutine
 * whose hart's ring is full waits until hart 0 has printed the records in it (co_io_record_open(),
 * remote.c).
 *
 * The list is an inbox (core/lf/inbox.h) whose consumer does not sleep for it: the proxy does, on
 * co_io_work.
 */
#ifndef COHART_IO_PRINT_RING_H
#define COHART_IO_PRINT_RING_H

#include "io.h"

/* It belongs to its hart until the post, then to hart 0 until it is printed. */
struct co_io_record {
	struct co_msg msg; /* first; run: prints it, on hart 0 */
	union {
		struct co *owner;
		struct co_hart *outside; /* a handler of this hart has printed it */
	};
	uintptr_t end;
	union {
		size_t length;      /* of a text */
		const char *format; /* of a deferred print (served/printf.c) */
	};
	uintptr_t word[]; /* a text's bytes; or arguments and strings */
};

/* The first word behind a text that ends there. */
static inline uintptr_t *co_io_record_end(char *text)
{
	return (uintptr_t *)(((uintptr_t)text + sizeof(uintptr_t) - 1) & -sizeof(uintptr_t));
}

#define CO_RECORD_BYTES 512 /* the largest; one may begin right before the end of the ring */
/* The longest text. */
#define IO_TEXT_BYTES (CO_RECORD_BYTES - sizeof(struct co_io_record))

/* A hart's own end of its print ring. Both NULL at first, and on hart 0, which has no ring. */
struct co_io_print_ring {
	unsigned char *next; /* the next record's place, if below `stop` */
	unsigned char *stop; /* from here on there may be no room */
};

extern struct co_inbox co_io_records;
extern struct co_waitq co_io_work; /* the proxy waits here */
extern _Thread_local struct co_io_print_ring co_io_print_ring;

/*
 * The place of this hart's next record, CO_RECORD_BYTES, or NULL: there seems to be no room. The
 * caller may leave it unused, and gets it again the next time.
 */
static inline struct co_io_record *co_io_record_next(void)
{
	const struct co_io_print_ring *o = &co_io_print_ring;

	return o->next < o->stop ? (struct co_io_record *)o->next : NULL;
}

/* co_io_record_next() after a look at which records hart 0 has printed. Context: not hart 0. */
struct co_io_record *co_io_record_look(void);

/*
 * The place of the next record, once there is room (remote.c). NULL: no room, in a handler, which
 * cannot wait. Context: not hart 0.
 */
IO_REMOTE struct co_io_record *co_io_record_open(void);

/*
 * Bytes for the console, at least one, of a coroutine at most IO_TEXT_BYTES (remote.c). A handler's
 * output is no part of a line: it goes out as it comes.
 * @return the number of bytes written; fewer than `bytes`, and errno EAGAIN: no room, in a handler.
 * Context: not hart 0.
 */
IO_REMOTE size_t co_io_record_text(const char *s, size_t bytes);

/* The hart that has printed r (remote.c). */
IO_REMOTE unsigned co_io_record_hart(const struct co_io_record *r);

/* Wake the proxy. Returns n. */
int co_io_record_announce(int n);

/* Send r, which was opened and has its owner. Returns n. Context: any. */
static inline int co_io_record_send(struct co_io_record *r, uintptr_t *end, int n)
{
	_Static_assert(alignof(struct co_io_record) == alignof(uintptr_t),
		       "the next one begins there");
	r->end = (uintptr_t)end;
	co_io_print_ring.next = (unsigned char *)r->end;
	co_inbox_push(&co_io_records, &r->msg);
	/* Its link is seq_cst, and so is this look; pairs with wait_for_work() in remote.c. */
	return co_waitq_any(&co_io_work) ? co_io_record_announce(n) : n;
}

/*
 * Send r, which was opened by a coroutine, and note whether its output ends a line.
 * @param self     the caller
 * @param end      behind its last word
 * @param unended  it does not end with a newline
 * @return n, for tail calls
 */
static inline int co_io_record_post(struct co_io_record *r, struct co *self, uintptr_t *end,
				    bool unended, int n)
{
	r->owner = self;
	co_io_note_line(self, unended);
	return co_io_record_send(r, end, n);
}

/* From here on: for hart 0 alone. */

/* Print all records. Returns whether there were any. Context: any. */
bool co_io_catch_up(void);
/* Print all records at the end of the run, when harts may have stopped for good. */
void co_io_catch_up_last(void);
/* Are there records? seq_cst: the proxy's look before it sleeps. */
bool co_io_records_wait(void);
#endif
