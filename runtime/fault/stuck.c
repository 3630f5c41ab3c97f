/*
 * stuck.c - detect and report a deadlock of the whole machine.
 *
 * Hart 0 looks when it has slept for CO_STUCK_US without a deadline. The machine is stuck if every
 * hart sleeps without a deadline and without a message, and none has slept anew since the look
 * before. A hart that was rung but has not run yet (an emulator may delay it) is recognized by the
 * message in its inbox, by the token of the coroutine that sleeps in place there, or by the words
 * that a coroutine there rests on (lf/rest.h): these are looked at last, since that takes longest.
 * The hook `explain` says whether a device works meanwhile, or input may come.
 */
#include <hal/host.h>
#include <hal/time.h>

#include "../core/hook.h"
#include "../core/lost.h"
#include "../core/memory/slab.h"
#include "fault.h"
#include "give_up.h"

/* Not there where nothing is noted. */
extern __typeof__(co_trace_list) co_trace_list __attribute__((weak));

/* Do all other harts sleep without a deadline? *same: none has woken since the last call. */
static bool all_asleep(bool *same)
{
	*same = true;
	for (unsigned hart = 1; hart < co_machine.harts; hart++) {
		struct co_hart *h = co_hart_at(hart);
		uint32_t epoch;

		if (co_hart_lost(hart))
			continue;
		if (!co_inbox_asleep(&h->inbox, &epoch))
			return false;
		*same &= epoch == h->asleep_epoch;
		h->asleep_epoch = epoch;
	}
	return true;
}

/* Is the rest of any coroutine over? All harts sleep, and the caller has acquired their sleeps. */
static bool any_rest_over(void)
{
	for (const struct co *c = NULL; (c = co_block_next_of_all(c));) {
		if (co_rest_waits_no_more(c) && !co_hart_lost(c->hart))
			return true;
	}
	return false;
}

/* The owner of the mutex at `object`, from its first word. */
static const struct co *mutex_owner(uintptr_t object)
{
	const struct co_aword *owner = (const struct co_aword *)object;

	if (!co_lost_usable(owner, sizeof(*owner)))
		return NULL;
	return co_block_at(co_atomic_load(owner, CO_RELAXED)); /* relaxed: for reports */
}

struct co_awaited co_awaited(const struct co *c)
{
	/* relaxed, all: for reports. */
	return (struct co_awaited){ .kind = co_sleeps(c) ? co_wait_kind(c) : NULL,
				    .object = co_atomic_load(&c->waits_for, CO_RELAXED),
				    .since = co_atomic_load(&c->since, CO_RELAXED),
				    .until = co_deadline(c) };
}

const struct co *co_awaited_coroutine(const struct co_awaited *w)
{
	if (w->kind == co_wait_join)
		return co_block_at(w->object);
	return w->kind == co_wait_mutex ? mutex_owner(w->object) : NULL;
}

static void add_waypoint(struct co_text *t, const struct co *c, uint64_t now)
{
	const char *text = (const char *)co_atomic_load(&c->waypoint, CO_RELAXED);
	/* relaxed, all: for reports. */
	uint32_t ago = co_coarse_span(co_coarse(now), co_atomic_load(&c->waypoint_at, CO_RELAXED));

	if (text && co_noted(c))
		co_text_add(t, "; at '%s', %lu ms ago", text,
			    co_ms((uint64_t)ago << CO_COARSE_SHIFT));
}

static void add_deadline(struct co_text *t, uint64_t until, uint64_t now)
{
	if (until == CO_FOREVER)
		return;
	if (until > now)
		co_text_add(t, ", for %lu ms more", co_ms(until - now));
	else
		co_text_add(t, ", due for %lu ms", co_ms(now - until));
}

static uintptr_t place_of(const struct co *c)
{
	/* relaxed: co_note_places() has acquired it, or it is a moment old. */
	return co_atomic_load(&co_seen_of(c)->place, CO_RELAXED);
}

