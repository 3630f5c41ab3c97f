/*
 * channels.c - the ball in a channel there and one back: the ways to claim a slot.
 */
#include "game.h"

static struct co_chan chan[2]; /* chan[side]: what that side sends into */
static alignas(CO_LINE) unsigned char buffer[2][CO_CHAN_BYTES(sizeof(uintptr_t), 1)];

static int make(enum co_chan_mode mode, enum co_claim claim)
{
	int r = 0;

	for (unsigned side = 0; side < 2 && r == 0; side++)
		r = co_chan_init_as(&chan[side], buffer[side], sizeof(buffer[side]),
				    sizeof(uintptr_t), mode, claim);
	return r;
}

static int make_cas(void)
{
	return make(CO_MPMC, CO_CLAIM_DEFAULT);
}

static int make_ticket(void)
{
	return make(CO_MPMC, CO_CLAIM_TICKET);
}

static int make_single(void)
{
	return make(CO_SPSC, CO_CLAIM_DEFAULT);
}

static int send(unsigned side, uintptr_t ball)
{
	return co_chan_send(&chan[side], &ball);
}

static int recv(unsigned side, uintptr_t *ball)
{
	return co_chan_recv(&chan[!side], ball);
}

static int send_slot(unsigned side, uintptr_t ball)
{
	struct co_chan_slot s;
	int r = co_chan_reserve(&chan[side], &s);

	if (r)
		return r;
	*(uintptr_t *)s.data = ball;
	co_chan_commit(&chan[side], &s);
	return 0;
}

static int recv_slot(unsigned side, uintptr_t *ball)
{
	struct co_chan_slot s;
	int r = co_chan_peek(&chan[!side], &s);

	if (r)
		return r;
	*ball = *(uintptr_t *)s.data;
	co_chan_release(&chan[!side], &s);
	return 0;
}

const struct mechanism chan_cas = { .name = "channel",
				    .about = "MPMC, the default",
				    .reset = make_cas,
				    .send = send,
				    .recv = recv };
const struct mechanism chan_ticket = { .name = "channel-ticket",
				       .about = "MPMC by adds whose result is used",
				       .reset = make_ticket,
				       .send = send,
				       .recv = recv };
const struct mechanism chan_single = { .name = "channel-spsc",
				       .about = "one sender, one receiver",
				       .reset = make_single,
				       .send = send,
				       .recv = recv };
const struct mechanism chan_slot = { .name = "channel-slot",
				     .about = "the same, filled and read in place",
				     .reset = make_single,
				     .send = send_slot,
				     .recv = recv_slot };
