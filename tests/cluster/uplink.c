/*
 * uplink.c - boards that use their uplinks, each from its management hart.
 *
 * usage: uplink CASE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>
#include <hal/uplink.h>

#include "../../hal/drivers/uplink_ram.h"
#include "../harness/random.h"

#define LONG_BYTES (1 << 20)
#define TAG 7

extern struct uplink_ram hal_uplink_ram;

static struct hal_uplink_job job;
static char data[2][LONG_BYTES]; /* out, in */

static void rest(unsigned us)
{
	if (co_sleep_us(us))
		exit(1);
}

static void attach(void)
{
	for (unsigned looks = 0; hal_uplink_open(&job); looks++) {
		if (looks == 10000) {
			printf("nobody answers\n");
			exit(1);
		}
		rest(1000);
	}
}

static struct hal_uplink_completion await(void)
{
	struct hal_uplink_completion c;

	for (unsigned looks = 0; !hal_uplink_completed(&c); looks++) {
		if (looks > 5)
			rest(40); /* the other side may want this processor */
	}
	return c;
}

static void submit(uint32_t operation, uint32_t peer, uint32_t tag, void *at, size_t bytes,
		   uint64_t request)
{
	struct hal_uplink_descriptor d = { .operation = operation,
					   .peer = peer,
					   .tag = tag,
					   .address = (uintptr_t)at,
					   .bytes = bytes,
					   .request = request };

	if (hal_uplink_submit(&d))
		abort();
}

static struct hal_uplink_completion carry_out(uint32_t operation, uint32_t peer, void *at,
					      size_t bytes)
{
	submit(operation, peer, TAG, at, bytes, 1);
	return await();
}

/* Boards 0 and 1 exchange messages of a size. Returns ns of one way. */
static unsigned long exchange(size_t bytes, unsigned times)
{
	unsigned peer = !job.board;
	uint64_t begun = co_now();

	for (unsigned i = 0; i < times; i++) {
		enum hal_uplink_operation first = job.board ? HAL_UPLINK_RECEIVE : HAL_UPLINK_SEND;

		carry_out(first, peer, data[job.board], bytes);
		carry_out(3 - first, peer, data[job.board], bytes);
	}
	return (unsigned long)(co_us(co_now() - begun) * 1000 / times / 2);
}

static int pingpong(void)
{
	unsigned long ns;

	if (job.board > 1)
		return 0;
	exchange(8, 100);
	ns = exchange(8, 2000);
	if (!job.board)
		printf("8 bytes: %lu ns\n", ns);
	ns = exchange(LONG_BYTES, 50);
	if (!job.board)
		printf("%d bytes: %lu ns, %lu MB/s\n", LONG_BYTES, ns,
		       (unsigned long)(LONG_BYTES * 1000ull / (ns ? ns : 1)));
	return 0;
}

/* Each board sends to all others; what comes is what was sent. */
static int contents(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < job.boards; i++) {
		if (i == job.board)
			continue;
		memset(data[0] + i * 5000, (int)(job.board * 16 + i), 5000);
		submit(HAL_UPLINK_SEND, i, i, data[0] + i * 5000, 5000, i);
		submit(HAL_UPLINK_RECEIVE, i, job.board, data[1] + i * 5000, 5000, 100 + i);
	}
	for (unsigned i = 0; i < 2 * (job.boards - 1); i++) {
		struct hal_uplink_completion c = await();

		wrong += c.error ||
			 (c.request >= 100 &&
			  (c.bytes != 5000 || c.peer != c.request - 100 || c.tag != job.board));
	}
	for (unsigned i = 0; i < job.boards * 5000; i++)
		wrong += data[1][i] !=
			 (char)(i / 5000 == job.board ? 0 : i / 5000 * 16 + job.board);
	printf("board %u of %u: %u wrong\n", job.board, job.boards, wrong);
	return wrong != 0;
}

/* What is refused. */
static int refusals(void)
{
	static const struct hal_uplink_descriptor bad[] = {
		{ .operation = 0, .address = 0x80200000 },
		{ .operation = 3, .address = 0x80200000 },
		{ .operation = HAL_UPLINK_SEND, .peer = 99, .address = 0x80200000 },
		{ .operation = HAL_UPLINK_SEND, .peer = HAL_UPLINK_ANY, .address = 0x80200000 },
		{ .operation = HAL_UPLINK_SEND,
		  .tag = HAL_UPLINK_TAG_MOST + 1,
		  .address = 0x80200000 },
		{ .operation = HAL_UPLINK_RECEIVE, .address = 0 },
		{ .operation = HAL_UPLINK_RECEIVE, .address = UINT64_MAX - 7, .bytes = 16 },
		{ .operation = HAL_UPLINK_SEND, .address = 0x80200000, .bytes = UINT64_MAX },
		{ .operation = HAL_UPLINK_SEND, .address = 0x80200000, .bytes = 0x7fffffff },
	};
	unsigned n = sizeof(bad) / sizeof(bad[0]), refused = 0;

	for (unsigned i = 0; i < n; i++) {
		struct hal_uplink_descriptor d = bad[i];

		if (!d.peer)
			d.peer = !job.board;
		if (hal_uplink_submit(&d))
			abort();
		refused += await().error == HAL_UPLINK_REFUSED;
	}
	submit(HAL_UPLINK_SEND, job.board, TAG, data[0], 8, 1);
	refused += await().error == HAL_UPLINK_REFUSED;
	printf("board %u: %u of %u refused\n", job.board, refused, n + 1);
	return refused != n + 1;
}

