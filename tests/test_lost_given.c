/*
 * test_lost_given.c - what was given to a coroutine that has not run since when its hart is lost:
 * it goes to others.
 *
 * Each case loses the last compute hart that is left: it waits in a handler while something is
 * given, then a handler faults.
 */
#include <cohart/select.h>

#include "loss.h"

#define LATE_US 5000000

static struct co_a32 ready, in_handler, go;

static void wait_in_a_handler(struct co_msg *m)
{
	(void)m;
	co_atomic_store(&in_handler, 1, CO_RELEASE);
	while (!co_atomic_load(&go, CO_ACQUIRE)) /* paired with lose() */
		hal_cpu_relax();
}

/* The one to lose; 0: too few are left. */
static unsigned victim(void)
{
	co_atomic_store(&ready, 0, CO_RELAXED);
	co_atomic_store(&in_handler, 0, CO_RELAXED);
	co_atomic_store(&go, 0, CO_RELAXED);
	return last_left();
}

/* From here on it runs no coroutine. */
static void hold(unsigned hart)
{
	static struct co_msg msg[BOARD_MAX_HARTS];

	co_sleep_us(3000); /* who is ready waits */
	msg[hart].run = wait_in_a_handler;
	co_post(hart, &msg[hart]);
	test_await(&in_handler, 1);
}

static void lose(unsigned hart)
{
	fault_there(hart);
	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK(comes_to_be_gone(hart));
}

/* ---- Mutexes ---- */

static struct co_mutex wanted;

static intptr_t want(void *arg)
{
	(void)arg;
	co_atomic_add(&ready, 1, CO_RELEASE);
	return co_mutex_lock(&wanted);
}

/* Its wake-up comes before what ends the hart: it is ready. */
TEST(a_mutex_of_who_was_woken_and_has_not_run)
{
	unsigned hart = victim();
	struct co *c;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	REQUIRE_EQ(co_mutex_lock(&wanted), 0);
	c = test_spawn_on(hart, want, NULL);
	test_await(&ready, 1);
	hold(hart);
	co_mutex_unlock(&wanted);
	CHECK(co_mutex_owner(&wanted) == c);
	lose(hart);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	REQUIRE_EQ(co_mutex_lock_until(&wanted, co_after_us(LATE_US)), -EOWNERDEAD);
	co_mutex_unlock(&wanted);
}

/* ---- Channels: who receives from one, and who selects, in either order ---- */

CO_CHANNEL(plain, int, 4);
CO_CHANNEL_AS(tickets, int, 4, CO_MPMC, CO_CLAIM_TICKET);

static intptr_t receive(void *arg)
{
	int n = 0;
	int r;

	co_atomic_add(&ready, 1, CO_RELEASE);
	r = co_chan_recv_until(arg, &n, co_after_us(LATE_US));
	return r ? r : n;
}

static intptr_t choose(void *arg)
{
	struct co_chan *chan = arg;
	int n = 0;
	struct co_case cases[] = { CO_CASE_RECV(chan, &n) };
	int r;

	co_atomic_add(&ready, 1, CO_RELEASE);
	r = co_select(cases, 1, co_after_us(LATE_US));
	return r ? r : n;
}

/* The first is woken, on the hart that is lost; the element is the other's. */
static void give_the_first(struct co_chan *chan, co_fn *first, co_fn *second)
{
	unsigned hart = victim();
	uint64_t end = co_after_us(LATE_US);
	struct co *c[2];
	intptr_t got = 0;

	if (!hart)
		SKIP("it takes a hart to lose and one to look on");
	c[0] = test_spawn_on(hart, first, chan);
	test_await_sleep(c[0]);
	c[1] = test_spawn_on(1, second, chan);
	test_await_sleep(c[1]);
	hold(hart);
	fault_there(hart); /* its wake-up comes behind this: it does not hear of it */
	CHECK_EQ(co_chan_send(chan, &(int){ 5 }), 0);
	/*
	 * If the second was woken in vain it waits again: a queue that it locks is left alone. Or
	 * it looked just then, and has the element.
	 */
	while (!co_waitq_count(&chan->receivers) &&
	       co_atomic_load(&c[1]->state, CO_ACQUIRE) != CO_DONE && CHECK(co_now() < end))
		co_sleep_us(50);
	test_await_sleep(c[1]);
	co_atomic_store(&go, 1, CO_RELEASE);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	/* It would find it when its time is over. */
	REQUIRE_EQ(co_join_until(c[1], &got, co_after_us(LATE_US / 2)), 0);
	CHECK_EQ(got, 5);
}

TEST(a_hint_to_a_lost_selecter)
{
	give_the_first(&plain, choose, receive);
}

TEST(a_credit_of_a_lost_one_is_a_hint_to_a_selecter)
{
	give_the_first(&tickets, receive, choose);
}
