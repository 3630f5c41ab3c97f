/* test_lost_domain.c - a domain whose last hart is lost can be ended; waiters are notified. */
#include "../runtime/core/memory/slab.h"
#include "confined.h"
#include "loss.h"
#include "queue.h"

#define SLOTS 4

static struct {
	alignas(CO_PAGE_BYTES) unsigned char buffer[CO_CHAN_BYTES(8, SLOTS)];
	struct co_user_end out;
} way;
static struct co_chan channel;

static intptr_t spins(void *arg)
{
	while (arg)
		__asm__ volatile("");
	return 0;
}

static intptr_t receives(void *arg)
{
	uint64_t word;

	return co_chan_recv_until(arg, &word, co_after_us(10000000));
}

static void open_way(void)
{
	REQUIRE_EQ(co_chan_init_as(&channel, way.buffer, sizeof(way.buffer), 8, CO_SPSC,
				   CO_CLAIM_DEFAULT),
		   0);
	REQUIRE_EQ(co_domain_share(&domain, &way, sizeof(way), CO_READ | CO_WRITE), 0);
	REQUIRE_EQ(co_domain_channel(&domain, &channel, CO_CHAN_SENDS, &way.out), 0);
}

TEST_IN_DOMAIN_FAULTY(the_domain_can_be_ended_and_its_channels_are_closed)
{
	unsigned hart = co_harts() - 1;
	unsigned group = co_hart_group(hart);
	struct co *c[2], *receiver;
	struct co_batch batch = { 0 };
	int r;

	if (hart < 2 || !(co_hart_role(hart) & CO_ROLE_COMPUTE))
		SKIP("the only compute hart is not lost, nor one that moves");
	open_way();
	for (unsigned i = 0; i < 2; i++)
		c[i] = start(spins, &block[0]);
	receiver = test_spawn_on(0, receives, &channel);
	test_sleep_us(2000);
	fault_there(hart);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQ(co_join(c[i], NULL), -EHOSTDOWN);
	CHECK_EQ(test_join(receiver), -EPIPE);
	/* Those that were begun before the lost one's turn end well. */
	r = co_domain_spawn_group(&domain, &batch, group, adds, NULL, NULL);
	CHECK(r == -EHOSTDOWN || (r == -ENOBUFS && co_group(group)->computes > PLACES));
	CHECK_EQ(co_batch_join(&batch), 0);
}

/* A spawn that was on its way when the hart was lost: it finds a block and a stack there. */
static bool make_room_on(unsigned hart)
{
	struct co_hart *h = co_hart_at(hart);

	for (const struct co *c = NULL; (c = co_block_next(hart, c)) && c->index < CO_PER_HART;) {
		if (co_is_live(c))
			continue;
		co_atomic_or(&h->free[c->index / CO_WORD_BITS],
			     (uintptr_t)1 << c->index % CO_WORD_BITS, CO_RELEASE);
		return true;
	}
	return false;
}

TEST_FAULTY(a_place_whose_coroutine_came_too_late_is_free_again)
{
	unsigned hart = hart_to_lose();
	struct co_attr attr = { .on = CO_ON_HART(hart), .stack = CO_STACK_MAIN };
	uint64_t deadline;
	struct co *c;

	begin();
	open_way();
	fault_there(hart);
	REQUIRE(comes_to_be_gone(hart));
	REQUIRE(make_room_on(hart));
	REQUIRE_EQ(co_domain_spawn(&domain, &c, &attr, spins, &block[0]), 0);
	CHECK_EQ(co_domain_end(&domain), -EBUSY);
	queue_lock(&channel.receivers); /* as if by the lost hart: hart 0 does not wait for that */
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	deadline = co_after_us(10000000);
	while (co_domain_end(&domain) == -EBUSY) {
		REQUIRE(co_now() < deadline);
		test_sleep_us(10000);
	}
	queue_unlock(&channel.receivers);
	CHECK_EQ(co_chan_try_recv(&channel, &(uint64_t){ 0 }), -EAGAIN);
}

/* Hart 0 cannot close it without the lock, and does not wait for that. */
TEST_IN_DOMAIN_FAULTY(a_channel_whose_queue_is_locked_stays_open)
{
	unsigned hart = hart_to_lose();
	struct co_attr attr = { .on = CO_ON_HART(hart) };
	struct co *c;
	uint64_t word;

	open_way();
	REQUIRE_EQ(co_domain_spawn(&domain, &c, &attr, spins, &block[0]), 0);
	test_sleep_us(2000);
	queue_lock(&channel.receivers);
	fault_there(hart);
	CHECK_EQ(co_join(c, NULL), -EHOSTDOWN);
	queue_unlock(&channel.receivers);
	CHECK_EQ(co_chan_try_recv(&channel, &word), -EAGAIN);
}
