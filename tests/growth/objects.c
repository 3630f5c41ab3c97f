/* objects.c - rows of POSIX threads, links, barriers, teams, messages, domains, tasks and files. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "growth.h"

static void *zeroed(size_t n, size_t bytes)
{
	void *p = calloc(n, bytes);

	REQUIRE(p);
	return p;
}

/* ---- Threads ---- */

static struct {
	pthread_t thread[64 + 256];
	pthread_mutex_t mutex;
	sem_t semaphore;
	struct co_a32 come;
} t;

static void *locks(void *arg)
{
	co_atomic_add(&t.come, 1, CO_RELAXED);
	pthread_mutex_lock(&t.mutex);
	pthread_mutex_unlock(&t.mutex);
	return arg;
}

static void *takes(void *arg)
{
	co_atomic_add(&t.come, 1, CO_RELAXED);
	sem_wait(&t.semaphore);
	return arg;
}

static void *returns(void *arg)
{
	return arg;
}

/* Start n threads on this hart, the only compute hart, and let each come to its wait. */
static void start_threads(unsigned n, void *(*fn)(void *))
{
	co_atomic_store(&t.come, 0, CO_RELAXED);
	REQUIRE(!pthread_mutex_init(&t.mutex, NULL) && !pthread_mutex_lock(&t.mutex));
	REQUIRE(!sem_init(&t.semaphore, 0, 0));
	for (unsigned i = 0; i < n; i++)
		REQUIRE(!pthread_create(&t.thread[i], NULL, fn, NULL));
	while (co_atomic_load(&t.come, CO_RELAXED) < n)
		co_pause();
	co_pause();
}

static void join_threads(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		REQUIRE(!pthread_join(t.thread[i], NULL));
}

static unsigned create_thread(unsigned n)
{
	pthread_t one;
	unsigned cost = 0;

	n += 64; /* no control block of the window is free: one of a slab takes longer */
	start_threads(n, locks);
	/* The least of four: a new stack is painted, and memory may begin a span. */
	for (unsigned i = 0; i < 4; i++) {
		unsigned now = COUNT(REQUIRE(!pthread_create(&one, NULL, returns, NULL));
				     REQUIRE(!pthread_join(one, NULL)));

		cost = i && cost < now ? cost : now;
	}
	pthread_mutex_unlock(&t.mutex);
	join_threads(n);
	return cost;
}

static unsigned unlock_thread(unsigned n)
{
	unsigned cost;

	start_threads(n, locks);
	cost = COUNT(pthread_mutex_unlock(&t.mutex));
	join_threads(n);
	return cost;
}

static unsigned post(unsigned n)
{
	unsigned cost;

	start_threads(n, takes);
	pthread_mutex_unlock(&t.mutex);
	cost = COUNT(sem_post(&t.semaphore));
	for (unsigned i = 1; i < n; i++)
		sem_post(&t.semaphore);
	join_threads(n);
	return cost;
}

static unsigned with_keys(unsigned n, bool create)
{
	pthread_key_t key[64] = { 0 }, one = 0;
	unsigned cost;

	for (unsigned i = 0; i < n; i++)
		REQUIRE(!pthread_key_create(&key[i], NULL) && !pthread_setspecific(key[i], key));
	if (create) {
		cost = COUNT(REQUIRE(!pthread_key_create(&one, NULL)); pthread_key_delete(one));
	} else {
		void *volatile found;

		cost = COUNT(found = pthread_getspecific(key[n - 1]));
		REQUIRE(found == key);
	}
	for (unsigned i = 0; i < n; i++)
		pthread_key_delete(key[i]);
	return cost;
}

static unsigned create_key(unsigned n)
{
	return with_keys(n, true);
}

static unsigned find_value(unsigned n)
{
	return with_keys(n, false);
}

/* ---- Batches, selects ---- */

static struct co_event never;

static intptr_t waits(void *arg)
{
	return co_event_wait(arg);
}

