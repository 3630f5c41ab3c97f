/*
 * barrier.c - barriers: the algorithms of lf/barrier.h, and the wait of who must wait.
 */
#include <errno.h>
#include <string.h>

#include <cohart/barrier.h>
#include <cohart/spm.h>

#include "../core/core.h"
#include "../core/lf/barrier.h"

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

	CO_ASSERT(b && co_spm_shared(b, sizeof(*b)));
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

static void wake(struct co_seat *s)
{
	co_wake_one(&s->wait);
}

/* For reports: who sits here. Done where time is not short. */
static void note(struct co_seat *s)
{
	s->name = co_name(co_self());
	s->hart = co_hart();
}

static __attribute__((noinline)) int sleep_for(const struct co_barrier *b, struct co_seat *s,
					       struct co_a32 *flag, uint32_t episode,
					       uint64_t deadline)
{
	note(s);
	do {
		/*
		 * Each member has its own view of a machine's barrier: member 0's seat stands for
		 * all.
		 */
		struct co_waiter *w = co_wait_prepare(&s->wait, co_seat_at(b, 0), "barrier");
		int r;

		/*
		 * Two coroutines with one member's number. relaxed: this one is in already, or out again,
		 * if it gave a wait up before and is told just now.
		 */
		CO_ASSERT(co_atomic_load(&s->wait.waiters, CO_RELAXED) <= 1);
		r = co_seat_doze(flag, episode) ? co_wait_abandon(w) : co_wait_commit(w, deadline);
		if (r && !co_seat_told(flag, episode))
			return r;
	} while (!co_seat_told(flag, episode));
	return 0;
}

static inline int await(const struct co_barrier *b, struct co_seat *s, uint32_t round,
			uint32_t episode, uint64_t deadline)
{
	if (co_seat_told(&s->flag[round], episode))
		return 0;
	return sleep_for(b, s, &s->flag[round], episode, deadline);
}

/* @param step  1: it came before and gave the wait up */
static int tree(const struct co_barrier *b, struct co_seat *s, uint32_t member, uint32_t episode,
		uint32_t step, uint64_t deadline)
{
	int r;

	if (!step && co_tree_arrive(b, member, episode)) {
		co_tree_release(b, member, episode, wake);
		return 0;
	}
	r = await(b, s, 0, episode, deadline);
	if (r) {
		s->step = 1;
		return r;
	}
	if (member)
		co_tree_forward(b, member, episode, wake);
	return 0;
}

/* @param step  1 + the round in which it gave the wait up; 0: it comes now */
static int dissemination(const struct co_barrier *b, struct co_seat *s, uint32_t member,
			 uint32_t episode, uint32_t step, uint64_t deadline)
{
	uint32_t rounds = co_dissemination_rounds(b);

	for (uint32_t round = step ? step - 1 : 0; round < rounds; round++) {
		int r;

		if (!step)
			co_dissemination_tell(b, member, round, episode, wake);
		step = 0;
		r = await(b, s, round, episode, deadline);
		if (r) {
			s->step = round + 1;
			return r;
		}
	}
	return 0;
}

int co_barrier_wait_until(struct co_barrier *b, unsigned member, uint64_t deadline)
{
	struct co_seat *s;
	uint32_t episode;
	uint32_t step;

	CO_ASSERT(member < b->members);
	s = co_seat_at(b, member);
	step = s->step;
	/* relaxed, both: the member's own; others look for reports. */
	episode = co_atomic_load(&s->episode, CO_RELAXED);
	if (step) {
		s->step = 0;
	} else {
		if (!s->name)
			note(s);
		co_atomic_store(&s->episode, ++episode, CO_RELAXED);
	}
	if (b->shift)
		return tree(b, s, member, episode, step, deadline);
	return dissemination(b, s, member, episode, step, deadline);
}

int co_barrier_wait(struct co_barrier *b, unsigned member)
{
	return co_barrier_wait_until(b, member, CO_FOREVER);
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

unsigned co_barrier_report(const struct co_barrier *b, char *text, size_t bytes)
{
	struct co_text t = { text, bytes, 0 };
	uint32_t newest = newest_episode(b);
	unsigned missing = 0;

	CO_ASSERT(text && bytes);
	for (unsigned i = 0; i < b->members; i++)
		missing += episode_of(b, i) != newest;
	co_text_add(&t, "%u of %u %s not come", missing, b->members, missing == 1 ? "has" : "have");
	for (unsigned i = 0, told = 0; i < b->members && told < missing; i++) {
		const struct co_seat *s = co_seat_at(b, i);

		if (episode_of(b, i) == newest)
			continue;
		co_text_add(&t, "%s member %u", told++ ? "," : ":", i);
		if (s->name)
			co_text_add(&t, ", '%s' of hart %u", s->name, s->hart);
		else
			co_text_add(&t, ", who never came");
	}
	return missing;
}
