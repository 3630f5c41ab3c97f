/*
 * test_dma_engine.c - transfers by an engine that a test can make slow, full or broken: the
 * functions of hal/dma.h as a driver would define them. The engine's own hand is a coroutine on
 * another hart, or hal_dma_check() when a time has come.
 *
 * Topologies: 1x(1+3) 1x(1+2+1)
 */
#include <cohart/cache.h>
#include <cohart/message.h>
#include <cohart/spm_array.h>
#include <cohart/team.h>
#include <cohart/tile.h>
#include <hal/dma.h>
#include <hal/ipi.h>
#include <hal/time.h>

#include "harness/test.h"

#define CHANNELS 3
#define BYTES 512u
#define MANY 20

/* Of a channel: who has the word may look at the rest. */
enum { IDLE, GIVEN, DONE };
static struct {
	struct hal_dma_copy copy;
	struct co_a32 state;
} channel[CHANNELS];

static struct co_a32 by_hand;    /* the coroutine moves, and rings */
static struct co_a32 delay_us;   /* else hal_dma_check() does, after that */
static struct co_a32 refusal;    /* -hal_dma_start(), */
static struct co_a32 breakdown;  /* -hal_dma_check(), each for one transfer */
static struct co_a32 healthy;    /* so many transfers go well before that */
static struct co_a32 under_way;  /* channels, */
static struct co_a32 most;       /* and how many they were at most */
static struct co_a32 begun;      /* transfers */
static struct co_a32 hand_stops; /* set by the case, */
static uint64_t due[CHANNELS];   /* the engine's hart alone */

static alignas(CO_LINE) unsigned char source[MANY * BYTES], target[MANY * BYTES];
static struct co_dma d[MANY];

int hal_dma_init(void)
{
	return CHANNELS;
}

static void move(const struct hal_dma_copy *c)
{
	for (size_t row = 0; row < c->rows; row++)
		memcpy((void *)(c->to + row * c->to_stride),
		       (const void *)(c->from + row * c->from_stride), c->bytes);
}

int hal_dma_start(unsigned n, const struct hal_dma_copy *copy)
{
	/* relaxed: the engine's hart writes the figures, cases look at them afterwards. */
	uint32_t r = co_atomic_swap(&refusal, 0, CO_RELAXED);
	uint32_t now;

	if (r)
		return -(int)r;
	if (n >= CHANNELS || co_atomic_load(&channel[n].state, CO_RELAXED) != IDLE)
		return -EBUSY;
	now = co_atomic_add(&under_way, 1, CO_RELAXED) + 1;
	if (now > co_atomic_load(&most, CO_RELAXED))
		co_atomic_store(&most, now, CO_RELAXED);
	co_atomic_add(&begun, 1, CO_RELAXED);
	channel[n].copy = *copy;
	due[n] = co_after_us(co_atomic_load(&delay_us, CO_RELAXED));
	co_atomic_store(&channel[n].state, GIVEN, CO_RELEASE); /* paired with the hand's look */
	return 0;
}

int hal_dma_check(unsigned n)
{
	uint32_t r;

	/* acquire: what a case has written before it lets transfers go on. */
	if (!co_atomic_load(&by_hand, CO_ACQUIRE) && hal_time_now() >= due[n]) {
		move(&channel[n].copy);
	} else if (co_atomic_load(&channel[n].state, CO_ACQUIRE) != DONE) { /* paired with hand() */
		return -EINPROGRESS;
	}
	co_atomic_add(&under_way, (uint32_t)-1, CO_RELAXED);
	co_atomic_store(&channel[n].state, IDLE, CO_RELAXED);
	/* relaxed: the engine's hart counts down. */
	if (co_atomic_load(&healthy, CO_RELAXED)) {
		co_atomic_add(&healthy, (uint32_t)-1, CO_RELAXED);
		return 0;
	}
	r = co_atomic_swap(&breakdown, 0, CO_RELAXED);
	return -(int)r;
}

