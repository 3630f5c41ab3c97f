/*
 * threadring - a token goes round a ring of coroutines. Each takes one off its number and hands it
 * on; the one that gets 0 is the answer.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/options.h"

static const char usage[] =
	"usage: threadring [OPTION]...\n"
	"Hand a token round a ring of coroutines, each of which takes one off it.\n"
	"\n"
	"  -p, --places=N        coroutines in the ring, 1 to 1000000 (default 503)\n"
	"  -t, --token=N         what it begins with, up to 1000000000 (default 10000)\n"
	"  -s, --spread          on all compute harts in turn, not on one\n"
	"      --help            print this\n"
	"\n"
	"More than 16000 places or so want --coroutines=N and more MEM.\n";

static unsigned places = 503, token = 10000;
static bool spread;

/* A coroutine of the ring, and the channel from which it receives. */
struct place {
	struct co_chan chan;
	alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(sizeof(uint32_t), 1)];
};

static struct place *ring;
static unsigned answer; /* counted from 1; the joins publish it */

static intptr_t hand_on(void *arg)
{
	struct place *me = arg, *next = me + 1 < ring + places ? me + 1 : ring;
	uint32_t n;
	int r;

	while ((r = co_chan_recv(&me->chan, &n)) == 0 && n) {
		n--;
		r = co_chan_send(&next->chan, &n);
		if (r)
			return r;
	}
	if (r == 0)
		answer = (unsigned)(me - ring) + 1;
	co_chan_close(&next->chan); /* and so all round */
	return r == -EPIPE ? 0 : r;
}

/* A ring's neighbours are one sender and one receiver each; main() sends before they do. */
static int make_ring(struct co_batch *all, intptr_t *result)
{
	int r = 0;

	for (unsigned i = 0; i < places && r == 0; i++)
		r = co_chan_init_as(&ring[i].chan, ring[i].buffer, sizeof(ring[i].buffer),
				    sizeof(uint32_t), CO_SPSC, CO_CLAIM_DEFAULT);
	for (unsigned i = 0; i < places && r == 0; i++) {
		const struct co_attr attr = {
			.name = "place",
			.stack = CO_STACK_1K,
			.on = spread ? CO_ON_ANY : CO_ON_HART(co_harts() - 1),
		};

		r = co_batch_spawn(all, &attr, hand_on, &ring[i], &result[i]);
		if (i % 100 == 0)
			co_pause();
	}
	return r;
}

static int go_round(intptr_t *result)
{
	struct co_batch all = { 0 };
	uint32_t n = token;
	uint64_t took;
	int r = make_ring(&all, result), joined;

	took = co_now();
	if (r == 0)
		r = co_chan_send(&ring->chan, &n);
	else
		co_batch_cancel(&all);
	joined = co_batch_join(&all);
	took = co_us(co_now() - took);
	for (unsigned i = 0; i < places && r == 0; i++)
		r = (int)result[i];
	if (r == 0)
		r = joined;
	if (r == 0)
		printf("%u hands of %u, on %s: %u has it, in %" PRIu64 " us\n", token, places,
		       spread ? "all compute harts" : "one hart", answer, took);
	return r;
}

int main(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "places", 'p', .number = &places, .least = 1, .most = 1000000 },
		{ "token", 't', .number = &token, .most = 1000000000 },
		{ "spread", 's', .on = &spread },
		{ 0 },
	};
	int r = app_options("threadring", usage, known, argc, argv);
	intptr_t *result;

	if (r >= 0)
		return r;
	ring = aligned_alloc(CO_LINE, places * sizeof(*ring));
	result = calloc(places, sizeof(*result));
	r = ring && result ? go_round(result) : -ENOMEM;
	if (r)
		fprintf(stderr, "threadring: %s\n", strerror(-r));
	free(result);
	free(ring);
	return r ? 1 : answer == token % places + 1 ? 0 : 1;
}
