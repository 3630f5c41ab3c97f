/*
 * barrier.c - the model of barriers: nobody goes on before all have come, what each wrote before is
 * seen by all after, no wake-up is lost, and who gave a wait up goes on in the same episode.
 */
/* Sources: comm/barrier.c comm/barrier_member.c comm/barrier_relay.c */
/* Sources: core/linger.c core/wait.c core/executor.c */
/* Sources: core/timer.c core/coroutine.c core/end.c core/block.c */
/* Sources: core/counter.c */
#include <errno.h>
#include <string.h>

#include <cohart/barrier.h>

#include "comm/barrier.h"
#include "relacy/machine.h"

enum { EPISODES = 2 };

static struct co_barrier barrier;
static struct co_seat seats[MODEL_THREADS];
static int work[EPISODES][MODEL_THREADS];

/* For reports, which no model makes. */
void co_text_add(struct co_text *t, const char *format, ...)
{
	(void)t;
	(void)format;
}

/* @param shift  1: a tree of twos, so that few members have all its levels; 0: dissemination */
/* For reports, which nobody asks for here. */
const char co_wait_barrier[] = "barrier";

bool co_barrier_of_seat(uintptr_t seat, struct co_barrier *b)
{
	(void)seat;
	(void)b;
	return false;
}

bool co_barrier_has_lost(const struct co_barrier *b)
{
	(void)b;
	return false;
}

static void reset(unsigned members, uint32_t shift)
{
	machine_reset(members);
	memset(seats, 0, sizeof(seats));
	memset(work, 0, sizeof(work));
	barrier = (struct co_barrier){
		.members = members, .shift = shift, .seats = seats, .stride = sizeof(seats[0])
	};
}

static void central2(void)
{
	reset(2, CO_SEAT_ROUNDS);
}

static void central3(void)
{
	reset(3, CO_SEAT_ROUNDS);
}

static void tree4(void)
{
	reset(4, 1);
}

static void dissemination2(void)
{
	reset(2, 0);
}

static void dissemination3(void)
{
	reset(3, 0);
}

/* As if all had come before: what the short way needs is in the seats. */
static void warm(unsigned members, uint32_t shift)
{
	reset(members, shift);
	for (unsigned i = 0; i < members; i++) {
		struct co_seat *s = &seats[i];
		uint32_t at = co_tree_counter(&barrier, i);

		co_atomic_store(&s->hart, i + 2, CO_RELAXED);
		co_atomic_store(&s->quick, (uintptr_t)co_hart_at(i + 1), CO_RELAXED);
		s->bell = co_machine.bell[i + 1];
		s->of = &barrier;
		s->up = &seats[at].arrived;
		s->full = co_tree_below(&barrier, at) + 1;
		s->passes_on = at && at == i;
	}
}

static void warm_central2(void)
{
	warm(2, CO_SEAT_ROUNDS);
}

static void warm_central3(void)
{
	warm(3, CO_SEAT_ROUNDS);
}

static void warm_tree4(void)
{
	warm(4, 1);
}

static void look(unsigned episode)
{
	for (unsigned i = 0; i < barrier.members; i++)
		MODEL_CHECK(co_plain_load(&work[episode][i]) == 42);
}

/* Once. */
static void one(unsigned i)
{
	machine_enter();
	co_plain_store(&work[0][i], 42);
	MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	look(0);
}

/* Used again at once. */
static void again(unsigned i)
{
	machine_enter();
	for (unsigned e = 0; e < EPISODES; e++) {
		co_plain_store(&work[e][i], 42);
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
		look(e);
	}
}

/* The first gives up at its deadline, and comes back; then once more, all. */
static void deadline(unsigned i)
{
	int r = 0;

	machine_enter();
	co_plain_store(&work[0][i], 42);
	if (i == 0) {
		machine_hasten();
		r = co_barrier_wait_until(&barrier, i, MACHINE_DEADLINE);
		MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
	}
	if (i || r)
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	look(0);
	co_plain_store(&work[1][i], 42);
	MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
	look(1);
}

