/* barrier.c - barriers: the counts and flags of lf/barrier.h, and the waits of their members. */
#include <errno.h>
#include <string.h>

#include <cohart/barrier.h>
#include <cohart/detail/cleanup.h>
#include <cohart/spm.h>

#include "../../core/hook.h"
#include "../../core/lost.h"
#include "../../core/wait_inline.h"
#include "barrier.h"

_Static_assert(CO_BARRIER_SCOPES == CO_BARRIER_COMPUTES + 1, "a hart is a member in each scope");

/* In `who`: the member has arrived, but its wait has ended early. */
#define GAVE_UP 1u
#define ARRIVES 2u /* and is about to set its episode */

static bool is_data(const struct co_barrier_member *m)
{
	return m && (uintptr_t)m % alignof(struct co_barrier_member) == 0;
}

/* @param wanted  says where the members are */
static int init(struct co_barrier *b, struct co_barrier wanted, unsigned members,
		enum co_barrier_form form)
{
	if (!members || members > CO_BARRIER_MAX || (unsigned)form > CO_BARRIER_TREE)
		return -EINVAL;
	CO_ASSERT(!wanted.table || co_spm_shared(wanted.table, members * sizeof(*wanted.table)));
	for (unsigned i = 0; i < members; i++) {
		if (!is_data(co_barrier_member_at(&wanted, i)))
			return -EINVAL;
	}
	CO_ASSERT(b && co_spm_shared(b, sizeof(*b)));
	for (unsigned i = 0; i < members; i++) {
		struct co_barrier_member *m = co_barrier_member_at(&wanted, i);

		CO_ASSERT(co_spm_shared(m, sizeof(*m)));
		memset(m, 0, sizeof(*m));
	}
	*b = wanted;
	b->members = members;
	b->shift = form == CO_BARRIER_AUTO      ? CO_BARRIER_SHIFT(members)
		   : form == CO_BARRIER_CENTRAL ? CO_BARRIER_CENTRAL_SHIFT
						: CO_BARRIER_TREE_SHIFT;
	return 0;
}

int co_barrier_init(struct co_barrier *b, unsigned members, enum co_barrier_form form,
		    struct co_barrier_member *data)
{
	const struct co_barrier wanted = { .first = data, .stride = sizeof(*data) };

	return data ? init(b, wanted, members, form) : -EINVAL;
}

int co_barrier_init_at(struct co_barrier *b, unsigned members, enum co_barrier_form form,
		       struct co_barrier_member *const *table)
{
	const struct co_barrier wanted = { .table = table };

	return table ? init(b, wanted, members, form) : -EINVAL;
}

unsigned co_barrier_enrol(struct co_barrier *b)
{
	/* relaxed: a number alone. */
	uint32_t member = co_atomic_add(&b->enrolled, 1, CO_RELAXED);

	CO_ASSERT(member < b->members);
	return member;
}

/*
 * The object that reports name, by which a barrier is found again. The machine's barriers have a
 * view on each hart, so that it is their member 0.
 */
static const void *object_of(const struct co_barrier *b)
{
	return b->scope ? (const void *)co_barrier_member_at(b, 0) : b;
}

/* The barrier of such an object; `own` takes the view of a machine's barrier. */
static const struct co_barrier *barrier_of(const void *object, struct co_barrier *own)
{
	return co_barrier_of_member((uintptr_t)object, own) ? own : object;
}

/* ---- Arriving and waiting ---- */

/* Release members from..end-1. Out of line, since most members release none. */
static NOINLINE int release_members(const struct co_barrier *b, uint32_t from, uint32_t end,
				    uint32_t episode)
{
	const struct co_barrier own = *b;

	for (; from < end; from++) {
		struct co_barrier_member *m = co_barrier_member_at(&own, from);

		if (co_barrier_release(m, episode))
			co_wake_known(&m->queue);
	}
	return 0;
}

static inline int release_below(const struct co_barrier_member *m, uint32_t episode)
{
	uint32_t first = (m->member << m->barrier->shift) + 1;

	return release_members(m->barrier, first, first + m->below, episode);
}

