/* messages.c - level 3: any process to any, over routes that never collide. */
#include <bfskn.h>
#include <bupv.h>

#include "../loss.h"

enum { CORES = CO_NET_CORES, MOST = 96, NMPU03 = 5, NMPU33 = 20, CPU0 = 1 };

static int load(char *tfx, unsigned n, bfskn_process *process)
{
	char *argv[] = { "test", tfx, NULL };

	return MP_load(tfx ? 2 : 1, argv, n, process);
}

static uint64_t from[2 * MOST], to[2 * MOST];
static MP_event v3[CORES], v4[CORES];

static int example(int id)
{
	int v1 = -1, v2 = -1;

	CHECK_EQ(MP_init(), 0);
	CHECK_EQ(MP_my_ID(), id);
	if (id == 2) {
		CHECK_EQ(MP_send(4, from, MOST, &v1, &v2, &v3[2], &v4[2]), 0);
		CHECK_EQ(MP_wait_event(&v3[2]), 0);
		CHECK_EQ(MP_wait_event(&v4[2]), 0);
	}
	if (id == 4) {
		CHECK_EQ(MP_recv(2, to, MOST, &v1, &v2, &v3[4]), 0);
		CHECK_EQ(MP_wait_event(&v3[4]), 0);
		CHECK_EQ(MP_check_event(&v3[4]), 0);
	}
	if (id == 2 || id == 4) {
		CHECK_EQ(v1, 0);
		CHECK_EQ(v2, 0);
	}
	return MP_finalize();
}

TEST(the_papers_example_arrives)
{
	for (unsigned i = 0; i < MOST; i++)
		from[i] = i + 1;
	CHECK_EQ(load("--tfx=2:NMPU03,4:NMPU33", 5, example), 0);
	CHECK_EQ(memcmp(from, to, MOST * 8), 0);
}

/* ---- All pairs, and random ones ---- */

static uint64_t out[CORES][CORES][MOST], in[CORES][CORES][MOST];
static MP_event sent[CORES][CORES], got[CORES][CORES];
static int error[2][CORES][CORES];

static uint64_t word(uint64_t n, unsigned k)
{
	return n * 0x9e3779b97f4a7c15u + k;
}

/* What process `id` is to see of transfer n of the plan; it has begun with these words. */
struct wanted {
	uint64_t n;
	uint32_t words;
	bool under_way;
};

static struct wanted sending[CORES][CORES], receiving[CORES][CORES];
static unsigned long arrived[CORES], refused[CORES], wrong[CORES];
static unsigned long cut[CORES]; /* refused, although the other lives */

/*
 * Wait for what is under way with another process. Returns true if the other is lost, or a core
 * between the two.
 */
static bool settle(unsigned id, unsigned other, bool sends)
{
	struct wanted *w = sends ? &sending[id][other] : &receiving[id][other];
	int r;

	if (!w->under_way)
		return false;
	w->under_way = false;
	r = MP_wait_event(sends ? &sent[id][other] : &got[id][other]);
	if (r == -EHOSTDOWN) {
		refused[id]++;
		cut[id] += !co_hart_gone(other);
		return true;
	}
	wrong[id] += r != 0;
	for (uint32_t k = 0; !sends && k < w->words; k++)
		wrong[id] += in[id][other][k] != word(w->n, k);
	arrived[id] += !sends;
	return false;
}

static bool begin(unsigned id, unsigned other, bool sends, uint64_t n, uint32_t words)
{
	int *v2 = &error[sends][id][other], v1;

	if (settle(id, other, sends))
		return false;
	if (sends) {
		for (uint32_t k = 0; k < words; k++)
			out[id][other][k] = word(n, k);
		v1 = MP_send(other, out[id][other], words, NULL, v2, &sent[id][other], NULL);
		sending[id][other] = (struct wanted){ n, words, !v1 };
	} else {
		v1 = MP_recv(other, in[id][other], words, NULL, v2, &got[id][other]);
		receiving[id][other] = (struct wanted){ n, words, !v1 };
	}
	wrong[id] += v1 != 0;
	return true;
}

static void settle_all(unsigned id)
{
	for (unsigned other = 0; other < CORES; other++) {
		settle(id, other, true);
		settle(id, other, false);
	}
}