static void spawn_here(struct co_batch *b, struct co **c, co_fn *fn)
{
	const struct co_attr attr = { .on = CO_ON_HART((int)co_hart()), .stack = CO_STACK_1K };

	REQUIRE(!(b ? co_batch_spawn(b, &attr, fn, &never, NULL) : co_spawn(c, &attr, fn, &never)));
}

static unsigned cancel_batch(unsigned n)
{
	struct co_batch *b = zeroed(2, sizeof(*b));
	unsigned cost;

	for (unsigned i = 0; i < n; i++)
		spawn_here(&b[0], NULL, waits);
	spawn_here(&b[1], NULL, waits);
	co_pause();
	cost = COUNT(co_batch_cancel(&b[1]); (void)!co_batch_join(&b[1]));
	co_batch_cancel(&b[0]);
	(void)!co_batch_join(&b[0]);
	free(b);
	return cost;
}

static intptr_t ends(void *arg)
{
	(void)arg;
	return 0;
}

static unsigned join_among_ended(unsigned n)
{
	struct co **c = zeroed(n, sizeof(*c));
	unsigned cost;

	for (unsigned i = 0; i < n; i++)
		spawn_here(NULL, &c[i], ends);
	co_pause();
	cost = COUNT((void)!co_join(c[n / 2], NULL));
	for (unsigned i = 0; i < n; i++) {
		if (i != n / 2)
			(void)!co_join(c[i], NULL);
	}
	free(c);
	return cost;
}

/* The last of n cases is ready. */
static unsigned select_among(unsigned n)
{
	static struct co_chan chan[CO_WAIT_ANY_MAX];
	static uint64_t buffer[CO_WAIT_ANY_MAX][CO_CHAN_BYTES(sizeof(int), 1) / 8];
	static struct co_case cases[CO_WAIT_ANY_MAX];
	int x;

	for (unsigned i = 0; i < n; i++) {
		REQUIRE(!co_chan_init(&chan[i], buffer[i], sizeof(buffer[i]), sizeof(int)));
		cases[i] = (struct co_case)CO_CASE_RECV(&chan[i], &x);
	}
	REQUIRE(!co_chan_send(&chan[n - 1], &(int){ 1 }));
	return COUNT((void)!co_select(cases, n));
}

static unsigned send_beside_elements(unsigned n)
{
	size_t bytes = CO_CHAN_BYTES(sizeof(int), 131072);
	static struct co_chan chan;
	void *buffer = zeroed(1, bytes);
	unsigned cost;
	int x;

	REQUIRE(!co_chan_init(&chan, buffer, bytes, sizeof(int)));
	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_chan_send(&chan, &(int){ 1 }));
	cost = COUNT((void)!co_chan_send(&chan, &(int){ 2 }); (void)!co_chan_recv(&chan, &x));
	free(buffer);
	return cost;
}

/* ---- Links, barriers, teams, messages ---- */

static unsigned send_beside_links(unsigned n)
{
	struct co_link *link = zeroed(n, sizeof(*link));
	struct co_link_rx *rx[64];
	struct co_link_tx *tx[64];
	uintptr_t word = 1;
	unsigned cost;

	for (unsigned i = 0; i < n; i++) {
		REQUIRE(!co_link_open_rx(&link[i], &rx[i]));
		REQUIRE(!co_link_open_tx(&link[i], &tx[i]));
		co_link_bind_tx(tx[i]);
	}
	cost = COUNT((void)!co_link_send(tx[0], &word); (void)!co_link_recv(rx[0], &word));
	for (unsigned i = 0; i < n; i++) {
		co_link_close_tx(tx[i]);
		co_link_close_rx(rx[i]);
	}
	free(link);
	return cost;
}

static unsigned bind_beside_barriers(unsigned n)
{
	struct co_barrier *b = zeroed(n + 1, sizeof(*b));
	struct co_barrier_member *m = aligned_alloc(CO_LINE, (n + 1) * sizeof(*m));
	unsigned cost;

	REQUIRE(m);
	memset(m, 0, (n + 1) * sizeof(*m));
	for (unsigned i = 0; i <= n; i++) {
		REQUIRE(!co_barrier_init(&b[i], 1, CO_BARRIER_CENTRAL, &m[i]));
		if (i < n)
			co_barrier_bind(&b[i], 0);
	}
	cost = COUNT(co_barrier_bind(&b[n], 0); (void)!co_barrier_wait(&b[n], 0);
		     co_barrier_unbind(&b[n], 0));
	for (unsigned i = n; i--;)
		co_barrier_unbind(&b[i], 0);
	free(m);
	free(b);
	return cost;
}

