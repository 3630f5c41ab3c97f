/* paths.c - level 2: processes by their numbers, wherever they are. */
#include <bfskn.h>

#include "../../runtime/libs/network/network.h"
#include "../loss.h"

enum { WORDS = 8192, NMPU03 = 5, NMPU33 = 20 };

static uint64_t from[2 * WORDS], to[2 * WORDS];
static int sent, received, cores[2];

/* The paper's example. */
static int example(int id)
{
	if (id == 2) {
		CHECK_EQ(send_path_on(4, _2D, 0x4, 0x4), 0);
		CHECK_EQ(send_path(4, from, WORDS), 0);
		sent = wait_send(4);
		cores[0] = (int)co_hart();
	}
	if (id == 4) {
		CHECK_EQ(rcv_path_on(2, _2D, 0x4, 0x4), 0);
		CHECK_EQ(rcv_path(2, to, WORDS), 0);
		received = wait_rcv(2);
		cores[1] = (int)co_hart();
	}
	return bfskn_global_barrier();
}

static int load(char *tfx, unsigned n, bfskn_process *process)
{
	char *argv[] = { "test", tfx, NULL };

	return bfskn_load(tfx ? 2 : 1, argv, n, process);
}

static void run_example(char *tfx)
{
	memset(to, 0, sizeof(to));
	for (unsigned i = 0; i < 2 * WORDS; i++)
		from[i] = 7 + i;
	sent = received = -1;
	CHECK_EQ(load(tfx, 5, example), 0);
	CHECK_EQ(sent, 0);
	CHECK_EQ(received, 0);
	for (unsigned i = 0, wrong = 0; i < 2 * WORDS && !wrong; i++)
		wrong = !CHECK_EQ(to[i], i % 8 < 4 ? 7 + i : 0);
}

TEST(the_papers_example_arrives)
{
	run_example("--tfx=2:NMPU03,4:NMPU33");
	CHECK_EQ(cores[0], NMPU03);
	CHECK_EQ(cores[1], NMPU33);
}

TEST(by_default_processes_are_on_the_first_cores)
{
	run_example(NULL);
	CHECK_EQ(cores[0], 2);
	CHECK_EQ(cores[1], 4);
}

TEST(a_core_may_be_a_number_and_a_process_the_next)
{
	run_example("--tfx=16,15,5,CPU,20");
	CHECK_EQ(cores[0], NMPU03);
	CHECK_EQ(cores[1], NMPU33);
}

static int not_run(int id)
{
	CHECK(false);
	return 0;
}

TEST(a_table_that_makes_no_sense_is_refused)
{
	CHECK_EQ(load("--tfx=NMPU44", 2, not_run), -EINVAL);
	CHECK_EQ(load("--tfx=21", 2, not_run), -EINVAL);
	CHECK_EQ(load("--tfx=2:NMPU03", 2, not_run), -EINVAL);
	CHECK_EQ(load("--tfx=x:NMPU03", 2, not_run), -EINVAL);
	CHECK_EQ(load("--tfx=:NMPU03", 2, not_run), -EINVAL);
	CHECK_EQ(load("--tfx=-0:NMPU03", 2, not_run), -EINVAL);
	CHECK_EQ(load("--tfx=NMPU03,NMPU03", 2, not_run), -EINVAL);
	CHECK_EQ(load("--tfx=1:NMPU03,1:NMPU02", 2, not_run), -EINVAL);
	CHECK_EQ(load("--tfx=@/no/such/file", 2, not_run), -EINVAL);
	CHECK_EQ(load(NULL, 0, not_run), -EINVAL);
	CHECK_EQ(load(NULL, 22, not_run), -EINVAL);
	CHECK_EQ(bfskn_id(), -1);
}

static int wrong_calls(int id)
{
	if (id)
		return 0;
	CHECK_EQ(send_path_on(0, _1D, 0, 0), -EINVAL);
	CHECK_EQ(send_path_on(9, _1D, 0, 0), -EINVAL);
	CHECK_EQ(send_path_on(1, (enum bfskn_addressing)7, 4, 4), -EINVAL);
	CHECK_EQ(rcv_path_on(1, _2D, 0, 4), -EINVAL);
	CHECK_EQ(send_path(1, from, 1), -ENOTCONN);
	CHECK_EQ(wait_rcv(1), -ENOTCONN);
	CHECK_EQ(check_send(77), -ENOTCONN);
	/* NMPU03 and NMPU23: the paper's pair without a route. */
	CHECK_EQ(send_path_on(1, _1D, 0, 0), -ENETUNREACH);
	CHECK_EQ(rcv_path_on(1, _1D, 0, 0), -ENETUNREACH);
	return 0;
}