/* Moves what is given, a little later, and rings: the engine's interrupt. */
static intptr_t hand(void *arg)
{
	unsigned mover = (unsigned)(uintptr_t)arg;

	while (!co_atomic_load(&hand_stops, CO_RELAXED)) {
		for (unsigned n = 0; n < CHANNELS; n++) {
			uint64_t later = co_after_us(50);

			if (co_atomic_load(&channel[n].state, CO_ACQUIRE) != GIVEN)
				continue;
			while (hal_time_now() < later)
				;
			move(&channel[n].copy);
			/* seq_cst: before the ring; paired with hal_dma_check(). */
			co_atomic_store(&channel[n].state, DONE, CO_SEQ_CST);
			hal_ipi_ring(hal_ipi_doorbell(mover));
		}
		co_pause();
	}
	return 0;
}

static unsigned set_up(unsigned us, bool hands)
{
	bool engine = false;
	int hart = co_dma_mover(&engine);

	REQUIRE(engine);
	/* relaxed, all: the transfers' messages publish them. */
	co_atomic_store(&delay_us, us, CO_RELAXED);
	co_atomic_store(&by_hand, hands, CO_RELAXED);
	co_atomic_store(&most, 0, CO_RELAXED);
	co_atomic_store(&hand_stops, 0, CO_RELAXED);
	for (unsigned i = 0; i < sizeof(source); i++)
		source[i] = (unsigned char)(us + i * 11 + i / 253);
	memset(target, 0, sizeof(target));
	for (unsigned i = 0; i < MANY; i++)
		d[i] = (struct co_dma){ .to = target + i * BYTES,
					.from = source + i * BYTES,
					.bytes = BYTES };
	return (unsigned)hart;
}

static bool arrived(unsigned i)
{
	return memcmp(target + i * BYTES, source + i * BYTES, BYTES) == 0;
}

TEST(its_interrupt_completes_a_transfer)
{
	unsigned mover = set_up(0, true);
	unsigned quick = 0;
	struct co *c = test_spawn_on(test_compute(0), hand, (void *)(uintptr_t)mover);

	/* On a PC that is busy few are. Now and then hart 0 looks for another reason. */
	for (unsigned i = 0; i < MANY || (i < 10 * MANY && quick < MANY / 2); i++) {
		uint64_t start = hal_time_now();

		CHECK_EQ(co_dma_start(&d[i % MANY]), 0);
		CHECK_EQ(co_dma_wait(&d[i % MANY]), 0);
		quick += co_us(hal_time_now() - start) < 900;
		CHECK(arrived(i % MANY));
	}
	co_atomic_store(&hand_stops, 1, CO_RELAXED);
	test_join(c);
	CHECK(quick >= MANY / 2); /* not by looking each millisecond */
}

TEST(a_missed_interrupt_is_made_up_for_and_nobody_is_called_stuck)
{
	set_up(300000, false);
	CHECK_EQ(co_dma_start(&d[0]), 0);
	CHECK_EQ(co_dma_wait(&d[0]), 0);
	CHECK(arrived(0));
}

TEST(what_finds_no_channel_waits_for_one)
{
	static struct co_counter all;

	set_up(0, true); /* by a hand that nobody lends */
	co_atomic_store(&begun, 0, CO_RELAXED);
	for (unsigned i = 0; i < MANY; i++) {
		d[i].running = &all;
		CHECK_EQ(co_dma_start(&d[i]), 0);
	}
	test_await(&begun, CHANNELS);
	CHECK_EQ(co_dma_wait_until(&d[MANY - 1], co_after_us(100)), -ETIMEDOUT);
	CHECK_EQ(co_dma_check(&d[MANY - 1]), -EINPROGRESS);
	co_atomic_store(&by_hand, 0, CO_RELAXED);
	CHECK_EQ(co_dma_wait(&d[0]), 0);
	CHECK_EQ(co_atomic_load(&most, CO_RELAXED), CHANNELS);
	for (unsigned i = 0; i < MANY; i++) {
		CHECK_EQ(co_dma_check(&d[i]), 0);
		CHECK(arrived(i));
	}
}

