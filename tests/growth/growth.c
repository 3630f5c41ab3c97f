/*
 * growth.c - rows of waits and memory, and all rows' run. Rows run on hart 1, and what they wait
 * for is there too; hart 0 sleeps. --most=N: as many at most.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/random.h"
#include "growth.h"

#define FOREVER_US 3600000000u

static struct {
	struct co_batch batch;
	unsigned asleep; /* coroutines that are about to wait */
	struct co_event turn, never;
	struct co_mutex mutex;
	struct co_cond cond;
	struct co_rwlock rwlock;
	struct co_signal signal;
	struct co_chan full, empty;
	uint64_t buffer[2][CO_CHAN_BYTES(sizeof(int), 1) / 8];
} k;

/* Start n coroutines on this hart, and let each come to its wait. */
static void start(unsigned n, co_fn *fn)
{
	const struct co_attr attr = { .on = CO_ON_HART((int)co_hart()), .stack = CO_STACK_1K };

	memset(&k, 0, sizeof(k));
	REQUIRE(!co_chan_init(&k.full, k.buffer[0], sizeof(k.buffer[0]), sizeof(int)));
	REQUIRE(!co_chan_init(&k.empty, k.buffer[1], sizeof(k.buffer[1]), sizeof(int)));
	REQUIRE(!co_chan_send(&k.full, &(int){ 1 }));
	REQUIRE(!co_mutex_lock(&k.mutex));
	REQUIRE(!co_rwlock_write(&k.rwlock));
	for (uintptr_t i = 0; i < n; i++)
		REQUIRE(!co_batch_spawn(&k.batch, &attr, fn, (void *)i, NULL));
	while (k.asleep < n)
		co_pause();
	co_pause();
}

static void end(void)
{
	co_batch_cancel(&k.batch);
	(void)!co_batch_join(&k.batch);
	if (co_mutex_owner(&k.mutex) == co_self())
		co_mutex_unlock(&k.mutex);
	if (co_mutex_owner(&k.rwlock.mutex) == co_self())
		co_rwlock_unlock(&k.rwlock);
}

static intptr_t waits(void *arg)
{
	k.asleep++;
	return co_event_wait(&k.never);
}

static intptr_t waits_for_event(void *arg)
{
	k.asleep++;
	return co_event_wait(&k.turn);
}

/* A wait that has ended before its deadline. */
static intptr_t had_deadline(void *arg)
{
	k.asleep++;
	REQUIRE(!co_event_wait_until(&k.turn, co_after_us(FOREVER_US)));
	return co_event_wait(&k.never);
}

static intptr_t sleeps(void *arg)
{
	struct test_random r = { (uintptr_t)arg + 1 };

	k.asleep++;
	return co_sleep_us(FOREVER_US + test_below(&r, FOREVER_US));
}

static intptr_t locks(void *arg)
{
	k.asleep++;
	if (!co_mutex_lock(&k.mutex))
		co_mutex_unlock(&k.mutex);
	return 0;
}

static intptr_t waits_cond(void *arg)
{
	k.asleep++;
	while (co_mutex_lock(&k.mutex))
		return 0;
	if (!co_cond_wait(&k.cond, &k.mutex) || co_mutex_owner(&k.mutex) == co_self())
		co_mutex_unlock(&k.mutex);
	return 0;
}

static intptr_t writes(void *arg)
{
	k.asleep++;
	if (!co_rwlock_write(&k.rwlock))
		co_rwlock_unlock(&k.rwlock);
	return 0;
}

static intptr_t waits_signal(void *arg)
{
	k.asleep++;
	return co_signal_wait(&k.signal);
}

static intptr_t sends(void *arg)
{
	k.asleep++;
	return co_chan_send(&k.full, &(int){ 2 });
}

static intptr_t receives(void *arg)
{
	int x;

	k.asleep++;
	return co_chan_recv(&k.empty, &x);
}

static intptr_t returns(void *arg)
{
	k.asleep++;
	return 0;
}

