/*
 * end.c - two ends meet, and one side carries the transfer out (cohart/network.h).
 *
 * A side that is started looks whether its peer has offered its part. If so, it takes the offer (a
 * swap in its own window), and carries the transfer out: it moves the words and stores the
 * transfer's number at both ends. If not, it writes its part into the peer's window, offers, and
 * looks once more: when both have offered, each may find the peer's offer, and the first side to
 * claim the transfer at the sending end carries it out. A side that looks so late that the transfer
 * is over, and maybe the next one offered, finds its own number stored first. An offer is taken
 * once, by a swap: by a side, to carry the transfer out with both offers, or by unroute(), when a
 * switch is set otherwise; so if a side gets only one of the two offers, it begins that offer's
 * side anew. tests/model/network.pml is this protocol, with a side that takes its offer back, and
 * with a switch.
 *
 * An engine or a carrier, which moves words beside the two sides, is in charge of the transfer, by
 * a word at both ends, and ends it at both: the party that changes the receiving end's word does,
 * so that nothing is heard of a party that was taken for lost. If the peer is gone, an end whose
 * transfer nothing is in charge of looks at that by itself, so its transfer has no second end.
 */
#include <errno.h>
#include <string.h>

#include <cohart/detail/cleanup.h>
#include <cohart/detail/mark.h>
#include <cohart/dma.h>

#include "../../core/compiler.h"
#include "../../core/hook.h"
#include "../../core/lost.h"
#include "../../core/sched/wait_inline.h"
#include "../../dma/dma.h"
#include "network.h"

static const char port_kind[] = "network port";

#define WORD sizeof(uint64_t)
#define ENGINE_WORDS 64u /* words from which on an engine or a move hart is asked */

#ifdef CO_NO_CAS
/* A swap stands in for the lock of an offer or a charge; it is held for three instructions. */
static struct co_a32 locked;

static void lock_offer(void)
{
	unsigned spins = 0;

	/* acquire: the words; pairs with unlock_offer(). */
	while (co_atomic_swap(&locked, 1, CO_ACQUIRE))
		co_spin(&spins);
}

static void unlock_offer(void)
{
	/* release: pairs with lock_offer(). */
	co_atomic_store(&locked, 0, CO_RELEASE);
}

static bool swap_if(struct co_a32 *at, uint32_t was, uint32_t value)
{
	bool is_so;

	lock_offer();
	/* seq_cst, both: as a compare-and-swap. */
	is_so = co_atomic_load(at, CO_SEQ_CST) == was;
	if (is_so)
		co_atomic_store(at, value, CO_SEQ_CST);
	unlock_offer();
	return is_so;
}

/* A store makes an offer, without the lock: the offer before it has been taken by then. */
bool co_net_take_offer(struct co_a32 *at)
{
	bool taken;

	lock_offer();
	taken = co_atomic_swap(at, 0, CO_SEQ_CST) != 0;
	unlock_offer();
	return taken;
}
#else
/* One of several callers is first. */
INLINE bool swap_if(struct co_a32 *at, uint32_t was, uint32_t value)
{
	return co_atomic_cas(at, was, value);
}
#endif

static inline struct co_net_end *other_of(const struct co_net_end *e)
{
	/* acquire: a connection's writes; pairs with connect(), switch.c. */
	return (struct co_net_end *)co_atomic_load(&e->other, CO_ACQUIRE);
}

static inline bool is_of_pair(const struct co_net_end *e)
{
	return e->route.channel || e->carry;
}

/* ---- Words ---- */

/* The place of word n, counted without gaps; *together: how many words from there have no gap. */
static uint64_t *word_at(const struct co_net_part *p, uint32_t n, uint32_t *together)
{
	uint64_t *at = (uint64_t *)p->at;

	*together = UINT32_MAX;
	if (!p->row)
		return at + n;
	*together = p->row - n % p->row;
	return at + n / p->row * ((size_t)p->row + p->gap) + n % p->row;
}

