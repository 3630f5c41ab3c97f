/*
 * bcm2836_mailbox.c - hal/mailbox.h over the mailboxes of a BCM2836.
 *
 * Such a mailbox is one word whose bits are set and cleared, so it carries no messages; but it
 * tells of them, and without it none arrives. The words of messages go through rings in memory, one
 * for each sender, receiver and queue. Mailbox 1 of the receiver's core has a bit for each of the
 * rings that end there: a sender sets it when it has put a message; the receiver, which looks at
 * nothing but this register as long as it knows of no message, clears the bits that it finds and
 * then empties their rings. Clearing comes before looking: a message that is put meanwhile sets its
 * bit anew.
 *
 * A ring has one writer and one reader. What senders share is the room in a queue: a count.
 */
#include <errno.h>
#include <stdalign.h>

#include <cohart/atomic.h>
#include <hal/mailbox.h>
#include <hal_arch/sysreg.h>

#include "bcm2836.h"

#define MAILBOX 1
#define CORES HAL_BCM2836_CORES
#define QUEUES HAL_MAILBOX_QUEUES
#define WORDS HAL_MAILBOX_WORDS
#define BIT(queue, sender) (1u << ((queue)*CORES + (sender)))
#define LINE 64

_Static_assert(QUEUES *CORES <= 32, "a mailbox has a bit for each ring");
_Static_assert((WORDS & (WORDS - 1)) == 0, "places wrap");

struct ring {
	alignas(LINE) struct co_a32 tail; /* words put; the sender writes */
	alignas(LINE) uint32_t front;     /* words taken; the receiver's alone */
	alignas(LINE) uint32_t head[WORDS];
	uintptr_t word[WORDS];
};

struct queue {
	alignas(LINE) struct co_a32 used; /* words that are taken or claimed; all write */
	alignas(LINE) uint32_t turn;      /* the receiver's: the sender whose message is oldest */
	struct ring from[CORES];
};

static struct queue queues[CORES][QUEUES];
static struct {
	alignas(LINE) uint32_t full; /* rings that may have messages, as bits; its hart's own */
} known[CORES];

bool hal_mailbox_claim(unsigned hart, unsigned queue, unsigned n)
{
	struct co_a32 *used = &queues[hart][queue].used;
	uint32_t old;

	do {
		/* seq_cst: pairs with hal_mailbox_drop() and hal_mailbox_unclaim(). */
		old = co_atomic_load(used, CO_SEQ_CST);
		if (old + n > WORDS)
			return false;
		/* acquires: the receiver is through with the words; pairs with its drop. */
	} while (!co_atomic_cas(used, old, old + n));
	return true;
}

void hal_mailbox_unclaim(unsigned hart, unsigned queue, unsigned n)
{
	/* seq_cst: before the caller's look for those who wait; pairs with hal_mailbox_claim(). */
	co_atomic_add(&queues[hart][queue].used, -n, CO_SEQ_CST);
}

int hal_mailbox_put(unsigned hart, unsigned queue, uint32_t head, const uintptr_t *words,
		    bool claimed)
{
	unsigned me = hal_cpu_affinity0();
	struct ring *r = &queues[hart][queue].from[me];
	uint32_t n = HAL_MAILBOX_SIZE(head);
	uint32_t at = co_atomic_load(&r->tail, CO_RELAXED); /* this hart's own */

	if (!claimed && !hal_mailbox_claim(hart, queue, n))
		return -EAGAIN;
	r->head[at % WORDS] = head;
	for (uint32_t i = 0; i < n; i++)
		r->word[(at + i) % WORDS] = words[i];
	/* release: pairs with oldest(). */
	co_atomic_store(&r->tail, at + n, CO_RELEASE);
	hal_dsb(); /* all of that before the bit */
	*hal_bcm2836_set(hart, MAILBOX) = BIT(queue, me);
	hal_dsb(); /* and the bit before the caller's next look */
	return 0;
}

/* The ring with the oldest message in a queue of this hart that it knows of; NULL: none. */
static struct ring *known_oldest(struct queue *q, unsigned queue, uint32_t *full)
{
	const uint32_t all = BIT(queue, CORES) - BIT(queue, 0);

	for (; *full & all; q->turn = (q->turn + 1) % CORES) {
		struct ring *r = &q->from[q->turn];

		if (!(*full & BIT(queue, q->turn)))
			continue;
		/* acquire: the message is there; pairs with hal_mailbox_put(). */
		if (co_atomic_load(&r->tail, CO_ACQUIRE) != r->front)
			return r;
		*full &= ~BIT(queue, q->turn);
	}
	return NULL;
}

/* The same, after a look at the mailbox if need be. */
static struct ring *oldest(unsigned queue)
{
	unsigned me = hal_cpu_affinity0();
	uint32_t *full = &known[me].full;
	struct ring *r = known_oldest(&queues[me][queue], queue, full);
	volatile uint32_t *mailbox = hal_bcm2836_clear(me, MAILBOX);
	uint32_t news;

	if (r)
		return r;
	hal_dsb(); /* what the caller wrote, before the look */
	news = *mailbox;
	if (!news)
		return NULL;
	*mailbox = news;
	hal_dsb(); /* the bits are gone before the rings are looked at */
	*full |= news;
	return known_oldest(&queues[me][queue], queue, full);
}

uint32_t hal_mailbox_look(unsigned queue)
{
	struct ring *r = oldest(queue);

	return r ? r->head[r->front % WORDS] : 0;
}

void hal_mailbox_read(unsigned queue, unsigned from, uintptr_t *words, unsigned n)
{
	struct ring *r = oldest(queue);

	for (unsigned i = 0; i < n; i++)
		words[i] = r->word[(r->front + from + i) % WORDS];
}

void hal_mailbox_drop(unsigned queue)
{
	struct ring *r = oldest(queue);
	uint32_t n = HAL_MAILBOX_SIZE(r->head[r->front % WORDS]);
	struct queue *q = &queues[hal_cpu_affinity0()][queue];

	r->front += n;
	q->turn = (q->turn + 1) % CORES; /* whoever sends much does not keep the others waiting */
	/*
	 * seq_cst: releases the words to hal_mailbox_claim(); before the look for those who wait.
	 */
	co_atomic_add(&q->used, -n, CO_SEQ_CST);
}

uint32_t hal_mailbox_get(unsigned queue, uintptr_t *words, unsigned max)
{
	uint32_t head = hal_mailbox_look(queue);

	if (head && HAL_MAILBOX_SIZE(head) <= max) {
		hal_mailbox_read(queue, 0, words, HAL_MAILBOX_SIZE(head));
		hal_mailbox_drop(queue);
	}
	return head;
}
