/*
 * end.c - two ends meet, and one side carries the transfer out (cohart/network.h).
 *
 * A side that is started looks whether the other has offered its part. If so, it takes that back
 * (a swap in its own window), and carries the transfer out: it moves the words and stores the
 * transfer's number at both ends. If not, it writes its part into the other's window, offers, and
 * looks once more: when both have offered, each may find the other's, and the one that is first to
 * claim the transfer at the sending end carries it out. One that looks so late that the transfer is
 * over, and maybe the next one offered, finds its own number stored first. tests/model/network.pml
 * is this protocol, with a side that takes its offer back.
 */
#include <errno.h>
#include <string.h>

#include <cohart/detail/cleanup.h>
#include <cohart/detail/mark.h>
#include <cohart/dma.h>

#include "../../core/compiler.h"
#include "../../core/hook.h"
#include "../../core/lost.h"
#include "../../core/wait_inline.h"
#include "../dma.h"
#include "network.h"

static const char port_kind[] = "network port";

#define WORD sizeof(uint64_t)
#define ENGINE_WORDS 64u /* from so many on an engine or a move hart is asked */

static inline struct co_net_end *other_of(const struct co_net_end *e)
{
	/* acquire: what a connection has written; pairs with co_net_connect(). */
	return (struct co_net_end *)co_atomic_load(&e->other, CO_ACQUIRE);
}

/* ---- Words ---- */

/* Where a word lies, counted without gaps; *together: so many follow it without one. */
static uint64_t *word_at(const struct co_net_part *p, uint32_t n, uint32_t *together)
{
	uint64_t *at = (uint64_t *)p->at; /* NOLINT(performance-no-int-to-ptr) */

	*together = UINT32_MAX;
	if (!p->row)
		return at + n;
	*together = p->row - n % p->row;
	return at + (size_t)(n / p->row) * (p->row + p->gap) + n % p->row;
}

static void move_words(const struct co_net_part *from, const struct co_net_part *to, uint32_t words)
{
	uint32_t n, there;

	for (uint32_t i = 0; i < words; i += n) {
		const uint64_t *of = word_at(from, i, &n);
		uint64_t *at = word_at(to, i, &there);

		n = n < there ? n : there;
		n = n < words - i ? n : words - i;
		memcpy(at, of, n * WORD);
	}
}

void co_net_gather(const struct co_net_part *p, uint32_t first, uint32_t words, uint64_t *to)
{
	uint32_t n;

	for (uint32_t i = 0; i < words; i += n) {
		const uint64_t *of = word_at(p, first + i, &n);

		n = n < words - i ? n : words - i;
		memcpy(to + i, of, n * WORD);
	}
}

void co_net_scatter(const struct co_net_part *p, uint32_t first, uint32_t words, const uint64_t *of)
{
	uint32_t n;

	for (uint32_t i = 0; i < words; i += n) {
		uint64_t *at = word_at(p, first + i, &n);

		n = n < words - i ? n : words - i;
		memcpy(at, of + i, n * WORD);
	}
}

/* ---- The end of a transfer ---- */

/* At one end, whose side has said p: nothing of it is read. */
INLINE void end_quietly(struct co_net_end *e, const struct co_net_part *p, int status)
{
	/* relaxed: the number publishes it. */
	co_atomic_store(&e->status, (uint32_t)status, CO_RELAXED);
	/* release: the words and the status; pairs with co_net_check(). */
	co_atomic_store(&e->rest.word[0], p->number, CO_RELEASE);
}

INLINE void end_at(struct co_net_end *e, const struct co_net_part *p, int status)
{
	end_quietly(e, p, status);
	co_ring(p->doorbell);
}

/* At both, by the coroutine of e's core, which looks by itself: the other side is rung. */
INLINE void end_both(struct co_net_end *e, struct co_net_end *other, const struct co_net_part *mine,
		     const struct co_net_part *theirs, int status)
{
	end_at(other, theirs, status);
	end_quietly(e, mine, status);
}

void co_net_finish(struct co_net_end *send, struct co_net_end *recv, int status)
{
	/* relaxed: so far no transfer of theirs is carried any more. */
	co_atomic_store(&recv->via, 0, CO_RELAXED);
	end_at(recv, &recv->mine, status);
	end_at(send, &send->mine, status);
}

void co_net_fail(struct co_net_end *e, int status)
{
	end_at(e, &e->mine, status);
}

/* ---- Carrying it out ---- */

struct job {
	struct co_net_end *send, *recv;
	struct co_net_part from, to;
	struct co_net_hold route;
	bool kept; /* there is none to take */
	struct co_dma dma;
};

