/*
 * message.c - the model of messages: what is sent by a line, by a copy, or fetched from its sender
 * arrives whole and in order, nobody sleeps on, and a receive ends when its team breaks.
 */
/* Sources: scheduler group/message/message.c group/message/port.c group/message/index.c */
/* Sources: group/team/team.c group/team/collective.c comm/barrier/barrier.c comm/barrier/shape.c */
/* Sources: comm/sync/event.c comm/lane/lane.c comm/handoff.c core/text.c */
#include "group/message/port.h"
#include "relacy/machine.h"

static const unsigned harts[] = { 1, 2, 3 };
static struct co_team team;
static long sent[3][8]; /* more than a line has room for */

static void reset(unsigned threads)
{
	machine_reset(threads);
	machine_expect();
	team = (struct co_team){ .scope = { harts, threads } };
	memset(sent, 0, sizeof(sent));
}

static struct co_member *open(unsigned i)
{
	struct co_member *me = NULL;

	MODEL_CHECK(co_team_open(&team, i, &me) == 0 && me);
	return me;
}

/* The first is fetched, and opens a window; the others are lines, and wait in place. */
static void exchange(unsigned i)
{
	struct co_member *me = open(i);

	for (long k = 1; k <= 3; k++) {
		long got = 0, out = 10 * k + i;

		if (i == 0)
			MODEL_CHECK(co_message_send(me, 1, 1, 0, &out, sizeof(out)) == 0);
		MODEL_CHECK(co_message_recv(me, !i, 1, 0, &got, sizeof(got), NULL) == 0);
		MODEL_CHECK(got == 10 * k + !i);
		if (i == 1)
			MODEL_CHECK(co_message_send(me, 0, 1, 0, &out, sizeof(out)) == 0);
	}
	co_team_close(me);
}

/* A receiver that waits for a line finds in it where the message is. */
static void long_after_short(unsigned i)
{
	struct co_member *me = open(i);
	long got[8] = { 0 }, out = 7;

	if (i) {
		for (int k = 0; k < 2; k++)
			MODEL_CHECK(co_message_recv(me, 0, 1, 0, got, sizeof(*got), NULL) == 0);
		MODEL_CHECK(got[0] == 7);
		MODEL_CHECK(co_message_recv(me, 0, 1, 0, got, sizeof(got), NULL) == 0);
		MODEL_CHECK(got[7] == 42);
	} else {
		for (int k = 0; k < 2; k++)
			MODEL_CHECK(co_message_send(me, 1, 1, 0, &out, sizeof(out)) == 0);
		co_plain_store(&sent[0][7], 42);
		MODEL_CHECK(co_message_send_sync(me, 1, 1, 0, sent[0], sizeof(sent[0])) == 0);
	}
	co_team_close(me);
}

/* More of them than lines: what has no line is on the receiver's list, and comes after the rest. */
static void several_to_fetch(unsigned i)
{
	static struct co_message m[CO_MESSAGE_LINES + 1];
	static long from[CO_MESSAGE_LINES + 1];
	struct co_member *me = open(i);
	long got = 0, out = 7;

	for (int k = 0; k < 2; k++)
		MODEL_CHECK((i ? co_message_recv(me, 0, 1, 0, &got, sizeof(got), NULL)
			       : co_message_send(me, 1, 1, 0, &out, sizeof(out))) == 0);
	for (long k = 0; k <= CO_MESSAGE_LINES; k++) {
		if (i) {
			MODEL_CHECK(co_message_recv(me, 0, 1, 0, &got, sizeof(got), NULL) == 0);
			MODEL_CHECK(got == k);
			continue;
		}
		co_plain_store(&from[k], k);
		MODEL_CHECK(co_message_send_sync_start(me, 1, 1, 0, &from[k], sizeof(from[k]),
						       &m[k]) == 0);
	}
	for (long k = 0; k <= CO_MESSAGE_LINES && !i; k++)
		MODEL_CHECK(co_message_wait(me, &m[k]) == 0);
	co_team_close(me);
}

