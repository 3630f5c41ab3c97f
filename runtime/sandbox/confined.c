/*
 * confined.c - the runtime's half of a confined coroutine: it goes down into the confined half, and
 * handles each trap by which it comes back. And the runtime's half of a channel whose peer is
 * confined.
 *
 * To the rest of the runtime this is an ordinary coroutine, on a stack of the runtime's: it waits
 * here for the confined half's calls. An interrupt that comes while the confined half runs brings
 * the hart to a scheduling point; a timer makes sure of an interrupt.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cohart/hart.h>
#include <cohart/sandbox.h>
#include <hal/alarm.h>
#include <hal/context.h>
#include <hal/ipi.h>
#include <hal/time.h>
#include <hal/trap.h>

#include "../comm/channel/channel.h"
#include "../core/compiler.h"
#include "../core/hook.h"
#include "../core/memory/image.h"
#include "../core/memory/stack.h"
#include "../fault/alarm.h"
#include "../fault/give_up.h"
#include "confined.h"

/* Whose tables this hart's other level ran on last: of co_domain's id. */
static _Thread_local uint32_t tables_of;

/* ---- Channels ---- */

/*
 * A confined side and the runtime share the channel's buffer alone, and in it the stamps, which are
 * only ever compared: each side has its own words, and queues and pointers are the runtime's
 * (lf/spsc.h: that is how a side with one member works anyway). So the confined side moves elements
 * by itself, and can damage nothing but elements and stamps. It waits and wakes by calls that are
 * served here: it names a slot and the stamp that it waits for, and the slot number is checked.
 */

static bool is_fresh(const struct co_ring *r)
{
	const uintptr_t slots = (uintptr_t)r->slots;

	/* relaxed, all: it is not in use. */
	return !co_atomic_load(&r->tail, CO_RELAXED) && !co_atomic_load(&r->final, CO_RELAXED) &&
	       co_atomic_load(&r->head, CO_RELAXED) == CO_RING_FULL &&
	       co_atomic_load(&r->put, CO_RELAXED) == slots &&
	       co_atomic_load(&r->took, CO_RELAXED) == slots;
}

static bool seen_by(const struct co_domain *d, uintptr_t p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += sizeof(uintptr_t)) {
		if (co_domain_allows(d, p + i, 1, CO_READ))
			return true;
	}
	return false;
}

int co_domain_channel(struct co_domain *d, struct co_chan *c, unsigned side,
		      struct co_user_end *end)
{
	const struct co_ring *r;

	if (!d || !co_atomic_load(&d->id, CO_RELAXED) || !c || !end ||
	    (side != CO_CHAN_SENDS && side != CO_CHAN_RECEIVES))
		return -EINVAL;
	r = &c->ring;
	if (!co_chan_is_single(c, CO_CHAN_SENDER) || !co_chan_is_single(c, CO_CHAN_RECEIVER) ||
	    !is_fresh(r) || seen_by(d, (uintptr_t)c, sizeof(*c)))
		return -EINVAL;
	if (!co_domain_allows(d, (uintptr_t)r->slots, (size_t)(r->limit - r->slots),
			      CO_READ | CO_WRITE))
		return -EFAULT;
	if (co_atomic_load(&d->alive, CO_ACQUIRE))
		return -EBUSY;
	for (unsigned i = 0; i < d->ends; i++) {
		if (d->end[i].chan == c && d->end[i].side == side)
			return -EINVAL;
	}
	if (d->ends == CO_DOMAIN_ENDS)
		return -ENOSPC;
	d->end[d->ends].chan = c;
	d->end[d->ends].side = side;
	*end = (struct co_user_end){
		.ring = *r, .elem_size = c->elem_size, .number = d->ends, .side = side
	};
	d->ends++;
	return 0;
}

/*
 * Find slot `place`, with the stamp that makes it the caller's turn. False: an invalid slot or
 * stamp.
 */
static bool claimed_of(const struct co_chan *c, uintptr_t place, uintptr_t stamp,
		       struct co_claimed *h)
{
	const struct co_ring *r = &c->ring;

	if (place > r->last / CO_RING_STEP || stamp & CO_RING_WAITED)
		return false;
	*h = (struct co_claimed){ (struct co_slot *)(void *)(r->slots + place * r->stride), stamp };
	return true;
}