/* A cancel ends the wait; the member has come, and goes on waiting by other means. */
static void cancel(unsigned i)
{
	struct co *c = machine_enter();
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
 * The last one ends: at once, or when it has come and given the wait up. The others end the
 * episodes that it has come to, and no more.
 */
static void dies(unsigned i, unsigned comes)
{
	unsigned last = barrier.members - 1;
	unsigned whole = 0;
	int r;

	machine_enter();
	co_plain_store(&work[0][i], 42);
	if (i == last) {
		if (comes)
			(void)!co_barrier_wait_until(&barrier, i, 1);
		co_barrier_forsake(&barrier, i, false);
	} else {
		while ((r = co_barrier_wait(&barrier, i)) == 0)
			whole++;
		MODEL_CHECK(r == -EOWNERDEAD && whole == comes);
		if (whole)
			look(0);
		MODEL_CHECK(co_barrier_wait(&barrier, i) == -EOWNERDEAD);
	}
	machine_leave();
}

static void dies_at_once(unsigned i)
{
	dies(i, 0);
}

static void dies_inside(unsigned i)
{
	dies(i, 1);
}

/* The last two: one that never comes, one that has come, and given the wait up. */
static void two_die(unsigned i)
{
	unsigned last = barrier.members - 1;

	machine_enter();
	if (i == last)
		(void)!co_barrier_wait_until(&barrier, i, 1);
	if (i >= last - 1)
		co_barrier_forsake(&barrier, i, false);
	else
		MODEL_CHECK(co_barrier_wait(&barrier, i) == -EOWNERDEAD);
	machine_leave();
}

/* The message that tells of the first may have to do for both. */
static void two_die_before(unsigned i)
{
	if (i)
		return two_die(i);
	machine_enter();
	co_yield();
	MODEL_CHECK(co_barrier_wait(&barrier, i) == -EOWNERDEAD);
	machine_leave();
}

static void mortal(unsigned members, uint32_t shift, void (*as)(unsigned members, uint32_t shift))
{
	as(members, shift);
	machine_expect(members);
}

static void mortal_central2(void)
{
	mortal(2, CO_SEAT_ROUNDS, reset);
}

static void mortal_central3(void)
{
	mortal(3, CO_SEAT_ROUNDS, reset);
}

static void mortal_warm2(void)
{
	mortal(2, CO_SEAT_ROUNDS, warm);
}

static void mortal_warm3(void)
{
	mortal(3, CO_SEAT_ROUNDS, warm);
}

/* Members 1 and 2 hang on member 0, and member 3 on member 1. */
static void mortal_tree4(void)
{
	mortal(4, 1, warm);
}

static void mortal_dissemination3(void)
{
	mortal(3, 0, reset);
}

static void mortal_dissemination4(void)
{
	mortal(4, 0, reset);
}

/* In a tree of four, with one in the middle: member 1 dies, on whom member 3 hangs. */
static void middle_dies(unsigned i)
{
	int r;

	machine_enter();
	if (i == 1) {
		(void)!co_barrier_wait_until(&barrier, i, 1);
		co_barrier_forsake(&barrier, i, false);
	} else {
		MODEL_CHECK(co_barrier_wait(&barrier, i) == 0);
		r = co_barrier_wait(&barrier, i);
		MODEL_CHECK(r == -EOWNERDEAD);
	}
	machine_leave();
}

const struct model models[] = {
	{ "central, two, twice", 2, central2, again, .bound = 3 },
	{ "central, two, the short way, twice", 2, warm_central2, again, .bound = 3 },
	{ "central, three, the short way", 3, warm_central3, one, .bound = 2 },
	{ "central, three, the short way, twice", 3, warm_central3, again, .bound = 1 },
	{ "central, the short way, a deadline", 2, warm_central2, deadline, .bound = 2 },
	{ "central, the short way, a cancel", 2, warm_central2, cancel, .bound = 2 },
	{ "a tree of four, the short way", 4, warm_tree4, one, .bound = 1 },
	{ "a tree of four, the short way, twice", 4, warm_tree4, again, .bound = 1 },
	{ "central, three", 3, central3, one, .bound = 2 },
	{ "central, three, twice", 3, central3, again, .bound = 1 },
	{ "central, a deadline", 2, central2, deadline, .bound = 2 },
	{ "central, a cancel", 2, central2, cancel, .bound = 2 },
	{ "a tree of four", 4, tree4, one, .bound = 1 },
	{ "a tree of four, twice", 4, tree4, again, .bound = 1 },
	{ "a tree of four, a deadline", 4, tree4, deadline, .bound = 1 },
	{ "dissemination, two, twice", 2, dissemination2, again, .bound = 3 },
	{ "dissemination, three", 3, dissemination3, one, .bound = 2 },
	{ "dissemination, three, twice", 3, dissemination3, again, .bound = 1 },
	{ "dissemination, a deadline", 3, dissemination3, deadline, .bound = 1 },
	{ "central, one dies", 2, mortal_central2, dies_at_once, .bound = 3 },
	{ "central, one of three dies", 3, mortal_central3, dies_at_once, .bound = 1 },
	{ "central, one comes and dies", 2, mortal_central2, dies_inside, .bound = 2 },
	{ "central, the short way, one dies", 2, mortal_warm2, dies_at_once, .bound = 3 },
	{ "central, the short way, one comes and dies", 2, mortal_warm2, dies_inside, .bound = 2 },
	{ "central, the short way, one of three dies", 3, mortal_warm3, dies_at_once, .bound = 1 },
	{ "central, the short way, two die", 3, mortal_warm3, two_die, .bound = 1 },
	{ "central, two die before one comes", 3, mortal_warm3, two_die_before, .bound = 2 },
	{ "central, two die", 3, mortal_central3, two_die, .bound = 1 },
	{ "central, one of three comes and dies", 3, mortal_central3, middle_dies, .bound = 2 },
	{ "a tree of four, one in the middle dies", 4, mortal_tree4, middle_dies, .bound = 1 },
	{ "dissemination, one comes and dies", 3, mortal_dissemination3, middle_dies, .bound = 1 },
	{ "dissemination, one of four comes and dies", 4, mortal_dissemination4, middle_dies,
	  .bound = 1 },
	{ "dissemination, one dies", 3, mortal_dissemination3, dies_at_once, .bound = 1 },
	{ 0 },
};
