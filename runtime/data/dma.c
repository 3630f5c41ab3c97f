/*
 * dma.c - transfers, and who carries them out.
 *
 * A transfer travels as a message to one hart, its mover, which queues it and starts it on a
 * channel that is free. An engine has several channels; a move hart without one has a single
 * channel of its own making, that moves a piece whenever the executor looks. Both are looked after
 * by the executor's `device`: at each scheduling point while something is under way, and when an
 * interrupt has ended the hart's sleep.
 */
#include <errno.h>

#include <cohart/dma.h>
#include <cohart/mark.h>
#include <hal/dma.h>
#include <hal/guard.h>

#include "../comm/channel.h"
#include "../core/core.h"
#include "dma.h"

#define PIECE 4096u   /* what a move hart moves before it looks at its messages again, */
#define ROW_BYTES 64u /* and as how many bytes a row counts beside its own */

extern char __own_start[], __own_end[]; /* linker/image.ld.S */

/* Of the hart that moves. */
static _Thread_local struct {
	struct co_dma *first, *last;                    /* that wait for a channel */
	struct co_dma *under_way[HAL_DMA_CHANNELS_MAX]; /* by channel */
	struct hal_dma_rows soft;                       /* a move hart's transfer */
	size_t at;                                      /* in the row that begins it */
	unsigned channels;
} mover;

static int engine_hart = -1; /* written while harts boot, before `online` */

/* ---- A move hart's own channel ---- */

/* Move a piece: of a row, or some short ones. Returns as hal_dma_check(). */
static int soft_check(void)
{
	struct hal_dma_copy *c = &mover.soft.left;
	size_t most = PIECE;

	for (;;) {
		size_t n = c->bytes - mover.at < most ? c->bytes - mover.at : most;

		/* NOLINTNEXTLINE(performance-no-int-to-ptr): the contract has numbers */
		co_chan_copy_any((void *)(c->to + mover.at), (const void *)(c->from + mover.at), n);
		mover.at += n;
		if (mover.at < c->bytes)
			return -EINPROGRESS;
		mover.at = 0;
		if (!hal_dma_rows_next(&mover.soft))
			return 0;
		if (most <= n + ROW_BYTES)
			return -EINPROGRESS;
		most -= n + ROW_BYTES;
	}
}

static int channel_start(unsigned channel, const struct hal_dma_copy *c)
{
	if (HAL_DMA_EXISTS() && engine_hart >= 0)
		return hal_dma_start(channel, c);
	hal_dma_rows_begin(&mover.soft, c);
	mover.at = 0;
	return 0;
}

static int channel_check(unsigned channel)
{
	return HAL_DMA_EXISTS() && engine_hart >= 0 ? hal_dma_check(channel) : soft_check();
}

/* ---- The mover ---- */

static struct hal_dma_copy describe(const struct co_dma *d)
{
	size_t rows = d->rows ? d->rows : 1;

	return (struct hal_dma_copy){
		.to = (uintptr_t)d->to,
		.from = (uintptr_t)d->from,
		.bytes = d->bytes,
		.rows = rows,
		.to_stride = rows > 1 && d->to_stride ? d->to_stride : d->bytes,
		.from_stride = rows > 1 && d->from_stride ? d->from_stride : d->bytes,
	};
}

static struct co_counter *counter_of(struct co_dma *d)
{
	return d->running ? d->running : &d->own;
}

static void finish(struct co_dma *d, int status)
{
	struct co_counter *running = counter_of(d);

	/* release: pairs with co_dma_check(). */
	co_atomic_store(&d->status, (uint32_t)status, CO_RELEASE);
	co_counter_done(running); /* d is its owner's from here on */
}