/* The live coroutines of the batch at `object`: how many of them, and the first. */
RACY static unsigned members_of(uintptr_t object, const struct co **first)
{
	unsigned n = 0;

	for (const struct co *c = NULL; (c = co_block_next_of_all(c));) {
		if (co_is_live(c) && (uintptr_t)c->batch == object && !n++)
			*first = c;
	}
	return n;
}

/* A counter is the first member of its batch. */
static void add_object(struct co_text *t, const struct co_awaited *w)
{
	const struct co *member, *other = co_awaited_coroutine(w);
	unsigned n = w->kind == co_wait_counter || w->kind == co_wait_child
			     ? members_of(w->object, &member)
			     : 0;

	co_text_add(t, " waits for %s", n && w->kind == co_wait_counter ? "end of batch" : w->kind);
	if (other && w->kind == co_wait_join)
		co_text_add(t, " '%s' on hart %u", co_name(other), co_home(other));
	else if (w->object)
		co_text_add(t, " 0x%lx", (unsigned long)w->object);
	if (other && w->kind == co_wait_mutex)
		co_text_add(t, ", which '%s' on hart %u %s,", co_name(other), co_home(other),
			    co_is_live(other) || co_is_service(other) ? "has"
								      : "had when it ended");
	if (n)
		co_text_add(t,
			    n > 1 ? ", of which '%s' on hart %u and %u more have not ended,"
				  : ", of which '%s' on hart %u has not ended,",
			    co_name(member), co_home(member), n - 1);
}

/* `more`: how many others wait alike. */
static void list(const struct co *c, unsigned more, uint64_t now)
{
	const struct co_awaited w = co_awaited(c);
	uintptr_t waited = co_since_span(co_since(now), w.since);
	char buf[384];
	struct co_text t = { buf, sizeof(buf), 0 };

	co_text_add(&t, "  '%s' on hart %u (%s)", co_name(c), c->hart,
		    co_role_name(co_hart_role(c->hart)));
	if (!w.kind) {
		co_text_add(&t, " is running or ready to");
		add_waypoint(&t, c, now);
		co_report("%s", buf);
		return;
	}
	add_object(&t, &w);
	co_text_add(&t, " since %lu ms", co_ms((uint64_t)waited << CO_SINCE_SHIFT));
	add_deadline(&t, w.until, now);
	add_waypoint(&t, c, now);
	if (place_of(c))
		co_text_add(&t, ", at 0x%lx", (unsigned long)place_of(c) - 1); /* in the call */
	if (more)
		co_text_add(&t, "; and %u more like it", more);
	co_report("%s", buf);
}

/* Do c and d, with one name, wait for one object at one place in the code, without a deadline? */
static bool alike(const struct co *c, const struct co *d)
{
	const struct co_awaited v = co_awaited(c), w = co_awaited(d);

	return v.kind && v.kind == w.kind && v.object == w.object && v.until == CO_FOREVER &&
	       w.until == CO_FOREVER && co_name(c) == co_name(d) && place_of(c) == place_of(d);
}

/* Is c the program's, or a service that waits for an object? An idle service waits for none. */
static bool is_listed(const struct co *c)
{
	/* relaxed: for reports. */
	uint32_t refs = co_atomic_load(&c->refs, CO_RELAXED);

	return co_is_live(c) || (refs & CO_RUNNING && refs & CO_SERVICE && co_awaited(c).object);
}

/* List coroutines: a line for each of the first GROUPS sets that are alike(). */
static void list_harts(unsigned hart, unsigned end)
{
	enum { GROUPS = 64 };
	const struct co *first[GROUPS];
	unsigned more[GROUPS], groups = 0, unlisted = 0, g;
	uint64_t now = hal_time_now();

	for (const struct co *c = NULL; hart < end; hart += !c) {
		c = co_block_next(hart, c);
		if (c && !co_block_in_place(hart, c))
			c = NULL;
		if (!c || !is_listed(c))
			continue;
		for (g = 0; g < groups && !alike(c, first[g]);)
			g++;
		if (g < groups) {
			more[g]++;
		} else if (groups < GROUPS) {
			first[groups] = c;
			more[groups++] = 0;
		} else {
			unlisted++;
		}
	}
	for (g = 0; g < groups; g++)
		list(first[g], more[g], now);
	if (unlisted)
		co_report("  and %u more", unlisted);
}

