/*
 * links.c - the ball over a lasting connection there and one back: homed, unhomed, over mailboxes.
 */
#include "game.h"

enum { TAG = 60 };

static struct co_link lines[2]; /* lines[side]: what that side sends over */
static alignas(CO_LINE) unsigned char memory[2][CO_LINK_BYTES(1, 1, 1)];

static struct {
	alignas(CO_LINE) struct co_link_tx *tx;
	struct co_link_rx *rx;
} ends[2];

static int make(enum co_link_kind kind)
{
	for (unsigned side = 0; side < 2; side++)
		lines[side] = (struct co_link){ .kind = kind,
						.words = 1,
						.depth = 1,
						.senders = 1,
						.tag = (uint16_t)(TAG + 2 * side),
						.memory = memory[side] };
	return 0;
}

static int make_homed(void)
{
	return make(CO_LINK_HOMED);
}

static int make_unhomed(void)
{
	return make(CO_LINK_UNHOMED);
}

static int make_mail(void)
{
	return make(CO_LINK_MAILBOX);
}

static int enter(unsigned side)
{
	int r = co_link_open_rx(&lines[!side], &ends[side].rx);

	return r ? r : co_link_open_tx(&lines[side], &ends[side].tx);
}

static int send(unsigned side, uintptr_t ball)
{
	return co_link_send(ends[side].tx, &ball);
}

static int recv(unsigned side, uintptr_t *ball)
{
	int from = co_link_recv(ends[side].rx, ball);

	return from < 0 ? from : 0;
}

static void leave(unsigned side)
{
	co_link_close_tx(ends[side].tx);
	co_link_close_rx(ends[side].rx);
}

const struct mechanism link_homed = { .name = "link",
				      .about = "each side waits on its own scratchpad",
				      .reset = make_homed,
				      .enter = enter,
				      .send = send,
				      .recv = recv,
				      .leave = leave };
const struct mechanism link_unhomed = { .name = "link-unhomed",
					.about = "the same in main memory, the baseline",
					.reset = make_unhomed,
					.enter = enter,
					.send = send,
					.recv = recv,
					.leave = leave };
const struct mechanism link_mail = { .name = "link-mail",
				     .about = "over the mailboxes, with credits",
				     .reset = make_mail,
				     .enter = enter,
				     .send = send,
				     .recv = recv,
				     .leave = leave };