TEST(what_it_refuses_is_reported_and_the_rest_goes_on)
{
	static const int errors[] = { -EFAULT, -EINVAL };
	static struct co_counter all;

	for (unsigned e = 0; e < sizeof(errors) / sizeof(*errors); e++) {
		set_up(500, false);
		co_atomic_store(&refusal, (uint32_t)-errors[e], CO_RELAXED);
		for (unsigned i = 0; i < 6; i++) {
			d[i].running = &all;
			CHECK_EQ(co_dma_start(&d[i]), 0);
		}
		CHECK_EQ(co_counter_wait(&all), 0);
		CHECK_EQ(co_dma_check(&d[0]), errors[e]);
		for (unsigned i = 1; i < 6; i++) {
			CHECK_EQ(co_dma_wait(&d[i]), 0);
			CHECK(arrived(i));
		}
	}
}

TEST(an_engine_that_fails_is_reported_and_goes_on)
{
	char text[200];

	set_up(0, true); /* by a hand that nobody lends */
	co_atomic_store(&breakdown, EIO, CO_RELAXED);
	CHECK_EQ(co_dma_start(&d[0]), 0);
	CHECK(strstr(co_dma_explain(&d[0], text, sizeof(text)), "under way"));
	co_atomic_store(&by_hand, 0, CO_RELAXED);
	CHECK_EQ(co_dma_wait(&d[0]), -EIO);
	CHECK(strstr(co_dma_explain(&d[0], text, sizeof(text)), "the engine has failed"));
	set_up(200, false);
	for (unsigned i = 0; i < 4; i++) {
		co_atomic_store(&breakdown, i % 2 ? 0 : EIO, CO_RELAXED);
		CHECK_EQ(co_dma_start(&d[i]), 0);
		CHECK_EQ(co_dma_wait(&d[i]), i % 2 ? 0 : -EIO);
		CHECK_EQ(co_dma_check(&d[i]), i % 2 ? 0 : -EIO);
	}
	co_atomic_store(&breakdown, EIO, CO_RELAXED);
	CHECK_EQ(co_dma_copy(target, source, BYTES), -EIO);
	co_atomic_store(&refusal, EFAULT, CO_RELAXED);
	CHECK_EQ(co_dma_copy(target, source, BYTES), -EFAULT);
	CHECK_EQ(co_dma_copy(target, source, BYTES), 0);
	CHECK(arrived(0));
}

static struct co_a32 copying;

static intptr_t copies(void *arg)
{
	co_atomic_store(&copying, 1, CO_RELEASE); /* paired with test_await() */
	return co_dma_copy(target, source, BYTES) * 2 + (arrived(0) ? 1 : 0);
}

TEST(a_cancel_does_not_end_a_copy)
{
	struct co *c;

	set_up(20000, false);
	co_atomic_store(&copying, 0, CO_RELAXED);
	c = test_spawn_on(test_compute(0), copies, NULL);
	test_await(&copying, 1);
	CHECK_EQ(co_sleep_us(5000), 0);
	co_cancel(c);
	CHECK_EQ(test_join(c), 1);
}

/* A hart that has nothing else to do sleeps where it waits: not with a transfer to look after. */
static struct co_event ended;

static intptr_t begins_and_waits(void *arg)
{
	REQUIRE_EQ(co_dma_start(&d[0]), 0);
	return co_event_wait(&ended);
}

static intptr_t tells_of_its_end(void *arg)
{
	int r = test_await(&begun, 1) ? co_dma_wait(&d[0]) : -ETIMEDOUT;

	co_event_set(&ended);
	return r;
}

