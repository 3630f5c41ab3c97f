/*
 * dma.c - transfers, and the movers that carry them out.
 *
 * A transfer is a message to one hart, its mover, which queues it and starts it on a free channel.
 * An engine has several channels; a move hart without one has a single channel in software, which
 * moves a piece whenever the executor looks. Both are polled by the executor's `device`: at each
 * scheduling point while something is under way, and when an interrupt has ended the hart's sleep.
 * Where there is no mover the caller moves by itself.
 */
#include <cohart/detail/mark.h>
#include <cohart/dma.h>
#include <hal/dma.h>

#include "../core/compiler.h"
#include "../core/hart_var.h"
#include "../core/hook.h"
#include "../core/memory/image.h"
#include "../core/timeline.h"
#include "../fault/give_up.h"
#include "dma.h"

#define PIECE 4096u   /* bytes that a move hart moves between looks at its messages */
#define ROW_BYTES 64u /* added to each row's bytes for that */

/* A transfer in software. */
struct soft {
	struct hal_dma_rows rows;
	size_t at; /* in the row that begins them */
};

/* A mover's transfers by channel; hart 0 reads them if the mover is lost. */
static struct co_dma *engine_moves[HAL_DMA_CHANNELS_MAX];
struct queue {
	struct co_dma *first, *last; /* transfers that wait for a channel */
	struct co_dma *soft_moves;
};
CO_HART_VAR(struct queue, mover);

static int engine_hart = -1; /* written while harts boot, before `online` */

/* This hart as a mover. */
static _Thread_local struct mover {
	struct queue *queue;
	struct co_dma **under_way; /* one of the two above */
	unsigned channels;
	bool engine; /* the channels are the engine's; else there is one, in software */
	struct soft soft;
	struct co_device device;
} mover;

/* ---- By a hart ---- */

static void soft_begin(struct soft *s, const struct hal_dma_copy *c)
{
	hal_dma_rows_begin(&s->rows, c);
	s->at = 0;
}

/* Move up to `most` bytes, of one row or several. Returns as hal_dma_check(). */
static int soft_move(struct soft *s, size_t most)
{
	struct hal_dma_copy *c = &s->rows.left;

	for (;;) {
		size_t n = c->bytes - s->at < most ? c->bytes - s->at : most;

		memcpy((void *)(c->to + s->at), (const void *)(c->from + s->at), n);
		s->at += n;
		if (s->at < c->bytes)
			return -EINPROGRESS;
		s->at = 0;
		if (!hal_dma_rows_next(&s->rows))
			return 0;
		if (most <= n + ROW_BYTES)
			return -EINPROGRESS;
		most -= n + ROW_BYTES;
	}
}

/* ---- The mover ---- */

static struct queue *queue_of_mover(unsigned hart)
{
	return co_hart_var(mover, hart);
}

static struct co_counter *counter_of(struct co_dma *d)
{
	return d->running ? d->running : &d->own;
}

static inline void finish_by(struct co_dma *d, int status, void (*done)(struct co_counter *))
{
	struct co_counter *running = counter_of(d);
	struct co *by = d->begun_by;

	/* release: the copy's reads; pairs with cleanups after a fault or loss. */
	if (d->of)
		co_atomic_add(&d->of->transfers, (uint32_t)-1, CO_RELEASE);
	/* release: pairs with co_dma_check(), after which d may be in use again. */
	co_atomic_store(&d->status, (uint32_t)status, CO_RELEASE);
#ifdef CO_DEBUG
	/* relaxed: the counter publishes it to a coroutine that waits. */
	co_atomic_add(&by->unfinished, (uint32_t)-1, CO_RELAXED);
#endif
	done(running);
	/* release: the copy's writes; pairs with cleanups after a fault or loss. */
	co_atomic_add(&by->transfers, (uint32_t)-1, CO_RELEASE);
}

static const char transfer[] = "transfer"; /* in a timeline */

/* Fail a transfer whose end no look of a mover notes. */
static void fail(struct co_dma *d, int status, void (*done)(struct co_counter *))
{
	co_timeline_received(transfer, d, 0);
	finish_by(d, status, done);
}