/* Move words: from number `of` of `from` on, to number `at` of `to` on. */
static void move_words(const struct co_net_part *from, uint32_t of, const struct co_net_part *to,
		       uint32_t at, uint32_t words)
{
	uint32_t n, there;

	for (uint32_t i = 0; i < words; i += n) {
		const uint64_t *source = word_at(from, of + i, &n);
		uint64_t *target = word_at(to, at + i, &there);

		n = (uint32_t)co_least(co_least(n, there), words - i);
		memcpy(target, source, n * WORD);
	}
}

void co_net_gather(const struct co_net_part *p, uint32_t first, uint32_t words, uint64_t *to)
{
	move_words(p, first, &(struct co_net_part){ .at = (uintptr_t)to }, 0, words);
}

void co_net_scatter(const struct co_net_part *p, uint32_t first, uint32_t words, const uint64_t *of)
{
	move_words(&(struct co_net_part){ .at = (uintptr_t)of }, 0, p, first, words);
}

/* ---- The end of a transfer ---- */

/* At one end, whose side has given the transfer that number: nothing of it is read. */
INLINE void end_quietly(struct co_net_end *e, uint32_t number, int status)
{
	/* relaxed: the number publishes it. */
	co_atomic_store(&e->status, (uint32_t)status, CO_RELAXED);
	/* release: the words and the status; pairs with co_net_check(). */
	co_atomic_store(&e->rest.word[0], number, CO_RELEASE);
}

INLINE void end_at(struct co_net_end *e, const struct co_net_part *p, int status)
{
	/* Before its owner hears of it, and may begin another one. */
	uintptr_t doorbell = p->doorbell;

	end_quietly(e, p->number, status);
	co_ring(doorbell);
}

/* End it at both ends, on e's core, whose coroutine looks by itself: only the peer is rung. */
INLINE void end_both(struct co_net_end *e, struct co_net_end *other, const struct co_net_part *mine,
		     const struct co_net_part *theirs, int status)
{
	end_at(other, theirs, status);
	end_quietly(e, mine->number, status);
}

void co_net_fail(struct co_net_end *e, int status)
{
	end_quietly(e, co_rest_value(&e->rest), status);
	co_ring(e->mine.doorbell);
}

/* ---- The party in charge of a transfer ---- */

/* The low bits of `charge`: 1 + a core, or ENDING; the high bits: the transfer's number. */
enum { CHARGE_BITS = 5, ENDING = (1 << CHARGE_BITS) - 1 };
_Static_assert(CO_NET_CORES < ENDING, "a core has its bits");

INLINE uint32_t charge_of(const struct co_net_end *e, unsigned by)
{
	return co_rest_value(&e->rest) << CHARGE_BITS | by;
}

void co_net_charge(struct co_net_end *send, struct co_net_end *recv, unsigned by)
{
	/* relaxed: the charge publishes it. */
	co_atomic_store(&recv->sender, (uintptr_t)send, CO_RELAXED);
	/*
	 * seq_cst: before the caller looks whether it is lost; pairs with co_net_carrier_lost().
	 * The receiving end first: hart 0 looks there, and a sending end alone would wait for ever.
	 */
	co_atomic_store(&recv->charge, charge_of(recv, by + 1), CO_SEQ_CST);
	co_atomic_store(&send->charge, charge_of(send, by + 1), CO_SEQ_CST);
}

/* Is anything in charge of its transfer? */
static bool is_charged(const struct co_net_end *e)
{
	/* relaxed: the mark by which the peer is known to be gone has published it. */
	return (co_atomic_load(&e->charge, CO_RELAXED) ^ charge_of(e, 0)) - 1 < ENDING;
}

static int status_now(const struct co_net_end *send, const struct co_net_end *recv, int status)
{
	return co_net_is_gone(send->core) || co_net_is_gone(recv->core) ? -EHOSTDOWN : status;
}

