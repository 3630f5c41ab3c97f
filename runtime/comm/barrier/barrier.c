/*
 * barrier.c - barriers: members post to each other, up and down a tree.
 *
 * A member waits until all members below it have come, posts the episode to the member above, waits
 * for its release, and releases the members below. It waits for words of its own data (lf/rest.h):
 * to post is to store a word of another member's data and to ring its hart. A member reads nothing
 * but its own data on the way.
 *
 * Episodes are numbered 1, 2, ..., and no word is ever reset: a word has come when it is equal to
 * the episode. All members must come to each episode, so a member can be ahead of the member above
 * it by one episode at most. Hence, when one of the members that are parked on a hart is released,
 * all of them can go on.
 *
 * Source: seeds D1, E3. The idea: Mellor-Crummey, Scott 1991 (a tree whose nodes are members, each
 * waiting on its own memory).
 */
#include <errno.h>
#include <string.h>

#include <cohart/barrier.h>
#include <cohart/detail/cleanup.h>
#include <cohart/spm.h>

#include "../../core/hook.h"
#include "../../core/lost.h"
#include "../../core/sched/wait_inline.h"
#include "barrier.h"

/* In `who`: the member has arrived, but its wait has ended early; or the barrier is broken. */
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
	CO_ASSERT_THAT(!wanted.table ||
			       co_spm_shared(wanted.table, members * sizeof(*wanted.table)),
		       CO_SHARED("the table of a barrier's members"));
	for (unsigned i = 0; i < members; i++) {
		if (!is_data(co_barrier_member_at(&wanted, i)))
			return -EINVAL;
	}
	CO_ASSERT_SHARED(b, sizeof(*b), "a struct co_barrier");
	for (unsigned i = 0; i < members; i++) {
		struct co_barrier_member *m = co_barrier_member_at(&wanted, i);

		CO_ASSERT_SHARED(m, sizeof(*m), "a struct co_barrier_member");
		memset(m, 0, sizeof(*m));
	}
	*b = wanted;
	b->members = members;
	b->shift = form == CO_BARRIER_TREE ? CO_BARRIER_TREE_SHIFT : CO_BARRIER_CENTRAL_SHIFT;
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

	CO_ASSERT_THAT(member < b->members,
		       "a barrier is enrolled in once for each member, and no more");
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

/* Find the barrier of an object_of(); `own` takes the view of a machine's barrier. */
static const struct co_barrier *barrier_of(const void *object, struct co_barrier *own)
{
	return co_barrier_of_member((uintptr_t)object, own) ? own : object;
}

/* ---- Arriving and waiting ---- */

enum { RELEASED, FIRST_BELOW }; /* words of a member's rest */

/* Store an episode in another member's data, and ring that member, if it has come. */
INLINE void post_word(struct co_a32 *word, uint32_t episode, struct co_aword *ring_by)
{
	uintptr_t doorbell = co_rest_post(word, episode, ring_by);

	if (__builtin_expect(doorbell != 0, 1))
		co_ring(doorbell - 1);
}

static inline uint32_t episode_of(const struct co_barrier_member *m)
{
	return co_rest_value(&m->rest);
}

static inline bool is_released(const struct co_barrier_member *m)
{
	/* relaxed: a look whether the last wait is over, which orders nothing. */
	return co_atomic_load(&m->rest.word[RELEASED], CO_RELAXED) == episode_of(m);
}

/* Release the members below m, of which there is at least one. */
INLINE void release_below(struct co_barrier_member *m, uint32_t episode)
{
	struct co_barrier_member *const *below = m->below;
	struct co_aword *ring_by = m->ring_by, *end = ring_by + m->children;

	do
		post_word(&(*below++)->rest.word[RELEASED], episode, ring_by++);
	while (ring_by != end);
}

/* Tell the member above that m and all members below m have come. */
INLINE void post_above(struct co_barrier_member *m, struct co_a32 *up, uint32_t episode)
{
	post_word(up, episode, &m->ring_by[CO_BARRIER_BELOW]);
}

INLINE void expect_release(struct co_barrier_member *m)
{
	m->rest.with = m->object;
	co_rest_expect(&m->rest, RELEASED, RELEASED + 1);
}

/* End the wait early: by the deadline, a cancel, or since the barrier is broken. */
static NOINLINE int give_up_wait(struct co_barrier_member *m, int why)
{
	/* relaxed: only the member writes it; others read it for reports. */
	co_atomic_or(&m->who, GAVE_UP, CO_RELAXED);
	return why;
}

/*
 * Pass the episode on: all words that m waited for have come. `one`: m was released; else all
 * members below m have come. Returns 0; -EAGAIN: m waits for its release now.
 */
