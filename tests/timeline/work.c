/* work.c - a program with a known timeline: its loops, tasks, tiles, transfers, calls, messages. */
#include <stdlib.h>
#include <string.h>

#include <cohart/debug.h>
#include <cohart/dma.h>
#include <cohart/link.h>
#include <cohart/message.h>
#include <cohart/proxy.h>
#include <cohart/task.h>
#include <cohart/tile.h>

#define BYTES 4096
#define LONG 2000
#define ROUNDS 3
#define TASKS 5

static unsigned char from[BYTES], to[BYTES];
static struct co_link line = { .words = 2, .depth = 2 };

static int sweeps(void *arg, struct co_part *part)
{
	(void)arg;
	(void)part;
	return 0;
}

static int counts(void *arg, long task)
{
	(void)arg;
	(void)task;
	return 0;
}

static int copies(void *arg, struct co_block *b)
{
	(void)arg;
	for (long y = 0; y < b->n[0]; y++)
		memcpy(co_tile_layer(b, 1, y), co_tile_layer(b, 0, y), (size_t)b->n[1]);
	return 0;
}

static intptr_t asked(void *arg)
{
	(void)arg;
	return 5;
}

static intptr_t calls(void *arg)
{
	(void)arg;
	return co_proxy_call(asked, NULL);
}

static intptr_t receives(void *arg)
{
	struct co_link_rx *rx;
	uintptr_t pair[2];

	(void)arg;
	CO_ASSERT(co_link_open_rx(&line, &rx) == 0);
	CO_ASSERT(co_sleep_us(200) == 0);
	for (unsigned i = 0; i < ROUNDS; i++)
		CO_ASSERT(co_link_recv(rx, pair) == 0 && pair[0] == i);
	co_link_close_rx(rx);
	return 0;
}

static intptr_t sends(void *arg)
{
	struct co_link_tx *tx;

	(void)arg;
	CO_ASSERT(co_link_open_tx(&line, &tx) == 0);
	for (uintptr_t i = 0; i < ROUNDS; i++)
		CO_ASSERT(co_link_send(tx, (uintptr_t[]){ i, i }) == 0);
	co_link_close_tx(tx);
	return 0;
}

/* Rank 0 sends, and rank 1 receives when all is there: nobody waits for the short ones. */
static int talks(struct co_member *me, void *arg)
{
	static long out[LONG], in[LONG];
	struct co_message_info got;

	(void)arg;
	if (co_member_rank(me) > 1)
		return 0;
	for (unsigned i = 0; i <= ROUNDS; i++) {
		size_t n = i < ROUNDS ? sizeof(long) : sizeof(out);
		int r;

		if (i == 1 && co_member_rank(me))
			CO_ASSERT(co_sleep_us(200) == 0);
		r = co_member_rank(me) ? co_message_recv(me, 0, 7, 0, in, n, &got)
				       : co_message_send(me, 1, 7, 0, out, n);
		if (r)
			return r;
	}
	return 0;
}

static struct co *start(unsigned hart, co_fn *fn)
{
	const struct co_attr attr = { .on = CO_ON_HART(hart) };
	struct co *c;

	CO_ASSERT(co_spawn(&c, &attr, fn, NULL) == 0);
	return c;
}

int main(void)
{
	static struct co_dma move = { .to = to, .from = from, .bytes = BYTES / 4, .rows = 4 };
	static struct co_parallel loop = { .name = "sweep",
					   .body = sweeps,
					   .dims = 1,
					   .range = { { 10, 50, 0 } },
					   .schedule = CO_DYNAMIC,
					   .block = 10 };
	static struct co_parallel unnamed = { .body = sweeps, .dims = 1, .range = { { 0, 7, 0 } } };
	static struct co_tiles tiles = {
		.body = copies,
		.dims = 2,
		.range = { { 0, 4, 0 }, { 0, BYTES / 4, 0 } },
		.tile = { 1, BYTES / 4 },
		.arrays = 2,
		.array = { { .at = from, .size = 1, .extent = { 4, BYTES / 4 } },
			   { .at = to,
			     .size = 1,
			     .extent = { 4, BYTES / 4 },
			     .access = CO_TILE_OUT } },
	};
	struct co_tasks tasks = { .total = TASKS, .memory = malloc(co_tasks_bytes(TASKS)) };
	struct co_team team = { 0 };
	intptr_t five = 0;
	struct co *rx, *tx;

	CO_ASSERT(co_dma_start(&move) == 0 && co_dma_wait(&move) == 0);
	CO_ASSERT(co_parallel_for(&loop) == 0 && co_parallel_for(&unnamed) == 0);
	CO_ASSERT(co_tiles_run(&tiles) == 0);
	CO_ASSERT(co_tasks_open(&tasks) == 0 && co_tasks_run(&tasks, counts, NULL) == 0);
	CO_ASSERT(co_join(start(1, calls), &five) == 0 && five == 5);
	rx = start(1, receives);
	tx = start(2, sends);
	CO_ASSERT(co_join(tx, NULL) == 0 && co_join(rx, NULL) == 0);
	CO_ASSERT(co_team_run(&team, talks, NULL) == 0);
	return 0;
}
