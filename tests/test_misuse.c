/*
 * test_misuse.c - what public calls answer to arguments that make no sense, and that nothing has
 * happened then. What is a bug of the caller's is in test_misuse_ends.c.
 */
#include <limits.h>

#include "harness/test.h"

#define NOWHERE ((void *)(UINTPTR_MAX - 63)) /* so near the end that little fits */

static alignas(CO_LINE) unsigned char memory[4096];
static struct co_chan chan;
static struct co_barrier barrier;
static struct co_tlock tlock;

BODY(nothing, 0)

/* A call that must not touch what it is given. */
#define UNTOUCHED(object, call, error)                               \
	do {                                                         \
		memset(&(object), 0x5a, sizeof(object));             \
		CHECK_EQ(call, error);                               \
		CHECK(test_filled(&(object), 0x5a, sizeof(object))); \
	} while (0)

TEST(places_that_do_not_exist_are_refused)
{
	const int nowhere[] = { CO_ON_HART(co_harts()),
				CO_ON_HART(100000),
				CO_ON_GROUP(co_groups()),
				CO_ON_GROUP(100000),
				INT_MAX,
				INT_MIN };
	struct co_batch b = { 0 };
	struct co *c;

	for (unsigned i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++) {
		const struct co_attr attr = { .on = nowhere[i] };

		UNTOUCHED(c, co_spawn(&c, &attr, nothing, NULL), -EINVAL);
		CHECK_EQ(co_batch_spawn(&b, &attr, nothing, NULL, NULL), -EINVAL);
	}
	for (unsigned stack = CO_STACK_8K + 1; stack < 1u << 31; stack *= 3) {
		const struct co_attr attr = { .stack = (enum co_stack)stack };

		UNTOUCHED(c, co_spawn(&c, &attr, nothing, NULL), -EINVAL);
		CHECK_EQ(co_batch_spawn(&b, &attr, nothing, NULL, NULL), -EINVAL);
	}
	CHECK_EQ(co_batch_join(&b), 0); /* nobody is in it */
}

TEST(channels_that_cannot_be_are_refused)
{
	static const struct {
		size_t offset, bytes, elem_size;
	} bad[] = {
		{ 0, sizeof(memory), 0 },
		{ 0, 0, 8 },
		{ 0, 15, 8 }, /* not even one */
		{ 0, CO_CHAN_BYTES(4, 1) - 1, 4 },
		{ 1, 64, 8 },
		{ 4, 64, 8 },
		{ 0, sizeof(memory), sizeof(memory) + 1 },
		{ 0, sizeof(memory), SIZE_MAX },
		/* What is added to an element, and rounded, goes round: */
		{ 0, SIZE_MAX, SIZE_MAX },
		{ 0, SIZE_MAX, SIZE_MAX - 7 },
		{ 0, SIZE_MAX, SIZE_MAX - 14 },
		{ 0, SIZE_MAX, 8 }, /* too many */
		{ 0, SIZE_MAX, 1 },
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int r;

		memset(&chan, 0x5a, sizeof(chan));
		r = co_chan_init(&chan, memory + bad[i].offset, bad[i].bytes, bad[i].elem_size);
		if (!CHECK_EQ(r, -EINVAL) || !CHECK(test_filled(&chan, 0x5a, sizeof(chan))))
			printf("# line %u\n", i);
	}
	CHECK_EQ(co_chan_init(&chan, memory, CO_CHAN_BYTES(4, 1), 4), 0);
	CHECK_EQ(co_chan_init(&chan, NULL, 64, 8), -EINVAL);
	CHECK_EQ(co_chan_init_as(&chan, memory, 64, 8, (enum co_chan_mode)5, CO_CLAIM_TICKET),
		 -EINVAL);
	CHECK_EQ(co_chan_init_as(&chan, memory, 64, 8, CO_MPMC, CO_CLAIM_SINGLE), -EINVAL);
	CHECK_EQ(co_chan_init_as(&chan, memory, 64, 8, CO_MPMC, (enum co_claim)77), -EINVAL);
}