static int start_on(struct mover *m, unsigned channel, const struct co_dma *d)
{
	struct hal_dma_copy c = co_dma_describe(d);

	if (co_inject(CO_INJECT_DMA))
		return -EIO;
	if (m->engine)
		return hal_dma_start(channel, &c);
	soft_begin(&m->soft, &c);
	return 0;
}

/* Start waiting transfers, oldest first, on free channels. */
static void start_more(struct mover *m, struct co_executor *e)
{
	struct queue *q = m->queue;

	for (unsigned i = 0; i < m->channels; i++) {
		while (!m->under_way[i] && q->first) {
			struct co_dma *d = q->first;
			int r = start_on(m, i, d);

			q->first = d->next;
			if (r) {
				fail(d, r, co_counter_done);
				continue;
			}
			m->under_way[i] = d;
			e->devices++;
			co_attend(e);
		}
	}
}

/* Poll the transfers. Returns true if there was progress, so that the hart must not sleep. */
static bool look_at_transfers(struct co_executor *e)
{
	struct mover *m = &mover;

	for (unsigned i = 0; i < m->channels; i++) {
		struct co_dma *d = m->under_way[i];
		int r = !d          ? -EINPROGRESS
			: m->engine ? hal_dma_check(i)
				    : soft_move(&m->soft, PIECE);

		if (r == -EINPROGRESS)
			continue;
		m->under_way[i] = NULL;
		e->devices--;
		co_attend(e);
		finish_by(d, r, co_counter_done);
	}
	start_more(m, e);
	return !m->engine && m->under_way[0];
}

/* look_at_transfers() with a timeline. */
static bool look_and_note(struct co_executor *e)
{
	const struct co_dma *was[HAL_DMA_CHANNELS_MAX];
	bool r;

	memcpy(was, mover.under_way, mover.channels * sizeof(*was));
	r = look_at_transfers(e);
	for (unsigned i = 0; i < mover.channels; i++) {
		if (was[i] && mover.under_way[i] != was[i])
			co_timeline_received(transfer, was[i], 0);
	}
	return r;
}

static void accept_transfer(struct co_msg *msg)
{
	struct co_dma *d = co_container_of(msg, struct co_dma, msg);
	struct queue *q = mover.queue;

	d->next = NULL;
	if (q->first)
		q->last->next = d;
	else
		q->first = d;
	q->last = d;
	start_more(&mover, &co_executor);
}

/* The move hart for the transfers of a hart, of its group if that has one; -1: none is left. */
static int any_mover(unsigned asker)
{
	for (unsigned i = 0; i < co_machine.groups; i++) {
		const struct co_group *g = co_group((co_hart_group(asker) + i) % co_machine.groups);

		for (unsigned k = 0; k < g->movers; k++) {
			unsigned m = g->compute + g->computes + (asker + k) % g->movers;

			if (!co_hart_lost(m))
				return (int)m;
		}
	}
	return -1;
}

static void boot_mover(unsigned hart)
{
	int owner = any_mover(0);
	bool owns = HAL_DMA_EXISTS() && (int)hart == (owner < 0 ? 0 : owner);
	int channels = owns ? hal_dma_init() : 0;

	if (owns && channels <= 0)
		co_report("cohart: this board's DMA engine does not answer: harts move memory");
	if (channels <= 0 && !(co_hart_role(hart) & CO_ROLE_MOVE))
		return;
	mover.engine = channels > 0;
	mover.channels = mover.engine ? (unsigned)channels : 1;
	mover.queue = queue_of_mover(hart);
	mover.under_way = mover.engine ? engine_moves : &mover.queue->soft_moves;
	co_device_add(&mover.device, co_timeline ? look_and_note : look_at_transfers);
	if (mover.engine)
		engine_hart = (int)hart;
}

int co_dma_mover(bool *engine)
{
	bool has_one = engine_hart >= 0 && !co_hart_lost((unsigned)engine_hart);

	if (engine)
		*engine = has_one;
	return has_one ? engine_hart : any_mover(co_executor.hart);
}

/* ---- A lost mover: its transfers fail ---- */

static void fail_transfer(struct co_dma *d)
{
	if (co_lost_usable(d, sizeof(*d)))
		fail(d, -EHOSTDOWN, co_lost_done);
}

