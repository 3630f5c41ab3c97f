/*
 * bcm2836_mailbox.c - hal/mailbox.h over the mailboxes of a BCM2836.
 *
 * A mailbox is one word whose bits are set and cleared, so it carries no messages; but its bits
 * tell of messages, and without a bit no message arrives. The words of messages go through rings in
 * memory, one for each receiver and queue. Mailbox 1 of the receiver's core has a bit for each
 * queue and sender: a sender sets it when its message is whole; the receiver, which looks at
 * nothing but this register as long as it knows of no message, clears the bits that it finds and
 * then empties the rings. Clearing comes before looking: a message that is put meanwhile sets its
 * bit anew.
 *
 * Senders take their places in a ring by an atomic add, so messages stay in the order in which they
 * were put. A message whose head is not written yet holds back the messages behind it; its bit is
 * still to come.
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

_Static_assert(QUEUES *CORES <= 32, "a mailbox has a bit for each queue and sender");
_Static_assert((WORDS & (WORDS - 1)) == 0, "places wrap");

struct ring {
	alignas(LINE) struct co_a32 used; /* words that are taken or claimed; all write */
	struct co_a32 tail;               /* the next place; senders write */
	alignas(LINE) uint32_t front;     /* the oldest message's place; the receiver's alone */
	bool known;                       /* the receiver's: there may be a message */
	alignas(LINE) struct co_a32 head[WORDS]; /* of the message that begins here; 0: none */
	uintptr_t word[WORDS];
};

static struct ring rings[CORES][QUEUES];

bool hal_mailbox_claim(unsigned hart, unsigned queue, unsigned n)
{
	struct co_a32 *used = &rings[hart][queue].used;
	uint32_t old;

	do {
		/* seq_cst: pairs with hal_mailbox_drop() and hal_mailbox_unclaim(). */
		old = co_atomic_load(used, CO_SEQ_CST);
		if (old + n > WORDS)
			return false;
		/* acquires: the receiver has read the words; pairs with its drop. */
	} while (!co_atomic_cas(used, old, old + n));
	return true;
}

void hal_mailbox_unclaim(unsigned hart, unsigned queue, unsigned n)
{
	/* seq_cst: before the caller's look for waiters; pairs with hal_mailbox_claim(). */
	co_atomic_add(&rings[hart][queue].used, -n, CO_SEQ_CST);
}

int hal_mailbox_put(unsigned hart, unsigned queue, uint32_t head, const uintptr_t *words,
		    bool claimed)
{
	struct ring *r = &rings[hart][queue];
	uint32_t n = HAL_MAILBOX_SIZE(head);
	uint32_t place;

	if (!claimed && !hal_mailbox_claim(hart, queue, n))
		return -EAGAIN;
	/*
	 * acq_rel: pairs with the senders' earlier adds: this place may have been given back before
	 * the claim of one of them.
	 */
	place = co_atomic_add(&r->tail, n, CO_ACQ_REL);
	for (uint32_t i = 0; i < n; i++)
		r->word[(place + i) % WORDS] = words[i];
	/* release: pairs with peek(). */
	co_atomic_store(&r->head[place % WORDS], head, CO_RELEASE);
	hal_dsb(); /* all of that before the bit */
	*hal_bcm2836_set(hart, MAILBOX) = BIT(queue, hal_cpu_affinity0());
	hal_dsb(); /* and the bit before the caller's next look */
	return 0;
}

static struct ring *mine(unsigned queue)
{
	return &rings[hal_cpu_affinity0()][queue];
}

/* The oldest message's head; 0: no message yet. */
static uint32_t peek(const struct ring *r)
{
	/* acquire: the words are there; pairs with hal_mailbox_put(). */
	return co_atomic_load(&r->head[r->front % WORDS], CO_ACQUIRE);
}

/* Which queues of this hart does its mailbox name? */
static void look_at_mailbox(void)
{
	volatile uint32_t *mailbox = hal_bcm2836_clear(hal_cpu_affinity0(), MAILBOX);
	uint32_t news;

	hal_dsb(); /* the caller's stores come before the look */
	news = *mailbox;
	if (!news)
		return;
	*mailbox = news;
	hal_dsb(); /* the bits are gone before the rings are looked at */
	for (unsigned queue = 0; queue < QUEUES; queue++)
		mine(queue)->known |= (news & (BIT(queue, CORES) - BIT(queue, 0))) != 0;
}

uint32_t hal_mailbox_look(unsigned queue)
{
	struct ring *r = mine(queue);
	uint32_t head = r->known ? peek(r) : 0;

	if (head)
		return head;
	r->known = false;
	look_at_mailbox();
	return r->known ? peek(r) : 0;
}

void hal_mailbox_read(unsigned queue, unsigned from, uintptr_t *words, unsigned n)
{
	struct ring *r = mine(queue);

	for (unsigned i = 0; i < n; i++)
		words[i] = r->word[(r->front + from + i) % WORDS];
}

void hal_mailbox_drop(unsigned queue)
{
	struct ring *r = mine(queue);
	uint32_t n = HAL_MAILBOX_SIZE(peek(r));

	/* relaxed: the add publishes it to the next sender that puts a head here. */
	co_atomic_store(&r->head[r->front % WORDS], 0, CO_RELAXED);
	r->front += n;
	/*
	 * seq_cst: releases the words to hal_mailbox_claim(); before the look for waiters.
	 */
	co_atomic_add(&r->used, -n, CO_SEQ_CST);
}
