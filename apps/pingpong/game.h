/*
 * game.h - two players and a ball: what a mechanism must be able to do to carry it.
 */
#ifndef PINGPONG_GAME_H
#define PINGPONG_GAME_H

#include <stdint.h>

#include <cohart/cohart.h>

/*
 * The player of side 0 serves; side 1 returns the ball, one higher. All but reset() is called by a
 * player, on its hart; NULL: nothing to do. Errors are negative errno numbers.
 */
struct mechanism {
	const char *name;
	const char *about;
	int (*reset)(void);          /* once before each game */
	int (*enter)(unsigned side); /* set up this side */
	int (*send)(unsigned side, uintptr_t ball);
	int (*recv)(unsigned side, uintptr_t *ball);
	void (*leave)(unsigned side);
};

/* The mechanisms there are, in the order they are shown. */
extern const struct mechanism *const mechanisms[];
extern const unsigned mechanism_count;

extern const struct mechanism chan_cas, chan_ticket, chan_single, chan_slot;
extern const struct mechanism mail, mailbox;
extern const struct mechanism link_;
extern const struct mechanism event, signal_, barrier;

struct score {
	uint64_t ticks; /* of all rounds together */
	uint64_t instructions;
};

/*
 * Play some rounds after a few to warm up.
 * @param harts  of side 0 and side 1
 * @return 0; -EBADMSG: the ball that came back was not the one; or what the mechanism returned.
 */
int play(const struct mechanism *m, const unsigned harts[2], unsigned rounds, struct score *score);

#endif