INLINE int pass_on(struct co_barrier_member *m, bool one, uint32_t episode)
{
	if (!one && m->up) {
		post_above(m, m->up, episode);
		return -EAGAIN;
	}
	if (m->children)
		release_below(m, episode);
	if (!one) /* relaxed: the member's own. */
		co_atomic_store(&m->rest.word[RELEASED], episode, CO_RELAXED);
	return 0;
}

/*
 * Waiting: all calls are last, so that nothing is saved for them. Calls of functions that are not
 * inlined are rare, but for await_slowly(), during which other coroutines run.
 */
static NOINLINE int await_again(struct co_barrier_member *m, uint64_t deadline);
static NOINLINE int await_release(struct co_barrier_member *m, uint64_t deadline);

/* Does m wait for its release, not for members below it? */
static inline bool waits_for_one(const struct co_barrier_member *m)
{
	/* relaxed: the member's own. */
	return co_atomic_load(&m->rest.end, CO_RELAXED) == RELEASED + 1;
}

/* The wait has ended with r; 1: another member on this hart has been released, as all are. */
static NOINLINE int go_on(struct co_barrier_member *m, uint64_t deadline, int r)
{
	if (r > 0) {
		/* relaxed: for m itself; the member above will store this episode, too. */
		co_atomic_store(&m->rest.word[RELEASED], episode_of(m), CO_RELAXED);
		return pass_on(m, true, episode_of(m));
	}
	if (co_rest_come(&m->rest))
		return pass_on(m, waits_for_one(m), episode_of(m)) ? await_release(m, deadline) : 0;
	if (co_rest_stopped(&m->rest))
		return give_up_wait(m, -EOWNERDEAD);
	return r ? give_up_wait(m, r) : await_again(m, deadline);
}

static NOINLINE int await_slowly(struct co_barrier_member *m, uint64_t deadline)
{
	return go_on(m, deadline, co_rest_slowly(co_executor.current, &m->rest, deadline));
}

/*
 * `one`: m waits for its release, not for members below it. `leaf`: m has no members below it. The
 * hart has not slept since co_barrier_came_as() or co_rest_stopped() looked whether the barrier is
 * broken: should it break now, a ring is pending.
 */
INLINE int await_words(struct co_barrier_member *m, struct co *self, bool one, bool leaf,
		       uint32_t episode, uint64_t deadline)
{
	struct co_hart *h = co_executor.self;
	int r = 0;

	co_rest_begin(self, &m->rest, m->object);
	if (!co_rest_sleep(h, self, &m->rest, one, episode, deadline))
		return await_slowly(m, deadline);
	if (!leaf)
		r = pass_on(m, one, episode);
	co_rest_leave_place(h, self);
	return r ? await_release(m, deadline) : 0;
}

static NOINLINE int await_again(struct co_barrier_member *m, uint64_t deadline)
{
	return await_words(m, co_executor.current, waits_for_one(m), false, episode_of(m),
			   deadline);
}

/* Wait for m's release, after m has posted to the member above. */
static NOINLINE int await_release(struct co_barrier_member *m, uint64_t deadline)
{
	if (co_rest_stopped(&m->rest))
		return give_up_wait(m, -EOWNERDEAD);
	expect_release(m);
	return await_words(m, co_executor.current, true, false, episode_of(m), deadline);
}

/* A member with others below it has come. */
static NOINLINE int gather(struct co_barrier_member *m, uint64_t deadline)
{
	uint32_t episode = episode_of(m);

	CO_ASSERT_COROUTINE(co_executor.current);
	m->rest.with = NULL;
	co_rest_expect(&m->rest, FIRST_BELOW, FIRST_BELOW + m->children);
	if (co_rest_come(&m->rest))
		return pass_on(m, false, episode) ? await_release(m, deadline) : 0;
	return await_words(m, co_executor.current, false, false, episode, deadline);
}

/* From here on the member is in its next episode. */
INLINE uint32_t next_episode(struct co_barrier_member *m)
{
	uint32_t episode = episode_of(m) + 1;

	/* relaxed: only the member writes it; others read it for reports, and take_over(). */
	co_atomic_store(&m->rest.value, episode, CO_RELAXED);
	return episode;
}

/* Arrive as m in `episode`, and wait. */
INLINE int await_episode(struct co_barrier_member *m, struct co *self, uint32_t episode,
			 uint64_t deadline)
{
	struct co_a32 *up = m->leaf_up;

	if (!up)
		return gather(m, deadline);
	post_above(m, up, episode);
	return await_words(m, self, true, true, episode, deadline);
}

INLINE int begin_episode(struct co_barrier_member *m, struct co *self, uint64_t deadline)
{
	return await_episode(m, self, next_episode(m), deadline);
}