static int await_turn(struct co_domain *d, uintptr_t end, uintptr_t place, uintptr_t stamp,
		      uintptr_t until)
{
	struct co_chan *c = d->end[end].chan;
	bool sends = d->end[end].side == CO_CHAN_SENDS;
	uint64_t deadline = CO_FOREVER;
	struct co_waiter *w;
	struct co_claimed h;

	if (!claimed_of(c, place, stamp, &h))
		return -EINVAL;
	if (until && !co_domain_allows(d, until, sizeof(deadline), CO_READ))
		return -EFAULT;
	if (until)
		memcpy(&deadline, (const void *)until, sizeof(deadline));
	w = co_wait_prepare(sends ? &c->senders : &c->receivers, c,
			    sends ? co_chan_room : co_chan_element);
	/* Look for a close first: the look at the slot then sees all elements sent before it. */
	if (co_ring_shut(&c->ring)) {
		co_wait_abandon(w);
		return sends || co_ring_turn(h) != 0 ? -EPIPE : 0;
	}
	if (co_ring_mark(h)) {
		co_wait_abandon(w);
		return 0;
	}
	/* Between the two looks. A close that comes from here on finds it in the queue. */
	if (co_ring_shut(&c->ring)) {
		co_wait_abandon(w);
		return 0; /* and ask again */
	}
	return co_wait_commit(w, deadline);
}

static void wake_other_side(struct co_domain *d, uintptr_t end)
{
	struct co_chan *c = d->end[end].chan;

	if (d->end[end].side == CO_CHAN_SENDS)
		co_chan_wake(&c->receivers, &c->senders);
	else
		co_chan_wake(&c->senders, &c->receivers);
}

/* ---- Running ---- */

static struct hal_user *user_of(struct co_confined *page)
{
	return (struct hal_user *)(void *)page->user;
}

/* It begins, or was preempted. 0; -ECANCELED: it was to end, and had its time for that. */
static int new_slice(struct co_confined *page)
{
	uint64_t now = hal_time_now();

	page->slice_end = now + page->slice;
	if (!co_canceled())
		return 0;
	if (!page->end)
		page->end = now + hal_time_hz() / (1000000 / CO_CONFINED_GRACE_US);
	return now > page->end ? -ECANCELED : 0;
}

/* What came meanwhile is looked at, and others have their turn. Returns as new_slice(). */
static int interrupted(struct co_confined *page)
{
	struct hal_trap *trap = hal_user_trap(user_of(page));

	co_atomic_add(&page->domain->interrupts, 1, CO_RELAXED);
	if (hal_trap_is_alarm(trap)) {
		hal_alarm_clear(trap);
		(void)co_alarm(trap); /* it is preempted now, whatever its budget */
	}
	hal_ipi_clear();
	co_pause();
	return new_slice(page);
}

static int answer_after(const struct co_domain *d, uintptr_t us, uintptr_t answer)
{
	uint64_t deadline = co_after_us(us);

	if (!co_domain_allows(d, answer, sizeof(deadline), CO_WRITE))
		return -EFAULT;
	memcpy((void *)answer, &deadline, sizeof(deadline));
	return 0;
}

/* Wait until the domain may print `bytes` more. */
static int await_budget(struct co_domain *d, uint32_t bytes)
{
	uint64_t until;

	while ((until = co_domain_may_print(d, bytes))) {
		int r;

		if (until == CO_FOREVER)
			return -EACCES;
		co_atomic_add(&d->print_waits, 1, CO_RELAXED);
		r = co_wait_commit(co_wait_prepare(NULL, d, "its domain's budget of output"),
				   until);
		if (r != -ETIMEDOUT)
			return r;
	}
	return 0;
}

static int print_text(struct co_domain *d, uintptr_t text, size_t bytes)
{
	char copy[CO_USER_PRINT_BYTES];
	int r;

	if (bytes > sizeof(copy))
		return -E2BIG;
	if (!co_domain_allows(d, text, bytes, CO_READ))
		return -EFAULT;
	memcpy(copy, (const void *)text, bytes);
	r = await_budget(d, (uint32_t)bytes + CO_USER_PRINT_EXTRA);
	if (r)
		return r;
	co_atomic_add(&d->prints, 1, CO_RELAXED);
	printf("%.*s", (int)bytes, copy);
	return 0;
}

/*
 * Others had their turn: a new slice. No other call begins one, for it may not have waited. Nor
 * does this for one that is to end: it may not listen, and its slices run out whatever it calls.
 */
static int pause_slice(struct co_confined *page)
{
	co_pause();
	if (co_canceled())
		return -ECANCELED;
	page->slice_end = hal_time_now() + page->slice;
	return 0;
}

