/*
 * test_misuse_ends.c - calls that are bugs of the caller's, misuse/calls.inc: each ends the
 * coroutine that makes it and says why, and what others share with that one is as it was. What
 * calls refuse by an error is in test_misuse.c.
 */
#include <limits.h>

#include "harness/test.h"

/* What they return is nothing: they do not. */
#pragma GCC diagnostic ignored "-Wunused-result"
#pragma GCC diagnostic ignored "-Wnonnull"

#define NOWHERE ((void *)(UINTPTR_MAX - 63))

static const uintptr_t constants[4] = { 1, 2, 3, 4 };

/* What the calls are about. */
static struct {
	alignas(CO_LINE) unsigned char memory[256];
	struct co_barrier_member member[2];
	struct co_tlock_node node[4];
	struct co_batch batch;
	struct co_child child, *one;
	struct co_counter counter; /* nothing under way */
	struct co_chan half;       /* of 8 bytes: one element in it, room for another */
	struct co_chan single;     /* empty, with one receiver */
	struct co_chan bytes, spare;
	struct co_mutex mutex; /* free */
	struct co_tlock tlock;
	struct co_signal full;
	struct co_barrier barrier, enrolled; /* of one member, who has enrolled */
	struct co_link pair, unopened;
	struct co_link_rx *rx, *closed_rx; /* hart 0's, with nothing in it */
	struct co_link_tx *tx, *closed_tx; /* hart 0's, with a message under way that fills it */
	const uintptr_t *message;
	uintptr_t *slot;
	struct co_mailbox box, closed_box, handled, spare_box;
	struct co_dma dma;
	struct co_parallel listed, reduced;
	struct co_stream stream, closed_stream;
	struct co_parallel fine;
	struct co_tiles tiles;
	long most[CO_TILE_DIMS];
	struct co_cache *cache, *other_cache; /* this hart's, or none */
	struct co_cache_shape shape;
	struct co_cache_counts counts;
	struct co_team team;
	struct co_member *member_of; /* of another coroutine */
	struct co_tasks tasks;       /* two, the first handed out */
	struct co_spm_array array;   /* not made */
	struct co_spm_use use;
	void *freed, *taken; /* hart 0's */
	struct co *awaited;  /* somebody joins it already */
	struct co *detached;
	struct co_cleanup cleanup;
	struct co_timer timer;   /* not started */
	struct co_irq irq;       /* not open */
	struct co_domain domain; /* not made */
} it;

static CO_NODE_LOCAL(int, a_node_has);
static CO_HART_LOCAL(int, a_hart_has);
static struct co_event enough;
static int32_t *volatile nowhere_at_all; /* NULL, unknown to the compiler */

/* Private scratchpad of another hart, with the alignment of anything. */
static void *foreign(void)
{
	unsigned other = (co_hart() + 1) % co_harts();

	return (unsigned char *)co_spm_base(other) + co_spm_bytes() - 4 * CO_LINE;
}

BODY(nothing, 0)

static bool last_time(void *arg, uint64_t missed)
{
	return false;
}

static bool no_handler(void *arg)
{
	return arg;
}

static int join_team(struct co_member *me, void *arg)
{
	return 0;
}

static int do_task(void *arg, long task)
{
	return 0;
}

enum where { ANYWHERE, HOME, AWAY, FAR, STACKS, FOLLOW };

/* Calls, and in front of them, FOLLOW, what is said of them; NULL: they trap. */
static const struct {
	const char *text;
	enum where where;
} calls[] = {
#define SAYS(what) { what, FOLLOW },
#define SHARED(object) SAYS(object " is in memory that every hart may use (co_spm_shared())")
#define FAULTS() { NULL, FOLLOW },
#define BAD(...) { #__VA_ARGS__, ANYWHERE },
#define BAD_HOME(...) { #__VA_ARGS__, HOME },
#define BAD_AWAY(...) { #__VA_ARGS__, AWAY },
#define BAD_FAR(...) { #__VA_ARGS__, FAR },
#define BAD_STACK(...) { #__VA_ARGS__, STACKS },
#include "misuse/calls.inc"
#undef SAYS
#undef SHARED
#undef FAULTS
#undef BAD
#undef BAD_HOME
#undef BAD_AWAY
#undef BAD_FAR
#undef BAD_STACK
};

#define CALLS (sizeof(calls) / sizeof(*calls))
#define BAD(...)             \
	if (i++ == n) {      \
		__VA_ARGS__; \
		return 0;    \
	}
#define SAYS(what) i++;
#define SHARED SAYS
#define FAULTS() i++;
#define BAD_HOME BAD
#define BAD_AWAY BAD
#define BAD_FAR BAD
#define BAD_STACK BAD