static struct co_member *open_team(struct co_team *team)
{
	struct co_member *me;

	team->scope = co_scope_here(CO_GROUP, CO_ROLE_COMPUTE);
	REQUIRE(!co_team_open(team, 0, &me));
	return me;
}

static unsigned open_beside_teams(unsigned n)
{
	struct co_team *team = zeroed(n + 1, sizeof(*team));
	struct co_member *me[32];
	unsigned cost;

	for (unsigned i = 0; i < n; i++)
		me[i] = open_team(&team[i]);
	cost = COUNT(co_team_close(open_team(&team[n])));
	for (unsigned i = 0; i < n; i++)
		co_team_close(me[i]);
	free(team);
	return cost;
}

/* n receives have begun that nothing matches. */
static unsigned message_beside_receives(unsigned n)
{
	struct co_team *team = zeroed(1, sizeof(*team));
	struct co_member *me = open_team(team);
	struct co_message *m = zeroed(n, sizeof(*m));
	unsigned cost;
	int x = 1;

	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_message_recv_start(me, 0, 100 + i, 0, &x, sizeof(x), &m[i]));
	cost = COUNT(REQUIRE(!co_message_send(me, 0, 1, 0, &x, sizeof(x)));
		     REQUIRE(!co_message_recv(me, 0, 1, 0, &x, sizeof(x), NULL)));
	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_message_cancel(me, &m[i]));
	co_team_close(me);
	free(m);
	free(team);
	return cost;
}

/* n messages have been sent that nobody has received; the receiver has looked at each once. */
static unsigned message_beside_messages(unsigned n)
{
	struct co_team *team = zeroed(1, sizeof(*team));
	struct co_member *me = open_team(team);
	unsigned cost = 0;
	int x = 1;

	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_message_send(me, 0, 100 + i, 0, &x, sizeof(x)));
	for (unsigned i = 0; i < 3; i++)
		cost = COUNT(REQUIRE(!co_message_send(me, 0, 1, 0, &x, sizeof(x)));
			     REQUIRE(!co_message_recv(me, 0, 1, 0, &x, sizeof(x), NULL)));
	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_message_recv(me, 0, 100 + i, 0, &x, sizeof(x), NULL));
	co_team_close(me);
	free(team);
	return cost;
}

/*
 * Three ranks have sent n messages in all, in turn, of other tags each, which are then received by
 * rank, the last one first, and the youngest tags first; or with any rank, or any tag. The mean.
 */
enum { SENDERS = 3, BY_BOTH = 0, BY_RANK, BY_TAG };

static struct {
	struct co_team team;
	unsigned harts[1 + SENDERS], each, have_sent;
} u;

static intptr_t sends_each(void *rank)
{
	struct co_member *me;

	REQUIRE(!co_team_open(&u.team, (unsigned)(uintptr_t)rank, &me));
	for (unsigned i = 0; i < u.each; i++) {
		REQUIRE(!co_message_send(me, 0, i, 0, &i, sizeof(i)));
		co_pause();
	}
	u.have_sent++;
	co_team_close(me);
	return 0;
}

static void receive_all(struct co_member *me, unsigned by)
{
	for (unsigned i = 0; i < SENDERS * u.each; i++) {
		unsigned rank = SENDERS - i / u.each, tag = u.each - 1 - i % u.each, x;

		if (by == BY_TAG) {
			rank = CO_ANY_RANK;
			tag = u.each - 1 - i / SENDERS;
		}
		REQUIRE(!co_message_recv(me, rank, by == BY_RANK ? CO_ANY_TAG : tag, 0, &x,
					 sizeof(x), NULL));
		REQUIRE(x == (by == BY_RANK ? i % u.each : tag));
	}
}

