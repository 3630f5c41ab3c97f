/* test_channel.c - channels: sizes, waiting, deadlines, closing. */
#include "channel.h"

static void fill(unsigned char in[256], unsigned n)
{
	for (unsigned i = 0; i < 256; i++)
		in[i] = (unsigned char)(n * 7 + i);
}

/* The ways to send and to receive one element. */
enum { WAITING, UNTIL, TRYING, WAYS };

static int send_one(unsigned way, struct co_chan *c, const void *elem)
{
	return way == WAITING ? co_chan_send(c, elem)
	       : way == UNTIL ? co_chan_send_until(c, elem, LONG_ENOUGH)
			      : co_chan_try_send(c, elem);
}

static int recv_one(unsigned way, struct co_chan *c, void *elem)
{
	return way == WAITING ? co_chan_recv(c, elem)
	       : way == UNTIL ? co_chan_recv_until(c, elem, LONG_ENOUGH)
			      : co_chan_try_recv(c, elem);
}

/* Every byte of every element, over several laps, and nothing written beyond buffer or element. */
static void try_shape(const struct shape *shape, size_t elem_size, unsigned capacity)
{
	static alignas(CO_LINE) unsigned char buffer[8192];
	static struct co_chan c;
	alignas(8) unsigned char in[256 + 7], to[256 + 8];
	unsigned char *out;
	const size_t bytes = CO_CHAN_BYTES(elem_size, capacity);
	unsigned sent = 0, received = 0;

	REQUIRE(bytes < sizeof(buffer));
	memset(buffer, 0xee, sizeof(buffer));
	open_shape(&c, buffer, shape, elem_size, capacity);
	for (unsigned lap = 0; lap < 5; lap++) {
		for (; sent - received < capacity; sent++) {
			fill(in + sent % 8, sent); /* aligned to 8, 1, 2, 1, 4, ... */
			REQUIRE_EQ(send_one(sent % WAYS, &c, in + sent % 8), 0);
		}
		CHECK_EQ(co_chan_try_send(&c, in), -EAGAIN);
		/* Leave some in, so that the laps start at all places. */
		for (unsigned left = lap == 4 ? 0 : capacity / 3; sent - received > left;
		     received++) {
			fill(in, received);
			out = to + received / 2 % 8;
			memset(to, 0x99, sizeof(to));
			REQUIRE_EQ(recv_one(received % WAYS, &c, out), 0);
			REQUIRE(memcmp(in, out, elem_size) == 0 && out[elem_size] == 0x99);
		}
	}
	CHECK_EQ(co_chan_try_recv(&c, to), -EAGAIN);
	CHECK_EQ(buffer[bytes], 0xee);
}

static void try_all_shapes(size_t elem_size, unsigned capacity)
{
	for (unsigned i = 0; i < SHAPES; i++)
		try_shape(&shapes[i], elem_size, capacity);
}

static alignas(8) unsigned char handed[112];
static struct co_chan to_waiter;

struct waiter {
	unsigned way;
	unsigned char *to;
};

static intptr_t wait_for_one(void *arg)
{
	const struct waiter *w = arg;

	return recv_one(w->way, &to_waiter, w->to);
}

/* Send one element of so many bytes to a receiver that waits. */
static void hand_over(const struct shape *shape, size_t size, unsigned hart, unsigned way,
		      unsigned misaligned)
{
	const unsigned capacity = 1 + misaligned % 2;
	static alignas(CO_LINE) unsigned char buffer[CO_CHAN_BYTES(100, 2)];
	static struct waiter w;
	alignas(8) unsigned char from[256 + 1];
	unsigned char *out = from + misaligned % 2;
	struct co *c;

	w.to = handed + (misaligned / 2 ? 1 : 8);
	w.way = way % 2;
	open_shape(&to_waiter, buffer, shape, size, capacity);
	memset(handed, 0x99, sizeof(handed));
	fill(out, (unsigned)size);
	c = test_sleeper(hart, wait_for_one, &w);
	CHECK_EQ(send_one(way, &to_waiter, out), 0);
	CHECK_EQ(test_join(c), 0);
	CHECK(memcmp(w.to, out, size) == 0);
	CHECK(w.to[-1] == 0x99 && w.to[size] == 0x99);
	CHECK_EQ(co_chan_count(&to_waiter), 0);
}

