/*
 * barrier.c - barriers: the algorithms of lf/barrier.h, and the wait of who must wait.
 */
#include <errno.h>
#include <string.h>

#include <cohart/barrier.h>
#include <cohart/spm.h>

#include "../core/hook.h"
#include "../core/lf/barrier.h"
#include "../core/linger.h"
#include "barrier.h"

_Static_assert(CO_SEATS == CO_BARRIER_COMPUTES + 1, "a hart has a seat in each scope");

/* The forms' shifts; central is the tree in which all hang on member 0. */
#define CENTRAL_SHIFT CO_SEAT_ROUNDS
#define TREE_SHIFT CO_BARRIER_SHIFT(CO_BARRIER_FEW + 1)
#define DISSEMINATION_SHIFT 0

static int init(struct co_barrier *b, unsigned members, enum co_barrier_form form)
{
	static const uint32_t shift[] = {
		[CO_BARRIER_CENTRAL] = CENTRAL_SHIFT,
		[CO_BARRIER_TREE] = TREE_SHIFT,
		[CO_BARRIER_DISSEMINATION] = DISSEMINATION_SHIFT,
	};

	for (unsigned i = 0; i < members; i++) {
		CO_ASSERT(co_spm_shared(co_seat_at(b, i), sizeof(struct co_seat)));
		memset(co_seat_at(b, i), 0, sizeof(struct co_seat));
	}
	b->shift = form == CO_BARRIER_AUTO ? CO_BARRIER_SHIFT(members) : shift[form];
	b->members = members;
	return 0;
}

static bool is_seat(const struct co_seat *s)
{
	return s && (uintptr_t)s % alignof(struct co_seat) == 0;
}

static bool is_shape(unsigned members, enum co_barrier_form form)
{
	return members && members <= CO_BARRIER_MAX && (unsigned)form <= CO_BARRIER_DISSEMINATION;
}

int co_barrier_init(struct co_barrier *b, unsigned members, enum co_barrier_form form,
		    struct co_seat *seats)
{
	if (!is_shape(members, form) || !is_seat(seats))
		return -EINVAL;
	CO_ASSERT(b && co_spm_shared(b, sizeof(*b)));
	*b = (struct co_barrier){ .seats = seats, .stride = sizeof(*seats) };
	return init(b, members, form);
}

int co_barrier_init_at(struct co_barrier *b, unsigned members, enum co_barrier_form form,
		       struct co_seat *const *table)
{
	if (!is_shape(members, form) || !table)
		return -EINVAL;
	for (unsigned i = 0; i < members; i++) {
		if (!is_seat(table[i]))
			return -EINVAL;
	}
	CO_ASSERT(b && co_spm_shared(b, sizeof(*b)));
	CO_ASSERT(co_spm_shared(table, members * sizeof(*table)));
	*b = (struct co_barrier){ .table = table };
	return init(b, members, form);
}

unsigned co_barrier_enrol(struct co_barrier *b)
{
	/* relaxed: a number, no more. */
	uint32_t member = co_atomic_add(&b->enrolled, 1, CO_RELAXED);

	CO_ASSERT(member < b->members);
	return member;
}

static inline void ring(struct co_seat *s)
{
	co_ring(s->bell); /* the flag has handed it over */
}

static inline void wake(const struct co_barrier *b, struct co_seat *s, uint32_t round,
			uint32_t episode, uint32_t how)
{
	if (how & CO_SEAT_LINGERS)
		ring(s);
	if (how & CO_SEAT_SLEEPS)
		co_barrier_wake_round(b, s, round, episode, false);
}

/*
 * Who sits here; for reports, and for who wakes it: its arrival hands it over. And what it would
 * have to work out each time.
 */
static __attribute__((noinline)) void note(const struct co_barrier *b, struct co_seat *s,
					   uint32_t member)
{
	uint32_t at;

	/* relaxed: for reports; a moment old anyway. */
	co_atomic_store(&s->name, (uintptr_t)co_name(co_executor.current), CO_RELAXED);
	/* seq_cst: before the look at the bit below; pairs with co_seat_break(). */
	co_atomic_store(&s->hart, co_executor.hart + 1, CO_SEQ_CST);
	(void)co_seat_is_broken(s); /* if it is, the caller's look finds it, too */
	s->bell = co_machine.bell[co_executor.hart];
	s->of = co_barrier_object(b);
	if (!b->shift || b->members == 1)
		return;
	at = co_tree_counter(b, member);
	s->up = &co_seat_at(b, at)->arrived;
	s->full = co_tree_below(b, at) + 1;
	/* Those right below member 0 are told by the one who came last. */
	s->passes_on = at && at == member;
}