/* The last member to arrive releases member 0, the members below that, and those below itself. */
static NOINLINE int release_all(struct co_barrier_member *m, uint32_t episode)
{
	if (co_barrier_is_broken(m))
		return -EOWNERDEAD;
	/* Itself first, so that a later release by another member finds it released. */
	co_barrier_release(m, episode);
	release_members(m->barrier, 0, co_barrier_below(m->barrier, 0) + 1, episode);
	return m->below ? release_below(m, episode) : 0;
}

/* End the wait early: by the deadline, a cancel, or since the barrier is broken. */
static NOINLINE int give_up_wait(struct co_barrier_member *m, int why)
{
	/* relaxed: only the member writes it; others read it for reports. */
	co_atomic_or(&m->who, GAVE_UP, CO_RELAXED);
	return why;
}

/* relaxed: only the member writes it; others read it for reports. */
static inline uint32_t episode_of(const struct co_barrier_member *m)
{
	return co_atomic_load(&m->episode, CO_RELAXED);
}

/*
 * Waiting: all calls are last, so that nothing is saved for them. Those that are not inlined are
 * rare, but await_slowly(), where other coroutines run meanwhile.
 */
static NOINLINE int await_again(struct co_barrier_member *m, uint64_t deadline);

/* The wait has ended with r, and the member is not released. */
static NOINLINE int not_released(struct co_barrier_member *m, uint64_t deadline, int r)
{
	if (co_barrier_is_broken(m))
		return give_up_wait(m, -EOWNERDEAD);
	return r ? give_up_wait(m, r) : await_again(m, deadline);
}

INLINE int woken(struct co_barrier_member *m, uint64_t deadline, int r)
{
	uint32_t episode = episode_of(m);

	if (!co_barrier_released(m, episode))
		return not_released(m, deadline, r);
	return m->below ? release_below(m, episode) : 0;
}

static NOINLINE int await_slowly(struct co_barrier_member *m, uint64_t deadline)
{
	return woken(m, deadline, co_wait_slowly(co_executor.current, deadline));
}

static NOINLINE int await_no_more(struct co_barrier_member *m, uint64_t deadline)
{
	return woken(m, deadline, co_wait_abandon(&co_executor.current->waiter));
}

/* Wait until the member, which is in its queue, is released, then release those below it. */
INLINE int await_in_queue(struct co_barrier_member *m, struct co *self, uint64_t deadline)
{
	if (co_barrier_mark(m, episode_of(m)) || co_barrier_is_broken(m))
		return await_no_more(m, deadline);
	if (co_wait_canceled(self) || !co_wait_rest(self, deadline))
		return await_slowly(m, deadline);
	return woken(m, deadline, self->wait_result);
}

static NOINLINE int await_again(struct co_barrier_member *m, uint64_t deadline)
{
	co_wait_enter(&m->queue, m->object, co_wait_barrier, false, 0);
	return await_in_queue(m, co_executor.current, deadline);
}

INLINE int await(struct co_barrier_member *m, struct co *self, uint64_t deadline)
{
	struct co_waiter *first;

	if (!co_waitq_try_lock(&m->queue, &first))
		return await_again(m, deadline);
	co_wait_begin(self, &m->queue, first, m->object, co_wait_barrier, false, 0);
	return await_in_queue(m, self, deadline);
}

/* The member has completed a count. */
static NOINLINE int carry(struct co_barrier_member *m, uint64_t deadline)
{
	uint32_t counter = co_barrier_counter(m->barrier, m->member);

	if (co_barrier_carry(m->barrier, counter, episode_of(m)))
		return release_all(m, episode_of(m));
	return await(m, co_executor.current, deadline);
}

/* The member arrives at its episode and waits. */
INLINE int arrive(struct co_barrier_member *m, struct co *self, uint32_t episode, uint64_t deadline)
{
	if (co_barrier_count(m->up, m->full, episode))
		return carry(m, deadline);
	return await(m, self, deadline);
}

/*
 * Take the place of the coroutine that came last as this member. It may be about to arrive, or
 * wait, unless its wait has ended early.
 */
