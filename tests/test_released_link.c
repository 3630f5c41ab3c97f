/*
 * test_released_link.c - ends of links that a coroutine had which a fault has ended, or which is
 * lost with its hart: bound, they are closed; others stay, and so does their memory.
 */
#include "holder.h"

#define DEPTH 2

static struct co_link line;

static intptr_t hold_tx(void *arg)
{
	struct co_link_tx *tx;
	uintptr_t *slot;

	REQUIRE_EQ(co_link_open_tx(&line, &tx), 0);
	co_link_bind_tx(tx);
	CHECK_EQ(co_link_send(tx, &(uintptr_t){ 5 }), 0);
	CHECK_EQ(co_link_reserve(tx, &slot), 0);
	fault_when_asked();
}

static intptr_t hold_rx(void *arg)
{
	struct co_link_rx *rx;
	const uintptr_t *msg;

	REQUIRE_EQ(co_link_open_rx(&line, &rx), 0);
	co_link_bind_rx(rx);
	CHECK_EQ(co_link_peek(rx, &msg), 0);
	CHECK_EQ(*msg, 6);
	fault_when_asked();
}

/* Its message is to go where nothing is. */
static intptr_t receive_wildly(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(&line, &rx), 0);
	co_link_bind_rx(rx);
	co_atomic_store(&holding, 1, CO_RELEASE);
	return co_link_recv(rx, (uintptr_t *)wild);
}

static intptr_t receive(void *arg)
{
	struct co_link_rx *rx;
	uintptr_t word = 0;
	int r;

	REQUIRE_EQ(co_link_open_rx(&line, &rx), 0);
	co_link_bind_rx(rx);
	CHECK_EQ(co_link_recv(rx, &word), 0);
	CHECK_EQ(word, 5);
	r = co_link_recv(rx, &word);
	co_link_unbind_rx(rx);
	co_link_close_rx(rx);
	return r;
}

static intptr_t send(void *arg)
{
	struct co_link_tx *tx;
	int r = 0;

	REQUIRE_EQ(co_link_open_tx(&line, &tx), 0);
	co_link_bind_tx(tx);
	co_link_unbind_tx(tx);
	co_link_bind_tx(tx);
	while (r == 0)
		r = co_link_send(tx, &(uintptr_t){ 6 });
	co_link_close_tx(tx);
	return r;
}

/* One end's holder faults, the other end learns of it; then nothing is left of either. */
static void fault_with(unsigned hart, co_fn *holder, co_fn *partner)
{
	unsigned there = by_loss ? 1 : far_hart() - hart;
	struct use here = use_of(hart), away = use_of(there);
	struct co *other, *c;

	line = (struct co_link){ .words = 1, .depth = DEPTH };
	other = test_spawn_on(there, partner, NULL);
	c = start_holder(hart, holder, NULL);
	test_sleep_us(1000);
	end_holder(c);
	CHECK_EQ(test_join(other), -EPIPE);
	if (by_loss)
		return;
	await_finished(); /* and memory that is sent home */
	check_use(hart, &here);
	check_use(there, &away);
}

TEST_ON_HARTS(a_bound_senders_end_is_closed, on_some_harts_and_a_lost_one)
{
	fault_with(hart, hold_tx, receive);
}

TEST_ON_HARTS(a_bound_receivers_end_is_closed, on_some_harts_and_a_lost_one)
{
	fault_with(hart, hold_rx, send);
}

TEST_ON_HARTS(a_bound_receivers_end_is_closed_if_its_message_goes_nowhere, on_some_harts)
{
	fault_with(hart, receive_wildly, send);
}

static intptr_t hold_unbound(void *arg)
{
	struct co_link_rx *rx;

	REQUIRE_EQ(co_link_open_rx(&line, &rx), 0);
	*(struct co_link_rx **)arg = rx;
	fault_when_asked();
}

static intptr_t fill_memory(void *arg)
{
	unsigned char *p = co_spm_alloc(1500, 64);

	REQUIRE(p);
	for (unsigned i = 0; i < 1500; i++)
		p[i] = 0x5b;
	co_spm_free(p);
	return (intptr_t)arg;
}

static intptr_t send_two(void *arg)
{
	struct co_link_tx *tx;

	REQUIRE_EQ(co_link_open_tx(&line, &tx), 0);
	for (unsigned i = 0; i < DEPTH; i++)
		CHECK_EQ(co_link_send(tx, &(uintptr_t){ i }), 0);
	co_link_close_tx(tx);
	return (intptr_t)arg;
}

static intptr_t take_over(void *arg)
{
	uintptr_t word;

	for (unsigned i = 0; i < DEPTH; i++) {
		CHECK_EQ(co_link_recv(arg, &word), 0);
		CHECK_EQ(word, i);
	}
	co_link_close_rx(arg);
	return 0;
}

TEST_FAULTY(an_end_that_is_not_bound_stays_open)
{
	static struct co_link_rx *rx;
	unsigned hart = far_hart();
	struct use before = use_of(hart);

	line = (struct co_link){ .words = 1, .depth = DEPTH };
	end_holder(start_holder(hart, hold_unbound, &rx));
	test_join(test_spawn_on(hart, fill_memory, NULL));
	test_join(test_spawn_on(0, send_two, NULL));
	test_join(test_spawn_on(hart, take_over, rx));
	check_use(hart, &before);
}