static int all_pairs(int id)
{
	CHECK_EQ(MP_init(), 0);
	for (unsigned step = 1; step < CORES; step++) {
		unsigned next = ((unsigned)id + step) % CORES;
		unsigned before = ((unsigned)id + CORES - step) % CORES;

		begin((unsigned)id, next, true, (uint64_t)id * CORES + next, 1 + step * 4);
		begin((unsigned)id, before, false, before * CORES + (uint64_t)id, 1 + step * 4);
	}
	settle_all((unsigned)id);
	return MP_finalize();
}

static unsigned long total(const unsigned long *of)
{
	unsigned long n = 0;

	for (unsigned i = 0; i < CORES; i++)
		n += of[i];
	return n;
}

static void forget(void)
{
	memset(arrived, 0, sizeof(arrived));
	memset(refused, 0, sizeof(refused));
	memset(cut, 0, sizeof(cut));
	memset(wrong, 0, sizeof(wrong));
	memset(sending, 0, sizeof(sending));
	memset(receiving, 0, sizeof(receiving));
}

TEST(all_420_ordered_pairs_work)
{
	forget();
	CHECK_EQ(load(NULL, CORES, all_pairs), 0);
	CHECK_EQ(total(arrived), 420);
	CHECK_EQ(total(wrong), 0);
	CHECK_EQ(total(refused), 0);
}

static uint64_t seed;
static unsigned long transfers, lose_at;
static struct co_a32 halfway;

/* Everybody makes the same plan, and does what concerns it, in the plan's order. */
static int random_transfers(int id)
{
	struct test_random r = { seed };
	bool down[CORES] = { 0 };

	wrong[id] += MP_init() != 0;
	for (unsigned long n = 0; n < transfers; n++) {
		unsigned a = test_below(&r, CORES), b = test_below(&r, CORES - 1);
		uint32_t words = 1 + test_below(&r, 9) * test_below(&r, 9) + test_below(&r, 8);

		b += b >= a;
		if (lose_at && n == lose_at && ((unsigned)id == NMPU33 || (unsigned)id == CPU0)) {
			/* release: it does nothing any more; pairs with the loser of harts. */
			co_atomic_add(&halfway, 1, CO_RELEASE);
			for (;;)
				(void)!co_sleep_us(1000);
		}
		if (a == (unsigned)id && !down[b])
			down[b] |= !begin(a, b, true, n, words) && co_hart_gone(b);
		if (b == (unsigned)id && !down[a])
			down[a] |= !begin(b, a, false, n, words) && co_hart_gone(a);
	}
	settle_all((unsigned)id);
	return MP_finalize();
}

static void at_random(unsigned long n)
{
	struct test_random r = test_random(1);

	seed = test_next(&r);
	transfers = n;
	lose_at = 0;
	forget();
	CHECK_EQ(load(NULL, CORES, random_transfers), 0);
	CHECK_EQ(total(arrived), n);
	CHECK_EQ(total(wrong), 0);
	CHECK_EQ(total(refused), 0);
}

TEST(random_transfers_all_arrive)
{
	at_random(3000);
}

TEST_LONG(a_million_random_transfers_all_arrive)
{
	at_random(1000000);
}

/* ---- The other calls ---- */

MP_MUTEX(mutex);
static unsigned long counted;
static uint64_t shared[CORES];

static int other_calls(int id)
{
	unsigned next = ((unsigned)id + 1) % CORES;
	bool arm = co_hart_role(co_hart()) & CO_ROLE_MANAGE;
	uint64_t *mine;

	CHECK_EQ(MP_init(), 0);
	/* A signal goes round. */
	if (id == 0)
		CHECK_EQ(MP_send_signal(next, 3), 0);
	CHECK_EQ(MP_wait_any_signal((const unsigned[]){ 2, 3 }, 2), 3);
	if (id != 0)
		CHECK_EQ(MP_send_signal(next, 3), 0);
	if (id == 0)
		CHECK_EQ(MP_broadcast_signal(1), 0);
	else
		CHECK_EQ(MP_wait_signal(1), 0);
	CHECK_EQ(MP_global_barrier(), 0);
	CHECK_EQ(MP_drop_signal(1), 0);
	CHECK_EQ(MP_lock(&mutex), 0);
	counted++;
	MP_unlock(&mutex);
	CHECK_EQ(MP_local_barrier(), 0);
	CHECK_EQ(arm ? MP_arm_barrier() : MP_nm_barrier(), 0);
	CHECK_EQ(arm ? MP_nm_barrier() : MP_arm_barrier(), -EINVAL);
	CHECK_EQ(bfskn_processes(), CORES);
	CHECK_EQ(bfskn_core((unsigned)id), (int)co_hart());
	CHECK_EQ(bfskn_core(CORES), -1);
	mine = co_spm_alloc(8, 8);
	*mine = 0;
	CHECK_EQ(MP_global_barrier(), 0);
	/* Symmetric: all have allocated alike. */
	shared[id] = (uint64_t)id + 100;
	CHECK_EQ(MP_put(MP_global_address(next, mine), &shared[id], 1), 0);
	CHECK_EQ(MP_global_barrier(), 0);
	CHECK_EQ(*mine, ((uint64_t)id + CORES - 1) % CORES + 100);
	CHECK_EQ(MP_get(&shared[id], MP_global_address(next, mine), 1), 0);
	CHECK_EQ(shared[id], (uint64_t)id + 100);
	CHECK(MP_global_address(CORES, mine) == NULL);
	CHECK_EQ(MP_global_barrier(), 0);
	co_spm_free(mine);
	return MP_finalize();
}