static void mover_lost(unsigned hart)
{
	struct queue *q = queue_of_mover(hart);
	struct co_msg *m;
	struct co_dma *d;

	if (!co_hart_past(hart))
		return;
	for (unsigned i = 0; (int)hart == engine_hart && i < HAL_DMA_CHANNELS_MAX; i++) {
		fail_transfer(engine_moves[i]);
		engine_moves[i] = NULL;
	}
	fail_transfer(q->soft_moves);
	q->soft_moves = NULL;
	while (co_lost_usable(d = q->first, sizeof(*d))) {
		q->first = d->next;
		fail_transfer(d);
	}
	while ((m = co_lost_message(hart))) {
		if (m->run == accept_transfer)
			fail_transfer(co_container_of(m, struct co_dma, msg));
	}
}

/* ---- The caller ---- */

/* co_dma_mover(), cached in the scratchpad. */
static _Thread_local struct {
	uint32_t asked; /* number of lost harts that was known then, + 1; 0: never asked */
	bool engine;
	int hart;
} mine;

static NOINLINE void find_mover(void)
{
	/* acquire: which harts; pairs with co_hart_mark_lost(). First: a loss meanwhile makes it
	 * ask again. */
	uint32_t lost = co_atomic_load(&co_executor.self->losses, CO_ACQUIRE);

	mine.hart = co_dma_mover(&mine.engine);
	mine.asked = co_executor.trace ? 0 : lost + 1; /* each transfer is noted on this way */
}

static inline bool is_mover_known(void)
{
	/* relaxed: a late message to a lost hart is answered. In this hart's window. */
	return mine.asked == co_atomic_load(&co_executor.self->losses, CO_RELAXED) + 1;
}

int co_dma_my_mover(void)
{
	if (!is_mover_known())
		find_mover();
	return mine.hart;
}

/* A transfer begins, whose mover is not known, or which is to be noted. */
static NOINLINE void begin_knowing(const struct co_dma *d, size_t bytes)
{
	find_mover();
	co_timeline_sent(transfer, d, 0, bytes);
}

/* The caller moves all of it. `dma`: for marks. Returns 0 or -EIO. */
static int move_now(const void *dma, const struct hal_dma_copy *c)
{
	bool fails = co_inject(CO_INJECT_DMA);
	struct hal_dma_rows r;

	co_mark_dma_start(dma, (uint32_t)c->bytes, (uint32_t)c->rows);
	co_mark_dma_move(dma);
	hal_dma_rows_begin(&r, c);
	do
		memcpy((void *)r.left.to, (const void *)r.left.from, fails ? 0 : r.left.bytes);
	while (hal_dma_rows_next(&r));
	co_mark_dma_moved(dma);
	return fails ? -EIO : 0;
}

/* An engine knows no page tables: it finds no memory that is mapped to another address. */
static bool is_on_rank_stack(const struct hal_dma_copy *c)
{
	return co_stack_is_mapped(c->to, (c->rows - 1) * c->to_stride + c->bytes) ||
	       co_stack_is_mapped(c->from, (c->rows - 1) * c->from_stride + c->bytes);
}

void co_dma_begin(struct co_dma *d)
{
	struct hal_dma_copy c = co_dma_describe(d);
	int hart;

	if (!is_mover_known())
		begin_knowing(d, c.bytes * c.rows);
	hart = mine.hart;
	if (hart < 0 || (mine.engine && is_on_rank_stack(&c))) {
		co_atomic_store(&d->status, (uint32_t)move_now(counter_of(d), &c), CO_RELEASE);
		co_timeline_received(transfer, d, 0);
		return;
	}
	/* A move hart in software copies itself. */
	if (mine.engine)
		co_mark_dma_start(counter_of(d), (uint32_t)c.bytes, (uint32_t)c.rows);
	/* relaxed: the message publishes both. */
	co_atomic_store(&d->status, (uint32_t)-EINPROGRESS, CO_RELAXED);
	co_counter_add(counter_of(d), 1);
	/* relaxed: only movers write it too. */
	d->begun_by = co_executor.current;
	co_atomic_add(&d->begun_by->transfers, 1, CO_RELAXED);
	if (d->of)
		co_atomic_add(&d->of->transfers, 1, CO_RELAXED);
#ifdef CO_DEBUG
	co_atomic_add(&d->begun_by->unfinished, 1, CO_RELAXED);
#endif
	d->msg.run = accept_transfer;
	co_post((unsigned)hart, &d->msg);
}