/* Announce m's doorbell to the members below m and, at `above`, to the member above m. */
static void announce(struct co_barrier_member *m, struct co_aword *above)
{
	uintptr_t ring_by = m->doorbell + 1;

	if (above)
		co_rest_announce(above, ring_by);
	for (uint32_t i = 0; i < m->children; i++)
		co_rest_announce(&m->below[i]->ring_by[CO_BARRIER_BELOW], ring_by);
}

/*
 * Take the place of the coroutine that came last as this member. That may be about to arrive, or
 * wait, unless its wait has ended early: then `who` remains its own, by which it is rung.
 */
static uintptr_t take_over(struct co_barrier_member *m, const struct co *c)
{
	/*
	 * acquire: that the first coroutine waits, if it has come; pairs with come_anew(). Of two
	 * coroutines that come at once, the first to change this word is the first.
	 */
	uintptr_t was = co_atomic_or(&m->who, ARRIVES, CO_ACQUIRE);
	bool inside = was && !(was & GAVE_UP) && !is_released(m);

	if (inside && !(was & ARRIVES)) /* relaxed: as it was */
		co_atomic_and(&m->who, ~(uintptr_t)ARRIVES, CO_RELAXED);
	CO_ASSERT_THAT(!inside && !(was & ARRIVES),
		       "a barrier has one coroutine for each member at a time");
	/*
	 * acq_rel: acquires the stop if co_barrier_break_for() was first, else releases c to it;
	 * pairs with its co_atomic_or(). Apart from it, only the member's coroutines write `who`,
	 * one at a time.
	 */
	return co_atomic_swap(&m->who, (uintptr_t)c | ARRIVES, CO_ACQ_REL);
}

/* Another coroutine than the last one arrives as this member, or one whose wait ended early. */
static NOINLINE int come_anew(const struct co_barrier *b, uint32_t member, uint64_t deadline)
{
	struct co_barrier_member *m;
	struct co *c = co_executor.current;
	uintptr_t was;

	CO_ASSERT_THAT(
		c && member < b->members,
		"co_barrier_wait() is called by a coroutine, for a member from 0 to members - 1");
	m = co_barrier_member_at(b, member);
	if (co_rest_stopped(&m->rest))
		return -EOWNERDEAD;
	was = take_over(m, c);
	if (co_rest_stopped(&m->rest))
		return give_up_wait(m, -EOWNERDEAD);
	/* relaxed: only the member writes it; others read it for reports. */
	co_atomic_store(&m->name, (uintptr_t)co_name(c), CO_RELAXED);
	if (m->barrier != b || m->doorbell != c->doorbell) {
		m->barrier = b;
		m->object = object_of(b);
		m->member = member;
		m->doorbell = c->doorbell;
		announce(m, co_barrier_link(b, member, m));
		m->leaf_up = m->children ? NULL : m->up;
	}
	if (!(was & GAVE_UP)) {
		if (!m->children)
			expect_release(m);
		next_episode(m);
	}
	/* release: that it waits; pairs with take_over(). */
	co_atomic_and(&m->who, ~(uintptr_t)ARRIVES, CO_RELEASE);
	return was & GAVE_UP ? go_on(m, deadline, 0) : await_episode(m, c, episode_of(m), deadline);
}

INLINE int wait_as(const struct co_barrier *b, uint32_t member, uint64_t deadline)
{
	struct co *self = co_executor.current;
	struct co_barrier_member *m;

	if (member >= b->members) /* for its assertion: here one would cost a frame */
		return come_anew(b, member, deadline);
	m = co_barrier_member_at(b, member);
	return co_barrier_came_as(m, self) ? begin_episode(m, self, deadline)
					   : come_anew(b, member, deadline);
}

int co_barrier_wait_until(struct co_barrier *b, unsigned member, uint64_t deadline)
{
	return wait_as(b, member, deadline);
}

/* Not by co_barrier_wait_until(): without a deadline it saves fewer registers. */
int co_barrier_wait(struct co_barrier *b, unsigned member)
{
	return wait_as(b, member, CO_FOREVER);
}

int co_barrier_wait_again(struct co_barrier_member *m, struct co *self)
{
	return begin_episode(m, self, CO_FOREVER);
}

/* ---- In two halves, by member 0 ---- */

