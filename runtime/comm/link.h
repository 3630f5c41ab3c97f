/*
 * link.h - what the files of links know of each other.
 *
 * An end is its own hart's: what connects and what parts runs in handlers on the hart that owns the
 * end, so ends have no locks. Others write into an end's memory where lf/link.h says so, wake who
 * waits at it, and fill it in while its owner waits for just that.
 */
#ifndef COHART_COMM_LINK_H
#define COHART_COMM_LINK_H

#include <limits.h>

#include <cohart/link.h>
#include <cohart/mailbox.h>

#include "../core/lf/link.h"
#include "../core/lost.h"

/* Over mailboxes: how an end gets its mail. */
struct co_link_mail {
	int tag;
	unsigned size;          /* words in the mail for a message, or a credit */
	struct co_mailbox *box; /* NULL: a queue is bound to the tag */
	uintptr_t *staging;     /* the sender's number, then a message */
};

/* In place of its hart, in memory that was an end. */
#define CO_LINK_CLOSED UINT_MAX

struct co_link_tx {
	struct co_link_lane lane;
	struct co_link_ack *ack;
	struct co_link_port *port;
	uintptr_t depth; /* 0: no slot may be used: over mailboxes, or the receiver has closed */
	uintptr_t words;
	bool mailed;   /* CO_LINK_MAILBOX */
	bool numbered; /* there its number goes before each message */
	bool gone;     /* the receiver has closed */
	bool busy;     /* reserved, or in a send that waits: do not let the receiver go */
	bool answered; /* msg has come back */
	int answer;
	unsigned number;
	unsigned hart, rx_hart;
	struct co_link *link;
	struct co_link_rx *rx;
	struct co_link_tx *also;    /* open on this hart */
	struct co_waitq wait;       /* for room, or for an answer */
	struct co_msg msg;          /* to the receiver's hart and back */
	struct co_msg *farewell;    /* the receiver's, to be answered when not busy */
	struct co_link_mail credit; /* its mail */
	uint32_t credits;           /* left to spend */
	uint32_t collected;         /* all that have come */
	uint32_t credited;          /* all that ever will, once the ends have parted */
	alignas(CO_LINE) struct co_link_ack home;
};

/* The receiver's side of one sender. */
struct co_link_from {
	struct co_link_lane lane;
	struct co_link_ack *ack; /* the sender's, or `nowhere` */
	struct co_link_port *port;
	struct co_link_from *after; /* whose turn is next */
	unsigned number;
	struct co_link_tx *tx; /* NULL: nobody */
	struct co_link_rx *rx;
	uint32_t sent;      /* messages, once there is no sender: what will have come in the end */
	uint32_t owed;      /* credits that had no room */
	uint32_t credited;  /* credits on the way or there */
	bool parted;        /* a sender was here, and has closed */
	bool paying;        /* in a send of credits that waits: do not let the sender go */
	struct co_msg *bye; /* the sender's, to be answered after that */
	struct co_msg farewell;  /* to the sender's hart and back */
	struct co_link_tx *told; /* whom it is for */
	struct co_link_ack nowhere;
};

struct co_link_rx {
	struct co_link_from *next; /* where the next look begins */
	struct co_link_from *last;
	struct co_link_from *peeked; /* whose message is not released yet */
	uintptr_t words;
	unsigned depth;
	bool mailed;
	unsigned hart;
	unsigned left;      /* senders that have not closed */
	unsigned owing;     /* those with owed credits */
	unsigned farewells; /* on their way */
	struct co_link *link;
	struct co_link_rx *also; /* open on this hart */
	struct co_waitq wait;    /* for messages, or for farewells */
	struct co_link_mail mail;
	struct co_link_from from[];
};

/* A sender's place: what is at home with the receiver; unhomed, the acknowledgements too. */
struct co_link_place {
	struct co_link_ack ack;
	struct co_link_port port;
	uintptr_t slots[];
};

/* Messages move by words. */
static inline void co_link_copy(uintptr_t *to, const uintptr_t *from, uintptr_t words)
{
	do
		*to++ = *from++;
	while (--words);
}

/* link.c */
/* A sender's message and a receiver's, on their way to the other's hart; the first comes back. */
void co_link_connect(struct co_msg *m);
void co_link_leave(struct co_msg *m);
void co_link_farewell(struct co_msg *m);
void co_link_answer(struct co_link_tx *tx, int r);
/* The receiver's is on its way back. */
void co_link_answer_farewell(struct co_link_from *f);
/* Take leave of f's sender, which waits for its message to come back. Handlers of the rx's hart. */
void co_link_part(struct co_link_from *f, struct co_msg *bye);
/* The sender is not busy any more: answer the receiver's farewell if there is one. */
void co_link_idle(struct co_link_tx *tx);

/* link_lost.c: what becomes of a link when the hart at its other end is lost. */
/* The open ends of this hart, which are told. */
void co_link_note_tx(struct co_link_tx *tx);
void co_link_note_rx(struct co_link_rx *rx);
void co_link_forget_tx(struct co_link_tx *tx);
void co_link_forget_rx(struct co_link_rx *rx);
/* Tell all of the machine. Context: hart 0. */
/* Those who have a farewell that they will not answer count as if they had. */
void co_link_forsake(struct co_link_rx *rx);
/* Will tx's message, which is on its way, never come back? */
bool co_link_is_kept(struct co_link_tx *tx);

/* link_mail.c: CO_LINK_MAILBOX. */
/* Bytes that an end needs for mail of up to `count` messages under way. */
size_t co_link_mail_bytes(const struct co_link_mail *m, unsigned words, unsigned count);
/* Bind a queue or open a mailbox. */
int co_link_mail_open(struct co_link_mail *m, void *memory, unsigned words, unsigned count);
void co_link_mail_close(struct co_link_mail *m);
/* Wait until the sender may send. */
int co_link_mail_credit(struct co_link_tx *tx, uint64_t deadline, bool wait);
int co_link_mail_send(struct co_link_tx *tx, const uintptr_t *msg, uint64_t deadline, bool wait);
/* Send what is in staging; there is a credit for it. */
void co_link_mail_commit(struct co_link_tx *tx);
/* The next message, to staging; *from sent it. */
int co_link_mail_fetch(struct co_link_rx *rx, uint64_t deadline, bool wait,
		       struct co_link_from **from);
/* f's message is done with: a credit for its sender. */
void co_link_mail_done(struct co_link_rx *rx, struct co_link_from *f);
/* Take what is still in the mail for an end that nobody sends to any more. */
void co_link_mail_drain_rx(struct co_link_rx *rx);
void co_link_mail_drain_tx(struct co_link_tx *tx);

/* The message in an end's staging. */
static inline uintptr_t *co_link_mail_message(const struct co_link_mail *m)
{
	return m->staging + 1;
}

#endif