static unsigned receive_of_several(unsigned n, unsigned by)
{
	const struct co_attr attr = { .on = CO_ON_HART((int)co_hart()) };
	struct co_batch *b = zeroed(1, sizeof(*b));
	struct co_member *me;
	unsigned cost;

	/* With fewer, most messages are lines, which cost a tenth. */
	u.each = (n + 512) / SENDERS;
	u.have_sent = 0;
	u.team = (struct co_team){ .scope = { u.harts, 1 + SENDERS } };
	for (unsigned i = 0; i <= SENDERS; i++)
		u.harts[i] = co_hart();
	for (uintptr_t i = 1; i <= SENDERS; i++)
		REQUIRE(!co_batch_spawn(b, &attr, sends_each, (void *)i, NULL));
	REQUIRE(!co_team_open(&u.team, 0, &me));
	while (u.have_sent < SENDERS)
		co_pause();
	cost = COUNT(receive_all(me, by));
	co_team_close(me);
	REQUIRE(!co_batch_join(b));
	free(b);
	return cost / (SENDERS * u.each);
}

static unsigned receive_by_both(unsigned n)
{
	return receive_of_several(n, BY_BOTH);
}

static unsigned receive_by_rank(unsigned n)
{
	return receive_of_several(n, BY_RANK);
}

static unsigned receive_by_tag(unsigned n)
{
	return receive_of_several(n, BY_TAG);
}

/* ---- Domains, tasks, large blocks ---- */

static unsigned spawn_beside_domains(unsigned n)
{
	const struct co_attr attr = { .on = CO_ON_HART((int)co_hart()) };
	struct co_domain *d = zeroed(n, sizeof(*d));
	size_t bytes = CO_DOMAIN_BYTES(1, CO_PAGE_BYTES);
	char *memory = aligned_alloc(CO_PAGE_BYTES, n * bytes);
	struct co *c;
	unsigned cost;

	REQUIRE(memory);
	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_domain_init(&d[i], memory + i * bytes, bytes, 1, CO_PAGE_BYTES));
	cost = COUNT(REQUIRE(!co_domain_spawn(&d[0], &c, &attr, ends, NULL));
		     REQUIRE(!co_join(c, NULL)));
	for (unsigned i = 0; i < n; i++)
		REQUIRE(!co_domain_end(&d[i]));
	free(memory);
	free(d);
	return cost;
}

static unsigned next_task(unsigned n)
{
	struct co_tasks *tasks = zeroed(1, sizeof(*tasks));
	unsigned cost;
	long task;

	*tasks = (struct co_tasks){ .total = n, .memory = zeroed(1, co_tasks_bytes(n)) };
	REQUIRE(!co_tasks_open(tasks));
	cost = COUNT(task = co_task_next(tasks); co_task_done(tasks, task));
	while ((task = co_task_next(tasks)) >= 0)
		co_task_done(tasks, task);
	REQUIRE(!co_tasks_close(tasks));
	free(tasks->memory);
	free(tasks);
	return cost;
}

/* Blocks of 3 to 7 KiB, every other one free. */
static unsigned allocate_large(unsigned n)
{
	void **p = zeroed(n, sizeof(*p)), *volatile q;
	unsigned cost = 0;

	for (unsigned i = 0; i < n; i++)
		REQUIRE(p[i] = malloc(3072 + i * 37 % 4096));
	for (unsigned i = 0; i < n; i += 2) {
		free(p[i]);
		p[i] = NULL;
	}
	for (unsigned i = 0; i < 64; i++)
		cost += COUNT(q = malloc(3072 + i * 37 % 4096); free(q));
	for (unsigned i = 0; i < n; i++)
		free(p[i]);
	free(p);
	return cost / 64;
}

static unsigned align_and_resize(unsigned n)
{
	void **p = zeroed(n, sizeof(*p)), *volatile q;
	unsigned cost = 0;

	for (unsigned i = 0; i < n; i++)
		REQUIRE(p[i] = malloc(16 + i * 37 % 512));
	for (unsigned i = 0; i < 64; i++)
		cost += COUNT(q = aligned_alloc(256, 256 * (1 + i % 8)); q = realloc(q, 100);
			      free(q));
	for (unsigned i = 0; i < n; i++)
		free(p[i]);
	free(p);
	return cost / 64;
}