static int status_of(const struct co_net_part *from, const struct co_net_part *to)
{
	return from->words == to->words ? 0 : -EMSGSIZE;
}

static uint32_t least(const struct co_net_part *from, const struct co_net_part *to)
{
	return from->words < to->words ? from->words : to->words;
}

/* What one transfer of an engine can move: whole rows of one shape. Returns so many words. */
static uint32_t describe(struct co_dma *d, const struct co_net_part *from,
			 const struct co_net_part *to)
{
	uint32_t row = from->row ? from->row : to->row, words = least(from, to);

	*d = (struct co_dma){ 0 };
	/* NOLINTBEGIN(performance-no-int-to-ptr): a part has numbers */
	d->to = (void *)to->at;
	d->from = (const void *)from->at;
	/* NOLINTEND(performance-no-int-to-ptr) */
	if (!row) {
		d->bytes = words * WORD;
		return words;
	}
	if (from->row && to->row && from->row != to->row)
		return 0;
	d->bytes = row * WORD;
	d->rows = words / row;
	d->from_stride = (row + (from->row ? from->gap : 0)) * WORD;
	d->to_stride = (row + (to->row ? to->gap : 0)) * WORD;
	return words / row * row;
}

static int move_by_engine(struct job *j)
{
	uint32_t moved, rest = 0, n;
	int r = j->kept ? 0 : co_net_take_route(&j->route);

	if (r)
		return r;
	moved = describe(&j->dma, &j->from, &j->to);
	r = co_dma_start(&j->dma);
	if (!r)
		r = co_dma_wait(&j->dma);
	if (!r)
		rest = least(&j->from, &j->to) - moved;
	if (rest) { /* of a row that is not whole */
		struct co_net_part from = j->from, to = j->to;

		from.at = (uintptr_t)word_at(&j->from, moved, &n);
		to.at = (uintptr_t)word_at(&j->to, moved, &n);
		move_words(&from, &to, rest);
	}
	if (!j->kept)
		co_net_give(&j->route);
	return r ? r : status_of(&j->from, &j->to);
}

/* A coroutine of its own waits for the engine: the ends hear of it as of any transfer. */
static intptr_t by_engine(void *arg)
{
	struct job *j = arg;
	int r = move_by_engine(j);

	end_at(j->recv, &j->to, r);
	end_at(j->send, &j->from, r);
	co_spm_free(j);
	return 0;
}

/* True: a coroutine has it, and will ask an engine. False: it is short, or there is none. */
static NOINLINE bool begin_engine(struct co_net_end *e, struct co_net_end *other,
				  const struct co_net_part *mine, const struct co_net_part *theirs)
{
	const struct co_attr here = { .name = "network transfer",
				      .on = CO_ON_HART(co_executor.hart),
				      .stack = CO_STACK_MAIN };
	struct job *j = NULL;

	if (co_dma_my_mover() >= 0)
		j = co_spm_alloc(sizeof(*j), alignof(struct job));
	if (!j)
		return false;
	if (e->way == CO_NET_SEND)
		*j = (struct job){ .send = e, .recv = other, .from = *mine, .to = *theirs };
	else
		*j = (struct job){ .send = other, .recv = e, .from = *theirs, .to = *mine };
	j->route = e->route;
	j->kept = !e->route.channel || (e->way == CO_NET_SEND ? e->kept : theirs->kept);
	if (describe(&j->dma, &j->from, &j->to) && !co_spawn(NULL, &here, by_engine, j))
		return true;
	co_spm_free(j);
	return false;
}

/* The caller stands in for the sending port: what it does meanwhile takes the port's time. */
static NOINLINE void move_as_port(struct co_net_end *e, struct co_net_end *other,
				  const struct co_net_part *mine, const struct co_net_part *theirs)
{
	bool sends = e->way == CO_NET_SEND;
	const struct co_net_end *send = sends ? e : other;
	const struct co_net_part *from = sends ? mine : theirs, *to = sends ? theirs : mine;
	uint32_t words = least(from, to);
	int status = status_of(from, to);

	co_mark_port_start(e, send->core * CO_NET_PORTS + send->cp, (uint32_t)(words * WORD));
	co_mark_dma_move(e);
	move_words(from, to, words);
	end_both(e, other, mine, theirs, status);
	co_mark_dma_moved(e);
}

