/*
 * link_lost.c - links when the hart at the other end is lost: it has closed, so to say.
 *
 * Each hart knows its open ends. A message from hart 0 makes it look which of them have lost their
 * other end, and those who wait there are woken: nothing of this is in the way of messages. What
 * the lost hart was asked by message hart 0 answers. All that is read of an end there stays as it
 * is, since that hart has stopped and nobody else is given its memory.
 */
#include <errno.h>

#include <cohart/spm.h>

#include "../core/hook.h"
#include "link.h"

static _Thread_local struct co_link_tx *open_tx;
static _Thread_local struct co_link_rx *open_rx;

/* To each hart. */
static struct knock {
	struct co_msg msg;
	struct co_a32 under_way;
} knock[BOARD_MAX_HARTS];

void co_link_note_tx(struct co_link_tx *tx)
{
	tx->also = open_tx;
	open_tx = tx;
}

void co_link_note_rx(struct co_link_rx *rx)
{
	rx->also = open_rx;
	open_rx = rx;
}

void co_link_forget_tx(struct co_link_tx *tx)
{
	struct co_link_tx **at = &open_tx;

	while (*at != tx)
		at = &(*at)->also;
	*at = tx->also;
}

void co_link_forget_rx(struct co_link_rx *rx)
{
	struct co_link_rx **at = &open_rx;

	while (*at != rx)
		at = &(*at)->also;
	*at = rx->also;
}

static bool is_past(const struct co_link_tx *tx)
{
	return tx && co_hart_past((unsigned)co_spm_hart(tx));
}

/* Nobody receives any more. */
static void lose_rx(struct co_link_tx *tx)
{
	tx->gone = true;
	tx->depth = 0;
	co_wake_all(&tx->wait);
}

/* Senders whose harts are lost have parted. */
static void lose_tx(struct co_link_rx *rx)
{
	for (struct co_link_from *f = rx->from; f <= rx->last; f++) {
		/* That of a farewell comes with its answer. */
		if (!is_past(f->tx) || f->told == f->tx)
			continue;
		if (f->owed)
			rx->owing--;
		f->owed = 0;
		f->bye = NULL;
		f->sent = f->tx->lane.count;
		f->tx = NULL;
		f->ack = &f->nowhere;
		f->parted = true;
		rx->left--;
	}
	co_wake_all(&rx->wait);
}

/* On each hart. */
static void look(struct co_msg *m)
{
	struct knock *k = (struct knock *)((uintptr_t)m - offsetof(struct knock, msg));

	/* acq_rel: the next loss posts it again, or is seen here. */
	co_atomic_swap(&k->under_way, 0, CO_ACQ_REL);
	for (struct co_link_tx *tx = open_tx; tx; tx = tx->also) {
		if (co_hart_past(tx->rx_hart))
			lose_rx(tx);
	}
	for (struct co_link_rx *rx = open_rx; rx; rx = rx->also)
		lose_tx(rx);
}

static void knock_at_all(unsigned lost)
{
	(void)lost;
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		struct knock *k = &knock[hart];

		/* acq_rel: as in look(). */
		if (co_hart_lost(hart) || co_atomic_swap(&k->under_way, 1, CO_ACQ_REL))
			continue;
		k->msg.run = look;
		co_post(hart, &k->msg);
	}
}

static bool message_lost(struct co_msg *m)
{
	struct co_link_tx *tx =
		(struct co_link_tx *)((uintptr_t)m - offsetof(struct co_link_tx, msg));
	struct co_link_from *f =
		(struct co_link_from *)((uintptr_t)m - offsetof(struct co_link_from, farewell));

	if (m->run == co_link_connect || m->run == co_link_leave)
		co_link_answer(tx, -EPIPE);
	else if (m->run == co_link_farewell)
		co_link_answer_farewell(f);
	else
		return false;
	return true;
}

CO_HOOKS = { .hart_stopped = knock_at_all, .message_lost = message_lost };

void co_link_forsake(struct co_link_rx *rx)
{
	for (struct co_link_from *f = rx->from; f <= rx->last; f++) {
		struct co_link_tx *tx = f->told;

		/* One that is in its inbox hart 0 answers. */
		if (!is_past(tx) || tx->farewell != &f->farewell)
			continue;
		tx->farewell = NULL;
		f->sent = tx->lane.count;
		rx->farewells--;
	}
}

bool co_link_is_kept(struct co_link_tx *tx)
{
	return co_hart_past(tx->rx_hart) && tx->rx && tx->rx->from[tx->number].bye == &tx->msg;
}
