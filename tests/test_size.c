/* test_size.c - objects have the sizes that docs/communication.md promises. */
#include "../runtime/comm/link/link.h"
#include "../runtime/comm/mailbox/queue.h"
#include "../runtime/group/message/port.h"
#include "../runtime/group/team/team.h"
#include "../runtime/core/memory/heap_check.h"
#include "harness/test.h"

/* The first number is of machines of 64 bits, the second of 32. */
static const bool wide = sizeof(uintptr_t) == 8;

TEST(objects_are_as_large_as_promised)
{
	CHECK_EQ(sizeof(struct co_chan), 512);
	CHECK_EQ(CO_CHAN_BYTES(8, 1), 8 * (1 + 1));
	CHECK_EQ(CO_CHAN_BYTES(20, 7), 8 * (3 + 1) * 7);
	CHECK_EQ(sizeof(struct co_mailboxes), wide ? 11328 : 6208);
	CHECK_EQ(sizeof(struct co_mailbox), wide ? 64 : 44);
	CHECK_EQ(CO_MAILBOX_WORDS(5, 3), (5 + 1) * 3);
	CHECK_EQ(sizeof(struct co_barrier), wide ? 40 : 28);
	CHECK_EQ(sizeof(struct co_barrier_member), wide ? 384 : 256);
	CHECK_EQ(sizeof(struct co_mutex), wide ? 32 : 16);
	CHECK_EQ(sizeof(struct co_event), wide ? 16 : 8);
	CHECK_EQ(sizeof(struct co_signal), wide ? 16 : 8);
	CHECK_EQ(sizeof(struct co_tlock), wide ? 16 : 12);
	CHECK_EQ(sizeof(struct co_tlock_node), 64);
	CHECK_EQ(sizeof(struct co_link), wide ? 24 : 16);
	CHECK_EQ(sizeof(struct co_link_tx), 192);
	CHECK_EQ(sizeof(struct co_link_rx), wide ? 112 : 60);
	CHECK_EQ(sizeof(struct co_link_from), wide ? 112 : 60);
	CHECK_EQ(sizeof(struct co_team), wide ? 184 : 104);
	CHECK_EQ(sizeof(struct co_member), wide ? 1216 : 1024);
	CHECK_EQ(sizeof(struct co_barrier_member *) + sizeof(struct co_lane_ack), wide ? 16 : 12);
	CHECK_EQ(sizeof(struct co_port), wide ? 344 : 200);
	CHECK_EQ(sizeof(struct co_port_out) + 1, 21);
	CHECK_EQ(sizeof(struct co_port_window), 320);
}

static size_t lines(size_t bytes)
{
	return (bytes + CO_LINE - 1) / CO_LINE * CO_LINE;
}

static size_t slots_bytes(size_t words, size_t depth)
{
	return lines((words + 1) * sizeof(uintptr_t) * depth);
}

#ifdef CO_DEBUG
#define CHECKS co_check_bytes(0, CO_LINE)
#else
#define CHECKS 0
#endif

/* The heap adds a header, and may skip up to a line to align the block; DEBUG=1 adds checks. */
static void check_block(size_t before, size_t bytes)
{
	size_t took = test_spm_use(co_hart()).used - before;

	CHECK(took > bytes && took <= bytes + 16 + CO_LINE + CHECKS);
}

/* Both ends on one hart, one sender of several. */
static void check_ends(struct co_link *l)
{
	size_t slots = slots_bytes(l->words, l->depth);
	size_t start = test_spm_use(co_hart()).used;
	size_t before = start;
	struct co_link_rx *rx;
	struct co_link_tx *tx;

	REQUIRE_EQ(co_link_open_rx(l, &rx), 0);
	check_block(before, lines(sizeof(*rx) + l->senders * sizeof(struct co_link_from)) +
				    slots * l->senders);
	before = test_spm_use(co_hart()).used;
	REQUIRE_EQ(co_link_open_tx(l, &tx), 0);
	check_block(before, sizeof(*tx));
	co_link_close_tx(tx);
	co_link_close_rx(rx);
	CHECK_EQ(test_spm_use(co_hart()).used, start);
}

TEST(the_ends_of_a_link_take_as_much_as_promised)
{
	static struct co_link l;

	for (unsigned senders = 1; senders <= 4; senders++) {
		for (uint16_t words = 1; words <= 5; words++) {
			l = (struct co_link){
				.words = words,
				.depth = 8,
				.senders = (uint16_t)senders,
			};
			check_ends(&l);
		}
	}
}
