/*
 * pipeline.c - see pipeline.h.
 */
#include "pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "report.h"
#include "unicode.h"

#define BLOCKS 256

/* In main memory: every hart may use it, and whoever holds a pointer to a block owns it. */
struct block {
	unsigned number;   /* blocks are added up in this order */
	unsigned hart;     /* who counted it */
	struct file *file; /* what it is a piece of */
	size_t bytes;
	struct text text;
	struct crc crc;
	alignas(CO_LINE) unsigned char data[PIPELINE_BLOCK_MAX];
};

static struct block blocks[BLOCKS];

CO_CHANNEL(idle, struct block *, BLOCKS);
CO_CHANNEL(filled, struct block *, BLOCKS);
CO_CHANNEL(counted, struct block *, BLOCKS);

static struct pipeline_options options;
static unsigned pool;        /* blocks in use, of BLOCKS */
static unsigned blocks_read; /* so far */
static unsigned *blocks_by;  /* hart: blocks it counted */
static struct co_batch counters;
static struct co *collector;

/* A counter: one on each compute hart, until the channel is closed and drained. */
static intptr_t count(void *arg)
{
	struct block *b;
	int r;

	(void)arg;
	while ((r = co_chan_recv(&filled, &b)) == 0) {
		text_scan(&b->text, b->data, b->bytes, options.ascii);
		b->crc = crc_of(b->data, b->bytes);
		b->hart = co_hart();
		r = co_chan_send(&counted, &b);
		if (r)
			break;
	}
	return r;
}

/* The next in order: its counts go to its file's. */
static void add_up(struct block *b)
{
	text_append(&b->file->text, &b->text);
	crc_append(&b->file->crc, &b->crc);
	blocks_by[b->hart]++;
	report_progress(b->file);
}

/*
 * The collector. Blocks come in any order and are added up in theirs. A block goes back to the pool
 * only then, so those under way are never more than `pool` apart, and each has a place of its own
 * in early[].
 */
static intptr_t collect(void *arg)
{
	static struct block *early[BLOCKS];
	unsigned next = 0;
	struct block *b;

	(void)arg;
	while (co_chan_recv(&counted, &b) == 0) {
		early[b->number % pool] = b;
		while ((b = early[next % pool])) {
			early[next % pool] = NULL;
			add_up(b);
			next++;
			if (co_chan_send(&idle, &b))
				return (intptr_t)next;
		}
	}
	return (intptr_t)next;
}

/* Start a counter on each compute hart. */
static int start_counters(void)
{
	for (unsigned h = 0; h < co_harts(); h++) {
		if (!(co_hart_role(h) & CO_ROLE_COMPUTE))
			continue;
		int r = co_batch_spawn(&counters,
				       &(struct co_attr){ .name = "count", .on = CO_ON_HART(h) },
				       count, NULL, NULL);
		if (r)
			return r;
	}
	return 0;
}

/* Two blocks for each counter: one to work on, one that waits for it. */
static int fill_pool(void)
{
	unsigned computes = 0;

	for (unsigned g = 0; g < co_groups(); g++)
		computes += co_group(g)->computes;
	pool = 2 * computes + 2 < BLOCKS ? 2 * computes + 2 : BLOCKS;
	for (unsigned i = 0; i < pool; i++) {
		struct block *b = &blocks[i];
		int r = co_chan_send(&idle, &b);

		if (r)
			return r;
	}
	return 0;
}

int pipeline_start(const struct pipeline_options *wanted)
{
	struct co_attr attr = {
		.name = "collect",
		.on = CO_ON_HART(co_hart()),
		.stack = CO_STACK_MAIN, /* it prints */
	};

	options = *wanted;
	blocks_read = 0;
	crc_tables_init();
	unicode_table_init();
	blocks_by = calloc(co_harts(), sizeof(*blocks_by));
	if (!blocks_by)
		return -ENOMEM;
	int r = fill_pool();

	if (r == 0)
		r = co_spawn(&collector, &attr, collect, NULL);
	if (r) {
		free(blocks_by);
		return r;
	}
	r = start_counters();
	if (r) {
		struct pipeline_use use;
		int ignored = pipeline_finish(&use);

		(void)ignored; /* the first error is the one to tell */
	}
	return r;
}

int pipeline_read(FILE *stream, struct file *file)
{
	unsigned char rest[3]; /* of the block before: the start of a character */
	size_t resting = 0;
	size_t got;
	int error = 0;

	/*
	 * The last block holds nothing new: it ends the file, and takes a rest that stays
	 * unfinished.
	 */
	do {
		struct block *b;
		int r = co_chan_recv(&idle, &b);

		if (r)
			return r;
		memcpy(b->data, rest, resting);
		errno = 0;
		got = fread(b->data + resting, 1, options.block_bytes - resting, stream);
		if (got == 0 && ferror(stream))
			error = errno ? -errno : -EIO;
		b->bytes = resting + got;
		resting = got ? text_unfinished(b->data, b->bytes) : 0;
		b->bytes -= resting;
		memcpy(rest, b->data + b->bytes, resting);
		b->file = file;
		b->number = blocks_read++;
		r = co_chan_send(&filled, &b);
		if (r)
			return r;
		co_pause(); /* reading never waits: let the collector and the proxy have a turn */
	} while (got);
	return error;
}

/* Blocks that the busiest and the laziest compute hart counted. */
static void look_at_use(struct pipeline_use *use)
{
	*use = (struct pipeline_use){ .blocks = blocks_read, .least = UINT32_MAX };
	for (unsigned h = 0; h < co_harts(); h++) {
		if (!(co_hart_role(h) & CO_ROLE_COMPUTE))
			continue;
		use->counters++;
		if (blocks_by[h] < use->least)
			use->least = blocks_by[h];
		if (blocks_by[h] > use->most)
			use->most = blocks_by[h];
	}
}

int pipeline_finish(struct pipeline_use *use)
{
	intptr_t added = 0;

	co_chan_close(&filled);
	int r = co_batch_join(&counters);

	co_chan_close(&counted);
	int r2 = co_join(collector, &added);

	look_at_use(use);
	free(blocks_by);
	if (r || r2)
		return r ? r : r2;
	return (unsigned)added == blocks_read ? 0 : -EIO;
}