INLINE void move(struct co_net_end *e, struct co_net_end *other, const struct co_net_part *mine,
		 const struct co_net_part *theirs)
{
	uint32_t words = mine->words;

	if (words <= CO_NET_SMALL_WORDS && words == theirs->words && !mine->row && !theirs->row) {
		bool sends = e->way == CO_NET_SEND;
		/* NOLINTBEGIN(performance-no-int-to-ptr): a part has numbers */
		const uint64_t *of = (const uint64_t *)(sends ? mine->at : theirs->at);
		uint64_t *at = (uint64_t *)(sends ? theirs->at : mine->at);
		/* NOLINTEND(performance-no-int-to-ptr) */

		for (uint32_t i = 0; i < words; i++)
			at[i] = of[i];
		end_both(e, other, mine, theirs, 0);
	} else {
		move_as_port(e, other, mine, theirs);
	}
}

/* Of a pair: take the route, unless it is kept, or have it carried. */
static NOINLINE void carry_out_pair(struct co_net_end *e, struct co_net_end *other,
				    const struct co_net_part *mine,
				    const struct co_net_part *theirs)
{
	struct co_net_end *send = e->way == CO_NET_SEND ? e : other;
	int r;

	if (e->carry) {
		e->carry(send, send == e ? other : e);
		return;
	}
	if (e->kept || (send != e && theirs->kept)) {
		move(e, other, mine, theirs);
		return;
	}
	r = co_net_take_route(&e->route);
	if (r) {
		end_both(e, other, mine, theirs, r);
		return;
	}
	move(e, other, mine, theirs);
	co_net_give(&e->route);
}

/* Both sides have been started, and this one has it: e's own part, and what the other has said. */
static void carry_out(struct co_net_end *e, struct co_net_end *other,
		      const struct co_net_part *mine, const struct co_net_part *theirs)
{
#ifdef CO_DEBUG
	if (!e->route.channel && !e->carry && mine->words != theirs->words)
		co_panic("port %u of %s and port %u of %s move %u and %u words", (unsigned)e->cp,
			 co_net_core_name(e->core), (unsigned)other->cp,
			 co_net_core_name(other->core), (unsigned)mine->words,
			 (unsigned)theirs->words);
#endif
	if (!e->carry && mine->words >= ENGINE_WORDS && begin_engine(e, other, mine, theirs))
		return;
	if (e->route.channel || e->carry)
		carry_out_pair(e, other, mine, theirs);
	else
		move(e, other, mine, theirs);
}

/* ---- Meeting ---- */

static bool is_over(const struct co_net_end *e)
{
	/* acquire: the words and the status; pairs with end_at(). */
	return co_atomic_load(&e->rest.word[0], CO_ACQUIRE) == co_rest_value(&e->rest);
}

/* Take back what the other has offered here. False: nothing, or it has taken it back. */
INLINE bool take_offer(struct co_net_end *e)
{
	/* acquire: its part; pairs with offer(). The swap: it may take it back. */
	return co_atomic_load(&e->offered, CO_SEQ_CST) &&
	       co_atomic_swap(&e->offered, 0, CO_ACQUIRE);
}

/* That very offer: it may have been taken back, and the transfer be over. */
INLINE bool take_that_offer(struct co_net_end *e, uint32_t their)
{
#ifdef CO_NO_CAS
	(void)e;
	(void)their;
	co_panic("the network is for harts that have compare-and-swap");
#else
	return co_atomic_cas(&e->offered, their, 0);
#endif
}

/* Both have offered, and this side is first. False: the other is, or has taken its offer back. */
static bool claim(struct co_net_end *e, struct co_net_end *send)
{
	uint32_t their, number;

	/* seq_cst: after this side's offer; and their number before the look whether it is over. */
	while ((their = co_atomic_load(&e->offered, CO_SEQ_CST)) && !is_over(e)) {
		number = send == e ? e->mine.number : their;
		/* acq_rel: one of the two has it. */
		if (co_atomic_swap(&send->claimed, number, CO_ACQ_REL) == number)
			return false;
		if (take_that_offer(e, their))
			return true;
		/* relaxed: whoever claims it swaps. */
		co_atomic_store(&send->claimed, number - 1, CO_RELAXED);
	}
	return false;
}

static NOINLINE void offer(struct co_net_end *e, struct co_net_end *other)
{
	other->theirs = e->mine;
	/* seq_cst: before the look, so that one of two that offer sees the other's. */
	co_atomic_store(&other->offered, e->mine.number, CO_SEQ_CST);
	/* seq_cst: after the offer; pairs with co_net_leave(). */
	if (co_atomic_load(&e->gone, CO_SEQ_CST)) {
		co_net_fail(e, -EHOSTDOWN);
		return;
	}
	if (!claim(e, e->way == CO_NET_SEND ? e : other))
		return;
	/* relaxed: the numbers that follow publish it. */
	co_atomic_store(&other->offered, 0, CO_RELAXED);
	carry_out(e, other, &e->mine, &e->theirs);
}