/* Messages longer than the receive's room: what is behind it stays as it is. */
static int too_long(void)
{
	unsigned wrong = 0;

	memset(data[0], 1, LONG_BYTES);
	for (size_t bytes = 16; bytes <= LONG_BYTES; bytes *= 4) {
		struct hal_uplink_completion c;

		if (job.board) {
			carry_out(HAL_UPLINK_SEND, 0, data[0], bytes);
			continue;
		}
		memset(data[1], 2, LONG_BYTES);
		c = carry_out(HAL_UPLINK_RECEIVE, 1, data[1], 8);
		wrong += c.error != HAL_UPLINK_CUT_OFF || c.bytes != bytes || data[1][7] != 1;
		for (unsigned i = 8; i < LONG_BYTES; i++)
			wrong += data[1][i] != 2;
	}
	if (!job.board)
		printf("%u wrong\n", wrong);
	return wrong != 0;
}

/* Board 1 ends; board 0 waits for it. */
static int leaves(void)
{
	if (job.board == 1)
		return 0;
	printf("a receive ends with %d\n",
	       carry_out(HAL_UPLINK_RECEIVE, 1, data[1], 8).error == HAL_UPLINK_ENDED);
	printf("a send ends with %d\n",
	       carry_out(HAL_UPLINK_SEND, 1, data[0], 8).error == HAL_UPLINK_ENDED);
	return 0;
}

/* Board 1 fails; board 0 would wait for ever. */
static int fails(void)
{
	if (job.board == 1) {
		printf("board 1 fails\n");
		return 3;
	}
	for (;;)
		rest(1000000);
}

/* Until somebody kills it. */
_Noreturn static int stays(void)
{
	printf("board %u is there\n", job.board);
	fflush(stdout);
	for (;;)
		rest(1000000);
}

/* Board 1 writes nonsense over the counter of its descriptors. */
_Noreturn static int garbles(void)
{
	if (job.board == 1)
		co_atomic_store(&hal_uplink_ram.submitted, 1000, CO_RELEASE);
	stays();
}

/* Random words, but for what would have other boards wait: a message to them that they do not want.
 */
static void make_up(struct hal_uplink_descriptor *d, struct co_test_random *random)
{
	uint32_t *word = (uint32_t *)d;

	for (size_t i = 0; i < sizeof(*d) / sizeof(*word); i++)
		word[i] = co_test_next(random);
	if (co_test_below(random, 2))
		d->operation %= 4;
	if (co_test_below(random, 2))
		d->peer %= 4;
	if (co_test_below(random, 2))
		d->address = 0x80000000 + d->address % (1u << 29);
	if (co_test_below(random, 2))
		d->bytes %= 1u << 30;
	d->tag |= co_test_below(random, 8) ? 0x80000000 : 1u << 20;
}

/* Board 1 submits nonsense; then all exchange messages, and what comes is right. */
static int hostile(void)
{
	struct co_test_random random = { 1 };
	unsigned refused = 0, n = 100000;
	struct hal_uplink_descriptor d;

	if (job.board != 1)
		return contents();
	while (n--) {
		make_up(&d, &random);
		if (d.operation == HAL_UPLINK_RECEIVE && !(d.tag >> 31))
			continue; /* it would wait */
		if (hal_uplink_submit(&d))
			abort();
		refused += await().error == HAL_UPLINK_REFUSED;
	}
	printf("board 1: %s refused\n", refused > 50000 ? "most is" : "little is");
	return contents();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
		{ "pingpong", pingpong }, { "contents", contents }, { "refusals", refusals },
		{ "leaves", leaves },     { "fails", fails },       { "stays", stays },
		{ "garbles", garbles },   { "hostile", hostile },   { "too_long", too_long },
	};

	attach();
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc > 1 && !strcmp(argv[1], cases[i].name))
			return cases[i].run();
	}
	printf("no such case\n");
	return 2;
}
