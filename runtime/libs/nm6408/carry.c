/*
 * carry.c - X-routes: a transfer between cores without a route is carried by a shadow, a coroutine
 * beside the process of the first core on the way (seed D, 5: shadow processes).
 *
 * When both sides have begun the transfer, the later side sends the pair to the shadow. The shadow
 * brings piece after piece into its core's buffer, on to the next core's buffer, and to the
 * receiver, over ordinary routes; it takes each route for one piece and gives it back. It first
 * takes the buffers of all cores on the way, in the order of their numbers, and only then routes:
 * so no two shadows wait for each other, because a shadow with a route waits for no buffer.
 *
 * A shadow is in charge of a transfer (co_net_charge()). If its core or another one on the way is
 * lost, the transfer ends with -EHOSTDOWN, and so it does after the current piece if the process of
 * either side is gone. When a transfer is over, the
 * receiving end is notified first: the sender's memory is its own again only after that.
 */
#include <errno.h>
#include <string.h>

#include <cohart/channel.h>
#include <cohart/spm.h>
#include <cohart/sync.h>

#include "load.h"

enum { PIECE = 64, WAY = 4, WAITING = CO_NET_CORES * CO_NET_CORES };

/* The carrying state of one core, in its window of scratchpad. */
struct carrier {
	struct bfskn_block block;
	struct co_mutex buffer_taken;
	uint64_t buffer[PIECE];
	struct co_net_hold route; /* the route that its shadow holds */
};

static struct carrier *carriers[CO_NET_CORES]; /* NULL: the core has had no process of level 3 */
static struct co_chan queues[CO_NET_CORES];
static alignas(CO_LINE) unsigned char room[CO_NET_CORES]
					  [CO_CHAN_BYTES(sizeof(struct co_net_end *), WAITING)];
static struct co_batch shadows;

struct bfskn_block *bfskn_block_of(unsigned core)
{
	return &carriers[core]->block;
}

static intptr_t prepare(void *arg)
{
	unsigned core = co_hart();

	(void)arg;
	if (!carriers[core])
		carriers[core] = co_spm_alloc(sizeof(*carriers[core]), CO_LINE);
	if (!carriers[core])
		return -ENOMEM;
	memset(carriers[core], 0, sizeof(*carriers[core]));
	return 0;
}

/* ---- Ways ---- */

static bool is_usable(unsigned core)
{
	return carriers[core] && !co_hart_gone(core);
}

/*
 * Find a way from one core to another over routes. Returns how many cores lie between, in way[];
 * -1: there is no way.
 */
static int find_way(unsigned from, unsigned to, unsigned *way)
{
	uint8_t before[CO_NET_CORES], queue[CO_NET_CORES];
	unsigned head = 0, tail = 0, n = 0;
	struct co_net_route r;

	memset(before, CO_NET_CORES, sizeof(before));
	before[from] = (uint8_t)from;
	queue[tail++] = (uint8_t)from;
	while (head < tail && before[to] == CO_NET_CORES) {
		unsigned at = queue[head++];

		for (unsigned next = 0; next < CO_NET_CORES; next++) {
			if (before[next] != CO_NET_CORES || (next != to && !is_usable(next)) ||
			    co_net_route(at, next, &r))
				continue;
			before[next] = (uint8_t)at;
			queue[tail++] = (uint8_t)next;
		}
	}
	if (before[to] == CO_NET_CORES)
		return -1;
	for (unsigned at = before[to]; at != from; at = before[at])
		n++;
	if (n > WAY)
		return -1;
	for (unsigned at = before[to], i = n; at != from; at = before[at])
		way[--i] = at;
	return (int)n;
}

/* Send a pair, whose sides have begun, to a shadow. */
static void carry(struct co_net_end *send, struct co_net_end *recv)
{
	unsigned way[WAY];
	bool found = find_way(send->core, recv->core, way) > 0;
	unsigned by = found ? way[0] : send->core;

	co_net_charge(send, recv, by);
	/* Hart 0 may have looked before the charge. Sending fails when the program is over. */
	if (found && co_hart_gone(by))
		co_net_finish(send, recv, by, -EHOSTDOWN);
	else if (!found || co_chan_try_send(&queues[by], &send))
		co_net_finish(send, recv, by, -ENETUNREACH);
}

/* ---- A shadow ---- */

static void give_back_way(const unsigned *way, unsigned n)
{
	while (n--)
		co_mutex_unlock(&carriers[way[n]]->buffer_taken);
}

/* Take the buffers of the way's cores, in the order of their numbers: sorted[]. */
static int take_buffers(const unsigned *way, unsigned n, unsigned *sorted)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned k = i;

		for (; k && sorted[k - 1] > way[i]; k--)
			sorted[k] = sorted[k - 1];
		sorted[k] = way[i];
	}
	for (unsigned i = 0; i < n; i++) {
		int r = co_mutex_lock(&carriers[sorted[i]]->buffer_taken);

		if (r && r != -EOWNERDEAD) {
			give_back_way(sorted, i);
			return r;
		}
	}
	return 0;
}

