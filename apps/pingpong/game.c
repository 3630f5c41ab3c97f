/*
 * game.c - see game.h.
 */
#include "game.h"

#include <errno.h>

#define WARM_UP 16

/* The game that is on: players on two harts use it. */
static struct {
	const struct mechanism *m;
	unsigned rounds;
	bool between;       /* two harts */
	struct score score; /* side 0's */
} game;

/*
 * For `make run LOCALITY=`: the rounds that count, one message a side and round. On one hart
 * nothing is remote.
 */
static void mark_begin(void)
{
	if (game.between)
		co_mark_begin(game.m->name);
}

static void mark_end(void)
{
	if (game.between)
		co_mark_end(game.m->name, game.rounds);
}

static int serve(void)
{
	const struct mechanism *m = game.m;
	uint64_t ticks = 0, instructions = 0;
	uintptr_t ball;

	for (unsigned i = 0; i < WARM_UP + game.rounds; i++) {
		int r;

		if (i == WARM_UP) {
			mark_begin();
			ticks = co_now();
			instructions = co_instructions();
		}
		r = m->send(0, 2 * i);
		if (r == 0)
			r = m->recv(0, &ball);
		if (r)
			return r;
		if (ball != 2 * i + 1)
			return -EBADMSG;
	}
	game.score.instructions = co_instructions() - instructions;
	game.score.ticks = co_now() - ticks;
	mark_end();
	return 0;
}

static int give_back(void)
{
	for (unsigned i = 0; i < WARM_UP + game.rounds; i++) {
		uintptr_t ball;
		int r;

		if (i == WARM_UP)
			mark_begin();
		r = game.m->recv(1, &ball);
		if (r == 0)
			r = game.m->send(1, ball + 1);
		if (r)
			return r;
	}
	mark_end();
	return 0;
}

static intptr_t player(void *arg)
{
	const struct mechanism *m = game.m;
	unsigned side = (unsigned)(uintptr_t)arg;
	int r = m->enter ? m->enter(side) : 0;

	if (r)
		return r;
	r = side ? give_back() : serve();
	if (m->leave)
		m->leave(side);
	return r;
}

int play(const struct mechanism *m, const unsigned harts[2], unsigned rounds, struct score *score)
{
	static const char *const names[2] = { "server", "returner" };
	struct co *players[2];
	intptr_t result[2] = { 0, 0 };
	int r = m->reset ? m->reset() : 0;

	if (r)
		return r;
	game.m = m;
	game.rounds = rounds;
	game.between = harts[0] != harts[1];
	for (unsigned side = 0; side < 2; side++) {
		const struct co_attr attr = { .name = names[side], .on = CO_ON_HART(harts[side]) };

		r = co_spawn(&players[side], &attr, player, (void *)(uintptr_t)side);
		if (r)
			return r; /* main ends then, and with it the one that runs */
	}
	for (unsigned side = 0; side < 2; side++) {
		r = co_join(players[side], &result[side]);
		if (r)
			return r;
		/* The other one would wait for a ball that never comes. */
		if (result[side])
			return (int)result[side];
	}
	*score = game.score;
	return 0;
}