int co_barrier_gather(struct co_barrier *b)
{
	struct co_barrier_member *m = co_barrier_member_at(b, 0);
	struct co *self = co_executor.current;
	bool came = co_barrier_came_as(m, self);
	uint32_t episode;

	if (!came) /* acquire: the stop, if there is one; pairs with co_barrier_break_for(). */
		(void)co_atomic_load(&m->who, CO_ACQUIRE);
	CO_ASSERT_THAT(came || co_rest_stopped(&m->rest),
		       "co_barrier_gather() is called by the coroutine that came last as member 0");
	if (!came)
		return -EOWNERDEAD;
	CO_ASSERT_THAT(is_released(m), "co_barrier_release() comes before co_barrier_gather()");
	episode = next_episode(m);
	m->rest.with = NULL;
	co_rest_expect(&m->rest, FIRST_BELOW, FIRST_BELOW + m->children);
	while (!co_rest_come(&m->rest)) {
		int r;

		co_rest_begin(self, &m->rest, m->object);
		if (co_rest_sleep(co_executor.self, self, &m->rest, false, episode, CO_FOREVER)) {
			co_rest_leave_place(co_executor.self, self);
			break;
		}
		r = co_rest_slowly(self, &m->rest, CO_FOREVER);
		if (co_rest_stopped(&m->rest))
			r = -EOWNERDEAD;
		if (r)
			return give_up_wait(m, r);
	}
	return 0;
}

void co_barrier_release(struct co_barrier *b)
{
	struct co_barrier_member *m = co_barrier_member_at(b, 0);

	/* A barrier that breaks meanwhile is no mistake of the caller's. */
	CO_ASSERT_THAT(!is_released(m) && (co_barrier_came_as(m, co_executor.current) ||
					   co_rest_stopped(&m->rest)),
		       "co_barrier_release() follows a co_barrier_gather()");
	(void)pass_on(m, false, episode_of(m));
}

/* ---- Members that are ended ---- */

#define BROKEN 1u /* in `stop` */
#define ENDED 2u  /* and this: this member was ended, and so broke the barrier */

void co_barrier_break_for(const struct co_barrier *b, uint32_t member)
{
	/* First: a member that is notified may ask for a report of it. */
	co_rest_stop(&co_barrier_member_at(b, member)->rest, ENDED);
	for (uint32_t i = 0; i < b->members; i++) {
		struct co_barrier_member *m = co_barrier_member_at(b, i);
		const struct co *who;

		co_rest_stop(&m->rest, BROKEN);
		/*
		 * acq_rel: releases the stop, and acquires the coroutine; pairs with take_over().
		 * From the next episode on the member comes anew, and looks at the stop; now it may
		 * be in an episode, or about to sleep. The ended member is marked, too: its
		 * coroutine's control block may go to a new coroutine, which comes as this member.
		 */
		who = (const struct co *)(co_atomic_or(&m->who, GAVE_UP, CO_ACQ_REL) &
					  ~(uintptr_t)(GAVE_UP | ARRIVES));
		if (who)
			co_ring(who->doorbell);
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

	CO_ASSERT_THAT(b && member < b->members,
		       "co_barrier_bind() is given a barrier, and a member from 0 to members - 1");
	m = co_barrier_member_at(b, member);
	CO_ASSERT_THAT(!m->cleanup.run, "nobody is bound as this member");
	m->member = member;
	m->object = object_of(b);
	co_cleanup_add(&m->cleanup, break_bound);
}

void co_barrier_unbind(struct co_barrier *b, unsigned member)
{
	struct co_barrier_member *m;

	CO_ASSERT_THAT(
		b && member < b->members,
		"co_barrier_unbind() is given a barrier, and a member from 0 to members - 1");
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
	if (co_atomic_load(&m->rest.stop, CO_RELAXED) & ENDED)
		co_text_add(t, " (ended by a fault, or with its hart)");
}

unsigned co_barrier_report(const struct co_barrier *b, char *text, size_t bytes)
{
	struct co_text t = { text, bytes, 0 };
	uint32_t newest = newest_episode(b);
	unsigned missing = 0;

	CO_ASSERT_THAT(text && bytes, "co_barrier_report() is given room for a text");
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

	co_text_add(&t, "all %u have come; ", (unsigned)b->members);
	for (unsigned i = 0; i < b->members; i++) {
		if (!(co_atomic_load(&co_barrier_member_at(b, i)->who, CO_RELAXED) & GAVE_UP))
			continue;
		co_text_add(&t, "%s", listed++ ? "," : "who gave up waiting must call again:");
		add_member(&t, b, i);
	}
	if (!listed)
		co_text_add(&t, "member 0 has not released them");
}

static bool blame_barrier(const struct co_stuck *w)
{
	struct co_barrier own;
	const struct co_barrier *b = barrier_of((const void *)w->object, &own);

	if (!w->text || w->kind != co_wait_barrier)
		return false;
	if (!co_barrier_report(b, w->text->buf, w->text->bytes))
		report_quitters(b, w->text->buf, w->text->bytes);
	return true;
}

CO_HOOKS = { .explain = blame_barrier };
