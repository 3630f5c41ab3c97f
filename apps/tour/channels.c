/*
 * channels.c - two coroutines that take turns, and all of them talking to one.
 */
#include <errno.h>
#include <stdio.h>

#include <cohart/cohart.h>

#include "shows.h"
#include "stopwatch.h"
#include "team.h"

#define ROUNDS 100
#define WORDS_EACH 10

CO_CHANNEL(ping, int, 1);
CO_CHANNEL(pong, int, 1);
CO_CHANNEL(inbox, unsigned, 16);

/* Sends back what it gets, one more each time, until nothing comes any more. */
static intptr_t echo(void *arg)
{
	int ball;
	int r;

	(void)arg;
	while ((r = co_chan_recv(&ping, &ball)) == 0) {
		ball++;
		r = co_chan_send(&pong, &ball);
		if (r)
			break;
	}
	return r == -EPIPE ? 0 : r;
}

/* Plays ROUNDS rounds. Returns the ball, or a negative errno number. */
static intptr_t play(void *arg)
{
	int ball = 0;

	(void)arg;
	for (unsigned i = 0; i < ROUNDS; i++) {
		int r = co_chan_send(&ping, &ball);

		if (r == 0)
			r = co_chan_recv(&pong, &ball);
		if (r)
			return r;
	}
	return ball;
}

static int show_ping_pong(void)
{
	unsigned from = team_hart(0);
	unsigned to = team_hart(team_size() - 1);
	struct co *echoer;
	struct co *player;
	intptr_t ball = -EIO;
	int r = co_spawn(&echoer, &(struct co_attr){ .name = "echo", .on = CO_ON_HART(to) }, echo,
			 NULL);

	if (r)
		return r;
	struct stopwatch w = stopwatch_start();

	r = co_spawn(&player, &(struct co_attr){ .name = "play", .on = CO_ON_HART(from) }, play,
		     NULL);
	if (r == 0)
		r = co_join(player, &ball);
	stopwatch_stop(&w);
	co_chan_close(&ping); /* ends the echo */
	int r2 = co_join(echoer, NULL);

	if (r || r2)
		return r ? r : r2;
	stopwatch_print(&w, ROUNDS, "ping-pong between harts %u and %u, one round trip of %u", from,
			to, ROUNDS);
	return ball == ROUNDS ? 0 : -EIO;
}

/* Every compute hart sends its number WORDS_EACH times. */
static intptr_t talk(void *arg)
{
	unsigned hart = co_hart();

	(void)arg;
	for (unsigned i = 0; i < WORDS_EACH; i++) {
		int r = co_chan_send(&inbox, &hart);

		if (r)
			return r;
	}
	return 0;
}

/* Adds up what comes until the channel is closed. */
static intptr_t listen(void *arg)
{
	intptr_t sum = 0;
	unsigned hart;

	(void)arg;
	while (co_chan_recv(&inbox, &hart) == 0)
		sum += hart;
	return sum;
}

static int show_fan_in(void)
{
	unsigned messages = team_size() * WORDS_EACH;
	intptr_t expected = 0;
	intptr_t sum = 0;
	struct co *listener;
	struct stopwatch w = stopwatch_start();
	int r = co_spawn(&listener,
			 &(struct co_attr){ .name = "listen", .on = CO_ON_HART(co_hart()) }, listen,
			 NULL);

	if (r)
		return r;
	r = team_run("talk", talk, NULL);
	co_chan_close(&inbox);
	int r2 = co_join(listener, &sum);

	if (r || r2)
		return r ? r : r2;
	stopwatch_stop(&w);
	for (unsigned i = 0; i < team_size(); i++)
		expected += (intptr_t)team_hart(i) * WORDS_EACH;
	stopwatch_print(&w, messages, "fan-in to hart %u, one of %u messages (%u senders)",
			co_hart(), messages, team_size());
	return sum == expected ? 0 : -EIO;
}

int show_channels(void)
{
	stopwatch_title("channels");
	int r = show_ping_pong();

	return r ? r : show_fan_in();
}
