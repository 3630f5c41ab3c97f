/* talk.c - ranks send each other what lies in static data of their own, by each of the ways. */
#include "../../runtime/dma/dma.h"
#include "case.h"

#pragma GCC diagnostic ignored "-Wframe-larger-than="

#define LONG 1000

static struct co_mutex unused;
static char mine[LONG], theirs[LONG], all[70 * LONG];

static unsigned rank(void)
{
	return co_process_rank();
}

static unsigned ranks(void)
{
	return co_process_ranks();
}

static void fill(char *to, size_t bytes, unsigned of)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (char)(i * 3 + of * 17 + 1);
}

static bool is_of(const char *p, size_t bytes, unsigned of)
{
	for (size_t i = 0; i < bytes; i++) {
		if (p[i] != (char)(i * 3 + of * 17 + 1))
			return false;
	}
	return true;
}

static struct co_member *join(void)
{
	struct co_member *me = NULL;

	CHECK(co_team_of_ranks(&me) == 0);
	return me;
}

void meet(void)
{
	CHECK(co_team_barrier(join()) == 0);
}

void *from_rank_0(void *p)
{
	CHECK(co_broadcast(join(), 0, &p, sizeof(p)) == 0);
	return p;
}

/* Round a ring, through a channel on the heap. */
static void pass(struct co_chan *to, struct co_chan *from, size_t bytes)
{
	fill(mine, bytes, rank());
	memset(theirs, 0, bytes);
	if (rank() == 0)
		CHECK(co_chan_send(to, mine) == 0);
	CHECK(co_chan_recv(from, theirs) == 0);
	if (rank())
		CHECK(co_chan_send(to, mine) == 0);
	CHECK(is_of(theirs, bytes, (rank() + ranks() - 1) % ranks()));
}

static void round_a_ring(size_t bytes, enum co_chan_mode mode)
{
	size_t room = CO_CHAN_BYTES(bytes, 2);
	struct co_chan *c = NULL;

	if (rank() == 0) {
		c = malloc(ranks() * sizeof(*c));
		for (unsigned i = 0; i < ranks(); i++)
			CHECK(co_chan_init_as(&c[i], aligned_alloc(64, room), room, bytes, mode,
					      CO_CLAIM_DEFAULT) == 0);
	}
	c = from_rank_0(c);
	for (int i = 0; i < 5; i++)
		pass(&c[(rank() + 1) % ranks()], &c[rank()], bytes);
	/* By a select, too. */
	if (mode != CO_RENDEZVOUS) {
		struct co_case send[] = { CO_CASE_SEND(&c[rank()], mine) };
		struct co_case recv[] = { CO_CASE_RECV(&c[rank()], theirs) };

		fill(mine, bytes, 5);
		CHECK(co_select(send, 1) == 0 && co_select(recv, 1) == 0);
		CHECK(is_of(theirs, bytes, 5));
	}
	meet();
}

int channels(void)
{
	static const size_t bytes[] = { 4, 16, 100, LONG };

	for (unsigned i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		round_a_ring(bytes[i], CO_MPMC);
		round_a_ring(bytes[i], CO_SPSC);
		round_a_ring(bytes[i], CO_RENDEZVOUS);
	}
	return 0;
}

int teams(void)
{
	static const size_t bytes[] = { 8, 48, 49, LONG };
	struct co_member *me = join();

	for (unsigned i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		unsigned root = i % ranks();
		size_t n = bytes[i];

		fill(mine, n, rank());
		CHECK(co_broadcast(me, root, mine, n) == 0 && is_of(mine, n, root));
		fill(mine, n, rank());
		memset(all, 0, sizeof(all));
		CHECK(co_gather(me, root, mine, n, all) == 0);
		for (unsigned k = 0; k < ranks() && rank() == root; k++)
			CHECK(is_of(&all[k * n], n, k));
		CHECK(co_scatter(me, root, all, n, theirs) == 0 && is_of(theirs, n, rank()));
	}
	CHECK(!co_spm_shared(&unused, sizeof(unused)));
	return 0;
}

/* To the next rank, from the one before: short, kept, and from where it lies. */
int messages(void)
{
	static const size_t bytes[] = { 8, 48, 49, LONG, sizeof(all) };
	struct co_message *m = malloc(2 * sizeof(*m));
	unsigned next = (rank() + 1) % ranks(), before = (rank() + ranks() - 1) % ranks();
	struct co_member *me = join();
	static char to[sizeof(all)];

	for (unsigned i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
		size_t n = bytes[i];

		fill(all, n, rank());
		memset(to, 0, n);
		CHECK(co_message_recv_start(me, before, 1, 0, to, n, &m[0]) == 0);
		CHECK(co_message_send_start(me, next, 1, 0, all, n, &m[1]) == 0);
		CHECK(co_message_wait(me, &m[1]) == 0);
		CHECK(co_message_wait(me, &m[0]) == 0 && is_of(to, n, before));
		if (rank() == 0)
			CHECK(co_message_send(me, next, 2, 0, all, n) == 0);
		CHECK(co_message_recv(me, before, 2, 0, to, n, NULL) == 0 && is_of(to, n, before));
		if (rank())
			CHECK(co_message_send_sync(me, next, 2, 0, all, n) == 0);
	}
	meet();
	return 0;
}

