/*
 * network.c - seed D's messages, for tests/bench/models: a section for each level and length, in
 * which a message is half of a round trip between NMPU03 and NMPU33. And MDMAC.
 */
#include <bfskn.h>
#include <bupv.h>

#include "../harness/test.h"

enum { NMPU03 = 5, NMPU33 = 20, MOST = 8192, NEAR = 256, LENGTHS = 6 };

static uint64_t sends[2][MOST], receives[2][MOST]; /* what does not fit in a scratchpad */
static const uint32_t words[LENGTHS] = { 1, 8, 64, 256, 1024, MOST };
static const unsigned rounds[LENGTHS] = { 50, 20, 20, 20, 5, 5 };
static const char *const names[3][LENGTHS] = {
	{ "ports 8", "ports 64", "ports 512", "ports 2048", "ports 8192", "ports 65536" },
	{ "paths 8", "paths 64", "paths 512", "paths 2048", "paths 8192", "paths 65536" },
	{ "messages 8", "messages 64", "messages 512", "messages 2048", "messages 8192",
	  "messages 65536" },
};
static const char *section;

/* Of a core: what only it looks at, where its accesses are cheap. */
static _Thread_local MP_event sent, received;

enum level { PORTS, PATHS, MESSAGES };

/* Inline, and so without tables in main memory, which the model asks its price for. */
#define INLINE static inline __attribute__((always_inline))

INLINE void begin_receive(enum level l, bool first, void *to, uint32_t n)
{
	int v1, v2;

	if (l == PORTS)
		start_recv(CP0, to, n);
	else if (l == PATHS)
		(void)!rcv_path(first, to, n);
	else
		(void)!MP_recv(first, to, n, &v1, &v2, &received);
}

INLINE int end_receive(enum level l, bool first)
{
	return l == PORTS   ? wait_recv_cp(CP0)
	       : l == PATHS ? wait_rcv(first)
			    : MP_wait_event(&received);
}

INLINE void begin_send(enum level l, bool first, const void *from, uint32_t n)
{
	int v1, v2;

	if (l == PORTS)
		start_send(CP0, from, n);
	else if (l == PATHS)
		(void)!send_path(first, from, n);
	else
		(void)!MP_send(first, from, n, &v1, &v2, &sent, NULL);
}

INLINE int end_send(enum level l, bool first)
{
	return l == PORTS   ? wait_send_cp(CP0)
	       : l == PATHS ? wait_send(first)
			    : MP_wait_event(&sent);
}

/* One round: send and receive, or the other way round. What comes next is asked for in between. */
INLINE int serve(enum level l, bool first, uint64_t *from, uint64_t *to, uint32_t n)
{
	int r = first ? 0 : end_receive(l, first);

	begin_send(l, first, from, n);
	begin_receive(l, first, to, n);
	r = r ? r : end_send(l, first);
	return !first || r ? r : end_receive(l, first);
}

INLINE int play_with(enum level l, bool first, unsigned k, uint64_t *from, uint64_t *to)
{
	uint32_t n = words[k];
	unsigned many = rounds[k];
	const char *name = section;
	int r = 0;

	if (!first)
		begin_receive(l, first, to, n);
	for (unsigned i = 0; i < 5 && r == 0; i++)
		r = serve(l, first, from, to, n);
	if (first)
		co_mark_begin(name);
	for (unsigned i = 0; i < many && r == 0; i++)
		r = serve(l, first, from, to, n);
	if (first)
		co_mark_end(name, 2 * many);
	/* The other side waits for one more. */
	if (r)
		return r;
	if (!first)
		return end_receive(l, first);
	begin_send(l, first, from, n);
	return end_send(l, first);
}

INLINE int play(enum level l, bool first, unsigned k)
{
	uint64_t *near = words[k] <= NEAR ? co_spm_alloc(2 * NEAR * sizeof(*near), 64) : NULL;
	int r = play_with(l, first, k, near ? near : sends[first],
			  near ? near + NEAR : receives[first]);

	co_spm_free(near);
	return r;
}

static unsigned length;

static intptr_t at_ports(void *arg)
{
	bool first = arg != NULL;

	if (first) {
		set_lc(LC03, 1, 0);
		set_lc(LC03, 0, 1);
	} else {
		set_lc(LC33, 0, 1);
		set_lc(LC33, 1, 0);
	}
	return play(PORTS, first, length);
}

static int on_paths(int id)
{
	unsigned other = id == 0;

	CHECK_EQ(send_path_on(other, _1D, 0, 0), 0);
	CHECK_EQ(rcv_path_on(other, _1D, 0, 0), 0);
	return play(PATHS, id == 0, length);
}

static int by_messages(int id)
{
	int r = MP_init();

	r = r ? r : play(MESSAGES, id == 0, length);
	return r ? r : MP_finalize();
}

TEST(messages)
{
	static char *argv[] = { "network", "--tfx=NMPU03,NMPU33", NULL };

	for (length = 0; length < LENGTHS; length++) {
		struct co *a, *b;

		section = names[0][length];
		a = test_spawn_on(NMPU03, at_ports, (void *)1);
		b = test_spawn_on(NMPU33, at_ports, NULL);
		CHECK_EQ(test_join(a), 0);
		CHECK_EQ(test_join(b), 0);
		section = names[1][length];
		CHECK_EQ(bfskn_load(2, argv, 2, on_paths), 0);
		section = names[2][length];
		CHECK_EQ(MP_load(2, argv, 2, by_messages), 0);
	}
}

static int move(const char *name, size_t bytes)
{
	int r = 0;

	co_mark_begin(name);
	for (unsigned i = 0; i < 5 && r == 0; i++) {
		r = bfskn_start_mdmac(MDMAC0, sends[0], sends[1], bytes);
		r = r ? r : bfskn_wait_mdmac(MDMAC0);
	}
	co_mark_end(name, 5);
	return r;
}

static intptr_t moves(void *arg)
{
	(void)arg;
	return move("mdmac 8", 8) ?: move("mdmac 65536", MOST);
}

TEST(mdmac)
{
	CHECK_EQ(test_join(test_spawn_on(NMPU03, moves, NULL)), 0);
}
