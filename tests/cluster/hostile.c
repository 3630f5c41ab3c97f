/*
 * hostile.c - three boards, of which board 1 is hostile: it submits a million random and mutated
 * descriptors, and frames for the others' services, while ranks of boards 0 and 2 exchange
 * messages. Whatever comes, these are right, and so is memory that nobody was to write.
 *
 * usage: hostile
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cluster.h>
#include <cohart/cohart.h>
#include <cohart/message.h>
#include <cohart/process.h>
#include <hal/host.h>
#include <hal/uplink.h>

#include "../../runtime/core/hook.h"
#include "../../runtime/core/memory/main_heap.h"
#include "../../runtime/core/report.h"
#include "../../runtime/libs/cluster/frame.h"
#include "../harness/random.h"

#define HOSTILE 1
#define DESCRIPTORS 1000000
#define STAY_MOST 40   /* descriptors that may never end: fewer than are allowed under way */
#define LONG_MOST 30   /* messages of megabytes to others */
#define GOOD_MOST 2000 /* messages that others keep, as nobody receives them */

/* ---- Board 1 ---- */

/* On the heap: hart 0 has no static data of the program that it may write. */
struct attack {
	struct co_test_random random;
	struct hal_uplink_job job;
	unsigned done, refused, stay, longs, good, frames;
	unsigned char frame[sizeof(struct frame) + FRAME_DATA];
};

static bool one_in(struct attack *a, unsigned n)
{
	return co_test_below(&a->random, n) == 0;
}

static uint32_t peer(struct attack *a)
{
	uint32_t other = co_test_below(&a->random, a->job.boards - 1);

	return other + (other >= a->job.board);
}

/* Random words, in part within what is allowed. */
static void make_up(struct attack *a, struct hal_uplink_descriptor *d)
{
	uint32_t *word = (uint32_t *)d;

	for (size_t i = 0; i < sizeof(*d) / sizeof(*word); i++)
		word[i] = co_test_next(&a->random);
	if (!one_in(a, 3))
		d->operation %= 4;
	if (!one_in(a, 3))
		d->peer %= a->job.boards + 1;
	if (!one_in(a, 3))
		d->address = (uintptr_t)a + (d->address & 0xfffffff) - (d->address >> 61 << 25);
	if (!one_in(a, 3))
		d->bytes >>= co_test_below(&a->random, 64);
	if (!one_in(a, 3))
		d->tag %= FRAME_TAG + SLOTS + 2;
}

/* Of a message that may be under way. */
static uint64_t made_up_id(struct attack *a)
{
	return (uint64_t)co_test_below(&a->random, 100) << 32 | co_test_below(&a->random, 70);
}

/* A frame that others might believe, but for a few words of it. */
static void make_frame(struct attack *a, struct hal_uplink_descriptor *d)
{
	struct frame *f = (struct frame *)a->frame;
	uint32_t *word = (uint32_t *)f, n = co_test_below(&a->random, FRAME_DATA + 1);
	uint32_t here = co_cluster.here, to = peer(a);

	*f = (struct frame){ .kind = FRAME_MESSAGE + co_test_below(&a->random, 3), .ranks = here };
	if (f->kind == FRAME_MESSAGE) {
		f->message.source = a->job.board * here + co_test_below(&a->random, here);
		f->message.dest = to * here + co_test_below(&a->random, here);
		f->message.tag = 7;
		f->message.context = 99;
		f->message.bytes = one_in(a, 4) ? co_test_next(&a->random) & INT32_MAX : n;
		f->message.id = co_test_next(&a->random);
		f->message.n_ended = one_in(a, 4) ? co_test_below(&a->random, FRAME_RIDERS + 1) : 0;
		for (unsigned i = 0; i < FRAME_RIDERS; i++)
			f->message.ended[i] = made_up_id(a);
		a->good++;
	} else {
		n = 0;
		f->ended.n = co_test_below(&a->random, FRAME_ENDS + 1);
		for (unsigned i = 0; i < FRAME_ENDS; i++)
			f->ended.id[i] = made_up_id(a);
	}
	for (unsigned i = co_test_below(&a->random, 3); i; i--) {
		uint32_t *at = &word[co_test_below(&a->random, sizeof(*f) / sizeof(*word))];

		*at = one_in(a, 2) ? co_test_next(&a->random)
				   : *at ^ (uint32_t)1 << co_test_below(&a->random, 32);
	}
	*d = (struct hal_uplink_descriptor){
		.operation = HAL_UPLINK_SEND,
		.peer = to,
		.tag = FRAME_TAG,
		.address = (uintptr_t)f,
		.bytes = one_in(a, 4) ? co_test_below(&a->random, sizeof(a->frame) + 1)
				      : sizeof(*f) + n,
	};
	a->frames++;
}