TEST(signals_mutexes_and_global_addresses_work)
{
	counted = 0;
	CHECK_EQ(load(NULL, CORES, other_calls), 0);
	CHECK_EQ(counted, CORES);
}

static uint64_t moved[MOST];

static int events_and_engines(int id)
{
	int v1 = 1, v2 = 1;

	CHECK_EQ(MP_init(), 0);
	if (id == 0) {
		CHECK_EQ(MP_move(moved, from, MOST, &v1, &v2, &v3[0]), 0);
		CHECK_EQ(MP_wait_event(&v3[0]), 0);
		CHECK_EQ(memcmp(moved, from, sizeof(moved)), 0);
		MP_set_event(&v4[0]);
	}
	CHECK_EQ(MP_wait_event(&v4[0]), 0);
	CHECK_EQ(MP_global_barrier(), 0);
	if (id == 0) {
		MP_drop_event(&v4[0]);
		CHECK_EQ(MP_check_event(&v4[0]), -EINPROGRESS);
		CHECK_EQ(MP_move(moved, from, 0, &v1, &v2, &v3[0]), -EINVAL);
		CHECK_EQ(v1, -EINVAL);
	}
	return MP_finalize();
}

TEST(events_are_set_until_they_are_dropped)
{
	CHECK_EQ(load(NULL, 3, events_and_engines), 0);
}

/* NMPU03 to NMPU33, on a path, with a gap. */
static int on_a_path(int id)
{
	int v1, v2;

	CHECK_EQ(MP_init(), 0);
	if (id == 0) {
		CHECK_EQ(MP_send_path(1, from, MOST, &v1, &v2, &v3[0], NULL), -ENOTCONN);
		CHECK_EQ(MP_send_path_off(1), -ENOTCONN);
		CHECK_EQ(MP_send_path_check(1), 0);
		CHECK_EQ(MP_send_path_on(1, _2D, 4, 4), 0);
		CHECK_EQ(MP_send_path_on(1, _2D, 4, 4), -EALREADY);
		CHECK_EQ(MP_send_path_check(1), 1);
		/* One to CPU0 by the same port may be on, too. */
		CHECK_EQ(MP_send_path_on(2, _1D, 0, 0), 0);
		for (unsigned i = 0; i < 10; i++) {
			CHECK_EQ(MP_send_path(1, from, MOST, &v1, &v2, &v3[0], &v4[0]), 0);
			CHECK_EQ(MP_wait_event(&v4[0]), 0);
		}
		CHECK_EQ(MP_send_path_off(1), 0);
		CHECK_EQ(MP_send_path_off(2), 0);
	}
	if (id == 1) {
		CHECK_EQ(MP_recv_path_check(0), 0);
		CHECK_EQ(MP_recv_path_on(0, _2D, 4, 4), 0);
		CHECK_EQ(MP_recv_path_check(0), 1);
		for (unsigned i = 0; i < 10; i++) {
			CHECK_EQ(MP_recv_path(0, to, MOST, &v1, &v2, &v3[1]), 0);
			CHECK_EQ(MP_wait_event(&v3[1]), 0);
		}
		CHECK_EQ(MP_recv_path_off(0), 0);
	}
	return MP_finalize();
}