void co_net_finish(struct co_net_end *send, struct co_net_end *recv, unsigned by, int status)
{
	if (!swap_if(&recv->charge, charge_of(recv, by + 1), charge_of(recv, ENDING)))
		return;
	status = status_now(send, recv, status);
	end_at(recv, &recv->mine, status);
	end_at(send, &send->mine, status);
}

void co_net_carrier_lost(struct co_net_end *recv, unsigned core)
{
	/* seq_cst: after the core was marked as lost; pairs with co_net_charge(). */
	if (co_atomic_load(&recv->charge, CO_SEQ_CST) == charge_of(recv, core + 1))
		/* relaxed: the charge has published it; a switch may have been set otherwise. */
		co_net_finish((struct co_net_end *)co_atomic_load(&recv->sender, CO_RELAXED), recv,
			      core, -EHOSTDOWN);
}

/* ---- Carrying it out ---- */

static int status_of(const struct co_net_part *from, const struct co_net_part *to)
{
	return from->words == to->words ? 0 : -EMSGSIZE;
}

static uint32_t least(const struct co_net_part *from, const struct co_net_part *to)
{
	return from->words < to->words ? from->words : to->words;
}

/* Describe whole rows of one shape, which an engine can move. Returns their words, maybe 0. */
static uint32_t describe(struct co_dma *d, const struct co_net_part *from,
			 const struct co_net_part *to)
{
	uint32_t row = from->row ? from->row : to->row, words = least(from, to);

	*d = (struct co_dma){ 0 };
	d->to = (void *)to->at;
	d->from = (const void *)from->at;
	if (!row) {
		d->bytes = words * WORD;
		return words;
	}
	if (from->row && to->row && from->row != to->row)
		return 0;
	d->bytes = row * WORD;
	d->rows = words / row;
	d->from_stride = ((size_t)row + (from->row ? from->gap : 0)) * WORD;
	d->to_stride = ((size_t)row + (to->row ? to->gap : 0)) * WORD;
	return words / row * row;
}

static int move_described(struct co_dma *d)
{
	int r = co_dma_start(d);

	return r ? r : co_dma_finish(d);
}

static int move_by_engine(const struct co_net_part *from, const struct co_net_part *to)
{
	struct co_dma d;
	uint32_t moved = describe(&d, from, to), rest = least(from, to) - moved, n;
	int r = move_described(&d);

	if (!r && rest) { /* of a row that is not whole */
		d = (struct co_dma){ .to = word_at(to, moved, &n),
				     .from = word_at(from, moved, &n),
				     .bytes = rest * WORD };
		r = move_described(&d);
	}
	return r;
}

/*
 * Wait for the engine in a coroutine of its own: the ends hear of the transfer as of any. All that
 * the coroutine uses is in the ends, and on its stack: the coroutine that began may end before.
 */
static intptr_t by_engine(void *arg)
{
	struct co_net_end *recv = arg;
	/* relaxed: the start of this coroutine has published it. */
	struct co_net_end *send = (struct co_net_end *)co_atomic_load(&recv->sender, CO_RELAXED);
	struct co_net_hold *route = recv->core == co_executor.hart ? &recv->route : &send->route;
	int r = route->channel ? co_net_take_route(route) : 0;

	if (!r) {
		r = HAL_NETWORK_EXISTS() ? co_net_move_by_ports(send, recv)
					 : move_by_engine(&send->mine, &recv->mine);
		r = r ? r : status_of(&send->mine, &recv->mine);
		if (route->channel)
			co_net_give(route);
	}
	co_net_finish(send, recv, co_executor.hart, r);
	return 0;
}

/*
 * Have an engine asked. True: a coroutine has the transfer, and will ask an engine. False: no
 * engine can move it, or no coroutine could be started.
 */