/* Has a member been ended that had not come to this episode? */
static inline bool is_over(const struct co_barrier *b, const struct co_seat *s, uint32_t episode)
{
	return co_seat_is_broken(s) && co_barrier_fails(b, episode);
}

/*
 * Park until the seat is told of the episode in that round: 0. Or -ETIMEDOUT, -ECANCELED: not yet.
 * Or -EOWNERDEAD: never.
 */
static __attribute__((noinline)) int park(const struct co_barrier *b, struct co_seat *s,
					  uint32_t round, uint32_t episode, uint64_t deadline)
{
	struct co_a32 *flag = &s->flag[round];

	while (!co_seat_told(flag, episode)) {
		struct co_waiter *w =
			co_wait_prepare(&s->wait, co_barrier_object(b), co_wait_barrier);
		int r;

		if (co_seat_reached(co_seat_doze(flag, CO_SEAT_SLEEPS), episode))
			r = co_wait_abandon(w);
		else if (is_over(b, s, episode))
			r = co_wait_abandon(w) - EOWNERDEAD;
		else
			r = co_wait_commit(w, deadline);
		if (r && !co_seat_told(flag, episode)) {
			/* relaxed, both: for itself, and reports. */
			co_atomic_or(&s->step, round + 1, CO_RELAXED);
			co_atomic_store(&s->quick, 0, CO_RELAXED);
			return r;
		}
	}
	/* The message that tells of a death may have come in here: no linger would look again. */
	return is_over(b, s, episode) ? -EOWNERDEAD : 0;
}

static inline int await(const struct co_barrier *b, struct co_seat *s, uint32_t round,
			uint32_t episode, uint64_t deadline)
{
	struct co_a32 *flag = &s->flag[round];
	uint32_t seen;

	if (co_seat_told(flag, episode))
		return 0;
	if (deadline == CO_FOREVER) {
		seen = co_seat_doze(flag, CO_SEAT_LINGERS);
		if (co_seat_reached(seen, episode))
			return 0;
		if (co_linger(flag, seen, co_barrier_object(b), co_wait_barrier) &&
		    co_seat_told(flag, episode))
			return 0;
	}
	return park(b, s, round, episode, deadline);
}

static inline int tell(const struct co_barrier *b, uint32_t from, uint32_t end, uint32_t episode)
{
	from = co_tree_tell(b, from, end, episode, ring);
	return from < end ? co_barrier_wake_rest(b, from, end, episode, false) : 0;
}

/*
 * A member that was released passes it on to those below. Out of line, as few members do, so that
 * the others need not make room for it.
 */
static __attribute__((noinline)) int forward(const struct co_barrier *b, uint32_t member,
					     uint32_t episode)
{
	uint32_t first = (member << b->shift) + 1;

	return tell(b, first, first + co_tree_below(b, member), episode);
}

/*
 * The last one to come releases the root and those right below it, and those below itself: it need
 * not wait for its own flag, which comes later and is no news then.
 */
static __attribute__((noinline)) int release(const struct co_barrier *b, uint32_t member,
					     uint32_t episode)
{
	uint32_t end = co_tree_below(b, 0) + 1;

	tell(b, 0, member < end ? member : end, episode);
	if (member < end)
		tell(b, member + 1, end, episode);
	return member ? forward(b, member, episode) : 0;
}

static inline int tree(const struct co_barrier *b, struct co_seat *s, uint32_t member,
		       uint32_t episode, uint64_t deadline)
{
	int r = await(b, s, 0, episode, deadline);

	/* Those right below member 0 are told by the one who came last. */
	if (r || !member || (member << b->shift) + 1 >= b->members)
		return r;
	return forward(b, member, episode);
}