static uintptr_t take_over(struct co_barrier_member *m, const struct co *c)
{
	/* relaxed: only the member's coroutines write it, one after the other, as is looked at. */
	uintptr_t was = co_atomic_swap(&m->who, (uintptr_t)c | ARRIVES, CO_RELAXED);
	bool inside = was && !(was & GAVE_UP) && !co_barrier_released(m, episode_of(m));

	if (inside || was & ARRIVES) {
		/* Back to the member, or to what it has stored in between. */
		uintptr_t now = co_atomic_swap(&m->who, was, CO_RELAXED);

		if (now != ((uintptr_t)c | ARRIVES))
			co_atomic_store(&m->who, now, CO_RELAXED);
		CO_ASSERT_THAT(false, "a barrier has one coroutine for each member at a time");
	}
	return was;
}

/* Another coroutine than the last one arrives as this member, or one whose wait ended early. */
static NOINLINE int come_anew(const struct co_barrier *b, uint32_t member, uint64_t deadline)
{
	struct co_barrier_member *m = co_barrier_member_at(b, member);
	struct co *c = co_executor.current;
	uint32_t counter = co_barrier_counter(b, member);
	uintptr_t was;

	if (co_barrier_is_broken(m))
		return -EOWNERDEAD;
	was = take_over(m, c);
	/* relaxed: only the member writes it; others read it for reports. */
	co_atomic_store(&m->name, (uintptr_t)co_name(c), CO_RELAXED);
	m->barrier = b;
	m->object = object_of(b);
	m->member = member;
	m->below = member ? co_barrier_below(b, member) : 0; /* release_all() does member 0's */
	m->up = &co_barrier_member_at(b, counter)->arrived;
	m->full = co_barrier_below(b, counter) + 1;
	if (!(was & GAVE_UP))
		co_atomic_store(&m->episode, episode_of(m) + CO_BARRIER_STEP, CO_RELAXED);
	co_atomic_store(&m->who, (uintptr_t)c, CO_RELAXED);
	return was & GAVE_UP ? await(m, c, deadline) : arrive(m, c, episode_of(m), deadline);
}

INLINE int wait_as(const struct co_barrier *b, uint32_t member, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_barrier_member *m;
	uint32_t episode;

	CO_ASSERT(member < b->members);
	m = co_barrier_member_at(b, member);
	/* relaxed: only the member writes it. */
	if (co_atomic_load(&m->who, CO_RELAXED) != (uintptr_t)self)
		return come_anew(b, member, deadline);
	episode = episode_of(m) + CO_BARRIER_STEP;
	co_atomic_store(&m->episode, episode, CO_RELAXED);
	return arrive(m, self, episode, deadline);
}

int co_barrier_wait_until(struct co_barrier *b, unsigned member, uint64_t deadline)
{
	return wait_as(b, member, deadline);
}

/* Not by a call of the one above: without a deadline it saves fewer registers. */
int co_barrier_wait(struct co_barrier *b, unsigned member)
{
	return wait_as(b, member, CO_FOREVER);
}

/* ---- Members that are ended ---- */

#define ENDED 2u /* in `broken`: this member was ended, and so broke the barrier */

void co_barrier_break_for(const struct co_barrier *b, uint32_t member)
{
	/* relaxed: for reports. An or, since several members may end at a time. */
	co_atomic_or(&co_barrier_member_at(b, member)->broken, ENDED, CO_RELAXED);
	for (uint32_t i = 0; i < b->members; i++) {
		struct co_barrier_member *m = co_barrier_member_at(b, i);

		/* A lost hart may have left a queue locked. */
		if (i != member && co_barrier_break(m) && co_lost_queue(&m->queue))
			co_wake_known(&m->queue);
	}
}

/* The coroutine that was bound as a member has ended early. */
static void break_bound(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	struct co_barrier_member *m = co_container_of(c, struct co_barrier_member, cleanup);
	struct co_barrier own;

	(void)of;
	(void)why;
	m->cleanup.run = NULL;
	co_barrier_break_for(barrier_of(m->object, &own), m->member);
}

void co_barrier_bind(struct co_barrier *b, unsigned member)
{
	struct co_barrier_member *m;

	CO_ASSERT(b && member < b->members);
	m = co_barrier_member_at(b, member);
	CO_ASSERT_THAT(!m->cleanup.run, "nobody is bound as this member");
	m->member = member;
	m->object = object_of(b);
	co_cleanup_add(&m->cleanup, break_bound);
}

