/*
 * test_link_stress.c - links that come and go: nothing lost, nothing doubled, nothing torn, in
 * order. Depth, size, places, pauses, deadlines and who closes when are drawn from the seed.
 */
#include <string.h>

#include "harness/test.h"

enum { LINKS = 4, SENDERS = 4, EACH = 200, WORDS = 5 };

static struct co_link links[LINKS];
static struct co_a32 sent[LINKS][SENDERS];     /* that the sender knows of */
static struct co_a32 received[LINKS][SENDERS]; /* in a row */

static int send_somehow(struct test_random *r, struct co_link_tx *tx, const uintptr_t *w,
			unsigned n)
{
	uintptr_t *msg;
	int result;

	do {
		switch (test_below(r, 5)) {
		case 0:
			result = co_link_try_send(tx, w);
			if (result == -EAGAIN)
				co_yield();
			break;
		case 1:
			result = co_link_send_until(tx, w, co_after_us(test_below(r, 50)));
			break;
		case 2:
			result = co_link_reserve(tx, &msg);
			if (result)
				break;
			memcpy(msg, w, n * sizeof(*w));
			if (test_below(r, 4) == 0)
				co_yield();
			co_link_commit(tx);
			break;
		default:
			result = co_link_send(tx, w);
		}
	} while (result == -EAGAIN || result == -ETIMEDOUT);
	return result;
}

static int recv_somehow(struct test_random *r, struct co_link_rx *rx, uintptr_t *w, unsigned n)
{
	const uintptr_t *msg;
	int result;

	do {
		switch (test_below(r, 5)) {
		case 0:
			result = co_link_try_recv(rx, w);
			if (result == -EAGAIN)
				co_yield();
			break;
		case 1:
			result = co_link_recv_until(rx, w, co_after_us(test_below(r, 50)));
			break;
		case 2:
			result = co_link_peek(rx, &msg);
			if (result < 0)
				break;
			memcpy(w, msg, n * sizeof(*w));
			if (test_below(r, 4) == 0)
				co_yield();
			co_link_release(rx);
			break;
		default:
			result = co_link_recv(rx, w);
		}
	} while (result == -EAGAIN || result == -ETIMEDOUT);
	return result;
}

/* Words: who, and the number of the message; the rest follows from these. */
static void fill(uintptr_t *w, unsigned words, unsigned who, unsigned number)
{
	for (unsigned i = 0; i < words; i++)
		w[i] = ((uintptr_t)who << 24 | number) * (2 * i + 1);
}

static intptr_t sender(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;
	struct co_link *l = &links[me / SENDERS];
	struct test_random r = test_random(me);
	struct co_link_tx *tx;
	uintptr_t w[WORDS];
	int result = co_link_open_tx(l, &tx);

	if (result)
		return result;
	for (unsigned i = 0; !result && i < EACH; i++) {
		fill(w, l->words, me, i);
		result = send_somehow(&r, tx, w, l->words);
		if (!result)
			co_atomic_add(&sent[me / SENDERS][me % SENDERS], 1,
				      CO_RELAXED); /* read after the join */
		test_pause(&r);
	}
	co_link_close_tx(tx);
	return result;
}

/* Take up to `most` messages, or all. */
static intptr_t receive(unsigned me, unsigned most)
{
	struct co_link *l = &links[me];
	struct test_random r = test_random(1000 + me);
	struct co_link_rx *rx;
	uintptr_t w[WORDS], want[WORDS];
	int result;

	REQUIRE_EQ(co_link_open_rx(l, &rx), 0);
	while (most-- && (result = recv_somehow(&r, rx, w, l->words)) >= 0) {
		unsigned who = (unsigned)(w[0] >> 24);
		struct co_a32 *next;

		REQUIRE(who / SENDERS == me && result < l->senders);
		next = &received[me][who % SENDERS];
		fill(want, l->words, who, co_atomic_load(next, CO_RELAXED));
		CHECK(memcmp(w, want, l->words * sizeof(*w)) == 0);
		co_atomic_add(next, 1, CO_RELAXED); /* read after the join */
		test_pause(&r);
	}
	co_link_close_rx(rx);
	return result;
}

static intptr_t receive_all(void *arg)
{
	return receive((unsigned)(uintptr_t)arg, UINT32_MAX);
}

static intptr_t receive_some(void *arg)
{
	return receive((unsigned)(uintptr_t)arg, 137);
}

static void set_up(struct test_random *random)
{
	memset(sent, 0, sizeof(sent));
	memset(received, 0, sizeof(received));
	for (unsigned i = 0; i < LINKS; i++)
		links[i] = (struct co_link){
			.words = (uint16_t)(1 + test_below(random, WORDS)),
			.depth = (uint16_t)(1 + test_below(random, 5)),
			.senders = (uint16_t)(1 + test_below(random, SENDERS)),
		};
}

static void exchange(bool quit)
{
	static struct co *s[LINKS][SENDERS], *d[LINKS];
	struct test_random random = test_random(5000 + 10 * quit);

	for (int round = 0; round < 4; round++) {
		set_up(&random);
		for (uintptr_t i = 0; i < LINKS; i++) {
			for (unsigned k = 0; k < links[i].senders; k++)
				s[i][k] = test_spawn_on(test_below(&random, co_harts()), sender,
							(void *)(i * SENDERS + k));
			d[i] = test_spawn_on(test_below(&random, co_harts()),
					     quit ? receive_some : receive_all, (void *)i);
		}
		for (unsigned i = 0; i < LINKS; i++) {
			intptr_t end = test_join(d[i]);

			/*
			 * A sender that came too late for one that has closed waits for the next.
			 */
			for (unsigned k = 0; quit && k < links[i].senders; k++)
				co_cancel(s[i][k]);
			for (unsigned k = 0; k < links[i].senders; k++) {
				intptr_t r = test_join(s[i][k]);

				CHECK(r == 0 || (quit && (r == -EPIPE || r == -ECANCELED)));
				if (quit)
					CHECK(co_atomic_load(&received[i][k], CO_RELAXED) <=
					      co_atomic_load(&sent[i][k], CO_RELAXED));
				else
					CHECK_EQ(co_atomic_load(&received[i][k], CO_RELAXED), EACH);
			}
			CHECK(quit || end == -EPIPE);
		}
	}
}

TEST(receivers_that_take_all)
{
	exchange(false);
}

TEST(receivers_that_close_in_the_middle)
{
	exchange(true);
}