/* @param come  it has told the one of that round already */
static __attribute__((noinline)) int dissemination(const struct co_barrier *b, struct co_seat *s,
						   uint32_t member, uint32_t round, bool come,
						   uint64_t deadline)
{
	uint32_t episode = co_atomic_load(&s->episode, CO_RELAXED);

	for (; 1u << round < b->members; round++, come = false) {
		int r;

		if (!come)
			co_dissemination_tell(b, member, round, episode, wake);
		r = await(b, s, round, episode, deadline);
		if (r)
			return r;
	}
	return 0;
}

/* A member comes to the next episode, and waits. */
static inline __attribute__((always_inline)) int come(const struct co_barrier *b, struct co_seat *s,
						      uint32_t member, uint64_t deadline)
{
	uintptr_t quick;
	/* relaxed, all: the member's own; others look for reports. */
	uint32_t episode = co_atomic_load(&s->episode, CO_RELAXED) + 1;

	co_atomic_store(&s->episode, episode, CO_RELAXED);
	if (!b->shift)
		return dissemination(b, s, member, 0, false, deadline);
	/* Hart 0 looks after stuck harts: it may not nap. */
	quick = b->members > 1 && co_executor.hart ? (uintptr_t)co_executor.self : 0;
	if (co_atomic_load(&s->quick, CO_RELAXED) != quick)
		co_seat_shortcut(s, quick);
	if (co_tree_arrive(b, member, episode))
		return release(b, member, episode);
	return tree(b, s, member, episode, deadline);
}

/*
 * It came before and gave the wait up: go on there. Or a member has been ended: what has been come
 * to by all ends well, the rest does not.
 */
static __attribute__((noinline)) int resume(const struct co_barrier *b, struct co_seat *s,
					    uint32_t member, uint64_t deadline)
{
	/* relaxed, all: its own; the bit is acquired where it counts. */
	uint32_t step = co_atomic_load(&s->step, CO_RELAXED) & CO_SEAT_GAVE_UP;
	uint32_t round = step - 1;

	if (is_over(b, s, co_atomic_load(&s->episode, CO_RELAXED) + !step))
		return -EOWNERDEAD;
	if (!step)
		return come(b, s, member, deadline);
	co_atomic_and(&s->step, ~CO_SEAT_GAVE_UP, CO_RELAXED);
	if (!b->shift)
		return dissemination(b, s, member, round, true, deadline);
	return tree(b, s, member, co_atomic_load(&s->episode, CO_RELAXED), deadline);
}

int co_barrier_wait_until(struct co_barrier *b, unsigned member, uint64_t deadline)
{
	struct co_seat *s;

	CO_ASSERT(member < b->members);
	s = co_seat_at(b, member);
	/* relaxed, both: the member's own; others look for reports. */
	if (co_atomic_load(&s->hart, CO_RELAXED) != co_executor.hart + 1)
		note(b, s, member);
	if (co_atomic_load(&s->step, CO_RELAXED))
		return resume(b, s, member, deadline);
	return come(b, s, member, deadline);
}

/* Out of line, so that those who need it not need no frame. */
static __attribute__((noinline)) int await_rest(const struct co_barrier *b, struct co_seat *s,
						uint32_t member, uint32_t episode)
{
	return tree(b, s, member, episode, CO_FOREVER);
}

/* The second half of the short way: it has come, with its bit set, and there is nothing to do. */
static inline int nap(const struct co_barrier *b, struct co_seat *s, uint32_t member,
		      uint32_t episode, struct co *c, struct co_hart *h)
{
	co_nap(c, h, &s->flag[0]);
	if (!co_seat_told(&s->flag[0], episode))
		return await_rest(b, s, member, episode);
	return s->passes_on ? forward(b, member, episode) : 0;
}

/* It has made a count full. */
static __attribute__((noinline)) int carry(const struct co_barrier *b, struct co_seat *s,
					   uint32_t member, uint32_t episode)
{
	if (!co_tree_carry(b, co_tree_counter(b, member), episode))
		return nap(b, s, member, episode, co_executor.current, co_executor.self);
	co_seat_stay_awake(&s->flag[0], episode);
	return release(b, member, episode);
}

/*
 * The short way, for a member of a tree that has nothing else to do: what it needs stands in its
 * seat. Rings of this episode come after the doorbell was cleared, so none is lost.
 */
