/*
 * barrier.c - the model of barriers: nobody goes on before all have come, what each wrote before is
 * seen by all after, no wake-up is lost, a member that gave a wait up goes on in the same episode,
 * and all are notified when one is ended.
 */
/* Sources: scheduler comm/barrier/barrier.c comm/barrier/shape.c */
#include <setjmp.h>

#include <cohart/barrier.h>

#include "comm/barrier/barrier.h"
#include "relacy/machine.h"

enum { EPISODES = 2 };

static struct co_barrier barrier;
static struct co_barrier_member data[MODEL_THREADS];
static int work[EPISODES][MODEL_THREADS];
static struct co_a32 handed_on;

/* @param shift  1: a tree of twos, so that few members have all its levels */
static void reset(unsigned members, uint32_t shift, unsigned threads)
{
	machine_reset(threads);
	memset(data, 0, sizeof(data));
	memset(work, 0, sizeof(work));
	memset(&handed_on, 0, sizeof(handed_on));
	barrier = (struct co_barrier){
		.members = members, .shift = shift, .first = data, .stride = sizeof(data[0])
	};
}

BEFORE(central, reset(threads, CO_BARRIER_CENTRAL_SHIFT, threads))

/* Members 1 and 2 hang on member 0, and member 3 on member 1. */
BEFORE(tree4, reset(4, 1, threads))

static void look(unsigned episode)
{
	for (unsigned i = 0; i < barrier.members; i++)
		MODEL_CHECK(co_plain_load(&work[episode][i]) == 42);
}

/* Come, wait, and see what all did before. */
static void come(unsigned i, unsigned episode)
{
	co_plain_store(&work[episode][i], 42);
	MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	look(episode);
}

static void one(unsigned i)
{
	come(i, 0);
}

/* Used again at once. */
static void again(unsigned i)
{
	come(i, 0);
	come(i, 1);
}

/* One more member than harts. The two are parked, or the one that came last sleeps in place. */
BEFORE(central_and_one, reset(threads + 1, CO_BARRIER_CENTRAL_SHIFT, threads))
BEFORE(tree_and_one, reset(threads + 1, 1, threads))

OF_ONE_HART(again_with_root, again, 0, 1)
/* When one of these is released, both go on. */
OF_ONE_HART(again_below, again, 1, 2)
OF_ONE_HART(again_above, again, 1, 3)

/* Member 0 gathers the others, sees their work, and releases them. */
static void lead(unsigned i)
{
	MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	co_plain_store(&work[0][i], 42);
	if (i) {
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	} else {
		MODEL_CHECK(co_barrier_gather(&barrier) == 0);
		look(0);
		co_barrier_release(&barrier);
	}
	look(0);
}

/* The first gives up at its deadline, and comes back; then once more, all. */
static void deadline(unsigned i)
{
	int r = 0;

	co_plain_store(&work[0][i], 42);
	if (i == 0) {
		machine_hasten();
		r = co_barrier_wait_until(&barrier, i, MACHINE_DEADLINE);
		MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
	}
	if (i || r)
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	look(0);
	come(i, 1);
}

/* A cancel ends the wait; the member has come, and goes on waiting by other means. */
static void cancel(unsigned i)
{
	struct co *c = machine_co(i);
	int r;

	co_plain_store(&work[0][i], 42);
	if (i == 1)
		co_cancel(machine_co(0));
	/* The flag, and then the message, can end one wait each. */
	while ((r = co_barrier_wait(&barrier, i)) == -ECANCELED) {
		MODEL_CHECK(i == 0);
		co_atomic_store(&c->cancel, 0, CO_RELAXED);
	}
	MODEL_CHECK(r == 0);
	look(0);
}

/*
 * Another coroutine comes as member 3, from another hart, when the first one is through. It is not
 * taken for a second one at the same time.
 */
static void hand_on(unsigned i)
{
	if (i < 4) {
		come(i, 0);
		if (i == 3)
			co_atomic_store(&handed_on, 1, CO_RELEASE);
	} else if (co_atomic_load(&handed_on, CO_ACQUIRE)) {
		MODEL_CHECK(co_barrier_wait_until(&barrier, 3, 0) == -ETIMEDOUT);
	}
}

/*
 * The last `dead` members are ended: at once, or, the very last, when it has come and given the
 * wait up. The others end the episodes to which all have come, if they are not notified first.
 */
static void end_some(unsigned i, unsigned dead, bool comes)
{
	unsigned last = barrier.members - 1;
	unsigned whole = 0;
	int r;

	co_plain_store(&work[0][i], 42);
	if (i > last - dead) {
		if (comes && i == last)
			(void)!co_barrier_wait_until(&barrier, i, 1);
		co_barrier_break_for(&barrier, i);
	} else {
		while ((r = co_barrier_wait(&barrier, i)) == 0)
			whole++;
		MODEL_CHECK(r == -EOWNERDEAD && whole <= comes);
		if (whole)
			look(0);
		MODEL_CHECK(co_barrier_wait(&barrier, i) == -EOWNERDEAD);
	}
}