TEST(a_closed_channel_takes_nothing_more)
{
	struct co_chan_slot s;
	struct co_case cases[] = { CO_CASE_RECV(&chan, memory), CO_CASE_SEND(&chan, memory) };
	uint64_t v = 7;

	REQUIRE_EQ(co_chan_init_as(&chan, memory + 64, 64, 8, CO_SPSC, CO_CLAIM_DEFAULT), 0);
	co_chan_close(&chan);
	co_chan_close(&chan);
	CHECK_EQ(co_chan_send(&chan, &v), -EPIPE);
	CHECK_EQ(co_chan_send_many(&chan, &v, 1), -EPIPE);
	CHECK_EQ(co_chan_try_send(&chan, &v), -EPIPE);
	CHECK_EQ(co_chan_reserve(&chan, &s), -EPIPE);
	CHECK_EQ(co_chan_recv(&chan, &v), -EPIPE);
	CHECK_EQ(co_chan_recv_many(&chan, &v, 1), -EPIPE);
	CHECK_EQ(co_chan_try_recv(&chan, &v), -EPIPE);
	CHECK_EQ(co_chan_peek(&chan, &s), -EPIPE);
	CHECK(co_select(cases, 2) >= 0);
	CHECK(cases[0].result == -EPIPE || cases[1].result == -EPIPE);
	CHECK_EQ(v, 7);
}

TEST(barriers_and_tlocks_that_cannot_be_are_refused)
{
	static alignas(CO_LINE) struct co_barrier_member member[2];
	static struct co_barrier_member *table[] = { &member[0], NULL };
	static struct co_tlock_node node[2];
	struct co_barrier_member *odd =
		(struct co_barrier_member *)(void *)((unsigned char *)member + 8);

	UNTOUCHED(barrier, co_barrier_init(&barrier, 0, CO_BARRIER_AUTO, member), -EINVAL);
	UNTOUCHED(barrier, co_barrier_init(&barrier, CO_BARRIER_MAX + 1, CO_BARRIER_AUTO, member),
		  -EINVAL);
	UNTOUCHED(barrier, co_barrier_init(&barrier, UINT_MAX, CO_BARRIER_AUTO, member), -EINVAL);
	UNTOUCHED(barrier, co_barrier_init(&barrier, 2, (enum co_barrier_form)3, member), -EINVAL);
	UNTOUCHED(barrier, co_barrier_init(&barrier, 2, CO_BARRIER_AUTO, NULL), -EINVAL);
	UNTOUCHED(barrier, co_barrier_init(&barrier, 1, CO_BARRIER_AUTO, odd), -EINVAL);
	UNTOUCHED(barrier, co_barrier_init_at(&barrier, 2, CO_BARRIER_AUTO, NULL), -EINVAL);
	UNTOUCHED(barrier, co_barrier_init_at(&barrier, 2, CO_BARRIER_AUTO, table), -EINVAL);
	table[1] = odd;
	UNTOUCHED(barrier, co_barrier_init_at(&barrier, 2, CO_BARRIER_AUTO, table), -EINVAL);
	UNTOUCHED(tlock, co_tlock_init(&tlock, 0, 2, node), -EINVAL);
	UNTOUCHED(tlock, co_tlock_init(&tlock, CO_TLOCK_MAX + 1, 2, node), -EINVAL);
	UNTOUCHED(tlock, co_tlock_init(&tlock, 2, 1, node), -EINVAL);
	UNTOUCHED(tlock, co_tlock_init(&tlock, 2, UINT_MAX, node), -EINVAL);
	UNTOUCHED(tlock, co_tlock_init(&tlock, 2, 2, NULL), -EINVAL);
	UNTOUCHED(tlock, co_tlock_init(&tlock, 2, 2, (void *)((unsigned char *)node + 4)), -EINVAL);
}

/* Whose bytes, multiplied, are few again where addresses have 32 bits. */
TEST(links_larger_than_memory_are_refused)
{
	static struct co_link huge = { .words = 4095, .depth = 1024, .senders = 256 };
	static struct co_link most = { .words = UINT16_MAX,
				       .depth = UINT16_MAX,
				       .senders = UINT16_MAX };
	size_t before = test_spm_use(co_hart()).used;
	struct co_link_rx *rx;

	UNTOUCHED(rx, co_link_open_rx(&huge, &rx), -ENOMEM);
	UNTOUCHED(rx, co_link_open_rx(&most, &rx), -ENOMEM);
	CHECK_EQ(test_spm_use(co_hart()).used, before);
}