TEST(its_hart_looks_after_it_while_it_waits_for_something_else)
{
	unsigned mover = set_up(5000, false);
	struct co *waits, *tells;

	co_atomic_store(&begun, 0, CO_RELAXED);
	waits = test_spawn_on(mover, begins_and_waits, NULL);
	tells = test_spawn_on(test_compute(0), tells_of_its_end, NULL);
	CHECK_EQ(test_join(tells), 0);
	CHECK_EQ(test_join(waits), 0);
	CHECK(arrived(0));
}

/* ---- Arrays whose copies it brings ---- */

static struct co_spm_array array;

/* What this hart's copy begins with, when it is asked for. */
static intptr_t first_byte(void *arg)
{
	const unsigned char *copy = co_spm_array_get(&array);

	return copy ? copy[0] : -1;
}

static intptr_t renews(void *arg)
{
	memset(source, (int)(intptr_t)arg, sizeof(source));
	co_spm_array_renew(&array);
	return 0;
}

TEST(a_copy_that_several_want_anew_is_brought_once)
{
	unsigned hart = test_compute(0);
	struct co *c[5];

	set_up(0, true); /* nothing is read before the case says so */
	memset(source, 1, sizeof(source));
	REQUIRE_EQ(co_spm_array_make(&array, source, sizeof(source)), 0);
	co_atomic_store(&begun, 0, CO_RELAXED);
	c[0] = test_spawn_on(hart, first_byte, NULL);
	CHECK(test_await(&begun, 1));
	c[1] = test_spawn_on(hart, renews, (void *)2);
	CHECK_EQ(test_join(c[1]), 0);
	for (unsigned i = 2; i < 5; i++)
		c[i] = test_spawn_on(hart, first_byte, NULL);
	CHECK_EQ(co_sleep_us(1000), 0);           /* they wait for the first transfer */
	co_atomic_store(&by_hand, 0, CO_RELEASE); /* paired with hal_dma_check() */
	CHECK(test_join(c[0]) > 0);
	for (unsigned i = 2; i < 5; i++)
		CHECK_EQ(test_join(c[i]), 2);
	CHECK_EQ(co_atomic_load(&begun, CO_RELAXED), 2);
	CHECK_EQ(co_spm_array_drop(&array), 0);
}

TEST(a_copy_that_could_not_be_brought_is_when_it_is_asked_for_again)
{
	unsigned hart = test_compute(0);

	set_up(200, false);
	memset(source, 3, sizeof(source));
	REQUIRE_EQ(co_spm_array_make(&array, source, sizeof(source)), 0);
	co_atomic_store(&breakdown, EIO, CO_RELAXED);
	CHECK_EQ(test_join(test_spawn_on(hart, first_byte, NULL)), -1);
	CHECK_EQ(test_join(test_spawn_on(hart, first_byte, NULL)), 3);
	CHECK_EQ(co_spm_array_drop(&array), 0);
}

#define ROWS 12
#define TILE 4

static int copy_tile(void *arg, struct co_block *b)
{
	for (long y = 0; y < b->n[0]; y++)
		memcpy(co_tile_layer(b, 1, y), co_tile_layer(b, 0, y), (size_t)b->n[1]);
	return 0;
}

static struct co_tiles loop;

static void set_up_loop(bool single)
{
	loop = (struct co_tiles){
		.body = copy_tile,
		.dims = 2,
		.range = { { 0, ROWS, 1 }, { 0, BYTES, 1 } },
		.tile = { TILE, BYTES },
		.single = single,
		.arrays = 2,
		.array = { { .at = source, .size = 1, .extent = { ROWS, BYTES } },
			   { .at = target,
			     .size = 1,
			     .extent = { ROWS, BYTES },
			     .access = CO_TILE_OUT } },
	};
}