int co_barrier_wait(struct co_barrier *b, unsigned member)
{
	struct co_executor *e = &co_executor;
	struct co *c = e->current;
	struct co_hart *h = e->self;
	struct co_seat *s;
	uint32_t episode;

	CO_ASSERT(member < b->members);
	s = co_seat_at(b, member);
	/* relaxed: who closes the short way posts a message then, which keeps it awake. */
	if (co_atomic_load(&s->quick, CO_RELAXED) != (uintptr_t)h || !co_nap_may(e, c, h))
		return co_barrier_wait_until(b, member, CO_FOREVER);
	hal_ipi_clear();
	/* relaxed: as in co_barrier_wait_until(). */
	episode = co_atomic_load(&s->episode, CO_RELAXED) + 1;
	co_atomic_store(&s->episode, episode, CO_RELAXED);
	co_seat_predoze(&s->flag[0], episode);
	if (co_tree_count(s->up, s->full, episode))
		return carry(b, s, member, episode);
	return nap(b, s, member, episode, c, h);
}

/* relaxed, here and below: reports are a moment old anyway. */
static uint32_t episode_of(const struct co_barrier *b, unsigned member)
{
	return co_atomic_load(&co_seat_at(b, member)->episode, CO_RELAXED);
}

static uint32_t newest_episode(const struct co_barrier *b)
{
	uint32_t newest = episode_of(b, 0);

	for (unsigned i = 1; i < b->members; i++) {
		if ((int32_t)(episode_of(b, i) - newest) > 0)
			newest = episode_of(b, i);
	}
	return newest;
}

int co_barrier_missing(const struct co_barrier *b, unsigned from)
{
	uint32_t newest = newest_episode(b);

	for (unsigned i = from; i < b->members; i++) {
		if (episode_of(b, i) != newest)
			return (int)i;
	}
	return -1;
}

/* Who it was, if anybody ever came as that member. */
static void add_member(struct co_text *t, const struct co_barrier *b, unsigned member)
{
	const struct co_seat *s = co_seat_at(b, member);
	const char *name = (const char *)co_atomic_load(&s->name, CO_RELAXED);

	co_text_add(t, " member %u", member);
	if (name)
		co_text_add(t, ", '%s' of hart %u", name,
			    (unsigned)co_atomic_load(&s->hart, CO_RELAXED) - 1);
	else
		co_text_add(t, ", who never came");
	if (co_seat_is_dead(s))
		co_text_add(t, " (ended by a fault, or with its hart)");
}

unsigned co_barrier_report(const struct co_barrier *b, char *text, size_t bytes)
{
	struct co_text t = { text, bytes, 0 };
	uint32_t newest = newest_episode(b);
	unsigned missing = 0;

	CO_ASSERT(text && bytes);
	for (unsigned i = 0; i < b->members; i++)
		missing += episode_of(b, i) != newest;
	co_text_add(&t, "%u of %u %s not come", missing, (unsigned)b->members,
		    missing == 1 ? "has" : "have");
	for (unsigned i = 0, told = 0; i < b->members && told < missing; i++) {
		if (episode_of(b, i) == newest)
			continue;
		co_text_add(&t, "%s", told++ ? "," : ":");
		add_member(&t, b, i);
	}
	return missing;
}

/* All have come, but some gave up waiting, and did not call again to pass on what they know. */
static void report_quitters(const struct co_barrier *b, char *text, size_t bytes)
{
	struct co_text t = { text, bytes, 0 };
	unsigned told = 0;

	co_text_add(&t,
		    "all %u have come; who gave up waiting must call again:", (unsigned)b->members);
	for (unsigned i = 0; i < b->members; i++) {
		if (!co_atomic_load(&co_seat_at(b, i)->step, CO_RELAXED))
			continue;
		co_text_add(&t, "%s", told++ ? "," : "");
		add_member(&t, b, i);
	}
}

static bool blame(const char *kind, uintptr_t object, char *text, size_t bytes)
{
	const struct co_barrier *b = (const struct co_barrier *)object;
	struct co_barrier own;

	if (kind != co_wait_barrier)
		return false;
	if (co_barrier_of_seat(object, &own))
		b = &own;
	if (!co_barrier_report(b, text, bytes))
		report_quitters(b, text, bytes);
	return true;
}

CO_HOOKS = { .blame = blame };