TEST(mail_that_cannot_be_is_refused)
{
	static uintptr_t words[CO_MAIL_WORDS + 1];
	struct co_mail m;

	CHECK_EQ(co_mail_bind(-1), -EINVAL);
	CHECK_EQ(co_mail_bind(CO_MAIL_TAG_MAX + 1), -EINVAL);
	CHECK_EQ(co_mail_unbind(-3), -ENOENT);
	CHECK_EQ(co_mail_unbind(5), -ENOENT);
	CHECK_EQ(co_mail_send(co_harts(), 1, words, 1), -EINVAL);
	CHECK_EQ(co_mail_send(UINT_MAX, 1, words, 1), -EINVAL);
	CHECK_EQ(co_mail_send(0, -1, words, 1), -EINVAL);
	CHECK_EQ(co_mail_send(0, CO_MAIL_ANY, words, 1), -EINVAL);
	CHECK_EQ(co_mail_send(0, CO_MAIL_TAG_MAX + 1, words, 1), -EINVAL);
	CHECK_EQ(co_mail_send(0, 1, words, 0), -EINVAL);
	CHECK_EQ(co_mail_send(0, 1, words, CO_MAIL_WORDS + 1), -EMSGSIZE);
	CHECK_EQ(co_mail_send(0, 1, words, UINT_MAX), -EMSGSIZE);
	CHECK_EQ(co_mail_try_send(co_harts(), 1, words, 1), -EINVAL);
	CHECK_EQ(co_mail_send_until(0, CO_MAIL_TAG_MAX + 1, words, 1, 0), -EINVAL);
	UNTOUCHED(m, co_mail_recv(-3, words, 1, &m), -EINVAL);
	UNTOUCHED(m, co_mail_recv(5, words, 1, &m), -ENOENT);
	CHECK_EQ(co_mail_try_recv(CO_MAIL_TAG_MAX + 1, words, 1, NULL), -EINVAL);
	CHECK_EQ(co_mail_send(co_hart(), 5, words, 2), 0);
	CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, words, 1, NULL), -EMSGSIZE);
	CHECK_EQ(co_mail_recv(CO_MAIL_OTHER, words, 2, NULL), 2);
}

static void take(struct co_mailbox *box, const struct co_mail *m)
{
}

TEST(mailboxes_that_cannot_be_are_refused)
{
	static struct co_mailbox box, other;
	static uintptr_t storage[4];

	CHECK_EQ(co_mailbox_open(&box, -1, storage, 4), -EINVAL);
	CHECK_EQ(co_mailbox_open(&box, CO_MAIL_TAG_MAX + 1, storage, 4), -EINVAL);
	CHECK_EQ(co_mailbox_open(&box, 9, NULL, 4), -EINVAL);
	CHECK_EQ(co_mailbox_open(&box, 9, storage, 1), -EINVAL);
	CHECK_EQ(co_mailbox_open(&box, 9, storage, UINT_MAX), -EINVAL);
	CHECK_EQ(co_mailbox_open(&box, 9, (void *)((unsigned char *)storage + 1), 2), -EINVAL);
	CHECK_EQ(co_mailbox_open(&box, 9, NOWHERE, 100), -EINVAL);
	CHECK_EQ(co_mailbox_open(NULL, 9, storage, 4), -EINVAL);
	CHECK_EQ(co_mailbox_handle(&box, 9, NULL, NULL), -EINVAL);
	CHECK_EQ(co_mailbox_handle(&box, -1, take, NULL), -EINVAL);
	CHECK_EQ(co_mailbox_handle(NULL, 9, take, NULL), -EINVAL);
	REQUIRE_EQ(co_mailbox_open(&box, 9, storage, 4), 0);
	CHECK_EQ(co_mailbox_open(&other, 9, storage, 4), -EEXIST);
	CHECK_EQ(co_mailbox_open(&box, 10, storage, 4), -EBUSY); /* it is open */
	CHECK_EQ(co_mailbox_handle(&box, 10, take, NULL), -EBUSY);
	CHECK_EQ(co_mailbox_close(&box), 0);
	CHECK_EQ(co_mailbox_handle(&box, 10, take, NULL), 0);
	CHECK_EQ(co_mailbox_close(&box), 0);
}