/* Returns 0 if it may be moved, with addresses that every hart may use. */
static int check_copy(struct hal_dma_copy *c)
{
	int r = co_dma_refuse(c);

	return r == -EFAULT && co_dma_translate(c) ? co_dma_refuse(c) : r;
}

/* check_copy() of d; an error is d's status, too. */
static int check_transfer(struct co_dma *d)
{
	struct hal_dma_copy c = co_dma_describe(d);
	int r = check_copy(&c);

	d->to = (void *)c.to;
	d->from = (const void *)c.from;
	if (r) /* relaxed: only this coroutine reads it */
		co_atomic_store(&d->status, (uint32_t)r, CO_RELAXED);
	return r;
}

int co_dma_start(struct co_dma *d)
{
	int r;

	CO_ASSERT_THAT(
		d && (co_dma_nearby((uintptr_t)d, sizeof(*d)) || co_spm_shared(d, sizeof(*d))),
		"a struct co_dma is in memory that every hart may use, or of the calling hart");
	CO_ASSERT_THAT(
		!d->running || co_dma_nearby((uintptr_t)d->running, sizeof(*d->running)) ||
			co_spm_shared(d->running, sizeof(*d->running)),
		"the counter of a transfer (running) is in memory that every hart may use, or of the calling hart");
	d->of = NULL;
	r = check_transfer(d);
	if (!r)
		co_dma_begin(d);
	return r;
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

int co_dma_finish(struct co_dma *d)
{
	co_counter_wait_shielded(counter_of(d));
	co_mark_dma_wait(counter_of(d));
	return co_dma_check(d);
}

int co_dma_do(struct co_dma *d)
{
	co_dma_begin(d);
	return co_dma_finish(d);
}

/* A transfer that does what c describes. */
INLINE struct co_dma dma_of(const struct hal_dma_copy *c)
{
	return (struct co_dma){
		.to = (void *)c->to,
		.from = (const void *)c->from,
		.bytes = c->bytes,
		.rows = c->rows,
		.to_stride = c->to_stride,
		.from_stride = c->from_stride,
	};
}

/* Have it moved, and wait for the end. */
static NOINLINE int let_move(const struct hal_dma_copy *c)
{
	struct co_dma *d;
	int r;

	d = co_spm_alloc(sizeof(*d), _Alignof(struct co_dma));
	if (!d)
		return -ENOMEM;
	*d = dma_of(c);
	r = co_dma_do(d);
	co_spm_free(d);
	return r;
}

/* Move a copy that was checked. */
INLINE int move_allowed(const struct hal_dma_copy *c)
{
	int r;

	if (co_dma_my_mover() >= 0)
		return let_move(c);
	r = move_now(c, c);
	co_mark_dma_wait(c);
	return r;
}

static NOINLINE int move_by_engine(struct hal_dma_copy *c)
{
	int r = check_copy(c);

	return r ? r : move_allowed(c);
}

INLINE bool is_in_reach(const void *p, size_t bytes)
{
	return co_image_plain((uintptr_t)p, bytes) || co_dma_is_near((uintptr_t)p, bytes);
}

/*
 * A word or two that this hart reaches: to move them takes fewer instructions than to describe them
 * to a mover, and a hart that asks an engine waits for longer than for the words.
 */
INLINE bool is_small_move(const void *to, const void *from, size_t bytes)
{
	size_t odd = ((uintptr_t)to | (uintptr_t)from | bytes) % sizeof(uintptr_t);

	return bytes - 1 < CO_DMA_SMALL_BYTES && !odd && is_in_reach(to, bytes) &&
	       is_in_reach(from, bytes);
}

INLINE bool rows_meet(const void *to, const void *from, size_t bytes)
{
	return (uintptr_t)to - (uintptr_t)from < bytes || (uintptr_t)from - (uintptr_t)to < bytes;
}

/* May the row be moved, by a look without page tables? False: co_dma_refuse() knows. */
INLINE bool is_allowed(const void *to, const void *from, size_t bytes)
{
	return bytes && is_in_reach(to, bytes) && is_in_reach(from, bytes) &&
	       !rows_meet(to, from, bytes);
}

INLINE int move_words(uintptr_t *to, const uintptr_t *from, size_t bytes)
{
	if (rows_meet(to, from, bytes))
		return -EINVAL;
	if (co_inject(CO_INJECT_DMA))
		return -EIO;
	for (size_t i = 0; i < bytes / sizeof(*to); i++)
		to[i] = from[i];
	return 0;
}

/* Out of line, so that a word or two need no frame. */
static NOINLINE int copy_row(void *to, const void *from, size_t bytes)
{
	struct hal_dma_copy c = co_dma_row(to, from, bytes);

	return is_allowed(to, from, bytes) ? move_allowed(&c) : move_by_engine(&c);
}

int co_dma_copy(void *to, const void *from, size_t bytes)
{
	return is_small_move(to, from, bytes) ? move_words(to, from, bytes)
					      : copy_row(to, from, bytes);
}

/* ---- Between main memory and a scratchpad, where rows follow one another ---- */

static struct co_dma get_rows(void *spm, const void *from, struct co_rows r)
{
	return (struct co_dma){
		.to = spm, .from = from, .bytes = r.bytes, .rows = r.rows, .from_stride = r.stride
	};
}

static struct co_dma put_rows(void *to, const void *spm, struct co_rows r)
{
	return (struct co_dma){
		.to = to, .from = spm, .bytes = r.bytes, .rows = r.rows, .to_stride = r.stride
	};
}

static NOINLINE int copy_rows(void *to, const void *from, const struct co_rows *r, bool get)
{
	struct co_dma d = get ? get_rows(to, from, *r) : put_rows(to, from, *r);
	struct hal_dma_copy c = co_dma_describe(&d);

	return move_by_engine(&c);
}

int co_dma_get(void *spm, const void *from, struct co_rows rows)
{
	if (rows.rows == 1 && is_small_move(spm, from, rows.bytes))
		return move_words(spm, from, rows.bytes);
	return copy_rows(spm, from, &rows, true);
}

int co_dma_put(void *to, const void *spm, struct co_rows rows)
{
	if (rows.rows == 1 && is_small_move(to, spm, rows.bytes))
		return move_words(to, spm, rows.bytes);
	return copy_rows(to, spm, &rows, false);
}

/* Begin `what`, as d, counted as d says. */
static int start_as(struct co_dma *d, struct co_dma what)
{
	what.running = d->running;
	*d = what;
	return co_dma_start(d);
}

int co_dma_get_start(struct co_dma *d, void *spm, const void *from, struct co_rows rows)
{
	return start_as(d, get_rows(spm, from, rows));
}

int co_dma_put_start(struct co_dma *d, void *to, const void *spm, struct co_rows rows)
{
	return start_as(d, put_rows(to, spm, rows));
}

int co_dma_broadcast_start(struct co_dma *each, void *spm, const void *from, struct co_rows rows,
			   const unsigned *harts, unsigned n, struct co_counter *running)
{
	int error = 0;

	CO_ASSERT_SHARED(each, n * sizeof(*each), "the struct co_dma of a broadcast");
	CO_ASSERT_SHARED(running, sizeof(*running), "the counter of a broadcast (running)");
	for (unsigned i = 0; i < n; i++) {
		int r;

		each[i] = get_rows(co_spm_at(spm, harts[i]), from, rows);
		each[i].running = running;
		r = check_transfer(&each[i]);
		error = error ? error : r;
	}
	if (error)
		return error;
	for (unsigned i = 0; i < n; i++)
		co_dma_begin(&each[i]);
	return 0;
}

/* ---- For messages, which are linked without this file, too ---- */

int co_dma_move_end(struct co_dma *d)
{
	int r = co_dma_finish(d);

	co_spm_free(d);
	return r;
}

bool co_dma_move(struct co_dma **d, void *to, const void *from, size_t bytes, struct co *of)
{
	struct hal_dma_copy c = co_dma_row(to, from, bytes);

	if (!is_allowed(to, from, bytes) && check_copy(&c))
		return false;
	*d = NULL;
	if (co_dma_my_mover() < 0) {
		if (move_now(&c, &c))
			return false;
		co_mark_dma_wait(&c);
		return true;
	}
	*d = co_spm_alloc(sizeof(**d), _Alignof(struct co_dma));
	if (!*d)
		return false;
	**d = dma_of(&c);
	(*d)->of = of;
	co_dma_begin(*d);
	return true;
}

CO_HOOKS = { .hart_boot = boot_mover, .hart_lost = mover_lost };