static NOINLINE bool begin_engine(struct co_net_end *e, struct co_net_end *other,
				  const struct co_net_part *mine, const struct co_net_part *theirs)
{
	const struct co_attr here = { .name = "network transfer",
				      .on = CO_ON_HART(co_executor.hart),
				      .stack = CO_STACK_MAIN };
	bool sends = e->way == CO_NET_SEND;
	struct co_net_end *send = sends ? e : other, *recv = sends ? other : e;
	struct co_dma d;

	if (!co_net_own ||
	    (!HAL_NETWORK_EXISTS() && (co_dma_my_mover() < 0 || !describe(&d, sends ? mine : theirs,
									  sends ? theirs : mine))))
		return false;
	co_net_charge(send, recv, co_executor.hart);
	if (!co_batch_spawn(&co_net_own->movers, &here, by_engine, recv, NULL))
		return true;
	/* relaxed, both: this side moves it by itself. */
	co_atomic_store(&send->charge, 0, CO_RELAXED);
	co_atomic_store(&recv->charge, 0, CO_RELAXED);
	return false;
}

/* The coroutine that moved words has been ended by a fault in the middle, or with its hart. */
static void moves_no_more(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_net_end *e = co_container_of(c, struct co_net_end, route.taken);
	/* relaxed: move_as_port() has written it, and is over. */
	struct co_net_end *other = (struct co_net_end *)co_atomic_load(&e->sender, CO_RELAXED);

	(void)of;
	(void)why;
	co_net_fail(other, -EHOSTDOWN);
	co_net_fail(e, -EHOSTDOWN);
}

/*
 * The caller stands in for the sending port: the time that it takes is the port's. If it ends
 * early, a pair's peer sees that its process is gone; at ports moves_no_more() ends the transfer.
 */
static NOINLINE void move_as_port(struct co_net_end *e, struct co_net_end *other,
				  const struct co_net_part *mine, const struct co_net_part *theirs)
{
	bool sends = e->way == CO_NET_SEND;
	const struct co_net_end *send = sends ? e : other;
	const struct co_net_part *from = sends ? mine : theirs, *to = sends ? theirs : mine;
	uint32_t words = least(from, to);
	int status = status_of(from, to);
	bool alone;

	co_mark_port_start(e, send->core * CO_NET_PORTS + send->cp, (uint32_t)(words * WORD));
	co_mark_dma_move(e);
	alone = !is_of_pair(e);
	if (alone) {
		co_atomic_store(&e->sender, (uintptr_t)other, CO_RELAXED);
		co_cleanup_push(co_executor.current, &e->route.taken, moves_no_more);
	}
	move_words(from, 0, to, 0, words);
	if (alone)
		CO_ASSERT_OWN(co_cleanup_pop(co_executor.current, &e->route.taken));
	end_both(e, other, mine, theirs, status);
	co_mark_dma_moved(e);
}

/* Do both sides have one word or two, without gaps? */
INLINE bool is_small(const struct co_net_part *mine, const struct co_net_part *theirs)
{
	/* Both fields in one look. */
	uint64_t here = (uint64_t)mine->row << 32 | mine->words;
	uint64_t there = (uint64_t)theirs->row << 32 | theirs->words;

	return here <= CO_NET_SMALL_WORDS && here == there;
}

INLINE void move_small(struct co_net_end *e, struct co_net_end *other,
		       const struct co_net_part *mine, const struct co_net_part *theirs)
{
	bool sends = e->way == CO_NET_SEND;
	const uint64_t *of = (const uint64_t *)(sends ? mine->at : theirs->at);
	uint64_t *at = (uint64_t *)(sends ? theirs->at : mine->at);

	for (uint32_t i = 0; i < mine->words; i++)
		at[i] = of[i];
	end_both(e, other, mine, theirs, 0);
}

INLINE void move_part(struct co_net_end *e, struct co_net_end *other,
		      const struct co_net_part *mine, const struct co_net_part *theirs)
{
	if (is_small(mine, theirs))
		move_small(e, other, mine, theirs);
	else
		move_as_port(e, other, mine, theirs);
}