TEST(a_full_scratchpad_says_so)
{
	static struct co_link big = { .words = 8, .depth = UINT16_MAX };
	struct co_spm_use before = test_spm_use(co_hart()), use;
	void *all = NULL;
	struct co_link_rx *rx;

	CHECK(!co_spm_alloc(SIZE_MAX, 16));
	CHECK(!co_spm_alloc(SIZE_MAX - 15, 16));
	CHECK(!co_spm_alloc(1, (SIZE_MAX >> 1) + 1));
	CHECK_EQ(co_link_open_rx(&big, &rx), -ENOMEM);
	for (size_t bytes = before.heap_bytes; bytes >= 16; bytes /= 2) {
		void **next;

		while ((next = co_spm_alloc(bytes, 16))) {
			*next = all;
			all = next;
		}
	}
	/* A descriptor takes room, which who moves for itself does without. */
	CHECK_EQ(co_dma_copy(memory, memory + 64, 64), co_dma_mover(NULL) < 0 ? 0 : -ENOMEM);
	while (all) {
		void *next = *(void **)all;

		co_spm_free(all);
		all = next;
	}
	co_spm_free(NULL);
	use = test_spm_use(co_hart());
	CHECK_EQ(use.used, before.used);
	CHECK(use.high_water > use.heap_bytes / 2 && use.high_water <= use.heap_bytes);
}

TEST(who_may_use_an_address_is_known_of_any)
{
	unsigned hart = co_harts() - 1;
	unsigned char *window = co_spm_base(hart);

	CHECK(!co_spm_shared(NOWHERE, 100));
	CHECK(!co_spm_shared(memory, SIZE_MAX));
	CHECK(!co_spm_shared(memory, SIZE_MAX - (uintptr_t)memory)); /* over the windows */
	CHECK(!co_spm_shared(window, co_spm_bytes()));
	CHECK(!co_spm_shared(window + co_spm_bytes() - 1, 1));
	CHECK(co_spm_shared(window, 1));
	CHECK_EQ(co_spm_hart(window + co_spm_bytes() - 1), hart);
	CHECK_EQ(co_spm_hart(window + co_spm_bytes()), -1);
	CHECK_EQ(co_spm_hart(NULL), -1);
	CHECK_EQ(co_spm_hart(NOWHERE), -1);
}

TEST(moves_that_cannot_be_are_refused)
{
	memset(memory, 0x5a, sizeof(memory));
	CHECK_EQ(co_move_copy(memory, memory + 64, 0), -EINVAL);
	CHECK_EQ(co_move_copy(memory, memory + 1, 64), -EINVAL);
	CHECK_EQ(co_move_copy(memory, memory + 2000, 2096), -EINVAL);
	CHECK_EQ(co_move_copy(NULL, memory, 64), -EFAULT);
	CHECK_EQ(co_move_copy(memory, NULL, 64), -EFAULT);
	CHECK_EQ(co_move_copy(memory, NOWHERE, 128), -EFAULT);
	CHECK(co_move_copy(memory, memory + 64, SIZE_MAX) < 0);
	CHECK_EQ(co_move_fill(memory, 0, 0), -EINVAL);
	CHECK_EQ(co_move_fill(NULL, 0, 64), -EFAULT);
	CHECK_EQ(co_move_fill(NOWHERE, 0, 128), -EFAULT);
	CHECK_EQ(co_move_fill(memory, 0, SIZE_MAX), -EFAULT);
	CHECK_EQ(co_move_broadcast(memory, memory + 64, 64), -EFAULT);
	CHECK_EQ(co_move_broadcast(NULL, memory, 64), -EFAULT);
	CHECK(test_filled(memory, 0x5a, sizeof(memory)));
}

TEST(arrays_and_stopwatches_that_cannot_be_are_refused)
{
	static struct co_spm_array a;
	struct co_stopwatch_sum sum;

	CHECK_EQ(co_spm_array_make(&a, NULL, 64), -EFAULT);
	CHECK_EQ(co_spm_array_make(&a, NOWHERE, 128), -EFAULT);
	CHECK_EQ(co_spm_array_make(&a, memory, SIZE_MAX), -EFAULT);
	UNTOUCHED(sum, co_stopwatch_read("nobody has started it", &sum), -ENOENT);
	UNTOUCHED(sum, co_stopwatch_read(NULL, &sum), -ENOENT);
}
