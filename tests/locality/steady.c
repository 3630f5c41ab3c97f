/*
 * steady.c - messages in the steady state, for tests/locality/run: there is room, or a message, and
 * nobody waits. Hart 1 sends to hart 2, each object where it belongs best. What it may cost is in
 * docs/communication.md.
 */
#include <cohart/cohart.h>

#include "../bench/unhomed.h"
#include "../harness/test.h"

/* Capacity: no lap ends while messages are counted. */
enum { MESSAGES = 16, CAPACITY = 3 * MESSAGES, WORDS = 3, TAG = 5 };

static struct co_chan *chan; /* in hart 2's scratchpad */
static struct co_link pipe;
static struct co_link_rx *rx;
static struct co_link_tx *tx;
static struct unhomed unhomed;

struct step {
	const char *name; /* of the section; NULL: not counted */
	int (*one)(uintptr_t *words);
};

static intptr_t repeat(void *arg)
{
	const struct step *s = arg;
	uintptr_t words[WORDS] = { 1, 2, 3 };
	int r = 0;

	if (s->name)
		co_mark_begin(s->name);
	for (unsigned i = 0; i < MESSAGES && r >= 0; i++)
		r = s->one(words);
	if (s->name)
		co_mark_end(s->name, MESSAGES);
	REQUIRE(r >= 0);
	return 0;
}

/* Twice, the second time counted: all that is found out but once is known then. */
static void flow(struct step send, struct step receive)
{
	static struct step steps[2];

	for (unsigned i = 0; i < 2; i++) {
		steps[0] = send;
		steps[1] = receive;
		if (!i)
			steps[0].name = steps[1].name = NULL;
		test_join(test_spawn_on(1, repeat, &steps[0]));
		test_join(test_spawn_on(2, repeat, &steps[1]));
	}
}

static int chan_send(uintptr_t *words)
{
	return co_chan_send(chan, words);
}

static int chan_recv(uintptr_t *words)
{
	return co_chan_recv(chan, words);
}

struct kind {
	enum co_chan_mode mode;
	enum co_claim claim;
	unsigned words;
};

static intptr_t make_channel(void *arg)
{
	const struct kind *k = arg;
	size_t size = k->words * sizeof(uintptr_t);
	size_t bytes = CO_CHAN_BYTES(size, CAPACITY);

	chan = co_spm_alloc(sizeof(*chan) + bytes, CO_LINE);
	REQUIRE(chan);
	REQUIRE_EQ(co_chan_init_as(chan, chan + 1, bytes, size, k->mode, k->claim), 0);
	return 0;
}

static intptr_t free_channel(void *arg)
{
	co_spm_free(chan);
	return 0;
}

static void channel(enum co_chan_mode mode, enum co_claim claim, unsigned words, const char *send,
		    const char *receive)
{
	static struct kind k;

	k = (struct kind){ mode, claim, words };
	test_join(test_spawn_on(2, make_channel, &k));
	flow((struct step){ send, chan_send }, (struct step){ receive, chan_recv });
	test_join(test_spawn_on(2, free_channel, NULL));
}

TEST(channels)
{
	channel(CO_SPSC, CO_CLAIM_DEFAULT, 1, "spsc1 send", "spsc1 recv");
	channel(CO_SPSC, CO_CLAIM_DEFAULT, WORDS, "spsc3 send", "spsc3 recv");
#ifndef CO_NO_CAS
	channel(CO_MPSC, CO_CLAIM_CAS, 1, "cas1 send", "cas1 recv");
	channel(CO_MPSC, CO_CLAIM_CAS, WORDS, "cas3 send", "cas3 recv");
#endif
	channel(CO_MPSC, CO_CLAIM_TICKET, 1, "ticket1 send", "ticket1 recv");
	channel(CO_MPSC, CO_CLAIM_TICKET, WORDS, "ticket3 send", "ticket3 recv");
}

static int mail_send(uintptr_t *words)
{
	return co_mail_send(2, TAG, words, WORDS);
}

static int mail_recv(uintptr_t *words)
{
	return co_mail_recv(TAG, words, WORDS, NULL);
}

BODY(bind, co_mail_bind(TAG))

BODY(unbind, co_mail_unbind(TAG))

TEST(mail)
{
	CHECK_EQ(test_join(test_spawn_on(2, bind, NULL)), 0);
	flow((struct step){ "mail3 send", mail_send }, (struct step){ "mail3 recv", mail_recv });
	CHECK_EQ(test_join(test_spawn_on(2, unbind, NULL)), 0);
}

static int link_send(uintptr_t *words)
{
	return co_link_send(tx, words);
}

static int link_recv(uintptr_t *words)
{
	return co_link_recv(rx, words);
}

BODY(open_rx, co_link_open_rx(&pipe, &rx))

BODY(open_tx, co_link_open_tx(&pipe, &tx))

static intptr_t close_rx(void *arg)
{
	co_link_close_rx(rx);
	return (intptr_t)arg;
}

static intptr_t close_tx(void *arg)
{
	co_link_close_tx(tx);
	return (intptr_t)arg;
}

TEST(links)
{
	pipe = (struct co_link){ .words = WORDS, .depth = MESSAGES };
	CHECK_EQ(test_join(test_spawn_on(2, open_rx, NULL)), 0);
	CHECK_EQ(test_join(test_spawn_on(1, open_tx, NULL)), 0);
	flow((struct step){ "homed3 send", link_send }, (struct step){ "homed3 recv", link_recv });
	test_join(test_spawn_on(1, close_tx, NULL));
	test_join(test_spawn_on(2, close_rx, NULL));
}

/* What a link is compared with; here each side waits for each message. */
static intptr_t send_unhomed(void *arg)
{
	int r = 0;

	co_mark_begin("unhomed send");
	for (unsigned i = 0; i < MESSAGES && r == 0; i++)
		r = unhomed_send(&unhomed, i);
	co_mark_end("unhomed send", MESSAGES);
	return r;
}

static intptr_t receive_unhomed(void *arg)
{
	uintptr_t word = 0;
	int r = 0;

	co_mark_begin("unhomed recv");
	for (unsigned i = 0; i < MESSAGES && r == 0; i++) {
		r = unhomed_recv(&unhomed, &word);
		CHECK_EQ(word, i);
	}
	co_mark_end("unhomed recv", MESSAGES);
	return r;
}

TEST(links_that_are_not_homed)
{
	struct co *c;

	unhomed_init(&unhomed);
	c = test_spawn_on(1, send_unhomed, NULL);
	CHECK_EQ(test_join(test_spawn_on(2, receive_unhomed, NULL)), 0);
	CHECK_EQ(test_join(c), 0);
}