static unsigned sleep_after_waits(unsigned n)
{
	unsigned cost;

	start(n, had_deadline);
	co_event_set(&k.turn);
	co_pause();
	cost = COUNT((void)!co_sleep_us(1));
	end();
	return cost;
}

static unsigned sleep_beside(unsigned n)
{
	unsigned cost;

	start(n, sleeps);
	cost = COUNT((void)!co_sleep_us(1));
	end();
	return cost;
}

static unsigned spawn_and_join(unsigned n)
{
	const struct co_attr attr = { .on = CO_ON_HART((int)co_hart()), .stack = CO_STACK_1K };
	struct co *c = NULL;
	unsigned cost = 0;

	start(n, waits);
	/* The least of four: one may cut a slab. */
	for (unsigned i = 0; i < 4; i++) {
		unsigned now =
			COUNT((void)!co_spawn(&c, &attr, returns, NULL); (void)!co_join(c, NULL));

		cost = i && cost < now ? cost : now;
	}
	end();
	return cost;
}

static unsigned pause_beside(unsigned n)
{
	unsigned cost;

	start(n, waits);
	cost = COUNT(co_pause());
	end();
	return cost;
}

/* One in the middle of those who wait for the same. */
static unsigned cancel_one(unsigned n, co_fn *fn)
{
	const struct co_attr attr = { .on = CO_ON_HART((int)co_hart()), .stack = CO_STACK_1K };
	struct co *c = NULL;
	unsigned cost;

	start(n / 2, fn);
	REQUIRE(!co_spawn(&c, &attr, fn, NULL));
	for (unsigned i = n / 2; i < n; i++)
		REQUIRE(!co_batch_spawn(&k.batch, &attr, fn, (void *)(uintptr_t)i, NULL));
	while (k.asleep <= n)
		co_pause();
	co_pause();
	cost = COUNT(co_cancel(c); (void)!co_join(c, NULL));
	end();
	return cost;
}

static unsigned cancel_event(unsigned n)
{
	return cancel_one(n, waits);
}

static unsigned cancel_sleep(unsigned n)
{
	return cancel_one(n, sleeps);
}

static unsigned cancel_lock(unsigned n)
{
	return cancel_one(n, locks);
}

static unsigned cancel_receive(unsigned n)
{
	return cancel_one(n, receives);
}

static unsigned set_event(unsigned n)
{
	unsigned cost;

	start(n, waits_for_event);
	cost = COUNT(co_event_set(&k.turn));
	end();
	return cost;
}

static unsigned unlock_mutex(unsigned n)
{
	unsigned cost;

	start(n, locks);
	cost = COUNT(co_mutex_unlock(&k.mutex));
	end();
	return cost;
}

static unsigned signal_cond(unsigned n)
{
	unsigned cost;

	start(0, NULL);
	co_mutex_unlock(&k.mutex);
	for (uintptr_t i = 0; i < n; i++) {
		const struct co_attr attr = { .on = CO_ON_HART((int)co_hart()),
					      .stack = CO_STACK_1K };

		REQUIRE(!co_batch_spawn(&k.batch, &attr, waits_cond, NULL, NULL));
	}
	while (k.asleep < n)
		co_pause();
	co_pause();
	cost = COUNT(co_cond_signal(&k.cond));
	end();
	return cost;
}

static unsigned unlock_rwlock(unsigned n)
{
	unsigned cost;

	start(n, writes);
	cost = COUNT(co_rwlock_unlock(&k.rwlock));
	end();
	return cost;
}

static unsigned send_signal(unsigned n)
{
	unsigned cost;

	start(n, waits_signal);
	cost = COUNT(co_signal_send(&k.signal));
	end();
	return cost;
}

static unsigned send_to_receivers(unsigned n)
{
	unsigned cost;

	start(n, receives);
	cost = COUNT((void)!co_chan_send(&k.empty, &(int){ 3 }));
	end();
	return cost;
}