static void ends_at_once(unsigned i)
{
	end_some(i, 1, false);
}

static void comes_and_ends(unsigned i)
{
	end_some(i, 1, true);
}

static void two_end(unsigned i)
{
	end_some(i, 2, true);
}

/* Member 0 gathers and releases; the last member breaks the barrier at any moment. */
static void leads_until_broken(unsigned i)
{
	int r;

	if (i == barrier.members - 1) {
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
		(void)!co_barrier_wait_until(&barrier, i, 1);
		co_barrier_break_for(&barrier, i);
		return;
	}
	while ((r = co_barrier_wait(&barrier, i)) == 0) {
		while (i == 0 && (r = co_barrier_gather(&barrier)) == 0)
			co_barrier_release(&barrier);
		if (r)
			break;
	}
	MODEL_CHECK(r == -EOWNERDEAD);
}

static jmp_buf refused[MODEL_THREADS];

void co_assert_failed(const char *what, const char *file, int line)
{
	MODEL_CHECK(model_thread() < 2);
	longjmp(refused[model_thread()], 1);
}

/* Two come as member 1: one of them faults, and member 0, which comes then, meets the other. */
static struct co_a32 refusals;

static void two_as_one(unsigned i)
{
	if (i < 2) {
		if (!setjmp(refused[i]))
			MODEL_CHECK(co_barrier_wait(&barrier, 1) == 0);
		else
			co_atomic_add(&refusals, 1, CO_RELEASE);
	} else {
		while (!co_atomic_load(&refusals, CO_ACQUIRE))
			model_yield();
		MODEL_CHECK(co_barrier_wait(&barrier, 0) == 0);
	}
}

static void one_refused(void)
{
	MODEL_CHECK(co_atomic_load(&refusals, CO_RELAXED) == 1);
}

/*
 * A second coroutine comes as member 0, which waits, and faults for that. Meanwhile the wait of the
 * first one ends early, as member 1 is ended: it is notified all the same.
 */

static void intrude(unsigned i)
{
	if (i == 0) {
		MODEL_CHECK(co_barrier_wait(&barrier, 0) == -EOWNERDEAD);
	} else if (i == 1) {
		while (!co_atomic_load(&data[0].rest.value, CO_ACQUIRE) &&
		       !co_rest_stopped(&data[0].rest))
			model_yield();
		if (!setjmp(refused[1]))
			MODEL_CHECK(co_barrier_wait(&barrier, 0) == -EOWNERDEAD);
	} else {
		co_barrier_break_for(&barrier, 1);
	}
}

static void central_two(unsigned threads)
{
	reset(2, CO_BARRIER_CENTRAL_SHIFT, threads);
	memset(&refusals, 0, sizeof(refusals));
}

static void mortal_two(unsigned threads)
{
	central_two(threads);
	machine_expect();
}

static void mortal(unsigned threads)
{
	central(threads);
	machine_expect();
}

static void mortal_tree4(unsigned threads)
{
	tree4(threads);
	machine_expect();
}

const struct model models[] = {
	{ "central, two, twice", 2, central, again, .bound = 3 },
	{ "central, three", 3, central, one, .bound = 2 },
	{ "central, three, twice", 3, central, again, .bound = 1 },
	{ "central, two of a hart below", 2, central_and_one, again_below, .bound = 3 },
	{ "central, one of the root's hart", 2, central_and_one, again_with_root, .bound = 3 },
	{ "central, two of four of a hart", 3, central_and_one, again_below, .bound = 1 },
	{ "a tree of four, two of a hart", 3, tree_and_one, again_below, .bound = 1 },
	{ "a tree of four, one above one of its hart", 3, tree_and_one, again_above, .bound = 1 },
	{ "central, member 0 leads", 3, central, lead, .bound = 1 },
	{ "a tree of four, member 0 leads", 4, tree4, lead, .bound = 1 },
	{ "central, a deadline", 2, central, deadline, .bound = 2 },
	{ "central, a cancel", 2, central, cancel, .bound = 2 },
	{ "a tree of four", 4, tree4, one, .bound = 1 },
	{ "a tree of four, twice", 4, tree4, again, .bound = 1 },
	{ "a tree of four, a deadline", 4, tree4, deadline, .bound = 1 },
	{ "a tree of four, one hands on", 5, tree4, hand_on, .bound = 1 },
	{ "central, two as one member", 3, central_two, two_as_one, .after = one_refused,
	  .bound = 2 },
	{ "central, one ends", 2, mortal, ends_at_once, .bound = 3 },
	{ "central, one comes and ends", 2, mortal, comes_and_ends, .bound = 2 },
	{ "central, one of three ends", 3, mortal, ends_at_once, .bound = 1 },
	{ "central, two of three end", 3, mortal, two_end, .bound = 1 },
	{ "central, one ends, and an intruder", 3, mortal_two, intrude, .bound = 2 },
	{ "central, member 0 leads, one ends", 3, mortal, leads_until_broken, .bound = 1 },
	{ "a tree of four, one ends", 4, mortal_tree4, comes_and_ends, .bound = 1 },
	{ 0 },
};