/* As messages have it moved. */
static void be_moved(void)
{
	struct co_dma *d;

	memset(theirs, 0, LONG);
	CHECK(co_dma_move(&d, theirs, mine, LONG, NULL));
	CHECK((!d || co_dma_move_end(d) == 0) && is_of(theirs, LONG, rank()));
}

int transfers(void)
{
	struct co_dma *d = malloc(sizeof(*d));
	char *heap = malloc(LONG);

	fill(mine, LONG, rank());
	CHECK(co_dma_copy(heap, mine, LONG) == 0 && is_of(heap, LONG, rank()));
	CHECK(co_dma_copy(theirs, heap, LONG) == 0 && is_of(theirs, LONG, rank()));
	be_moved();
	*d = (struct co_dma){ .to = theirs,
			      .from = mine + 1,
			      .bytes = 10,
			      .rows = 20,
			      .to_stride = 10,
			      .from_stride = 40 };
	CHECK(co_dma_start(d) == 0 && co_dma_wait(d) == 0);
	for (unsigned i = 0; i < 200; i++)
		CHECK(theirs[i] == mine[1 + i / 10 * 40 + i % 10]);
	/* Not over the end of what is one's own: the next rank's is behind it. */
	*d = (struct co_dma){ .to = heap, .from = mine, .bytes = 1 << 20 };
	CHECK(co_dma_start(d) == -EFAULT);
	meet();
	return 0;
}

/*
 * The frames of a recursion reach from the top of a stack, which may be in the scratchpad, far into
 * main memory. The rank before reads and writes all of them, and a transfer moves them.
 */
enum { FRAME = 8000, FRAMES = 24 };

static void visit(char *const *frame)
{
	unsigned before = (rank() + ranks() - 1) % ranks();
	char *const *of_before = &frame[before * FRAMES];
	size_t bytes;
	char *copy;

	meet();
	bytes = (size_t)(of_before[0] - of_before[FRAMES - 1]) + FRAME;
	copy = malloc(bytes);
	for (unsigned i = 0; i < FRAMES; i++)
		CHECK(is_of(of_before[i], FRAME, before + i));
	CHECK(copy && co_dma_copy(copy, of_before[FRAMES - 1], bytes) == 0);
	for (unsigned i = 0; i < FRAMES; i++)
		CHECK(is_of(copy + (of_before[i] - of_before[FRAMES - 1]), FRAME, before + i));
	meet();
	for (unsigned i = 0; i < FRAMES; i++)
		fill(of_before[i], FRAME, rank() + 2 * i);
	free(copy);
	meet();
	for (unsigned i = 0; i < FRAMES; i++)
		CHECK(is_of(frame[rank() * FRAMES + i], FRAME, (rank() + 1) % ranks() + 2 * i));
}

static __attribute__((noinline)) void recurse(char **frame, unsigned depth)
{
	char here[FRAME];

	fill(here, FRAME, rank() + depth);
	frame[rank() * FRAMES + depth] = here;
	if (depth + 1 < FRAMES)
		recurse(frame, depth + 1);
	else
		visit(frame);
	__asm__ volatile("" : : "r"(here) : "memory");
}

int stacks(void)
{
	char **frame = from_rank_0(rank() ? NULL : malloc(ranks() * FRAMES * sizeof(*frame)));

	recurse(frame, 0);
	meet();
	return 0;
}

int links_and_mail(void)
{
	static CO_NODE_LOCAL(struct co_link, link) = { .words = 4, .depth = 2 };
	static uintptr_t words[CO_MAIL_WORDS], got[CO_MAIL_WORDS];
	unsigned next = (rank() + 1) % ranks(), before = (rank() + ranks() - 1) % ranks();

	for (unsigned i = 0; i < CO_MAIL_WORDS; i++)
		words[i] = i * 5 + rank();
	for (unsigned n = 1; n <= CO_MAIL_WORDS; n += 7) {
		CHECK(co_mail_send(co_process_hart(next), 9, words, n) == 0);
		CHECK(co_mail_recv(CO_MAIL_ANY, got, CO_MAIL_WORDS, NULL) == (int)n);
		for (unsigned i = 0; i < n; i++)
			CHECK(got[i] == i * 5 + before);
	}
	if (rank() == 0) {
		struct co_link_rx *rx;

		CHECK(co_link_open_rx(&link, &rx) == 0 && co_link_recv(rx, got) == 0);
		CHECK(got[0] == 1 && got[3] == 16);
		co_link_close_rx(rx);
	}
	if (rank() == 1) {
		struct co_link_tx *tx;

		CHECK(co_link_open_tx(&link, &tx) == 0 && co_link_send(tx, words) == 0);
		co_link_close_tx(tx);
	}
	meet();
	return 0;
}