TEST(one_that_waits_gets_an_element_of_any_size)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 7, 8, 12, 15, 16, 17, 24, 64, 72, 100 };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (unsigned turn = 0; turn < SHAPES * WAYS * 4; turn++) {
			const struct shape *shape = &shapes[turn % SHAPES];
			unsigned way = turn / SHAPES % WAYS, misaligned = turn / SHAPES / WAYS;

			hand_over(shape, sizes[i], co_hart(), way, misaligned);
			hand_over(shape, sizes[i], co_harts() - 1, way, misaligned);
		}
	}
}

TEST(any_element_size_fits)
{
	const size_t size[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 12,  14,  15,
				16, 17, 20, 24, 28, 31, 60, 64, 65, 68, 100, 255, 256 };

	for (unsigned i = 0; i < sizeof(size) / sizeof(*size); i++)
		try_all_shapes(size[i], 4);
}

TEST(any_capacity_works)
{
	const unsigned capacity[] = { 1, 2, 3, 5, 7, 8, 13, 16, 100 };

	for (unsigned i = 0; i < sizeof(capacity) / sizeof(*capacity); i++)
		try_all_shapes(4, capacity[i]);
	try_all_shapes(24, 1);
	try_all_shapes(1, 3);
}

static intptr_t receive_one(void *arg)
{
	int x = -1;
	int r = co_chan_recv_until(arg, &x, LONG_ENOUGH);

	return r ? r : x;
}

BODY(send_hundred, co_chan_send_until(arg, &(int){ 100 }, LONG_ENOUGH))

TEST(a_sender_waits_for_room)
{
	CO_CHANNEL(c, int, 1);
	int x = 0;

	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		CHECK_EQ(co_chan_send(&c, &(int){ 1 }), 0);
		struct co *co = test_sleeper(h, send_hundred, &c);

		CHECK_EQ(co_chan_recv(&c, &x), 0);
		CHECK_EQ(x, 1);
		CHECK_EQ(test_join(co), 0);
		CHECK_EQ(co_chan_recv(&c, &x), 0);
		CHECK_EQ(x, 100);
	}
}

enum { CROWD = 8 };

static void start_crowd(struct co *co[CROWD], co_fn *fn, struct co_chan *c)
{
	for (unsigned i = 0; i < CROWD; i++)
		co[i] = test_sleeper(i % co_harts(), fn, c);
}

TEST(closing_ends_all_who_wait)
{
	struct co *senders[CROWD], *receivers[CROWD];
	CO_CHANNEL(empty, int, 2);
	CO_CHANNEL(full, int, 1);
	int x = 0;

	CHECK_EQ(co_chan_send(&full, &(int){ 1 }), 0);
	start_crowd(senders, send_hundred, &full);
	start_crowd(receivers, receive_one, &empty);
	co_chan_close(&full);
	co_chan_close(&empty);
	for (unsigned i = 0; i < CROWD; i++) {
		CHECK_EQ(test_join(senders[i]), -EPIPE);
		CHECK_EQ(test_join(receivers[i]), -EPIPE);
	}
	CHECK_EQ(co_chan_recv(&full, &x), 0);
	CHECK_EQ(x, 1);
	CHECK_EQ(co_chan_recv(&full, &x), -EPIPE);
}

/* The send is done by hand here, to stop it between its two halves. */
TEST(a_send_under_way_at_the_close_is_received_and_ends_all_waits)
{
	struct co *co[CROWD];
	CO_CHANNEL(c, int, 2);
	struct co_chan_slot s;
	intptr_t sum = 0;
	int r = co_chan_try_reserve(&c, &s);

	if (r == -ENOTSUP)
		SKIP("tickets give out no slots");
	REQUIRE_EQ(r, 0);
	start_crowd(co, receive_one, &c);
	co_chan_close(&c);
	test_sleep_us(1000); /* all have looked again, and wait for the element that is to come */
	*(int *)s.data = 1000;
	co_chan_commit(&c, &s);
	for (unsigned i = 0; i < CROWD; i++)
		sum += test_join(co[i]);
	CHECK_EQ(sum, 1000 - (CROWD - 1) * EPIPE);
}

BODY(give_up_soon, co_chan_recv_until(arg, &(int){ 0 }, co_after_us(1000)))

TEST(a_receiver_that_gives_up_leaves_its_turn_to_the_next)
{
	CO_CHANNEL(c, int, 1);
	struct co *late = test_sleeper(co_harts() - 1, give_up_soon, &c);
	struct co *cancelled = test_sleeper(co_harts() - 1, receive_one, &c);
	struct co *next = test_sleeper(0, receive_one, &c);

	test_cancel(cancelled);
	CHECK_EQ(test_join(late), -ETIMEDOUT);
	CHECK_EQ(co_chan_send(&c, &(int){ 6 }), 0);
	CHECK_EQ(test_join(next), 6);
}