static unsigned receive_from_senders(unsigned n)
{
	unsigned cost;
	int x;

	start(n, sends);
	cost = COUNT((void)!co_chan_recv(&k.full, &x));
	end();
	return cost;
}

static unsigned close_channel(unsigned n)
{
	unsigned cost;

	start(n, receives);
	cost = COUNT(co_chan_close(&k.empty));
	end();
	return cost;
}

/* Blocks of 16 to 527 bytes; with `holes` every other one is free. */
static unsigned allocate(unsigned n, bool holes)
{
	struct test_random r = { 1 };
	void **p = malloc(n * sizeof(*p));
	unsigned cost = 0;

	REQUIRE(p);
	for (unsigned i = 0; i < n; i++)
		REQUIRE(p[i] = malloc(16 + test_below(&r, 512)));
	for (unsigned i = 0; holes && i < n; i += 2) {
		free(p[i]);
		p[i] = NULL;
	}
	/* The mean of 64: one may begin a span. */
	for (unsigned i = 0; i < 64; i++) {
		void *volatile q;

		cost += COUNT(q = malloc(16 + test_below(&r, 512)));
		cost += COUNT(free(q));
	}
	for (unsigned i = 0; i < n; i++)
		free(p[i]);
	free(p);
	return cost / 64;
}

static unsigned allocate_beside(unsigned n)
{
	return allocate(n, false);
}

static unsigned allocate_in_holes(unsigned n)
{
	return allocate(n, true);
}

/*
 * The most that a call takes of 1,000 frees and 1,000 allocations beside n blocks of 16 B to 8 KiB.
 */
static unsigned allocate_slowest(unsigned n)
{
	struct test_random r = { 1 };
	void **p = calloc(n, sizeof(*p));
	unsigned most = 0, cost;

	REQUIRE(p);
	for (unsigned i = 0; i < n + 1000; i++) {
		unsigned low = 16u << test_below(&r, 9), bytes = low + test_below(&r, low);
		unsigned at = i < n ? i : test_below(&r, n);

		cost = i < n ? 0 : COUNT(free(p[at]));
		most = cost > most ? cost : most;
		cost = COUNT(p[at] = malloc(bytes));
		REQUIRE(p[at]);
		most = i >= n && cost > most ? cost : most;
	}
	for (unsigned i = 0; i < n; i++)
		free(p[i]);
	free(p);
	return most;
}

static unsigned allocate_spm(unsigned n)
{
	static void *p[256];
	void *volatile q;
	unsigned cost;

	for (unsigned i = 0; i < n; i++)
		REQUIRE(p[i] = co_spm_alloc(16, 16));
	cost = COUNT(q = co_spm_alloc(16, 16); co_spm_free(q));
	for (unsigned i = 0; i < n; i++)
		co_spm_free(p[i]);
	return cost;
}

static unsigned find_local(unsigned n)
{
	struct co_local *l = calloc(n, sizeof(*l)), *volatile found;
	unsigned cost;

	REQUIRE(l);
	for (unsigned i = 0; i < n; i++)
		co_local_add(&l[i], &l[i], NULL);
	cost = COUNT(found = co_local_find(&l[0]));
	REQUIRE(found);
	return cost; /* they stay: a coroutine has them until it ends */
}

static unsigned open_file(unsigned n)
{
	FILE *f[64], *one;
	unsigned cost;

	for (unsigned i = 0; i < n; i++)
		REQUIRE(f[i] = fopen("/dev/null", "r"));
	cost = COUNT(one = fopen("/dev/null", "r"); fclose(one));
	for (unsigned i = 0; i < n; i++)
		fclose(f[i]);
	return cost;
}

static unsigned mail_beside(unsigned n)
{
	static struct co_mailbox box[256];
	static uintptr_t storage[256][8];
	uintptr_t word = 1;
	unsigned cost;

	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_mailbox_open(&box[i], 100 + (int)i, storage[i], 8));
	cost = COUNT((void)!co_mail_send(co_hart(), 100, &word, 1);
		     (void)!co_mailbox_recv(&box[0], &word, 1, NULL));
	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_mailbox_close(&box[i]));
	return cost;
}

