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
#include <string.h>

#include <cohart/dma.h>
#include <cohart/mark.h>
#include <hal/dma.h>

#include "../comm/channel.h"
#include "../core/hook.h"
#include "../core/lost.h"
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

/* The engine, as its hart has left it that is lost: hart 0 looks after it then. */
static struct {
	struct co_dma *under_way[HAL_DMA_CHANNELS_MAX];
	unsigned channels;
} engine_left;

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

static inline void finish_by(struct co_dma *d, int status, void (*done)(struct co_counter *))
{
	struct co_counter *running = counter_of(d);
	struct co *by = d->begun_by;

	/* release: pairs with co_dma_check(). */
	co_atomic_store(&d->status, (uint32_t)status, CO_RELEASE);
#ifdef CO_DEBUG
	/* relaxed: who has waited for it is told by the counter. */
	co_atomic_add(&by->unfinished, (uint32_t)-1, CO_RELAXED);
#endif
	done(running); /* d is its owner's from here on */
	/*
	 * release: what was moved is written; pairs with the last words of one that has faulted,
	 * and with who sees to a lost hart.
	 */
	co_atomic_add(&by->transfers, (uint32_t)-1, CO_RELEASE);
}

static void finish(struct co_dma *d, int status)
{
	finish_by(d, status, co_counter_done);
}

/* Who wanted it is no more, and others wait for its hart to be through. */
static bool is_vain(const struct co_dma *d)
{
	return co_harts_lost() && co_hart_lost(d->begun_by->hart);
}

/* Start what has waited longest, on a channel that is free. Returns false: it has ended instead. */
static bool start_first(struct co_executor *e, unsigned channel)
{
	struct co_dma *d = mover.first;
	struct hal_dma_copy c = co_dma_describe(d);
	int r;

	mover.first = d->next;
	r = is_vain(d) ? -EHOSTDOWN : channel_start(channel, &c);
	if (r) {
		finish(d, r);
		return false;
	}
	mover.under_way[channel] = d;
	e->devices++;
	co_attend(e);
	return true;
}

