/*
 * barrier.c - the model of barriers: nobody goes on before all have come, what each wrote before is
 * seen by all after, no wake-up is lost, and who gave a wait up goes on in the same episode.
 */
/* Sources: comm/barrier.c */
/* Sources: core/linger.c core/wait.c core/executor.c */
/* Sources: core/timer.c core/coroutine.c core/end.c core/block.c */
/* Sources: core/counter.c */
#include <errno.h>
#include <string.h>

#include <cohart/barrier.h>

#include "core/lf/barrier.h"
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
		s->quick = (uintptr_t)co_hart_at(i + 1);
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
	{ 0 },
};