static const struct row rows[] = {
	{ "co_sleep_us", "waits that ended before their deadlines", sleep_after_waits, 65536, "" },
	{ "co_sleep_us", "deadlines", sleep_beside, 65536, "" },
	{ "co_spawn+co_join", "coroutines", spawn_and_join, 65536, "" },
	{ "co_pause", "coroutines", pause_beside, 65536, "" },
	{ "co_cancel", "waiters", cancel_event, 65536, "" },
	{ "co_cancel", "deadlines", cancel_sleep, 65536, "" },
	{ "co_cancel", "waiters for a mutex", cancel_lock, 65536, "" },
	{ "co_cancel", "receivers", cancel_receive, 65536, "" },
	{ "co_event_set", "waiters", set_event, 65536, "it wakes each" },
	{ "co_mutex_unlock", "waiters", unlock_mutex, 65536, "" },
	{ "co_cond_signal", "waiters", signal_cond, 65536, "" },
	{ "co_rwlock_unlock", "writers", unlock_rwlock, 65536, "" },
	{ "co_signal_send", "waiters", send_signal, 65536, "" },
	{ "co_chan_send", "receivers", send_to_receivers, 65536, "" },
	{ "co_chan_recv", "senders", receive_from_senders, 65536, "" },
	{ "co_chan_close", "receivers", close_channel, 65536, "it wakes each" },
	{ "malloc+free", "blocks", allocate_beside, 131072, "" },
	{ "malloc+free", "holes", allocate_in_holes, 131072, "" },
	{ "malloc+free", "blocks (the slowest call)", allocate_slowest, 131072, "" },
	{ "co_spm_alloc+co_spm_free", "blocks", allocate_spm, 256, "first fit" },
	{ "co_local_find", "locals", find_local, 1024, "a look at each" },
	{ "fopen+fclose", "files", open_file, 56, "" },
	{ "co_mail_send+co_mailbox_recv", "mailboxes", mail_beside, 256, "a look at each" },
};

#define ROWS (sizeof(rows) / sizeof(*rows))
#define ROWS_MOST 64

static unsigned most = 1024;
static unsigned costs[2][ROWS_MOST]; /* beside few, and beside many */

static const struct row *row_at(unsigned i)
{
	return i < ROWS ? &rows[i] : &object_rows[i - ROWS];
}

static unsigned many_of(const struct row *r)
{
	return most < r->most ? most : r->most;
}

static intptr_t run_row(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg / 2;
	bool many = (uintptr_t)arg % 2;
	const struct row *r = row_at(i);

	if (!many)
		(void)r->cost(FEW); /* warms up */
	costs[many][i] = r->cost(many ? many_of(r) : FEW);
	return 0;
}

/* All with few first: control blocks stay, and a call may look at those. */
int main(int argc, char **argv)
{
	struct co *c = NULL;
	unsigned n = 0;

	if (argc > 1 && strncmp(argv[1], "--most=", 7) == 0)
		most = (unsigned)strtoul(argv[1] + 7, NULL, 10);
	while (row_at(n)->call)
		REQUIRE(++n <= ROWS_MOST);
	for (uintptr_t i = 0; i < 2 * n; i++) {
		REQUIRE(!co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(1) }, run_row,
				  (void *)(2 * (i % n) + i / n)));
		REQUIRE(!co_join(c, NULL));
	}
	/* tests/growth/run judges these lines. */
	for (unsigned i = 0; i < n; i++) {
		const struct row *r = row_at(i);

		printf("growth,%s,%s,%u,%u,%u,%u,%s\n", r->call, r->kept, FEW, costs[0][i],
		       many_of(r), costs[1][i], r->grows);
	}
	return 0;
}
