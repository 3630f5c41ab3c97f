/*
 * bench_pingpong.c - a round trip between two coroutines over each mechanism: on one hart, and
 * between two that sleep meanwhile, where the instructions of both are counted.
 */
#include "bench/bench.h"
#include "bench/unhomed.h"

/* A mechanism; side 0 serves, side 1 returns. The calls are inlined into each game's own loops. */
struct game {
	const char *name;
	void (*serve)(void);
	void (*give_back)(void);
	void (*reset)(void);
	void (*enter)(unsigned side);
	void (*leave)(unsigned side);
};

static struct bench_span span;
static const struct game *game;
static unsigned home[2]; /* harts of the two sides */
static struct co_counter entering;

#define SERVE(id)                                               \
	static void serve_##id(void)                            \
	{                                                       \
		BENCH_TIMES(&span, send_##id(0); recv_##id(0)); \
	}

#define GIVE_BACK(id)                                             \
	static void give_back_##id(void)                          \
	{                                                         \
		BENCH_PARTNER(&span, recv_##id(1); send_##id(1)); \
	}

#define GAME(id, reset, enter, leave)                                \
	SERVE(id)                                                    \
	GIVE_BACK(id)                                                \
	static const struct game game_##id = {                       \
		#id, serve_##id, give_back_##id, reset, enter, leave \
	}

static struct co_chan chan[2]; /* chan[side]: what that side sends into */
static alignas(CO_LINE) unsigned char buffer[2][CO_CHAN_BYTES(sizeof(uint64_t), 1)];

static void make(enum co_chan_mode mode, enum co_claim claim)
{
	for (unsigned side = 0; side < 2; side++)
		BENCH_REQUIRE(co_chan_init_as(&chan[side], buffer[side], sizeof(buffer[side]),
					      sizeof(uint64_t), mode, claim) == 0);
}

static void make_spsc(void)
{
	make(CO_SPSC, CO_CLAIM_DEFAULT);
}

static void make_mpmc(void)
{
	make(CO_MPMC, CO_CLAIM_DEFAULT);
}

static void make_ticket(void)
{
	make(CO_MPMC, CO_CLAIM_TICKET);
}

static inline void send_chan(unsigned side)
{
	const uint64_t ball = 7;

	BENCH_CALL(co_chan_send(&chan[side], &ball));
}

static inline void recv_chan(unsigned side)
{
	uint64_t ball;

	BENCH_CALL(co_chan_recv(&chan[!side], &ball));
}

#define send_chan_mpmc send_chan
#define recv_chan_mpmc recv_chan
#define send_chan_ticket send_chan
#define recv_chan_ticket recv_chan

GAME(chan, make_spsc, NULL, NULL);
GAME(chan_mpmc, make_mpmc, NULL, NULL);
GAME(chan_ticket, make_ticket, NULL, NULL);

/* The same as chan_mpmc, of elements that no control block has room for. */
struct large {
	uint64_t word[8];
};

static alignas(CO_LINE) unsigned char large_buffer[2][CO_CHAN_BYTES(sizeof(struct large), 1)];

static void make_large(void)
{
	for (unsigned side = 0; side < 2; side++)
		BENCH_REQUIRE(co_chan_init(&chan[side], large_buffer[side],
					   sizeof(large_buffer[side]), sizeof(struct large)) == 0);
}

static inline void send_chan_64(unsigned side)
{
	static const struct large ball;

	BENCH_CALL(co_chan_send(&chan[side], &ball));
}

static inline void recv_chan_64(unsigned side)
{
	struct large ball;

	BENCH_CALL(co_chan_recv(&chan[!side], &ball));
}

GAME(chan_64, make_large, NULL, NULL);

/* The same as chan_mpmc, with deadlines far away. */
enum { SECOND_US = 1000000 };

static inline void send_chan_until(unsigned side)
{
	const uint64_t ball = 7;

	BENCH_CALL(co_chan_send_until(&chan[side], &ball, co_after_us(SECOND_US)));
}

static inline void recv_chan_until(unsigned side)
{
	uint64_t ball;

	BENCH_CALL(co_chan_recv_until(&chan[!side], &ball, co_after_us(SECOND_US)));
}

GAME(chan_until, make_mpmc, NULL, NULL);

/* The receiver selects from eight channels, seven of which never have anything. */
enum { CASES = 8 };

static struct co_chan silent[CASES];
static alignas(CO_LINE) unsigned char silent_buffer[CASES][CO_CHAN_BYTES(sizeof(uint64_t), 1)];
static struct co_case cases[2][CASES];
static uint64_t selected[2];

static void make_select(void)
{
	make_mpmc();
	for (unsigned i = 0; i < CASES; i++) {
		BENCH_REQUIRE(co_chan_init(&silent[i], silent_buffer[i], sizeof(silent_buffer[i]),
					   sizeof(uint64_t)) == 0);
		for (unsigned side = 0; side < 2; side++)
			cases[side][i] = (struct co_case)CO_CASE_RECV(i ? &silent[i] : &chan[!side],
								      &selected[side]);
	}
}

#define send_select_8 send_chan

static inline void recv_select_8(unsigned side)
{
	BENCH_REQUIRE(co_select(cases[side], CASES) == 0);
}

GAME(select_8, make_select, NULL, NULL);

/* Messages of one word between harts, in a queue that is bound to the tag. */
enum { TAG = 40, WORDS = 8 };

static void enter_mail(unsigned side)
{
	BENCH_REQUIRE(co_mail_bind(TAG + (int)side) == 0);
}

static void leave_mail(unsigned side)
{
	BENCH_REQUIRE(co_mail_unbind(TAG + (int)side) == 0);
}

static inline void send_mail(unsigned side)
{
	uintptr_t ball = 7;

	BENCH_CALL(co_mail_send(home[!side], TAG + !side, &ball, 1));
}

static inline void recv_mail(unsigned side)
{
	uintptr_t ball;

	BENCH_CALL(co_mail_recv(TAG + (int)side, &ball, 1, NULL));
}

GAME(mail, NULL, enter_mail, leave_mail);

/* The same in mailboxes, of which a hart may have any number. */
static struct co_mailbox box[2];
static uintptr_t storage[2][CO_MAILBOX_WORDS(1, WORDS)];

static void enter_mailbox(unsigned side)
{
	BENCH_REQUIRE(co_mailbox_open(&box[side], TAG + (int)side, storage[side],
				      CO_MAILBOX_WORDS(1, WORDS)) == 0);
}

static void leave_mailbox(unsigned side)
{
	BENCH_REQUIRE(co_mailbox_close(&box[side]) == 0);
}

#define send_mailbox send_mail

static inline void recv_mailbox(unsigned side)
{
	uintptr_t ball;

	BENCH_CALL(co_mailbox_recv(&box[side], &ball, 1, NULL));
}

GAME(mailbox, NULL, enter_mailbox, leave_mailbox);

/* A link each way. */
static struct co_link line[2];
static struct co_link_tx *tx[2];
static struct co_link_rx *rx[2];

static void make_links(void)
{
	memset(line, 0, sizeof(line));
}

static void enter_link(unsigned side)
{
	BENCH_REQUIRE(co_link_open_rx(&line[!side], &rx[side]) == 0);
	BENCH_REQUIRE(co_link_open_tx(&line[side], &tx[side]) == 0);
}

static void leave_link(unsigned side)
{
	co_link_close_tx(tx[side]);
	co_link_close_rx(rx[side]);
}

static inline void send_link(unsigned side)
{
	uintptr_t ball = 7;

	BENCH_CALL(co_link_send(tx[side], &ball));
}

static inline void recv_link(unsigned side)
{
	uintptr_t ball;

	BENCH_CALL(co_link_recv(rx[side], &ball));
}

GAME(link, make_links, enter_link, leave_link);

/* The same, but in main memory. */
static struct unhomed unhomed[2];

static void make_unhomed(void)
{
	for (unsigned side = 0; side < 2; side++)
		unhomed_init(&unhomed[side]);
}

static inline void send_link_unhomed(unsigned side)
{
	BENCH_CALL(unhomed_send(&unhomed[side], 7));
}

static inline void recv_link_unhomed(unsigned side)
{
	uintptr_t ball;

	BENCH_CALL(unhomed_recv(&unhomed[!side], &ball));
}

GAME(link_unhomed, make_unhomed, NULL, NULL);

/* Messages of a team of two, by lines. */
static struct co_team pair;
static struct co_member *member[2];

static void make_message(void)
{
	pair = (struct co_team){ .scope = { .harts = home, .n = 2 } };
}

static inline void send_message(unsigned side)
{
	const uint64_t ball = 7;

	BENCH_CALL(co_message_send(member[side], !side, 1, 0, &ball, sizeof(ball)));
}

static inline void recv_message(unsigned side)
{
	uint64_t ball;

	BENCH_CALL(co_message_recv(member[side], !side, 1, 0, &ball, sizeof(ball), NULL));
}

/* The first of a pair opens its window. */
static void enter_message(unsigned side)
{
	BENCH_REQUIRE(co_team_open(&pair, side, &member[side]) == 0);
	send_message(side);
	recv_message(side);
}

static void leave_message(unsigned side)
{
	co_team_close(member[side]);
}

GAME(message, make_message, enter_message, leave_message);

static struct co_event event_of[2];

static inline void send_event(unsigned side)
{
	co_event_set(&event_of[side]);
}

static inline void recv_event(unsigned side)
{
	BENCH_CALL(co_event_wait(&event_of[!side]));
	co_event_clear(&event_of[!side]);
}

GAME(event, NULL, NULL, NULL);

static struct co_signal signal_of[2];

static inline void send_signal(unsigned side)
{
	co_signal_send(&signal_of[side]);
}

static inline void recv_signal(unsigned side)
{
	BENCH_CALL(co_signal_wait(&signal_of[!side]));
}

GAME(signal, NULL, NULL, NULL);

/* Each hands the mutex over, and waits for it: two hands-over a turn. */
static struct co_mutex mutex;

static void enter_mutex(unsigned side)
{
	if (side == 0)
		BENCH_REQUIRE(co_mutex_lock(&mutex) == 0);
}

static void leave_mutex(unsigned side)
{
	if (side == 0)
		co_mutex_unlock(&mutex);
}

static inline void send_mutex(unsigned side)
{
	(void)side;
	co_mutex_unlock(&mutex);
}

static inline void recv_mutex(unsigned side)
{
	(void)side;
	BENCH_CALL(co_mutex_lock(&mutex));
}

GAME(mutex, NULL, enter_mutex, leave_mutex);

static intptr_t player(void *arg)
{
	unsigned side = (unsigned)(uintptr_t)arg;

	if (game->enter)
		game->enter(side);
	co_counter_done(&entering);
	BENCH_REQUIRE(co_counter_wait(&entering) == 0);
	if (side == 0)
		BENCH_CALL(co_sleep_us(100)); /* until side 1 waits */
	if (side)
		game->give_back();
	else
		game->serve();
	if (game->leave)
		game->leave(side);
	return 0;
}

static uint64_t play(const struct game *g, unsigned from, unsigned to)
{
	struct co *c[2];

	game = g;
	home[0] = from;
	home[1] = to;
	span = (struct bench_span){ .turns = bench_turns(from == to ? 1000 : 200) };
	if (g->reset)
		g->reset();
	co_counter_add(&entering, 2);
	for (unsigned side = 0; side < 2; side++)
		c[side] = bench_spawn(home[side], player, (void *)(uintptr_t)side);
	for (unsigned side = 0; side < 2; side++)
		bench_join(c[side]);
	return bench_per_turn(&span, 2);
}

/*
 * The players have harts of their own: the coroutine that joins them sleeps on the first worker,
 * its deadline far away.
 */
BENCH(pingpong, "5 host")
{
	static const struct game *const games[] = {
		&game_chan,  &game_chan_mpmc, &game_chan_64, &game_chan_ticket,  &game_chan_until,
		&game_mail,  &game_mailbox,   &game_link,    &game_link_unhomed, &game_message,
		&game_event, &game_signal,    &game_mutex,   &game_select_8
	};

	for (unsigned i = 0; i < sizeof(games) / sizeof(*games); i++) {
		const struct game *g = games[i];
		unsigned a = bench_worker(1), b = bench_worker(2);

		bench_row_of(0, play(g, a, a), "pingpong_%s_same", g->name);
		bench_row_of(0, play(g, a, b), "pingpong_%s_cross", g->name);
	}
}

/* Where one of the two is hart 0, which also serves the others. */
BENCH(pingpong_manager, "5 host")
{
	bench_row("pingpong_chan_until_manager", 0, play(&game_chan_until, 0, bench_worker(1)),
		  NULL);
}

/* From a call that wakes a coroutine of a hart that sleeps to its return from the wait. */
BENCH(wake, "5 host")
{
	bench_row("wake_remote", 0, play(&game_signal, bench_worker(1), bench_worker(2)) / 2, NULL);
}