/* Start what waits, on the channels that are free. */
static void start_more(struct co_executor *e)
{
	for (unsigned i = 0; i < mover.channels && mover.first; i++) {
		if (mover.under_way[i])
			continue;
		while (mover.first && !start_first(e, i))
			; /* the channel is the next one's */
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

static void enqueue(struct co_dma *d)
{
	d->next = NULL;
	if (mover.first)
		mover.last->next = d;
	else
		mover.first = d;
	mover.last = d;
}

static struct co_dma *transfer_of(struct co_msg *m)
{
	return (struct co_dma *)((uintptr_t)m - offsetof(struct co_dma, msg));
}

static void accept(struct co_msg *m)
{
	enqueue(transfer_of(m));
	start_more(&co_executor);
}

/* The move hart of a group for the transfers of a hart, -1: it has none, or they are lost. */
static int group_mover(unsigned group, unsigned hart)
{
	const struct co_group *g = co_group(group);

	for (unsigned i = 0; i < g->movers; i++) {
		unsigned m = g->compute + g->computes + (hart + i) % g->movers;

		if (!co_hart_lost(m))
			return (int)m;
	}
	return -1;
}

static int any_mover(unsigned asker)
{
	for (unsigned g = 0; g < co_machine.groups; g++) {
		int hart = group_mover(g, asker);

		if (hart >= 0)
			return hart;
	}
	return -1;
}

static void boot_mover(unsigned hart)
{
	int owner = any_mover(0);
	int channels;

	if (co_hart_role(hart) & CO_ROLE_MOVE) {
		co_executor.device = look;
		mover.channels = 1;
	}
	if (!HAL_DMA_EXISTS())
		return;
	if (hart == 0)
		co_executor.device = look; /* it may be left to this hart */
	if ((int)hart != (owner < 0 ? 0 : owner))
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

/* Who looks after the engine, -1: nobody can. */
static int engine_mover(void)
{
	unsigned hart = (unsigned)engine_hart;

	if (!co_hart_lost(hart))
		return engine_hart;
	/* acquire: hart 0 takes it over; one that goes on may use the engine. */
	return co_atomic_load(&co_hart_at(hart)->stopped, CO_ACQUIRE) ? 0 : -1;
}

static int soft_mover(unsigned asker)
{
	int hart = group_mover(co_hart_group(asker), asker);

	return hart < 0 ? any_mover(asker) : hart;
}

int co_dma_mover(bool *engine)
{
	bool has_one = engine_hart >= 0;
	int hart = has_one ? engine_mover() : soft_mover(co_executor.hart);

	if (engine)
		*engine = has_one && hart >= 0;
	return hart;
}

/* ---- A mover that is lost ---- */

static void leave_transfers(struct co_hart *h)
{
	h->to_move = mover.first;
	h->moving = NULL;
	if (HAL_DMA_EXISTS() && (int)co_executor.hart == engine_hart) {
		engine_left.channels = mover.channels;
		memcpy(engine_left.under_way, mover.under_way, sizeof(mover.under_way));
	} else {
		h->moving = mover.under_way[0];
	}
}

/* Nobody moves it: who waits is told. Or hart 0 does, with the engine. */
static void pass_on(struct co_dma *d)
{
	if (mover.channels)
		enqueue(d);
	else
		finish_by(d, -EHOSTDOWN, co_lost_done);
}

/* What the engine is at ends as it would have. */
static void take_over(struct co_executor *e)
{
	mover.channels = engine_left.channels;
	engine_left.channels = 0;
	for (unsigned i = 0; i < mover.channels; i++) {
		struct co_dma *d = engine_left.under_way[i];

		if (!co_lost_usable(d, sizeof(*d)))
			continue;
		mover.under_way[i] = d;
		e->devices++;
	}
	co_attend(e);
}

static void mover_stopped(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);
	struct co_dma *next = h->to_move;

	if ((int)hart == engine_hart && engine_left.channels)
		take_over(&co_executor);
	if (co_lost_usable(h->moving, sizeof(*h->moving)))
		finish_by(h->moving, -EHOSTDOWN, co_lost_done);
	h->moving = h->to_move = NULL;
	while (co_lost_usable(next, sizeof(*next))) {
		struct co_dma *d = next;

		next = d->next;
		pass_on(d);
	}
	start_more(&co_executor);
}

static bool message_lost(struct co_msg *m)
{
	if (m->run != accept)
		return false;
	pass_on(transfer_of(m));
	start_more(&co_executor);
	return true;
}

CO_HOOKS = {
	.hart_boot = boot_mover,
	.hart_stops = leave_transfers,
	.hart_stopped = mover_stopped,
	.message_lost = message_lost,
};

/* ---- Who asks ---- */

/* As co_dma_mover(), near the hart: main memory is far for many. */
static _Thread_local struct {
	uint32_t asked; /* when so many harts were lost, + 1; 0: never */
	bool engine;
	int hart;
} mine;

static __attribute__((noinline)) void find_mover(void)
{
	uint32_t lost = co_harts_lost(); /* before: what is lost meanwhile makes it ask again */

	mine.hart = co_dma_mover(&mine.engine);
	/* Hart 0 takes the engine over as soon as it can. */
	mine.asked = engine_hart >= 0 && mine.hart < 0 ? 0 : lost + 1;
}

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

	/*
	 * Who has none has none for good. relaxed: who sees it late posts to a hart that is lost,
	 * and is told.
	 */
	if (!mine.asked ||
	    (mine.hart >= 0 && mine.asked != co_atomic_load(&co_lost, CO_RELAXED) + 1))
		find_mover();
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

int co_dma_move(const struct co_dma *what)
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
	return co_dma_move(&(struct co_dma){ .to = to, .from = from, .bytes = bytes });
}