/* Of a pair: take the route, or have it carried. */
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
	r = co_net_take_kept(&e->route, e->way);
	if (r) {
		end_both(e, other, mine, theirs, r);
		return;
	}
	move_part(e, other, mine, theirs);
	co_net_keep(&e->route, e->way);
}

static NOINLINE void carry_out_at_length(struct co_net_end *e, struct co_net_end *other,
					 const struct co_net_part *mine,
					 const struct co_net_part *theirs)
{
#ifdef CO_DEBUG
	if (!is_of_pair(e) && mine->words != theirs->words)
		co_panic("port %u of %s and port %u of %s move %u and %u words", (unsigned)e->cp,
			 co_net_core_name(e->core), (unsigned)other->cp,
			 co_net_core_name(other->core), (unsigned)mine->words,
			 (unsigned)theirs->words);
#endif
	if (!e->carry && (mine->words >= ENGINE_WORDS || HAL_NETWORK_EXISTS()) &&
	    begin_engine(e, other, mine, theirs))
		return;
	if (is_of_pair(e))
		carry_out_pair(e, other, mine, theirs);
	else
		move_as_port(e, other, mine, theirs);
}

/*
 * Carry out the transfer, which this side has got: both sides have been started. `mine` is e's own
 * part, `theirs` is its peer's.
 */
INLINE void carry_out(struct co_net_end *e, struct co_net_end *other,
		      const struct co_net_part *mine, const struct co_net_part *theirs)
{
	if (!is_small(mine, theirs)) {
		carry_out_at_length(e, other, mine, theirs);
	} else if (!is_of_pair(e)) {
		move_small(e, other, mine, theirs);
	} else if (e->route.channel && co_net_take_back(&e->route, e->way)) {
		move_small(e, other, mine, theirs);
		co_net_put_back(&e->route, e->way);
	} else {
		carry_out_at_length(e, other, mine, theirs);
	}
}

/* ---- Meeting ---- */

/* Take the peer's offer at e. False: nothing is offered, or the peer has taken it back. */
INLINE bool take_offer(struct co_net_end *e)
{
	/* acquire: its part; pairs with offer(). The swap: it may take it back. */
	return co_atomic_load(&e->offered, CO_SEQ_CST) && co_net_take_offer(&e->offered);
}

/* Claim the transfer: both have offered. False: the peer is first, or has taken its offer back. */
static bool claim_transfer(struct co_net_end *e, struct co_net_end *other, struct co_net_end *send)
{
	uint32_t their, number;
	bool taken;

	/* seq_cst: after this side's offer; and their number before the look whether it is over. */
	while ((their = co_atomic_load(&e->offered, CO_SEQ_CST)) && !co_net_is_over(e)) {
		number = send == e ? e->mine.number : their;
		/* acq_rel: one side has it; else each could take the peer's offer. */
		if (co_atomic_swap(&send->claimed, number, CO_ACQ_REL) == number)
			return false;
		/* Only this offer: it may have been taken back, and the transfer be over. */
		taken = swap_if(&e->offered, their, 0);
		/* And its own, unless unroute() has that: then the peer is to begin anew. */
		if (taken && swap_if(&other->offered, e->mine.number, 0))
			return true;
		/* relaxed: whoever claims it swaps. */
		co_atomic_store(&send->claimed, number - 1, CO_RELAXED);
		if (taken) {
			co_net_begin_anew(other);
			break;
		}
	}
	return false;
}