TEST_TIDY(a_loop_over_tiles_ends_with_the_error_of_any_of_its_transfers)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned n = 0;

		for (; n < 100; n++) {
			set_up(0, false);
			co_atomic_store(&healthy, n, CO_RELAXED);
			co_atomic_store(&breakdown, EIO, CO_RELAXED);
			set_up_loop(i);
			if (co_tiles_run(&loop) == 0)
				break;
			CHECK_EQ(loop.error, -EIO);
			CHECK(loop.error_at[0] >= 0 && loop.error_at[0] < ROWS);
			CHECK_EQ(loop.error_at[1], 0);
		}
		/* The plan of each member, at least two transfers of a tile; then nothing fails. */
		CHECK(n > 2 * ROWS / TILE && n < 100);
		CHECK_EQ(memcmp(target, source, (size_t)ROWS * BYTES), 0);
		co_atomic_store(&healthy, 0, CO_RELAXED);
		co_atomic_store(&breakdown, 0, CO_RELAXED);
	}
}

TEST(a_cache_keeps_the_first_error_of_its_transfers_until_it_is_closed)
{
	struct co_cache_shape shape = { 64, 1, 1 };
	struct co_cache *c = NULL;
	unsigned char byte = 0;

	set_up(0, false);
	REQUIRE_EQ(co_cache_open(&c, &shape), 0);
	co_cache_write(c, target, &(unsigned char){ 77 }, 1);
	co_atomic_store(&breakdown, EIO, CO_RELAXED);
	CHECK_EQ(co_cache_flush(c), -EIO);
	CHECK_EQ(co_cache_forget(c), -EIO); /* it is not forgotten */
	co_cache_read(c, &byte, source + 100, 1);
	CHECK_EQ(byte, source[100]);
	co_atomic_store(&breakdown, EFAULT, CO_RELAXED);
	co_cache_read(c, &byte, source + 200, 1);
	CHECK_EQ(co_cache_close(c), -EIO);
	REQUIRE_EQ(co_cache_open(&c, &shape), 0);
	co_cache_read(c, &byte, source + 200, 1);
	CHECK_EQ(byte, source[200]);
	CHECK_EQ(co_cache_close(c), 0);
}

/* ---- Messages: what is long is moved for its receiver ---- */

static struct co_team pair;
static unsigned members[2];

static void run_pair(co_member_fn *fn, int outcome)
{
	members[0] = test_compute(0);
	members[1] = test_compute(test_computes() - 1);
	pair = (struct co_team){ .scope = { members, 2 } };
	CHECK_EQ(co_team_run(&pair, fn, NULL), outcome);
}

static int swap_lengths(struct co_member *me, void *arg)
{
	static const size_t lengths[] = { CO_MESSAGE_MOVED - 1, CO_MESSAGE_MOVED, 500, 2048, 2051,
					  MANY * BYTES - 3 };
	struct co_message_info got;

	for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t n = lengths[i];

		if (co_member_rank(me) == 0) {
			REQUIRE_EQ(co_message_send_sync(me, 1, i, 0, source + 3, n), 0);
			continue;
		}
		memset(target, 0, sizeof(target));
		/* relaxed: the sender waits for this member. */
		co_atomic_store(&begun, 0, CO_RELAXED);
		REQUIRE_EQ(co_message_recv(me, 0, i, 0, target + 1, MANY * BYTES - 1, &got), 0);
		CHECK_EQ(got.bytes, n);
		CHECK_EQ(memcmp(target + 1, source + 3, n), 0);
		CHECK_EQ(target[0] | target[n + 1], 0);
		CHECK_EQ(co_atomic_load(&begun, CO_RELAXED), n >= CO_MESSAGE_MOVED);
	}
	return 0;
}

TEST_TIDY(a_long_message_is_moved_from_any_address_to_any_and_a_short_one_copied)
{
	set_up(100, false);
	run_pair(swap_lengths, 0);
}

static int cut_short(struct co_member *me, void *arg)
{
	struct co_message_info got;

	if (co_member_rank(me) == 0)
		return co_message_send(me, 1, 1, 0, source, 4 * BYTES);
	memset(target, 0xee, sizeof(target));
	CHECK_EQ(co_message_recv(me, 0, 1, 0, target, BYTES, &got), -EMSGSIZE);
	CHECK_EQ(got.bytes, 4 * BYTES);
	CHECK(arrived(0));
	CHECK_EQ(target[BYTES], 0xee);
	return 0;
}