TEST(a_path_serves_many_transfers)
{
	memset(to, 0, sizeof(to));
	for (unsigned i = 0; i < 2 * MOST; i++)
		from[i] = i + 1;
	CHECK_EQ(load("--tfx=NMPU03,NMPU33,CPU0", 3, on_a_path), 0);
	for (unsigned i = 0; i < 2 * MOST; i++)
		CHECK_EQ(to[i], i % 8 < 4 ? i + 1 : 0);
}

static int on_two_paths(int id)
{
	CHECK_EQ(MP_init(), 0);
	if (id == 0) {
		for (unsigned i = 0; i < 2; i++) {
			CHECK_EQ(MP_send_path_on(1, _1D, 0, 0), 0);
			CHECK_EQ(MP_send_path_on(2, _1D, 0, 0), 0);
			CHECK_EQ(MP_send_path_off(1 + i), 0);
			CHECK_EQ(MP_send_path_off(2 - i), 0);
		}
		CHECK_EQ(MP_send_path_on(1, _1D, 0, 0), 0); /* these are the end's to give back */
		CHECK_EQ(MP_send_path_on(2, _1D, 0, 0), 0);
	}
	return MP_finalize();
}

TEST(paths_go_off_in_any_order)
{
	CHECK_EQ(load("--tfx=NMPU00,NMPU01,NMPU02", 3, on_two_paths), 0);
	CHECK_EQ(load("--tfx=NMPU00,NMPU01,NMPU02", 3, on_two_paths), 0);
}

static int bad_input(int id)
{
	int v1 = 1, r;

	CHECK_EQ(MP_send(1, from, 1, &v1, NULL, NULL, NULL), -EPERM);
	CHECK_EQ(MP_finalize(), -EPERM);
	CHECK_EQ(MP_init(), 0);
	if (id == 0) {
		CHECK_EQ(MP_send(7, from, 1, &v1, NULL, NULL, NULL), -EINVAL);
		CHECK_EQ(v1, -EINVAL);
		CHECK_EQ(MP_send(0, from, 1, &v1, NULL, NULL, NULL), -EINVAL);
		CHECK_EQ(MP_send(1, from, 0, &v1, NULL, NULL, NULL), -EINVAL);
		CHECK_EQ(MP_send(1, (char *)from + 4, 1, &v1, NULL, NULL, NULL), -EINVAL);
		CHECK_EQ(MP_recv(1, NULL, 1, &v1, NULL, NULL), -EFAULT);
		/* Twice, and taken back. */
		CHECK_EQ(MP_send(1, from, 1, &v1, NULL, NULL, NULL), 0);
		CHECK_EQ(MP_send(1, from, 1, &v1, NULL, NULL, NULL), -EBUSY);
		CHECK_EQ(MP_check_send_wait(), 1);
		CHECK_EQ(MP_check_recv_wait(), 0);
	}
	CHECK_EQ(MP_global_barrier(), 0);
	if (id == 1) {
		CHECK_EQ(MP_check_extrn_send_wait(), 1);
		CHECK_EQ(MP_check_extrn_recv_wait(), 0);
	}
	CHECK_EQ(MP_global_barrier(), 0);
	if (id == 0) {
		CHECK_EQ(MP_drop_send_wait(1), 0);
		CHECK_EQ(MP_drop_send_wait(1), -EALREADY);
		CHECK_EQ(MP_drop_recv_wait(9), -EINVAL);
		/* One more, which MP_finalize() is to name. */
		CHECK_EQ(MP_send(1, from, 1, &v1, NULL, NULL, NULL), 0);
	}
	CHECK_EQ(MP_global_barrier(), 0);
	r = MP_finalize();
	CHECK_EQ(r, id == 0);
	return 0;
}

TEST(bad_input_is_refused)
{
	CHECK_EQ(MP_init(), -EPERM);
	CHECK_EQ(load(NULL, 2, bad_input), 0);
}

static int unequal(int id)
{
	int v1, v2 = 1;

	CHECK_EQ(MP_init(), 0);
	CHECK_EQ(id ? MP_recv(0, to, 3, &v1, &v2, &v3[1])
		    : MP_send(1, from, 5, &v1, &v2, &v3[0], NULL),
		 0);
	CHECK_EQ(MP_wait_event(&v3[id]), -EMSGSIZE);
	CHECK_EQ(v2, -EMSGSIZE);
	return MP_finalize();
}

TEST(unequal_lengths_are_reported_to_both)
{
	CHECK_EQ(load(NULL, 2, unequal), 0);
}

