/*
 * stress.h - seeded rounds of traffic, checked for loss, duplication and order.
 *
 * A round runs some exchanges at the same time. An exchange draws what
 * it does (sizes, modes, places, pauses, deadlines, cancels) from its own random numbers, so
 * from the seed and the number of the round, moves messages, and checks its ledger. Rounds
 * share nothing.
 */
#ifndef TESTS_STRESS_STRESS_H
#define TESTS_STRESS_STRESS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../harness/random.h"

enum {
	STRESS_EXCHANGES = 4,
	STRESS_SENDERS = 64,  /* of an exchange, at most */
	STRESS_EACH = 4096,   /* messages of a sender, at most */
	STRESS_WORKERS = 128, /* coroutines of an exchange, at most */
};

/* A number from 1 to n, small ones as likely as large ones. */
unsigned stress_size(struct test_random *r, unsigned n);

/* What has arrived of each sender. In main memory: every hart writes it. */
struct stress_ledger {
	struct co_a32 seen[STRESS_SENDERS][STRESS_EACH / 32]; /* a bit a message */
	struct co_a32 sent[STRESS_SENDERS];
	struct co_a32 received;
	struct co_a32 order; /* who got what and when, in one number: differs if the order does */
};

/* A worker of an exchange: what a coroutine is given. */
struct stress_worker {
	struct stress_exchange *exchange;
	struct co *co;
	unsigned number; /* among those that do the same */
	struct test_random random;
	unsigned temper; /* how it pauses: stress_pause() */
};

struct stress_exchange {
	unsigned index;
	struct test_random random;
	unsigned workers_max; /* coroutines that it may start */
	unsigned messages;    /* about so many */
	bool sliced;          /* leave hart 0 to the slicer */
	char plan[160];       /* what it does, for people */
	struct co *runner;
	unsigned workers;
	struct stress_worker worker[STRESS_WORKERS];
	struct stress_ledger ledger;
};

/* A kind of exchange. The exchange's ledger is empty when it starts. */
struct stress_kind {
	const char *name;
	void (*run)(struct stress_exchange *l);
};
extern const struct stress_kind stress_kinds[];
extern const unsigned stress_kinds_count;

void stress_channel(struct stress_exchange *l);
void stress_mail(struct stress_exchange *l);
void stress_link(struct stress_exchange *l);
void stress_barrier(struct stress_exchange *l);
void stress_lock(struct stress_exchange *l);
void stress_signal(struct stress_exchange *l);
void stress_children(struct stress_exchange *l);

/* Start n workers of the exchange on any harts, not on hart 0 if it is sliced; the first one. */
struct stress_worker *stress_start(struct stress_exchange *l, const char *name, co_fn *fn,
				   unsigned n);

/* Cancel `quitters` of n workers, now and then; one may be cancelled twice. */
void stress_cancel(struct stress_exchange *l, struct stress_worker *first, unsigned n,
		   unsigned quitters);

/* Wait for the end of n workers. */
void stress_join(struct stress_worker *first, unsigned n);

/*
 * What a call has returned is not the end: it succeeded, or should be tried again, and this
 * coroutine was not cancelled meanwhile. Sleeps a little where that helps.
 */
bool stress_again(int r);

/* A failure, unless the last call of a worker succeeded, or might: it was cancelled in between. */
void stress_ended(const char *call, int r);

/* A deadline: none, or one that comes soon. */
uint64_t stress_deadline(struct stress_worker *w);

/* How many messages each of so many senders has. */
unsigned stress_each(const struct stress_exchange *l, unsigned senders);

/* Now and then a worker pauses or sleeps. */
void stress_pause(struct stress_worker *w);

/* A message's name: everything else in it is made from it. */
static inline uint32_t stress_id(unsigned sender, unsigned number)
{
	return sender * STRESS_EACH + number;
}

/* Write, and check, a message of `bytes` bytes, at least 4. */
void stress_fill(void *message, unsigned bytes, uint32_t id);
bool stress_whole(const void *message, unsigned bytes, uint32_t *id);

/* What one receiver has seen, on its stack. */
struct stress_view {
	struct stress_exchange *exchange;
	uint32_t order;
	uint16_t next[STRESS_SENDERS]; /* of each sender: the least number that may come now */
};
void stress_view_open(struct stress_view *v, struct stress_worker *w);

/* Note an arrival: a failure if it has come before, or too late. */
void stress_arrived(struct stress_view *v, const void *message, unsigned bytes);
void stress_view_close(struct stress_view *v);

/* Note that sender has sent its messages below `count`. */
void stress_sent(struct stress_exchange *l, unsigned sender, unsigned count);

/* Wait until all that was sent has arrived, or something has failed. Senders are through. */
void stress_await_all(struct stress_exchange *l);

/* When all is over: what was sent has come, and nothing else. */
void stress_settle(struct stress_exchange *l);

/* Say what the exchange is. Its runner alone. */
void stress_plan(struct stress_exchange *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Note a failure, and print it if it is among the first. Context: coroutine. */
void stress_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True once something has failed: no more deadlines, so that the runtime lists what is stuck. */
bool stress_failed(void);

#define STRESS_CHECK(x) ((x) ? (void)0 : stress_fail("%s:%d: %s is false", __FILE__, __LINE__, #x))

#endif