/* Start what waits, on the channels that are free. */
static void start_more(struct co_executor *e)
{
	for (unsigned i = 0; i < mover.channels && mover.first; i++) {
		struct co_dma *d = mover.first;
		struct hal_dma_copy c;
		int r;

		if (mover.under_way[i])
			continue;
		c = describe(d);
		mover.first = d->next;
		r = channel_start(i, &c);
		if (r) {
			finish(d, r);
			i--; /* this channel, and the next transfer */
			continue;
		}
		mover.under_way[i] = d;
		e->devices++;
		co_attend(e);
	}
}

/* Look at what is under way. Returns true if that has brought it forward: no time to sleep. */
static bool look(struct co_executor *e)
{
	bool soft = false;

	for (unsigned i = 0; i < mover.channels; i++) {
		struct co_dma *d = mover.under_way[i];
		int r = d ? channel_check(i) : -EINPROGRESS;

		if (r == -EINPROGRESS) {
			soft |= d && engine_hart < 0;
			continue;
		}
		mover.under_way[i] = NULL;
		e->devices--;
		co_attend(e);
		finish(d, r);
	}
	start_more(e);
	return soft || (e->devices && engine_hart < 0);
}

static void accept(struct co_msg *m)
{
	struct co_dma *d = (struct co_dma *)((uintptr_t)m - offsetof(struct co_dma, msg));

	d->next = NULL;
	if (mover.first)
		mover.last->next = d;
	else
		mover.first = d;
	mover.last = d;
	start_more(&co_executor);
}

/* The move hart of a group for the transfers of a hart, -1: it has none. */
static int group_mover(unsigned group, unsigned hart)
{
	const struct co_group *g = co_group(group);

	return g->movers ? (int)(g->compute + g->computes + hart % g->movers) : -1;
}

static int any_mover(unsigned asker)
{
	int hart = -1;

	for (unsigned g = 0; g < co_machine.groups && hart < 0; g++)
		hart = group_mover(g, asker);
	return hart;
}

void co_dma_boot(unsigned hart)
{
	int owner = any_mover(0);
	int channels;

	if (co_hart_role(hart) & CO_ROLE_MOVE) {
		co_executor.device = look;
		mover.channels = 1;
	}
	if (!HAL_DMA_EXISTS() || (int)hart != (owner < 0 ? 0 : owner))
		return;
	channels = hal_dma_init();
	if (channels <= 0) {
		co_report("cohart: this board's DMA engine does not answer: harts move memory");
		return;
	}
	co_executor.device = look;
	mover.channels = (unsigned)channels;
	engine_hart = (int)hart;
}

int co_dma_mover(bool *engine)
{
	unsigned self = co_executor.hart;
	int hart = engine_hart;

	if (engine)
		*engine = hart >= 0;
	if (hart < 0)
		hart = group_mover(co_hart_group(self), self);
	return hart < 0 ? any_mover(self) : hart;
}

/* ---- Who asks ---- */

static bool holds_device(uintptr_t p, uintptr_t end)
{
	for (const struct hal_region *d = hal_board.devices; d->bytes; d++) {
		if (p < d->base + d->bytes && end > d->base)
			return true;
	}
	return false;
}

/*
 * May [p, p + bytes) be read (written) by whoever moves, and by who asks? A mover, and an engine
 * the more so, can do what this hart's map forbids: it is asked here.
 */
bool co_dma_usable(uintptr_t p, size_t bytes, bool write)
{
	uintptr_t end = p + bytes;

	if (end < p || !co_spm_shared((const void *)p, bytes))
		return false;
	/* Pages that each hart has its own of: the mover's would be meant. */
	if (p < (uintptr_t)__own_end && end > (uintptr_t)__own_start)
		return false;
	return hal_map_allows(co_executor.map, p, bytes, write ? HAL_MAP_WRITE : HAL_MAP_READ) &&
	       !holds_device(p, end);
}

/* Bytes from the first to the end of the last row; 0: more than there can be. */
static size_t span(const struct hal_dma_copy *c, size_t stride)
{
	size_t n;

	if (__builtin_mul_overflow(c->rows - 1, stride, &n) ||
	    __builtin_add_overflow(n, c->bytes, &n))
		return 0;
	return n;
}

