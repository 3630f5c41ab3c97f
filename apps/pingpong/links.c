/*
 * links.c - the ball over a lasting connection there and one back.
 */
#include <string.h>

#include "game.h"

static struct co_link lines[2]; /* lines[side]: what that side sends over */

static struct {
	alignas(CO_LINE) struct co_link_tx *tx;
	struct co_link_rx *rx;
} ends[2];

static int reset(void)
{
	memset(lines, 0, sizeof(lines));
	return 0;
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

const struct mechanism link_ = { .name = "link",
				 .about = "each side waits on its own scratchpad",
				 .reset = reset,
				 .enter = enter,
				 .send = send,
				 .recv = recv,
				 .leave = leave };