static intptr_t make_call(void *arg)
{
	uintptr_t n = (uintptr_t)arg, i = 0;

#include "misuse/calls.inc"
	return 1;
}

static bool is_made_on(unsigned hart, enum where where)
{
	switch (where) {
	case ANYWHERE:
		return true;
	case HOME:
		return hart == 0;
	case AWAY:
		return hart != 0;
	case STACKS:
		return co_spm_stacks() > 0;
	case FAR:
		return hart != 0 && strcmp(co_board(), "host") != 0;
	default:
		return false;
	}
}

static bool ends(const struct co_attr *attr, uintptr_t n, const char *says)
{
	struct co_fault why = { 0 };
	struct co *c = test_spawn(attr, make_call, (void *)n);

	if (!CHECK_EQ(co_join_fault_until(c, NULL, &why, co_after_us(5000000)), -EFAULT))
		return false;
	return says ? CHECK_STR(why.what, says) : CHECK(why.pc); /* of a trap */
}

/* Each from a hart. */
static void make_calls_from(unsigned hart)
{
	const char *says = NULL;

	for (uintptr_t n = 0; n < CALLS; n++) {
		const struct co_attr attr = { .name = calls[n].text, .on = CO_ON_HART(hart) };

		if (calls[n].where == FOLLOW)
			says = calls[n].text;
		else if (is_made_on(hart, calls[n].where) && !ends(&attr, n, says))
			printf("# %s, on hart %u\n", calls[n].text, hart);
	}
}

static int block_body(void *arg, struct co_block *b)
{
	return 0;
}

static int body(void *arg, struct co_part *part)
{
	return 0;
}

BODY(wait_for_it, co_event_wait(&enough))

BODY(join_it, co_join(arg, NULL))

static void take_mail(struct co_mailbox *box, const struct co_mail *m)
{
}

static void ready_channels(void)
{
	static alignas(CO_LINE) unsigned char buffer[3][64];

	REQUIRE_EQ(co_chan_init(&it.half, buffer[0], CO_CHAN_BYTES(8, 2), 8), 0);
	REQUIRE_EQ(co_chan_init_as(&it.single, buffer[1], 16, 8, CO_SPSC, CO_CLAIM_DEFAULT), 0);
	REQUIRE_EQ(co_chan_init(&it.bytes, buffer[2], 16, 1), 0);
	REQUIRE_EQ(co_chan_send(&it.half, &(uint64_t){ 7 }), 0);
}

static void ready_links(void)
{
	it.pair = (struct co_link){ .words = 1 };
	it.unopened = (struct co_link){ .words = 1 };
	REQUIRE_EQ(co_link_open_rx(&it.pair, &it.closed_rx), 0);
	REQUIRE_EQ(co_link_open_tx(&it.pair, &it.closed_tx), 0);
	co_link_close_tx(it.closed_tx);
	co_link_close_rx(it.closed_rx);
	/* So that it is not the same memory again. */
	it.taken = co_spm_alloc(2048, 16);
	REQUIRE(it.taken);
	REQUIRE_EQ(co_link_open_rx(&it.pair, &it.rx), 0);
	REQUIRE_EQ(co_link_open_tx(&it.pair, &it.tx), 0);
}

static void ready_team(void)
{
	static unsigned here;

	it.team = (struct co_team){ .scope = { .harts = &here, .n = 1 } };
	REQUIRE_EQ(co_team_open(&it.team, 0, &it.member_of), 0);
}

static void ready_mail(void)
{
	static uintptr_t storage[4];

	REQUIRE_EQ(co_mailbox_open(&it.box, 31, storage, 4), 0);
	REQUIRE_EQ(co_mailbox_handle(&it.handled, 32, take_mail, NULL), 0);
	REQUIRE_EQ(co_mailbox_open(&it.closed_box, 33, storage, 4), 0);
	REQUIRE_EQ(co_mailbox_close(&it.closed_box), 0);
}

static void ready_loops(void)
{
	it.dma = (struct co_dma){
		.to = it.memory, .from = it.memory + 64, .bytes = 8, .running = foreign()
	};
	it.listed = LOOP(body, 8, .scope = { foreign(), 1 });
	it.reduced = LOOP(body, 8,
			  .reduction = { .bytes = 8,
					 .identity = foreign(),
					 .combine = co_sum_long,
					 .result = it.memory });
	REQUIRE_EQ(co_stream_open(&it.stream, NULL), 0);
}