/* Carry one piece: out of the sender's rows, from buffer to buffer, into the receiver's rows. */
static int carry_piece(struct co_net_end *send, struct co_net_end *recv, uint32_t at,
		       uint32_t words, const unsigned *way, unsigned n)
{
	struct co_net_hold *route = &carriers[co_hart()]->route;
	uint64_t *buffer = carriers[way[0]]->buffer;
	int r = co_net_take(route, send->core, way[0]);

	if (r)
		return r;
	co_net_gather(&send->mine, at, words, buffer);
	co_net_give(route);
	for (unsigned i = 1; i < n; i++) {
		r = co_net_take(route, way[i - 1], way[i]);
		if (r)
			return r;
		memcpy(carriers[way[i]]->buffer, buffer, words * sizeof(*buffer));
		co_net_give(route);
		buffer = carriers[way[i]]->buffer;
	}
	r = co_net_take(route, way[n - 1], recv->core);
	if (r)
		return r;
	co_net_scatter(&recv->mine, at, words, buffer);
	co_net_give(route);
	return 0;
}

static bool is_gone(const struct co_net_end *e)
{
	return co_net_is_gone(e->core);
}

/* Returns the transfer's status. */
static int carry_by(struct co_net_end *send, struct co_net_end *recv, const unsigned *way,
		    unsigned n)
{
	uint32_t words = send->mine.words < recv->mine.words ? send->mine.words : recv->mine.words;
	unsigned sorted[WAY];
	int status = take_buffers(way, n, sorted);

	if (status)
		return status;
	for (uint32_t at = 0; at < words && !status && !is_gone(send) && !is_gone(recv);
	     at += PIECE) {
		uint32_t some = words - at < PIECE ? words - at : PIECE;

		status = carry_piece(send, recv, at, some, way, n);
		for (unsigned i = 0; i < n; i++) {
			if (!is_usable(way[i]))
				status = -EHOSTDOWN;
		}
	}
	give_back_way(sorted, n);
	return status || send->mine.words == recv->mine.words ? status : -EMSGSIZE;
}

static void carry_pair(struct co_net_end *send)
{
	struct co_net_end *recv = (struct co_net_end *)co_atomic_load(&send->other, CO_ACQUIRE);
	unsigned way[WAY];
	int n = find_way(send->core, recv->core, way);

	co_net_finish(send, recv, co_hart(),
		      n > 0 ? carry_by(send, recv, way, (unsigned)n) : -ENETUNREACH);
}

static intptr_t shadow(void *arg)
{
	struct co_chan *queue = arg;
	struct co_net_end *send;
	int r;

	while ((r = co_chan_recv(queue, &send)) == 0)
		carry_pair(send);
	return r == -EPIPE ? 0 : r;
}

/* ---- A program ---- */

/* Start fn on each core that exists, with or without a process. Returns 0 or the first error. */
static int on_all(const char *name, co_fn *fn, bool joined)
{
	static intptr_t result[CO_NET_CORES];
	int r = 0;

	for (unsigned core = 0; core < co_net_cores() && !r; core++) {
		const struct co_attr there = { .name = name, .on = CO_ON_HART(core) };

		result[core] = 0;
		if (!co_hart_gone(core))
			r = co_batch_spawn(&shadows, &there, fn, &queues[core], &result[core]);
	}
	if (joined) {
		int failed = co_batch_join(&shadows);

		r = r ? r : failed;
	}
	for (unsigned core = 0; joined && core < co_net_cores() && !r; core++)
		r = (int)result[core];
	return r;
}

int bfskn_pairs_begin(struct bfskn_program *p)
{
	int r = on_all("load", prepare, true);

	if (r)
		return r;
	for (unsigned core = 0; core < CO_NET_CORES && !r; core++)
		r = co_chan_init(&queues[core], room[core], sizeof(room[core]),
				 sizeof(struct co_net_end *));
	for (unsigned i = 0; i < p->n; i++) {
		for (unsigned k = 0; k < p->n; k++) {
			unsigned from = p->core_of[i], to = p->core_of[k];

			if (i != k)
				co_net_pair(&carriers[from]->block.ends[CO_NET_SEND][to], from,
					    &carriers[to]->block.ends[CO_NET_RECV][from], to,
					    carry);
		}
	}
	r = r ? r : on_all("shadow", shadow, false);
	if (r)
		bfskn_pairs_end();
	return r;
}

void bfskn_pairs_end(void)
{
	for (unsigned core = 0; core < CO_NET_CORES; core++)
		co_chan_close(&queues[core]);
	/* Errors of lost shadows are ignored: their transfers have ended. */
	(void)!co_batch_join(&shadows);
}