/* Would the descriptor stay under way, or take others' time, beyond the test's limits? */
static bool is_too_much(struct attack *a, const struct hal_uplink_descriptor *d)
{
	bool sends = d->operation == HAL_UPLINK_SEND;

	if ((!sends && d->operation != HAL_UPLINK_RECEIVE) || d->tag > HAL_UPLINK_TAG_MOST)
		return false;
	if (!sends || d->tag != FRAME_TAG)
		return a->stay++ >= STAY_MOST;
	return d->bytes > sizeof(a->frame) && a->longs++ >= LONG_MOST;
}

static void take_ends(struct attack *a)
{
	struct hal_uplink_completion c;

	while (hal_uplink_completed(&c)) {
		a->done++;
		a->refused += c.error == HAL_UPLINK_REFUSED;
	}
}

static void submit(struct attack *a, const struct hal_uplink_descriptor *d)
{
	unsigned spins = 0;

	while (hal_uplink_submit(d)) {
		take_ends(a);
		if (a->done == 0 || spins++ > 100)
			co_spin(&spins);
	}
}

static void attack_others(struct attack *a)
{
	struct hal_uplink_descriptor d;

	for (unsigned i = 0; i < DESCRIPTORS;) {
		if (one_in(a, 100) && a->good < GOOD_MOST)
			make_frame(a, &d);
		else
			make_up(a, &d);
		if (is_too_much(a, &d))
			continue;
		submit(a, &d);
		i++;
	}
	take_ends(a);
	co_report("board %u: %s of %u descriptors refused, %u frames", a->job.board,
		  a->refused > DESCRIPTORS / 2 ? "most" : "FEW", DESCRIPTORS, a->frames);
	hal_host_exit(0);
}

static void begin_attack(void)
{
	uint64_t deadline = co_after_us(8000000);
	struct attack *a = co_main_alloc(sizeof(*a));

	if (!a)
		return;
	memset(a, 0, sizeof(*a));
	while (hal_uplink_open(&a->job)) {
		if (co_now() > deadline)
			return;
	}
	if (a->job.board != HOSTILE || a->job.boards < 3)
		return;
	co_cluster.here = co_cluster.here ? co_cluster.here : 2;
	a->random = (struct co_test_random){ 43 };
	attack_others(a);
}

CO_HOOKS = { .machine_up = begin_attack };

/* ---- Boards 0 and 2 ---- */

#define ROUNDS 300
#define LONGEST (1 << 17)

static unsigned char guard[1 << 20];

static unsigned wrong;

/* Each rank exchanges messages with its like on the other board. */
static void exchange(struct co_member *me, unsigned with)
{
	static unsigned char out[LONGEST], in[LONGEST];
	unsigned mine = co_member_rank(me);

	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t bytes = i % 10 == 9 ? LONGEST : i * 7 % 3000;
		struct co_message m = { 0 };
		struct co_message_info got;

		memset(out, (int)(mine + i), bytes);
		if (co_message_send_start(me, with, i, 1, out, bytes, &m) ||
		    co_message_recv(me, with, i, 1, in, sizeof(in), &got) ||
		    co_message_wait(me, &m))
			abort();
		wrong += got.bytes != bytes || got.rank != with;
		for (size_t k = 0; k < bytes; k++)
			wrong += in[k] != (unsigned char)(with + i);
	}
}

int main(void)
{
	struct co_member *me;
	unsigned n, here, board = co_cluster_board();

	memset(guard, 0x5a, sizeof(guard));
	if (co_team_of_ranks(&me))
		return 1;
	n = co_member_ranks(me);
	here = n / co_cluster_boards();
	exchange(me, (co_member_rank(me) + (board ? here : 2 * here)) % n);
	for (size_t i = 0; i < sizeof(guard); i++)
		wrong += guard[i] != 0x5a;
	printf("rank %u of board %u: %u wrong\n", co_member_rank(me), board, wrong);
	return wrong != 0;
}