static void ready_data(void)
{
	it.fine = it.listed;
	it.fine.scope = (struct co_scope){ 0 };
	it.tiles = (struct co_tiles){ .body = block_body, .dims = 1, .range = { { 0, 8, 1 } } };
	it.shape = (struct co_cache_shape){ .line = 64, .sets = 4, .ways = 1 };
	it.tasks = (struct co_tasks){ .total = 2, .memory = malloc(co_tasks_bytes(2)) };
	REQUIRE(it.tasks.memory);
	REQUIRE_EQ(co_tasks_open(&it.tasks), 0);
	REQUIRE_EQ(co_task_next(&it.tasks), 0);
	co_trace("ready", 1);
}

static void ready(void)
{
	memset(&it, 0, sizeof(it));
	ready_channels();
	ready_links();
	ready_team();
	ready_mail();
	ready_loops();
	ready_data();
	REQUIRE_EQ(co_tlock_init(&it.tlock, 2, 2, it.node), 0);
	REQUIRE_EQ(co_barrier_init(&it.enrolled, 1, CO_BARRIER_AUTO, it.member), 0);
	REQUIRE_EQ(co_barrier_enrol(&it.enrolled), 0);
	co_atomic_store(&it.full.kept, UINT32_MAX, CO_RELAXED);
	it.freed = co_spm_alloc(64, 16);
	co_spm_free(it.freed);
}

/* All of it works as if nothing had been. */
static void look_at_the_rest(void)
{
	uintptr_t word = 5, words[CO_MAIL_WORDS] = { 0 };
	uint64_t v = 0;

	CHECK_EQ(co_counter_wait_until(&it.counter, 0), 0);
	CHECK_EQ(co_batch_join_until(&it.batch, 0), 0);
	for (unsigned i = 0; i < 6; i++) { /* each slot is somebody's in turn */
		CHECK_EQ(co_chan_recv(&it.half, &v), 0);
		CHECK_EQ(v, i < 1 ? 7 : i + 6);
		CHECK_EQ(co_chan_count(&it.half), 0);
		CHECK_EQ(co_chan_send(&it.half, &(uint64_t){ i + 7 }), 0);
	}
	CHECK_EQ(co_mutex_try_lock(&it.mutex), 0);
	co_mutex_unlock(&it.mutex);
	CHECK_EQ(co_tlock_lock(&it.tlock, 0), 0);
	co_tlock_unlock(&it.tlock, 0);
	CHECK_EQ(co_signal_drop(&it.full), UINT32_MAX);
	CHECK_EQ(co_barrier_wait(&it.enrolled, 0), 0);
	CHECK_EQ(co_link_send(it.tx, &word), 0);
	CHECK_EQ(co_link_recv(it.rx, &word), 0);
	CHECK_EQ(word, 5);
	/* Nobody holds room in the queue. */
	CHECK_EQ(co_mail_try_send(0, 1, words, CO_MAIL_WORDS), 0);
	CHECK_EQ(co_mail_try_recv(CO_MAIL_OTHER, words, CO_MAIL_WORDS, NULL), CO_MAIL_WORDS);
	CHECK_EQ(co_stream_close(&it.stream), 0);
	CHECK_EQ(co_tasks_done(&it.tasks), 0);
	co_task_done(&it.tasks, 0);
	CHECK_EQ(co_task_next(&it.tasks), 1);
	CHECK_EQ(co_tasks_close(&it.tasks), 0);
}

static void put_away(void)
{
	co_link_close_tx(it.tx);
	co_link_close_rx(it.rx);
	co_team_close(it.member_of);
	co_spm_free(it.taken);
	free(it.tasks.memory);
	CHECK_EQ(co_mailbox_close(&it.box), 0);
	CHECK_EQ(co_mailbox_close(&it.handled), 0);
}

static void all_bugs_of(unsigned hart)
{
	size_t before = test_spm_used();
	struct co *joiner;

#ifdef __SANITIZE_THREAD__
	SKIP("where a fault is ThreadSanitizer's own, it does not come out of that");
#endif
	ready();
	co_event_clear(&enough);
	it.awaited = test_spawn_on(0, wait_for_it, NULL);
	joiner = test_spawn_on(0, join_it, it.awaited);
	it.detached = test_spawn_on(0, wait_for_it, NULL);
	co_detach(it.detached);
	co_pause();
	make_calls_from(hart);
	co_event_set(&enough);
	CHECK_EQ(test_join(joiner), 0);
	look_at_the_rest();
	put_away();
	CHECK_EQ(test_spm_used(), before);
}

TEST_FAULTY(a_caller_of_hart_0_ends_alone)
{
	all_bugs_of(0);
}

TEST_FAULTY(a_caller_of_another_hart_ends_alone)
{
	all_bugs_of(co_harts() - 1);
}