/* A receiver that sleeps, and all that wakes it. */
static alignas(CO_LINE) unsigned char word_buffer[CO_CHAN_BYTES(8, 2)];
static struct co_chan words;

static const struct shape alone = { CO_SPSC, CO_CLAIM_DEFAULT };

enum { UNTOUCHED = 77 };

/* What it returned, and in `got` what it received, after each of `n` calls. */
static struct {
	int result;
	uint64_t value;
} got[4];

static intptr_t receive_words(void *n)
{
	for (uintptr_t i = 0; i < (uintptr_t)n; i++) {
		uint64_t v = UNTOUCHED;

		got[i].result = co_chan_recv(&words, &v);
		got[i].value = v;
	}
	return 0;
}

/* It receives n words of a new channel; `far`: on another hart than this one. */
static struct co *open_for_sleeper(const struct shape *s, unsigned capacity, unsigned far,
				   uintptr_t n)
{
	open_shape(&words, word_buffer, s, 8, capacity);
	return test_sleeper((co_hart() + far) % co_harts(), receive_words, (void *)n);
}

#define CHECK_GOT(i, r, v)                  \
	do {                                \
		CHECK_EQ(got[i].result, r); \
		CHECK_EQ(got[i].value, v);  \
	} while (0)

static void hand_over_and_close(const struct shape *s, unsigned far)
{
	struct co *c = open_for_sleeper(s, 1, far, 4);

	for (uint64_t v = 1; v <= 3; v++)
		REQUIRE_EQ(co_chan_send(&words, &(uint64_t){ v }), 0);
	co_chan_close(&words);
	CHECK_EQ(co_chan_send(&words, &(uint64_t){ 6 }), -EPIPE);
	test_join(c);
	for (unsigned i = 0; i < 3; i++)
		CHECK_GOT(i, 0, i + 1);
	CHECK_GOT(3, -EPIPE, UNTOUCHED);
	CHECK_EQ(co_chan_count(&words), 0);
}

static void cancel_and_send(const struct shape *s, unsigned far)
{
	struct co *c = open_for_sleeper(s, 1, far, 2);
	uint64_t v = 0;

	co_cancel(c);
	test_join(c);
	CHECK_GOT(0, -ECANCELED, UNTOUCHED);
	CHECK_GOT(1, -ECANCELED, UNTOUCHED);
	/* It is out of the queue: a word goes into the ring, for the next receiver. */
	REQUIRE_EQ(co_chan_send(&words, &(uint64_t){ 9 }), 0);
	CHECK_EQ(co_chan_count(&words), 1);
	CHECK_EQ(co_chan_recv(&words, &v), 0);
	CHECK_EQ(v, 9);
}

TEST(a_sleeping_receiver_is_woken)
{
	for (const struct shape *s = shapes; s < shapes + SHAPES; s++) {
		for (unsigned far = 0; far < 2; far++) {
			hand_over_and_close(s, far);
			cancel_and_send(s, far);
		}
	}
}

TEST(rows_and_slots_wake_it_too)
{
	const uint64_t row[2] = { 2, 3 };
	struct co_chan_slot slot;

	for (unsigned far = 0; far < 2; far++) {
		struct co *c =
			open_for_sleeper(&(struct shape){ CO_SPSC, CO_CLAIM_DEFAULT }, 2, far, 4);

		REQUIRE_EQ(co_chan_send(&words, &(uint64_t){ 1 }), 0);
		REQUIRE(test_await_sleep(c));
		REQUIRE_EQ(co_chan_send_many(&words, row, 2), 2);
		REQUIRE(test_await_sleep(c));
		REQUIRE_EQ(co_chan_reserve(&words, &slot), 0);
		*(uint64_t *)slot.data = 4;
		co_chan_commit(&words, &slot);
		test_join(c);
		for (unsigned i = 0; i < 4; i++)
			CHECK_GOT(i, 0, i + 1);
	}
}

enum { LINE = 4 };
static struct co_chan line;
static alignas(CO_LINE) unsigned char line_buffer[CO_CHAN_BYTES(sizeof(int), 1)];

BODY(send_in_line, co_chan_send_until(&line, &(int){ (int)(intptr_t)arg }, LONG_ENOUGH))

/*
 * Those who wait are served in the order in which they came, on whatever harts. Except by tickets,
 * a wake-up is a hint, and two who are awake at once may change places: so one is served, then the
 * next.
 */