TEST(a_path_that_is_none_is_refused)
{
	CHECK_EQ(load("--tfx=NMPU03,NMPU23", 2, wrong_calls), 0);
}

BFSKN_MUTEX(mutex);
static unsigned long counted;

static int count(int id)
{
	for (unsigned i = 0; i < 20; i++) {
		unsigned long was;

		if (lock(&mutex))
			return -EIO;
		was = counted;
		co_pause();
		counted = was + 1;
		unlock(&mutex);
	}
	return 0;
}

TEST(a_mutex_has_one_owner)
{
	counted = 0;
	CHECK_EQ(load(NULL, CO_NET_CORES, count), 0);
	CHECK_EQ(counted, 20 * CO_NET_CORES);
}

static struct co_a32 held;

static int seize(int id)
{
	static uint64_t copy[CO_NET_CORES][64];
	int engine = start_mdmac(from, copy[id], 64);

	if (engine < 0)
		return engine;
	/* relaxed: a bit for each. */
	if (co_atomic_or(&held, 1u << engine, CO_RELAXED) >> engine & 1)
		return -EIO;
	co_pause();
	co_atomic_and(&held, ~(1u << engine), CO_RELAXED);
	engine = wait_mdmac((unsigned)engine);
	return engine ? engine : memcmp(copy[id], from, sizeof(copy[id]));
}

TEST(a_free_engine_is_found_or_waited_for)
{
	CHECK_EQ(load(NULL, CO_NET_CORES, seize), 0);
}

static int four_barriers(int id)
{
	int r = 0;

	for (unsigned i = 0; i < 10 && r == 0; i++) {
		bool arm = co_hart_role(co_hart()) & CO_ROLE_MANAGE;

		r = local_barrier();
		r = r ? r : global_barrier();
		r = r ? r : arm ? arm_barrier() : nm_barrier();
		CHECK_EQ(arm ? nm_barrier() : arm_barrier(), -EINVAL);
	}
	return r;
}

TEST(barriers_are_of_the_processes_there_are)
{
	CHECK_EQ(load(NULL, CO_NET_CORES, four_barriers), 0);
	CHECK_EQ(load("--tfx=CPU1,NMPU12,NMPU13,CPU3,NMPU31", 5, four_barriers), 0);
}

/* A report of what is taken names the sender; what is wanted is wanted of all cores on it. */
static void check_channel(unsigned sender, unsigned receiver, const struct co_net_route *r)
{
	bool direct;
	unsigned home, names = 0;
	uint32_t parts = co_net_parts(r, sender, &home, &direct);
	uint32_t on_it = co_net_cores_at(home, direct);

	CHECK(on_it >> sender & 1);
	CHECK(on_it >> receiver & 1);
	for (unsigned part = 0; part < CO_NET_PARTS; part++) {
		const char *name = parts >> part & 1 ? co_net_sender_name(home, direct, part)
						     : NULL;

		if (name)
			CHECK(strcmp(name, co_net_core_name(sender)) == 0);
		names += name != NULL;
	}
	CHECK_EQ(names, 1);
}

TEST(a_channel_knows_its_cores)
{
	for (unsigned i = 0; i < CO_NET_CORES * CO_NET_CORES; i++) {
		struct co_net_route r;

		if (!co_net_route(i / CO_NET_CORES, i % CO_NET_CORES, &r))
			check_channel(i / CO_NET_CORES, i % CO_NET_CORES, &r);
	}
}

/* The last: cores are lost. */
TEST_FAULTY(the_next_load_goes_round_a_lost_core)
{
	fault_there(NMPU33);
	for (unsigned i = 0; i < 1000 && !co_hart_gone(NMPU33); i++)
		test_sleep_us(1000);
	REQUIRE(co_hart_gone(NMPU33));
	test_sleep_us(300000);
	run_example("--tfx=2:NMPU03,4:NMPU33");
	CHECK_EQ(cores[0], NMPU03);
	/* CPU3 is the other core there that NMPU03 has a route to; nearer ones come first. */
	CHECK(cores[1] != NMPU33);
	CHECK_EQ(load(NULL, CO_NET_CORES, not_run), -ENOSPC);
}