void co_barrier_unbind(struct co_barrier *b, unsigned member)
{
	struct co_barrier_member *m;

	CO_ASSERT(b && member < b->members);
	m = co_barrier_member_at(b, member);
	CO_ASSERT_THAT(co_cleanup_remove(&m->cleanup), "the caller is bound as this member");
	m->cleanup.run = NULL;
}

int co_barrier_mend(struct co_barrier *b)
{
	if (co_barrier_has_lost(b))
		return -EHOSTDOWN;
	for (uint32_t i = 0; i < b->members; i++)
		memset(co_barrier_member_at(b, i), 0, sizeof(struct co_barrier_member));
	return 0;
}

/* ---- Reports ---- */

static uint32_t newest_episode(const struct co_barrier *b)
{
	uint32_t newest = episode_of(co_barrier_member_at(b, 0));

	for (unsigned i = 1; i < b->members; i++) {
		uint32_t episode = episode_of(co_barrier_member_at(b, i));

		if ((int32_t)(episode - newest) > 0)
			newest = episode;
	}
	return newest;
}

int co_barrier_missing(const struct co_barrier *b, unsigned from)
{
	uint32_t newest = newest_episode(b);

	for (unsigned i = from; i < b->members; i++) {
		if (episode_of(co_barrier_member_at(b, i)) != newest)
			return (int)i;
	}
	return -1;
}

/* Append which coroutine arrived as that member. relaxed, here and below: for reports. */
static void add_member(struct co_text *t, const struct co_barrier *b, unsigned member)
{
	const struct co_barrier_member *m = co_barrier_member_at(b, member);
	uintptr_t who = co_atomic_load(&m->who, CO_RELAXED) & ~(uintptr_t)(GAVE_UP | ARRIVES);

	co_text_add(t, " member %u", member);
	if (who)
		co_text_add(t, ", '%s' of hart %u",
			    (const char *)co_atomic_load(&m->name, CO_RELAXED),
			    (unsigned)((const struct co *)who)->hart);
	else
		co_text_add(t, ", who never came");
	if (co_atomic_load(&m->broken, CO_RELAXED) & ENDED)
		co_text_add(t, " (ended by a fault, or with its hart)");
}

unsigned co_barrier_report(const struct co_barrier *b, char *text, size_t bytes)
{
	struct co_text t = { text, bytes, 0 };
	uint32_t newest = newest_episode(b);
	unsigned missing = 0;

	CO_ASSERT(text && bytes);
	for (unsigned i = 0; i < b->members; i++)
		missing += episode_of(co_barrier_member_at(b, i)) != newest;
	co_text_add(&t, "%u of %u %s not come", missing, (unsigned)b->members,
		    missing == 1 ? "has" : "have");
	for (unsigned i = 0, listed = 0; i < b->members && listed < missing; i++) {
		if (episode_of(co_barrier_member_at(b, i)) == newest)
			continue;
		co_text_add(&t, "%s", listed++ ? "," : ":");
		add_member(&t, b, i);
	}
	return missing;
}

/* All have arrived, but some whose waits ended early have not called again to release others. */
static void report_quitters(const struct co_barrier *b, char *text, size_t bytes)
{
	struct co_text t = { text, bytes, 0 };
	unsigned listed = 0;

	co_text_add(&t,
		    "all %u have come; who gave up waiting must call again:", (unsigned)b->members);
	for (unsigned i = 0; i < b->members; i++) {
		if (!(co_atomic_load(&co_barrier_member_at(b, i)->who, CO_RELAXED) & GAVE_UP))
			continue;
		co_text_add(&t, "%s", listed++ ? "," : "");
		add_member(&t, b, i);
	}
}

static bool blame(const char *kind, uintptr_t object, char *text, size_t bytes)
{
	struct co_barrier own;
	const struct co_barrier *b = barrier_of((const void *)object, &own);

	if (kind != co_wait_barrier)
		return false;
	if (!co_barrier_report(b, text, bytes))
		report_quitters(b, text, bytes);
	return true;
}

CO_HOOKS = { .blame = blame };