static intptr_t serve_call(struct co_confined *page, const struct hal_user *u)
{
	struct co_domain *d = page->domain;
	uintptr_t a = hal_user_argument(u, 0), b = hal_user_argument(u, 1);
	uintptr_t number = hal_user_number(u);

	if (number >= CO_USER_AWAIT && number <= CO_USER_CLOSE && a >= d->ends)
		return -EINVAL;
	switch (number) {
	case CO_USER_PAUSE:
		return pause_slice(page);
	case CO_USER_SLEEP:
		return co_sleep_us(a);
	case CO_USER_AFTER:
		return answer_after(d, a, b);
	case CO_USER_HART:
		return (intptr_t)co_hart();
	case CO_USER_PRINT:
		return print_text(d, a, b);
	case CO_USER_AWAIT:
		return await_turn(d, a, b, hal_user_argument(u, 2), hal_user_argument(u, 3));
	case CO_USER_WAKE:
		wake_other_side(d, a);
		return 0;
	case CO_USER_CLOSE:
		co_chan_close(d->end[a].chan);
		return 0;
	}
	return -ENOSYS;
}

/* Down and back. */
static enum hal_user_stop run_slice(struct co_confined *page)
{
	struct co_domain *d = page->domain;
	uint32_t id = co_atomic_load(&d->id, CO_RELAXED);

	if (tables_of != id) {
		tables_of = id;
		hal_user_flush();
		co_atomic_add(&d->changes, 1, CO_RELAXED);
	}
	hal_time_wake_at(page->slice_end);
	return hal_user_run(user_of(page));
}

/* Run it to its end. True: with *result; false: by a fault. */
static bool run_to_end(struct co_confined *page, intptr_t *result)
{
	struct co_domain *d = page->domain;
	struct hal_user *u = user_of(page);

	page->slice = hal_time_hz() / (1000000 / CO_CONFINED_SLICE_US);
	(void)new_slice(page);
	for (;;) {
		switch (run_slice(page)) {
		case HAL_USER_INTERRUPT:
			*result = interrupted(page);
			if (*result)
				return true;
			break;
		case HAL_USER_CALL:
			co_atomic_add(&d->calls, 1, CO_RELAXED);
			if (hal_user_number(u) == CO_USER_RETURN) {
				*result = (intptr_t)hal_user_argument(u, 0);
				return true;
			}
			hal_user_answer(u, (uintptr_t)serve_call(page, u));
			break;
		default:
			co_atomic_add(&d->faults, 1, CO_RELAXED);
			return false;
		}
	}
}

/* It ends early: if it was the last in its domain, close the domain's channels. */
static void leave_early(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_confined *page = co_container_of(c, struct co_confined, cleanup);
	struct co_domain *d = page->domain;

	of->arg = NULL; /* the page may be another's from here on */
	if (!co_confined_leave(page))
		return;
	for (unsigned i = 0; i < d->ends; i++) {
		struct co_chan *chan = d->end[i].chan;

		/* Not one that a lost hart has locked. */
		if (why != CO_CLEANUP_HOST_DOWN || co_chan_lost_usable(chan))
			co_chan_close(chan);
	}
}

/* Its hart is lost, and it had not begun: so it has no entry in its list yet. */
static void leave_unbegun(struct co *c)
{
	struct co_confined *page = c->arg;

	if (c->fn == co_confined_run && co_lost_usable(page, sizeof(*page)) && !page->cleanup.run)
		leave_early(&page->cleanup, c, CO_CLEANUP_HOST_DOWN);
}

static void hart_lost(unsigned hart)
{
	co_lost_each(hart, leave_unbegun);
}

CO_HOOKS = { .hart_lost = hart_lost };

/*
 * A fault of the confined half is a fault of this coroutine, which goes on where a trap of its own
 * would have returned to: with its cleanups, on an unused part of this stack.
 */
_Noreturn static void contain(struct co_confined *page)
{
	struct hal_trap *trap = hal_user_trap(user_of(page));

	co_stack_beside = (struct co_stack_place){
		.name = "confined",
		.hart = -1,
		.slot = page->slot,
		.low = (uintptr_t)page + 2 * HAL_PAGE_BYTES,
		.high = co_confined_stack_top(page->domain, page->slot),
	};
	co_trap(trap);
	co_stack_beside.high = 0;
	hal_context_begin(hal_trap_sp(trap), (void (*)(void))hal_trap_pc(trap));
}

intptr_t co_confined_run(void *arg)
{
	struct co_confined *page = arg;
	struct co_domain *d = page->domain;
	struct hal_user *u = user_of(page);
	uintptr_t tp;
	intptr_t result = -ENOTSUP;

	co_cleanup_add(&page->cleanup, leave_early);
	/* Checked where it was spawned, unless that left the hart to the scheduler. */
	if (hal_user_possible(co_hart())) {
		tp = co_tls_make(co_confined_stack_top(d, page->slot));
		memset(page->user, 0, sizeof(page->user));
		hal_user_init(u, d->root, (uintptr_t)page->fn, tp, tp, (uintptr_t)page->arg);
		if (!run_to_end(page, &result))
			contain(page);
	}
	co_cleanup_remove(&page->cleanup);
	co_self()->arg = NULL; /* as in leave_early() */
	(void)co_confined_leave(page);
	return result;
}