static NOINLINE void offer(struct co_net_end *e, struct co_net_end *other)
{
	if (co_net_is_hardware(e)) { /* the ports meet */
		co_net_port_start(e);
		return;
	}
	other->theirs = e->mine;
	/* seq_cst: before the looks, so that if both sides offer, one sees the peer's offer. */
	co_atomic_store_far(&other->offered, e->mine.number);
	/* seq_cst: after the offer; pairs with disconnect(). */
	if ((struct co_net_end *)co_atomic_load(&e->other, CO_SEQ_CST) != other) {
		/*
		 * The offer is this side's again; or unroute() has it; or the peer moves the words.
		 */
		if (swap_if(&other->offered, e->mine.number, 0))
			co_net_begin_anew(e);
		return;
	}
	if (claim_transfer(e, other, e->way == CO_NET_SEND ? e : other))
		carry_out_at_length(e, other, &e->mine, &e->theirs);
}

INLINE void meet_end(struct co_net_end *e, struct co_net_end *other)
{
	if (take_offer(e))
		carry_out(e, other, &e->mine, &e->theirs);
	else
		offer(e, other);
}

void co_net_meet(struct co_net_end *e, struct co_net_end *other)
{
	meet_end(e, other);
}

/* Set *span to the words from first to last: rows and gaps, then part of a row. False: too many. */
static bool spans(const struct co_net_part *p, uint32_t words, size_t *span)
{
	size_t stride, rows;

	return !__builtin_add_overflow(p->row, p->gap, &stride) &&
	       !__builtin_mul_overflow(stride, (words - 1) / p->row, &rows) &&
	       !__builtin_add_overflow(rows, (words - 1) % p->row + 1, span);
}

int co_net_refuse(const struct co_net_end *e, const void *at, uint32_t words)
{
	size_t span = words, bytes;

	if (!words || (uintptr_t)at % WORD || (e->mine.row && !spans(&e->mine, words, &span)) ||
	    __builtin_mul_overflow(span, WORD, &bytes))
		return -EINVAL;
	return co_dma_usable((uintptr_t)at, bytes, e->way == CO_NET_RECV) ? 0 : -EFAULT;
}

/* Start an end that is not connected, or whose peer may be gone. */
static NOINLINE void start_anew(struct co_net_end *e, const void *at, uint32_t words)
{
	struct co_net_end *other;

	if (is_of_pair(e)) {
		co_net_say(e, at, words); /* and the wait finds that the peer is gone */
		return;
	}
	other = co_net_start_anew(e, at, words);
	if (other)
		co_net_meet(e, other);
}

void co_net_start(struct co_net_end *e, const void *at, uint32_t words)
{
	struct co_net_end *other = other_of(e);

#ifdef CO_DEBUG
	CO_ASSERT_THAT(co_net_check(e) != -EINPROGRESS,
		       "a port is started again when its transfer is over");
	if (co_net_refuse(e, at, words))
		co_panic(
			"port %u of %s is started with %lu words at %p: none, misaligned, or memory "
			"that is not there, is a core's own, or is not to be written",
			(unsigned)e->cp, co_net_core_name(e->core), (unsigned long)words, at);
#endif
	/*
	 * acquire: once a start has seen that the peer is gone, so does the next; pairs with
	 * mark_gone().
	 */
	if (!other || co_atomic_load(&e->gone, CO_ACQUIRE)) {
		start_anew(e, at, words);
		return;
	}
	co_net_say(e, at, words); /* the wait finds a peer that goes later */
	meet_end(e, other);
}

int co_net_check_with(const struct co_net_end *e, const struct co_net_end *other)
{
	if (co_net_is_over(e))
		return co_net_status(e);
	if (!other || !co_net_is_gone(other->core) || is_charged(e))
		return -EINPROGRESS;
	return co_net_is_over(e) ? co_net_status(e) : -EHOSTDOWN;
}

/* Check e, whose transfer was not over a moment ago. */
static NOINLINE int check_other(struct co_net_end *e)
{
	if (co_net_is_hardware(e))
		return co_net_port_check(e);
	/* acquire: the peer's writes, and the charge; pairs with mark_gone(). */
	if (!co_atomic_load(&e->gone, CO_ACQUIRE))
		return -EINPROGRESS;
	return co_net_check_with(e, other_of(e));
}

