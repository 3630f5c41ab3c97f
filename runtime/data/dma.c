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

#include "../comm/channel.h"
#include "../core/core.h"
#include "dma.h"

#define PIECE 4096u   /* what a move hart moves before it looks at its messages again, */
#define ROW_BYTES 64u /* and as how many bytes a row counts beside its own */

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
	if (co_accident(CO_ACC_DMA))
		return -EIO;
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

static struct co_counter *counter_of(struct co_dma *d)
{
	return d->running ? d->running : &d->own;
}

static void finish(struct co_dma *d, int status)
{
	struct co_counter *running = counter_of(d);
	struct co *by = d->begun_by;

	/* release: pairs with co_dma_check(). */
	co_atomic_store(&d->status, (uint32_t)status, CO_RELEASE);
#ifdef CO_DEBUG
	/* relaxed: who has waited for it is told by the counter. */
	co_atomic_add(&by->unfinished, (uint32_t)-1, CO_RELAXED);
#endif
	co_counter_done(running); /* d is its owner's from here on */
	/* release: what was moved is written; pairs with the last words of one that has faulted. */
	co_atomic_add(&by->transfers, (uint32_t)-1, CO_RELEASE);
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
		c = co_dma_describe(d);
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

/* As co_dma_mover(), near the hart: main memory is far for many. */
static _Thread_local struct {
	bool known; /* from the hart's first transfer on */
	bool engine;
	int hart;
} mine;

/* The caller moves all of it. */
static void move_now(const struct hal_dma_copy *c)
{
	for (size_t row = 0; row < c->rows; row++)
		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		co_chan_copy_any((void *)(c->to + row * c->to_stride),
				 (const void *)(c->from + row * c->from_stride), c->bytes);
}

void co_dma_begin(struct co_dma *d)
{
	struct hal_dma_copy c = co_dma_describe(d);

	if (!mine.known) {
		mine.hart = co_dma_mover(&mine.engine);
		mine.known = true;
	}
	/* A move hart's time is what it executes. */
	if (mine.hart < 0 || mine.engine)
		co_mark_dma_start(counter_of(d), (uint32_t)c.bytes, (uint32_t)c.rows);
	if (mine.hart < 0) {
		bool fails = co_accident(CO_ACC_DMA);

		co_mark_dma_move(d);
		if (!fails)
			move_now(&c);
		co_mark_dma_moved(d);
		co_atomic_store(&d->status, fails ? (uint32_t)-EIO : 0, CO_RELEASE);
		return;
	}
	/* relaxed: the message publishes both. */
	co_atomic_store(&d->status, (uint32_t)-EINPROGRESS, CO_RELAXED);
	co_counter_add(counter_of(d), 1);
	/* relaxed: its own, but for movers who count down. */
	d->begun_by = co_executor.current;
	co_atomic_add(&d->begun_by->transfers, 1, CO_RELAXED);
#ifdef CO_DEBUG
	co_atomic_add(&d->begun_by->unfinished, 1, CO_RELAXED);
#endif
	d->msg.run = accept;
	co_post((unsigned)mine.hart, &d->msg);
}

int co_dma_start(struct co_dma *d)
{
	struct hal_dma_copy c;
	int r;

	CO_ASSERT(d && (co_dma_nearby((uintptr_t)d, sizeof(*d)) || co_spm_shared(d, sizeof(*d))));
	CO_ASSERT(!d->running || co_dma_nearby((uintptr_t)d->running, sizeof(*d->running)) ||
		  co_spm_shared(d->running, sizeof(*d->running)));
	c = co_dma_describe(d);
	r = co_dma_refuse(&c);
	if (r) {
		co_atomic_store(&d->status, (uint32_t)r, CO_RELAXED); /* for this coroutine alone */
		return r;
	}
	co_dma_begin(d);
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

/* Move what is described, and wait for it. */
static int copy(const struct co_dma *what)
{
	struct co_dma *d = co_spm_alloc(sizeof(*d), _Alignof(struct co_dma));
	int r;

	if (!d)
		return -ENOMEM;
	*d = *what;
	r = co_dma_start(d);
	if (r == 0) {
		co_counter_wait_shielded(&d->own);
		co_mark_dma_wait(&d->own);
		r = co_dma_check(d);
	}
	co_spm_free(d);
	return r;
}

int co_dma_copy(void *to, const void *from, size_t bytes)
{
	return copy(&(struct co_dma){ .to = to, .from = from, .bytes = bytes });
}

/* ---- Between main memory and a scratchpad ---- */

/* Dense there, as the rows say in main memory. */
static void set_get(struct co_dma *d, void *spm, const void *from, struct co_rows r)
{
	d->to = spm;
	d->from = from;
	d->bytes = r.bytes;
	d->rows = r.rows;
	d->to_stride = 0;
	d->from_stride = r.stride;
}

static void set_put(struct co_dma *d, void *to, const void *spm, struct co_rows r)
{
	d->to = to;
	d->from = spm;
	d->bytes = r.bytes;
	d->rows = r.rows;
	d->to_stride = r.stride;
	d->from_stride = 0;
}

int co_dma_get(void *spm, const void *from, struct co_rows rows)
{
	struct co_dma what = { .running = NULL };

	set_get(&what, spm, from, rows);
	return copy(&what);
}

int co_dma_put(void *to, const void *spm, struct co_rows rows)
{
	struct co_dma what = { .running = NULL };

	set_put(&what, to, spm, rows);
	return copy(&what);
}

int co_dma_get_start(struct co_dma *d, void *spm, const void *from, struct co_rows rows)
{
	CO_ASSERT(d && co_spm_shared(d, sizeof(*d)));
	set_get(d, spm, from, rows);
	return co_dma_start(d);
}

int co_dma_put_start(struct co_dma *d, void *to, const void *spm, struct co_rows rows)
{
	CO_ASSERT(d && co_spm_shared(d, sizeof(*d)));
	set_put(d, to, spm, rows);
	return co_dma_start(d);
}

int co_dma_broadcast_start(struct co_dma *each, void *spm, const void *from, struct co_rows rows,
			   const unsigned *harts, unsigned n, struct co_counter *running)
{
	int error = 0;

	CO_ASSERT(each && co_spm_shared(each, n * sizeof(*each)));
	CO_ASSERT(running && co_spm_shared(running, sizeof(*running)));
	for (unsigned i = 0; i < n; i++) {
		struct hal_dma_copy c;
		int r;

		each[i].running = running;
		set_get(&each[i], co_spm_at(spm, harts[i]), from, rows);
		c = co_dma_describe(&each[i]);
		r = co_dma_refuse(&c);
		co_atomic_store(&each[i].status, (uint32_t)r, CO_RELAXED); /* this coroutine's */
		error = error ? error : r;
	}
	for (unsigned i = 0; i < n && !error; i++)
		error = co_dma_start(&each[i]); /* has been looked at: 0 */
	return error;
}