static unsigned open_mailbox(unsigned n)
{
	static struct co_mailbox box[256];
	static uintptr_t storage[256][8];
	unsigned cost;

	for (unsigned i = 1; i < n; i++)
		REQUIRE(!co_mailbox_open(&box[i], 100 + (int)i, storage[i], 8));
	cost = COUNT(REQUIRE(!co_mailbox_open(&box[0], 100, storage[0], 8));
		     REQUIRE(!co_mailbox_close(&box[0])));
	for (unsigned i = 1; i < n; i++)
		REQUIRE(!co_mailbox_close(&box[i]));
	return cost;
}

static void ignore(struct co_mailbox *box, const struct co_mail *m)
{
	(void)box;
	(void)m;
}

static unsigned handle_beside(unsigned n, struct co_mailbox *box)
{
	struct co_batch *b = zeroed(1, sizeof(*b));
	unsigned cost;

	for (unsigned i = 0; i < n; i++)
		spawn_here(b, NULL, waits);
	co_pause();
	cost = COUNT(REQUIRE(!co_mailbox_handle(box, 100, ignore, NULL));
		     REQUIRE(!co_mailbox_close(box)));
	co_batch_cancel(b);
	(void)!co_batch_join(b);
	free(b);
	return cost;
}

static unsigned handle_beside_coroutines(unsigned n)
{
	static struct co_mailbox box;

	return handle_beside(n, &box);
}

static unsigned handle_in_window(unsigned n)
{
	static _Thread_local struct co_mailbox box;

	return handle_beside(n, &box);
}

const struct row object_rows[] = {
	{ "pthread_create+pthread_join", "threads", create_thread, 256, "" },
	{ "pthread_mutex_unlock", "threads", unlock_thread, 256, "" },
	{ "sem_post", "threads", post, 256, "" },
	{ "pthread_key_create+pthread_key_delete", "keys", create_key, 64, "a look at each" },
	{ "pthread_getspecific", "keys", find_value, 64, "" },
	{ "co_batch_cancel+co_batch_join", "coroutines", cancel_batch, 65536, "a look at each" },
	{ "co_join", "ended coroutines", join_among_ended, 65536, "" },
	{ "co_select", "cases", select_among, CO_WAIT_ANY_MAX, "a try of each" },
	{ "co_chan_send+co_chan_recv", "elements", send_beside_elements, 65536, "" },
	{ "co_link_send+co_link_recv", "links", send_beside_links, 64, "" },
	{ "co_barrier_bind+co_barrier_unbind", "barriers", bind_beside_barriers, 1024, "" },
	{ "co_team_open+co_team_close", "teams", open_beside_teams, 32, "" },
	{ "co_message_send+co_message_recv", "receives", message_beside_receives, 1024,
	  "a look at each" },
	{ "co_message_send+co_message_recv", "messages", message_beside_messages, 65536, "" },
	{ "co_message_recv", "messages of three ranks by rank and tag", receive_by_both, 65536,
	  "" },
	{ "co_message_recv", "messages of three ranks by rank", receive_by_rank, 65536, "" },
	{ "co_message_recv", "messages of three ranks by tag", receive_by_tag, 65536, "" },
	{ "co_domain_spawn+co_join", "domains", spawn_beside_domains, 64, "" },
	{ "co_task_next+co_task_done", "tasks", next_task, 65536, "" },
	{ "malloc+free", "large blocks and holes", allocate_large, 32768, "" },
	{ "aligned_alloc+realloc", "blocks", align_and_resize, 65536, "" },
	{ "co_mailbox_open+co_mailbox_close", "mailboxes", open_mailbox, 256, "a look at each" },
	{ "co_mailbox_handle+co_mailbox_close", "coroutines", handle_beside_coroutines, 65536, "" },
	{ "co_mailbox_handle+co_mailbox_close", "coroutines (box in a window)", handle_in_window,
	  65536, "" },
	{ 0 },
};