void co_net_meet(struct co_net_end *e)
{
	struct co_net_end *other = other_of(e);

	if (take_offer(e))
		carry_out(e, other, &e->mine, &e->theirs);
	else
		offer(e, other);
}

int co_net_refuse(const struct co_net_end *e, const void *at, uint32_t words)
{
	size_t bytes;
	uint32_t n;

	if (!words || __builtin_mul_overflow(words, WORD, &bytes) || (uintptr_t)at % WORD)
		return -EINVAL;
	if (e->mine.row) {
		struct co_net_part p = e->mine;

		p.at = 0;
		bytes = (uintptr_t)word_at(&p, words - 1, &n) + WORD;
	}
	return co_dma_usable((uintptr_t)at, bytes, e->way == CO_NET_RECV) ? 0 : -EFAULT;
}

void co_net_start(struct co_net_end *e, const void *at, uint32_t words)
{
	uint32_t number = co_net_next(e);

#ifdef CO_DEBUG
	CO_ASSERT_THAT(is_over(e), "a port is started again when its transfer is over");
#endif
	e->mine.at = (uintptr_t)at;
	e->mine.words = words;
	e->mine.number = number;
	e->mine.kept = e->kept;
	/* relaxed: the core's own; those that look for lost ones come after the offer. */
	co_atomic_store(&e->rest.value, number, CO_RELAXED);
	if (other_of(e) || co_net_find_route(e))
		co_net_meet(e);
}

int co_net_check(const struct co_net_end *e)
{
	/* relaxed: the look has acquired it. */
	return is_over(e) ? (int)co_atomic_load(&e->status, CO_RELAXED) : -EINPROGRESS;
}

static NOINLINE int await(struct co_net_end *e, uint64_t deadline)
{
	struct co *self = co_executor.current;
	int r = 0;

	while (!is_over(e)) {
		if (r)
			return r;
		co_rest_begin_as(self, &e->rest, e, port_kind);
		if (co_rest_sleep(self, &e->rest, true, co_rest_value(&e->rest), deadline))
			co_rest_leave_place(self);
		else
			r = co_rest_slowly(self, &e->rest, deadline);
	}
	return 0;
}

int co_net_wait_until(struct co_net_end *e, uint64_t deadline)
{
	int r = is_over(e) ? 0 : await(e, deadline);

	if (r)
		return r;
	if (e->mine.words > CO_NET_SMALL_WORDS)
		co_mark_dma_wait(e);
	/* relaxed: the look has acquired it. */
	return (int)co_atomic_load(&e->status, CO_RELAXED);
}

int co_net_wait(struct co_net_end *e)
{
	return co_net_wait_until(e, CO_FOREVER);
}

int co_net_withdraw(struct co_net_end *e)
{
	struct co_net_end *other = other_of(e);

	if (is_over(e))
		return -EALREADY;
	/* acq_rel: pairs with take_offer(). */
	if (!other || !co_atomic_swap(&other->offered, 0, CO_ACQ_REL))
		return -EBUSY;
	end_at(e, &e->mine, -ECANCELED);
	return 0;
}

/* ---- Reports ---- */

const char *co_net_explain(const struct co_net_end *e, char *text, size_t bytes)
{
	struct co_text t = { text, bytes, 0 };
	const struct co_net_end *other = other_of(e);
	bool sends = e->way == CO_NET_SEND;

	if (!e->route.channel && !e->carry)
		co_text_add(&t, "port %u of ", (unsigned)e->cp);
	co_text_add(&t, "%s, which %s %lu words%s", co_net_core_name(e->core),
		    sends ? "sends" : "receives", (unsigned long)e->mine.words,
		    sends ? " to " : " from ");
	if (!other)
		co_text_add(&t, "nowhere: its route is not whole");
	else
		co_text_add(&t, "%s, which %s", co_net_core_name(other->core),
			    is_over(other) ? "has not started to" : "has started, too");
	return text;
}

static bool blame(const char *kind, uintptr_t object, char *text, size_t bytes)
{
	if (kind != port_kind)
		return false;
	co_net_explain((const struct co_net_end *)object, text, bytes);
	return true;
}

CO_HOOKS = { .blame = blame };