static void in_line(enum co_claim claim)
{
	struct co *co[LINE];
	int x = -1;

	open_shape(&line, line_buffer, &(struct shape){ CO_MPMC, claim }, sizeof(int), 1);
	for (unsigned i = 0; i < LINE; i++)
		co[i] = test_sleeper((LINE - i) % co_harts(), receive_one, &line);
	for (int i = 0; i < LINE; i++) {
		CHECK_EQ(co_chan_send(&line, &i), 0);
		CHECK_EQ(test_join(co[i]), i);
	}
	CHECK_EQ(co_chan_send(&line, &(int){ 100 }), 0);
	for (unsigned i = 0; i < LINE; i++)
		co[i] = test_sleeper((LINE - i) % co_harts(), send_in_line, (void *)(intptr_t)i);
	CHECK_EQ(co_chan_recv(&line, &x), 0);
	CHECK_EQ(x, 100);
	for (int i = 0; i < LINE; i++) {
		CHECK_EQ(test_join(co[i]), 0);
		CHECK_EQ(co_chan_recv_until(&line, &x, LONG_ENOUGH), 0);
		CHECK_EQ(x, i);
	}
}

TEST(those_who_wait_are_served_in_the_order_they_came)
{
	in_line(CO_CLAIM_DEFAULT);
	in_line(CO_CLAIM_TICKET);
}

TEST(slots_are_waited_for_until_the_deadline)
{
	struct co_chan_slot s = { 0 };

	open_shape(&line, line_buffer, &alone, sizeof(int), 1);
	CHECK_EQ(co_chan_peek_until(&line, &s, co_after_us(100)), -ETIMEDOUT);
	CHECK(!s.data);
	REQUIRE_EQ(co_chan_reserve_until(&line, &s, 0), 0);
	*(int *)s.data = 9;
	co_chan_commit(&line, &s);
	CHECK_EQ(co_chan_reserve_until(&line, &s, co_after_us(100)), -ETIMEDOUT);
	REQUIRE_EQ(co_chan_peek_until(&line, &s, 0), 0);
	CHECK_EQ(*(int *)s.data, 9);
	co_chan_release(&line, &s);
}

TEST(a_channel_says_how_much_it_holds_and_that_it_is_closed)
{
	CO_CHANNEL(five, int, 5);
	CO_CHANNEL(none, int, 0);

	CHECK_EQ(co_chan_capacity(&five), 5);
	CHECK_EQ(co_chan_capacity(&none), 0);
	CHECK_EQ(co_chan_send(&five, &(int){ 1 }), 0);
	CHECK_EQ(co_chan_capacity(&five), 5);
	CHECK(!co_chan_closed(&five) && !co_chan_closed(&none));
	co_chan_close(&five);
	co_chan_close(&none);
	CHECK(co_chan_closed(&five) && co_chan_closed(&none));
	CHECK_EQ(co_chan_count(&five), 1); /* is left to receive */
	CHECK_EQ(co_chan_recv(&five, &(int){ 0 }), 0);
	CHECK(co_chan_closed(&five));
}

static intptr_t make_in_spm(void *arg)
{
	const size_t bytes = CO_CHAN_BYTES(sizeof(int), 5);
	struct co_chan *c = co_spm_alloc(sizeof(*c), CO_LINE);
	void *buffer = co_spm_alloc(bytes, CO_LINE);

	REQUIRE(c && buffer);
	CHECK_EQ(co_chan_init(c, buffer, bytes, sizeof(int)), 0);
	return (intptr_t)c;
}

static intptr_t drop_from_spm(void *arg)
{
	struct co_chan *c = arg;

	co_spm_free(c->ring.slots);
	co_spm_free(c);
	return 0;
}

static intptr_t sum_all(void *arg)
{
	intptr_t sum = 0;
	int x;

	while (co_chan_recv(arg, &x) == 0)
		sum += x;
	return sum;
}

TEST(a_channel_can_lie_in_scratchpad)
{
	for (unsigned h = 0; h < co_harts(); h += co_harts() / 2 + 1) {
		struct co_chan *c =
			(struct co_chan *)test_join(test_spawn_on(h, make_in_spm, NULL));

		REQUIRE_EQ(co_spm_hart(c), h);
		struct co *co = test_spawn_on(h, sum_all, c);

		for (int i = 1; i <= 100; i++)
			CHECK_EQ(co_chan_send(c, &i), 0);
		co_chan_close(c);
		CHECK_EQ(test_join(co), 5050);
		test_join(test_spawn_on(h, drop_from_spm, c));
	}
}