TEST_TIDY(of_a_message_that_is_too_long_only_what_there_is_room_for_is_moved)
{
	set_up(100, false);
	run_pair(cut_short, 0);
}

enum { TIMES = 6 };

/* Kept by the sender, which has its copy moved, too; and from where it is. */
static int send_both_ways(struct co_member *me, void *arg)
{
	for (unsigned i = 0; i < TIMES; i++) {
		size_t n = i % 2 ? BYTES : 5 * BYTES;

		if (co_member_rank(me) == 0) {
			REQUIRE_EQ(co_message_send(me, 1, i, 0, source, n), 0);
			REQUIRE_EQ(co_message_recv(me, 1, i, 0, NULL, 0, NULL), 0);
			continue;
		}
		memset(target, 0, sizeof(target));
		co_atomic_store(i < TIMES / 2 ? &breakdown : &refusal, EIO, CO_RELAXED);
		REQUIRE_EQ(co_message_recv(me, 0, i, 0, target, sizeof(target), NULL), 0);
		CHECK_EQ(memcmp(target, source, n), 0);
		co_atomic_store(&breakdown, 0, CO_RELAXED);
		co_atomic_store(&refusal, 0, CO_RELAXED);
		REQUIRE_EQ(co_message_send(me, 0, i, 0, NULL, 0), 0);
	}
	return 0;
}

TEST_TIDY(a_message_that_an_engine_does_not_move_is_copied)
{
	set_up(0, false);
	run_pair(send_both_ways, 0);
}

/* ---- and the sender's memory stays as long as that is read ---- */

static struct co_a32 let_end;

static intptr_t receive_meanwhile(void *arg)
{
	struct co_member *me;

	REQUIRE_EQ(co_team_open(&pair, 1, &me), 0);
	CHECK_EQ(co_message_recv(me, 0, 1, 0, target, sizeof(target), NULL), -EOWNERDEAD);
	CHECK_EQ(co_atomic_load(&let_end, CO_ACQUIRE), 1);
	CHECK_EQ(co_message_send(me, 0, 1, 0, NULL, 0), -EOWNERDEAD);
	co_team_close(me);
	return 0;
}

static intptr_t fault_meanwhile(void *arg)
{
	static struct co_message m;
	struct co_member *me;

	REQUIRE_EQ(co_team_open(&pair, 0, &me), 0);
	REQUIRE_EQ(co_message_send_start(me, 1, 1, 0, source, sizeof(source), &m), 0);
	test_await(&begun, 1);
	co_panic("a fault while an engine reads this member's memory (on purpose)");
	return 0;
}

static intptr_t let_it_end(void *arg)
{
	CHECK(test_await(&pair.broken, 1));
	test_sleep_us(20000);
	co_atomic_store(&let_end, 1, CO_RELEASE); /* paired with the looks */
	co_atomic_store(&by_hand, 0, CO_RELEASE); /* paired with hal_dma_check() */
	return 0;
}

TEST_FAULTY(a_sender_that_faults_stays_until_the_engine_has_read_its_message)
{
	struct co *receiver, *sender, *then;

	set_up(0, true); /* nothing is moved before the case says so */
	co_atomic_store(&begun, 0, CO_RELAXED);
	co_atomic_store(&let_end, 0, CO_RELAXED);
	members[0] = test_compute(0);
	members[1] = test_compute(test_computes() - 1);
	pair = (struct co_team){ .scope = { members, 2 } };
	receiver = test_spawn_on(members[1], receive_meanwhile, NULL);
	sender = test_spawn_on(members[0], fault_meanwhile, NULL);
	then = test_spawn_on(0, let_it_end, NULL);
	CHECK_EQ(co_join(sender, NULL), -EFAULT);
	CHECK_EQ(co_atomic_load(&let_end, CO_ACQUIRE), 1);
	CHECK_EQ(test_join(receiver), 0);
	CHECK_EQ(test_join(then), 0);
}