/* Lines are used again, as far as the receiver has acknowledged them. */
static void ahead(unsigned i)
{
	struct co_member *me = open(i);

	for (long k = 1; k <= CO_MESSAGE_LINES + 3; k++) {
		long got = k;

		MODEL_CHECK((i ? co_message_recv(me, 0, 1, 0, &got, sizeof(got), NULL)
			       : co_message_send(me, 1, 1, 0, &got, sizeof(got))) == 0);
		MODEL_CHECK(got == k);
	}
	co_team_close(me);
}

/* The same with a third, whose messages the receiver does not wait for. */
static void others_send(unsigned i)
{
	struct co_member *me = open(i);
	long got = 0, out = 7 + i;

	for (int k = 0; k < 2 && i; k++)
		MODEL_CHECK(co_message_send(me, 0, 1, 0, &out, sizeof(out)) == 0);
	for (int k = 0; k < 4 && !i; k++) {
		MODEL_CHECK(co_message_recv(me, 1 + k / 2, 1, 0, &got, sizeof(got), NULL) == 0);
		MODEL_CHECK(got == 8 + k / 2);
	}
	co_team_close(me);
}

/* A receiver waits for what its sender, which breaks the team, does not send. */
static void breaks(unsigned i)
{
	struct co_member *me = open(i);
	long got = 0, out = 7;
	int r = 0;

	for (int k = 0; k < 2 && i == 0 && !r; k++)
		r = co_message_send(me, 1, 1, 0, &out, sizeof(out));
	if (i == 0) {
		MODEL_CHECK(!r);
		co_team_break(me);
	}
	for (int k = 0; k < 3 && i && !r; k++)
		r = co_message_recv(me, 0, 1, 0, &got, sizeof(got), NULL);
	MODEL_CHECK(i == 0 || r == -EOWNERDEAD);
	co_team_close(me);
}

/* A sender waits for the fetch of what its receiver, which breaks the team, does not receive. */
static void breaks_unfetched(unsigned i)
{
	struct co_member *me = open(i);
	long got = 0, out = 7;

	for (int k = 0; k < 2; k++)
		MODEL_CHECK((i ? co_message_recv(me, 0, 1, 0, &got, sizeof(got), NULL)
			       : co_message_send(me, 1, 1, 0, &out, sizeof(out))) == 0);
	if (i)
		co_team_break(me);
	else
		MODEL_CHECK(co_message_send_sync(me, 1, 1, 0, sent[0], sizeof(sent[0])) ==
			    -EOWNERDEAD);
	co_team_close(me);
}

/* The same with one that has sent nothing, so that the receiver is in a queue. */
static void breaks_at_once(unsigned i)
{
	struct co_member *me = open(i);
	long got = 0;

	if (i == 0)
		co_team_break(me);
	else
		MODEL_CHECK(co_message_recv(me, 0, 1, 0, &got, sizeof(got), NULL) == -EOWNERDEAD);
	co_team_close(me);
}

const struct model models[] = {
	{ "an exchange", 2, reset, exchange, NULL, .bound = 1 },
	{ "a long one after short ones", 2, reset, long_after_short, NULL, .bound = 1 },
	{ "more to fetch than lines", 2, reset, several_to_fetch, NULL, .bound = 1 },
	{ "of three", 3, reset, others_send, NULL, .bound = 1 },
	{ "a sender that is ahead", 2, reset, ahead, NULL, .bound = 1 },
	{ "a team that breaks", 2, reset, breaks, NULL, .bound = 1 },
	{ "a team that breaks before a fetch", 2, reset, breaks_unfetched, NULL, .bound = 1 },
	{ "a team that breaks at once", 2, reset, breaks_at_once, NULL, .bound = 1 },
	{ 0 },
};