void co_list_one(const struct co *c)
{
	list(c, 0, hal_time_now());
}

void co_list_hart(unsigned hart)
{
	list_harts(hart, hart + 1);
}

void co_list_live(void)
{
	list_harts(0, co_machine.harts);
}

struct co_a32 co_dump_wanted; /* a debugger writes 1: tools/lines */

static void dump(void)
{
	co_hooks_call(report, NULL);
	co_note_places();
	co_report("\ncohart: these live:");
	co_list_live(); /* no barriers: while harts run, they may go away */
}

/* Runs on hart 0. */
static void dump_at_scheduling_point(struct co_msg *m)
{
	co_notice_taken(co_container_of(m, struct co_notice, msg));
	co_aside(dump);
}

static bool is_dump_wanted(void)
{
	return co_atomic_load(&co_dump_wanted, CO_RELAXED) &&
	       co_atomic_swap(&co_dump_wanted, 0, CO_RELAXED);
}

void co_dump_look(void)
{
	if (is_dump_wanted())
		dump(); /* at once: hart 0 may reach no other scheduling point */
}

void co_dump_look_in_alarm(void)
{
	if (is_dump_wanted())
		dump();
}

void co_debug_dump(void)
{
	static struct co_notice asked;

	co_notify(0, &asked, dump_at_scheduling_point);
}

/* List the last events of each hart with live coroutines. */
static void list_events(void)
{
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		bool live = false;

		for (struct co *c = NULL; !live && (c = co_block_next(hart, c));)
			live = co_is_live(c);
		if (live && co_trace_list)
			co_trace_list(hart, CO_TRACE_REPORTED / 2);
	}
}

/* Can a layer above explain the object of the wait? `report`: print its explanation. */
static bool is_explained(const char *kind, uintptr_t object, bool report)
{
	char buf[256];
	struct co_text t = { buf, sizeof(buf), 0 };
	const struct co_stuck w = { .kind = kind, .object = object, .text = &t };
	bool explained = co_readable((const void *)object, 1) && co_hooks_ask(explain, &w);

	if (explained && report)
		co_report("  %s 0x%lx: %s", kind, (unsigned long)object, buf);
	return explained;
}

/* The missing members of each barrier with waiters, and alike. No other hart runs any more. */
static void explain_all(void)
{
	enum { MOST = 16 };
	uintptr_t listed[MOST];
	unsigned n = 0;

	for (const struct co *c = NULL; (c = co_block_next_of_all(c));) {
		const struct co_awaited w = co_awaited(c);
		unsigned same = 0;

		if (!is_listed(c) || !w.kind)
			continue;
		while (same < n && listed[same] != w.object)
			same++;
		if (same < n || !is_explained(w.kind, w.object, n < MOST))
			continue;
		if (n == MOST) {
			co_report("  and more of these");
			return;
		}
		listed[n++] = w.object;
	}
}

static void stuck_look(void)
{
	static bool was_asleep;
	const struct co_stuck all = { 0 };
	bool same;
	bool asleep = all_asleep(&same);
	bool stuck = asleep && was_asleep && same;

	co_dump_look(); /* the only one with --watch=0 */
	was_asleep = asleep;
	/* The last look: no hart has woken between its sleep and the look at its rests. */
	if (!asleep || co_hooks_ask(explain, &all) || !stuck || any_rest_over() ||
	    !all_asleep(&same) || !same)
		return;
	co_debug_stop("deadlock");
	co_debug_end();
	co_note_places();
	co_hooks_call(run_ends);
	co_report("\ndeadlock: every hart sleeps, no deadline is pending, nobody can wake these:");
	co_list_live();
	explain_all();
	list_events();
	hal_host_exit(1);
}

/* The stack is as that of the watch's looks (watch.c). */
void co_stuck_look(void)
{
	co_aside(stuck_look);
}

CO_HOOKS_OF(wait) = { .idle = co_stuck_look };