int co_net_check(struct co_net_end *e)
{
	return co_net_is_over(e) ? co_net_status(e) : check_other(e);
}

/* Is e in progress? For its owner, which is about to wait: it will see each stop from here on. */
static bool is_in_progress(struct co_net_end *e)
{
	/* acquire: that the peer is gone; pairs with mark_gone(). */
	if (co_rest_stopped(&e->rest))
		co_atomic_swap(&e->rest.stop, 0, CO_ACQUIRE);
	return co_net_check(e) == -EINPROGRESS;
}

static int over(struct co_net_end *e)
{
	if (e->mine.words > CO_NET_SMALL_WORDS)
		co_mark_dma_wait(e);
	return co_net_check(e);
}

/* Wait until the transfer is over. r: the result of an earlier wait. */
static NOINLINE int await_over(struct co_net_end *e, uint64_t deadline, int r)
{
	struct co *self = co_executor.current;

	while (is_in_progress(e)) {
		if (r)
			return r;
		CO_ASSERT_COROUTINE(self);
		co_rest_begin_as(self, &e->rest, e, port_kind);
		co_wait_note(self);
		r = co_rest_slowly(self, &e->rest, deadline);
	}
	return over(e);
}

/* The wait has begun. */
static NOINLINE int await_slowly(struct co_net_end *e)
{
	return await_over(e, CO_FOREVER, co_rest_slowly(co_executor.current, &e->rest, CO_FOREVER));
}

int co_net_wait_until(struct co_net_end *e, uint64_t deadline)
{
	return co_net_is_over(e) ? over(e) : await_over(e, deadline, 0);
}

/* Without calls, and so without a frame: the work after a sleep is in the time of a message. */
int co_net_wait(struct co_net_end *e)
{
	struct co *self = co_executor.current;
	struct co_hart *h = co_executor.self;

	if (!co_net_is_over(e)) {
		/* acquire: as in check_other(). */
		if (co_rest_stopped(&e->rest) || co_atomic_load(&e->gone, CO_ACQUIRE))
			return await_over(e, CO_FOREVER, 0);
		CO_ASSERT_COROUTINE(self);
		co_rest_begin_as(self, &e->rest, e, port_kind);
		if (!co_rest_sleep(h, self, &e->rest, true, co_rest_value(&e->rest), CO_FOREVER))
			return await_slowly(e);
		co_rest_leave_place(h, self);
	}
	if (e->mine.words > CO_NET_SMALL_WORDS)
		co_mark_dma_wait(e);
	return co_net_status(e);
}

int co_net_withdraw(struct co_net_end *e)
{
	struct co_net_end *other = other_of(e);

	if (co_net_check(e) != -EINPROGRESS)
		return -EALREADY;
	if (!other || !co_net_take_offer(&other->offered))
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

	if (!is_of_pair(e))
		co_text_add(&t, "port %u of ", (unsigned)e->cp);
	co_text_add(&t, "%s, which %s %lu words%s", co_net_core_name(e->core),
		    sends ? "sends" : "receives", (unsigned long)e->mine.words,
		    sends ? " to " : " from ");
	if (!other)
		co_text_add(&t, "nowhere: its route is not whole");
	else if (co_net_is_hardware(e) && !co_net_is_over(e) && !co_net_is_over(other))
		co_text_add(&t, "%s, with %lu left", co_net_core_name(other->core),
			    (unsigned long)co_net_port_left(e));
	else
		co_text_add(&t, "%s, which %s", co_net_core_name(other->core),
			    co_net_is_over(other) ? "has not started to" : "has started, too");
	return text;
}

static bool blame_end(const struct co_stuck *w)
{
	if (!w->text || w->kind != port_kind)
		return false;
	co_net_explain((const struct co_net_end *)w->object, w->text->buf, w->text->bytes);
	return true;
}

CO_HOOKS = { .explain = blame_end };