static int faults(int id)
{
	int v1;

	CHECK_EQ(MP_init(), 0);
	if (id == 0) {
		CHECK_EQ(MP_recv(1, to, 1, &v1, NULL, &v3[0]), 0);
		CHECK_EQ(MP_wait_event(&v3[0]), -EHOSTDOWN);
		CHECK_EQ(MP_send(1, from, 1, &v1, NULL, &v3[0], NULL), 0);
		CHECK_EQ(MP_wait_event(&v3[0]), -EHOSTDOWN);
		return MP_finalize();
	}
	co_panic("on purpose");
}

static int three(int id)
{
	return id < 2 ? faults(id) : 0;
}

TEST_FAULTY(a_process_that_a_fault_ends_is_reported_to_its_partners)
{
	CHECK_EQ(load("--tfx=NMPU02,NMPU03,NMPU33", 3, three), -EFAULT);
	/* And all works at the next load. */
	forget();
	CHECK_EQ(load(NULL, CORES, all_pairs), 0);
	CHECK_EQ(total(arrived), 420);
	CHECK_EQ(total(wrong), 0);
}

/* ---- The last: two cores are lost, half-way ---- */

static intptr_t lose_two(void *arg)
{
	uint64_t end = co_after_us(120000000); /* 10^6 transfers take less */

	/* acquire: they do nothing any more; pairs with random_transfers(). */
	while (co_atomic_load(&halfway, CO_ACQUIRE) < 2) {
		if (co_now() > end)
			return -ETIMEDOUT;
		test_sleep_us(1000);
	}
	fault_there(NMPU33);
	fault_there(CPU0);
	return 0;
}

static int nothing(int id)
{
	return MP_init() ? -EIO : MP_finalize();
}

static void with_losses(unsigned long n)
{
	struct test_random r = test_random(2);
	struct co *loser;
	unsigned long expected = 0;

	seed = test_next(&r);
	transfers = n;
	lose_at = n / 2;
	forget();
	co_atomic_store(&halfway, 0, CO_RELAXED);
	loser = test_spawn_on(0, lose_two, NULL);
	CHECK_EQ(load(NULL, CORES, random_transfers), -EHOSTDOWN);
	CHECK_EQ(test_join(loser), 0);
	/* Those between living cores. */
	r = (struct test_random){ seed };
	for (unsigned long i = 0; i < n; i++) {
		unsigned a = test_below(&r, CORES), b = test_below(&r, CORES - 1);

		(void)test_below(&r, 9);
		(void)test_below(&r, 9);
		(void)test_below(&r, 8);
		b += b >= a;
		expected += a != NMPU33 && a != CPU0 && b != NMPU33 && b != CPU0;
	}
	CHECK(total(refused) > 0);
	/* If a carrier is lost both ends are refused, and leave the next one out. */
	CHECK(total(arrived) + total(cut) >= expected);
	CHECK_EQ(total(wrong), 0);
}

TEST_FAULTY(with_two_cores_lost_the_others_go_on)
{
	with_losses(2000);
	CHECK_EQ(load(NULL, CORES - 2, nothing), 0);
}

TEST_LONG(in_a_million_transfers_two_cores_are_lost)
{
	with_losses(1000000);
	CHECK_EQ(load(NULL, CORES - 2, nothing), 0);
}

/* ---- A process that is cancelled ---- */

static uint64_t moved_from[1 << 15], moved_to[1 << 15];
static MP_event move_ended;

static int move_cancelled(int id)
{
	int v1 = -1, v2 = -1;

	CHECK_EQ(MP_init(), 0);
	co_cancel(co_self());
	/* More moves than there are engines: each has given its engine back. */
	for (unsigned i = 0; i < 10; i++) {
		moved_to[(1 << 15) - 1] = 0;
		CHECK_EQ(MP_move(moved_to, moved_from, 1 << 15, &v1, &v2, NULL), 0);
		CHECK(!v1 && !v2 && moved_to[(1 << 15) - 1] == 4711);
		CHECK_EQ(MP_move(moved_to, moved_from, 1 << 15, &v1, &v2, &move_ended), 0);
		MP_drop_event(&move_ended);
	}
	return MP_finalize();
}

TEST(a_cancel_takes_no_engine_from_who_moves)
{
	moved_from[(1 << 15) - 1] = 4711;
	CHECK_EQ(load(NULL, 1, move_cancelled), 0);
}