/* Rows that begin equally far from each other lie between each other: columns of one array. */
static bool interleaved(const struct hal_dma_copy *c)
{
	size_t stride = c->to_stride;
	size_t apart = (c->to > c->from ? c->to - c->from : c->from - c->to) % stride;

	return stride == c->from_stride && apart >= c->bytes && stride - apart >= c->bytes;
}

static int refuse(const struct hal_dma_copy *c)
{
	size_t to = span(c, c->to_stride);
	size_t from = span(c, c->from_stride);

	if (!c->bytes || !to || !from || (c->rows > 1 && c->to_stride < c->bytes))
		return -EINVAL;
	if (!co_dma_usable(c->to, to, true) || !co_dma_usable(c->from, from, false))
		return -EFAULT;
	if (c->to - c->from >= from && c->from - c->to >= to)
		return 0;
	return interleaved(c) ? 0 : -EINVAL;
}

/* The caller moves all of it. */
static void move_now(const struct hal_dma_copy *c)
{
	for (size_t row = 0; row < c->rows; row++)
		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		co_chan_copy_any((void *)(c->to + row * c->to_stride),
				 (const void *)(c->from + row * c->from_stride), c->bytes);
}

void co_dma_begin(struct co_dma *d, const struct co_dma_server *by)
{
	struct hal_dma_copy c = describe(d);

	/* A move hart's time is what it executes. */
	if (by->hart < 0 || by->engine)
		co_mark_dma_start(counter_of(d), (uint32_t)c.bytes, (uint32_t)c.rows);
	if (by->hart < 0) {
		co_mark_dma_move(d);
		move_now(&c);
		co_mark_dma_moved(d);
		co_atomic_store(&d->status, 0, CO_RELEASE);
		return;
	}
	/* relaxed: the message publishes both. */
	co_atomic_store(&d->status, (uint32_t)-EINPROGRESS, CO_RELAXED);
	co_counter_add(counter_of(d), 1);
	d->msg.run = accept;
	co_post((unsigned)by->hart, &d->msg);
}

int co_dma_start(struct co_dma *d)
{
	struct co_dma_server by;
	struct hal_dma_copy c;
	int r;

	CO_ASSERT(d && co_spm_shared(d, sizeof(*d)));
	CO_ASSERT(!d->running || co_spm_shared(d->running, sizeof(*d->running)));
	c = describe(d);
	r = refuse(&c);
	if (r) {
		co_atomic_store(&d->status, (uint32_t)r, CO_RELAXED); /* for this coroutine alone */
		return r;
	}
	by.hart = co_dma_mover(&by.engine);
	co_dma_begin(d, &by);
	return 0;
}

int co_dma_check(const struct co_dma *d)
{
	return (int)co_atomic_load(&d->status, CO_ACQUIRE);
}

int co_dma_wait_until(struct co_dma *d, uint64_t deadline)
{
	int r = co_counter_wait_until(counter_of(d), deadline);

	if (r)
		return r;
	co_mark_dma_wait(counter_of(d));
	return co_dma_check(d);
}

int co_dma_wait(struct co_dma *d)
{
	return co_dma_wait_until(d, CO_FOREVER);
}

int co_dma_copy(void *to, const void *from, size_t bytes)
{
	struct co_dma *d = co_spm_alloc(sizeof(*d), _Alignof(struct co_dma));
	int r;

	if (!d)
		return -ENOMEM;
	*d = (struct co_dma){ .to = to, .from = from, .bytes = bytes };
	r = co_dma_start(d);
	if (r == 0) {
		co_counter_wait_shielded(&d->own);
		co_mark_dma_wait(&d->own);
		r = co_dma_check(d);
	}
	co_spm_free(d);
	return r;
}
