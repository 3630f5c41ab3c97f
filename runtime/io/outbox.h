/*
 * outbox.h - output that nobody waits for.
 *
 * What a coroutine prints on the console cannot fail, and how many characters it makes can mostly
 * be told without printing it: then there is nothing to wait for. The hart writes a record of it
 * into its outbox, a ring in its public scratchpad, and links the record into the machine's one
 * mail. Hart 0 prints the records in the order in which they were linked, before it does anything
 * else for anybody (io_catch_up()): so who has heard of a record's being written, by whatever way,
 * prints after it. A coroutine whose hart's outbox is full waits until hart 0 has seen to it.
 *
 * The mail is an inbox (core/lf/inbox.h) whose consumer does not sleep for it: the proxy does, on
 * io_work.
 */
#ifndef COHART_IO_OUTBOX_H
#define COHART_IO_OUTBOX_H

#include <stdarg.h>

#include "io.h"

/* In an outbox; its hart's between open and post, hart 0's from there until it is served. */
struct io_record {
	struct co_msg msg; /* first; run: prints it, on hart 0 */
	struct co *owner;
	uintptr_t end;
	union {
		size_t length;      /* of a text, */
		const char *format; /* or what posted.c makes: */
	};
	uint64_t word[]; /* its arguments and strings */
};

/* The longest text. */
#define IO_TEXT_BYTES (CO_RECORD_BYTES - sizeof(struct io_record))

/* A hart's end of its outbox; its own. Both NULL at first, and on hart 0, which has none. */
struct io_outbox {
	unsigned char *next; /* where the next record goes, */
	unsigned char *stop; /* if that is below this; else there may be no room */
};

extern struct co_inbox io_mail;
extern struct co_waitq io_work; /* the proxy waits here */
extern _Thread_local struct io_outbox io_outbox;

static inline bool io_outbox_room(const struct io_outbox *o)
{
	return o->next < o->stop;
}

/* Wait until there is. */
void io_outbox_wait(void);

/*
 * Where this hart's next record goes: CO_RECORD_BYTES. It may be left alone, and whoever opens one
 * next has the same. Context: coroutine, not hart 0. It may wait, so nothing that another coroutine
 * of the hart may change is to be relied upon across it.
 */
static inline struct io_record *io_outbox_open(void)
{
	if (!io_outbox_room(&io_outbox))
		io_outbox_wait();
	return (struct io_record *)io_outbox.next;
}

/* The end of a record whose last bytes are these. */
static inline uint64_t *io_aligned(char *end)
{
	return (uint64_t *)(((uintptr_t)end + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1));
}

/*
 * Send the record that was opened. Context: coroutine (asserted).
 * @param end      behind its last word
 * @param unended  it does not end with a newline
 * @return n, for callers whose last word it is
 */
int io_outbox_post(uint64_t *end, bool unended, int n);

/*
 * Bytes for the console, at most IO_TEXT_BYTES, at least one. Context: coroutine, not hart 0.
 */
void io_outbox_text(const char *s, size_t bytes);

/* All below is hart 0's. */

/*
 * Print what has been posted until now. Returns whether there was anything. Context: any.
 */
bool io_catch_up(void);
/* The same when the run ends, and harts may have stopped for good. */
void io_catch_up_last(void);
/* Has anything been posted since? seq_cst: the proxy's look before it sleeps. */
bool io_mail_waits(void);
/* Whose record is being printed, or NULL. */
extern struct co *io_record_owner;
/*
 * Who calls has been ended by a fault, maybe while it printed one: that counts as printed. Nobody
 * gives way while he prints, so it is nobody else's.
 */
void io_record_release(void);

/*
 * Print a format on the console without waiting for it.
 * @return how many characters it makes; -1 if it must be waited for (pack.c): on hart 0, for a
 *         format that is not the image's constant, for a conversion whose length is not easily told
 * Context: any.
 */
int io_print_posted(const char *format, va_list ap);

#endif
