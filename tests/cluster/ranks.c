/*
 * ranks.c - ranks of several boards, one MPI_COMM_WORLD: what is peculiar to them.
 *
 * usage: ranks CASE
 */
#include <string.h>

#include <cohart/cluster.h>

#include "../../runtime/libs/mpi/rma/remote.h"
#include "../harness/random.h"
#include "../mpi/check.h"

static int rank, size, here; /* `here`: ranks on a board */

static int board_of(int r)
{
	return r / here;
}

/* Rank 0 takes from any rank, of both boards; each one's messages keep their order. */
static void any_source(void)
{
	enum { EACH = 200 };
	int next[64] = { 0 }, x[2];
	MPI_Status status;

	for (int i = 0; i < EACH && rank; i++) {
		x[0] = i;
		x[1] = -i;
		/* Short, kept and long ones. */
		if (i % 50 == 49) {
			static int much[10000];

			much[0] = i;
			MPI_Send(much, i % 100 == 99 ? 10000 : 300, MPI_INT, 0, 5, MPI_COMM_WORLD);
		} else {
			MPI_Send(x, 2, MPI_INT, 0, 5, MPI_COMM_WORLD);
		}
	}
	for (int i = 0; i < EACH * (size - 1) && !rank; i++) {
		static int got[10000];

		MPI_Recv(got, 10000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		CHECK(got[0] == next[status.MPI_SOURCE]++ && status.MPI_TAG == 5);
	}
}

/* A long message that nobody receives yet lets others, with another tag, pass. */
static void unexpected(void)
{
	static char much[1 << 18], got[1 << 18];
	int peer = (rank + here) % size, from = (rank - here + size) % size, x;
	MPI_Request r[2];

	memset(much, rank, sizeof(much));
	MPI_Isend(much, sizeof(much), MPI_CHAR, peer, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(&rank, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &r[1]);
	MPI_Recv(&x, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(x == from);
	MPI_Recv(got, sizeof(got), MPI_CHAR, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(got[0] == (char)from && got[sizeof(got) - 1] == (char)from);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

/* A synchronous send ends when the other board's rank has received, not before. */
static void synchronous(void)
{
	int peer = size - 1 - rank, x = 0, flag;
	double begun;
	MPI_Request r;

	if (rank == 0) {
		MPI_Issend(&x, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &r);
		begun = MPI_Wtime();
		do
			MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		while (!flag && MPI_Wtime() < begun + 0.05);
		CHECK(!flag);
		MPI_Send(&x, 1, MPI_INT, peer, 4, MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else if (rank == size - 1) {
		MPI_Recv(&x, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&x, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

/* Ranks that share memory are those of a board; a communicator may cross boards. */
static void communicators(void)
{
	MPI_Comm shared, odd;
	int n, sum, is_global, *global, given;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
	MPI_Comm_size(shared, &n);
	CHECK(n == here);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, shared);
	CHECK(sum == here * board_of(rank) * here + here * (here - 1) / 2);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
	MPI_Comm_size(odd, &n);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, odd);
	CHECK(n == (size + !(rank % 2)) / 2 && sum == (n - 1) * n + n * (rank % 2));
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &global, &given);
	is_global = given && *global;
	CHECK(is_global == (co_cluster_boards() == 1));
	MPI_Comm_free(&shared);
	MPI_Comm_free(&odd);
}

/* Memory is shared on a board alone; the rest of windows is in tests/mpi/rma.c. */
static void windows(void)
{
	int *base, unit, n = 4096, wrong = 0, *out = malloc((size_t)n * sizeof(*out));
	MPI_Aint bytes;
	MPI_Win w;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK(MPI_Win_allocate_shared(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w) ==
	      MPI_ERR_RMA_SHARED);
	MPI_Win_allocate(n * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
			 &base, &w);
	MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
	CHECK(MPI_Win_shared_query(w, (rank + here) % size, &bytes, &unit, &base) ==
	      MPI_ERR_RMA_SHARED);
	CHECK(MPI_Win_shared_query(w, rank, &bytes, &unit, &base) == 0);
	MPI_Win_fence(0, w);
	/* Long: its data come by themselves. */
	for (int i = 0; i < n; i++)
		out[i] = rank * n + i;
	CHECK(MPI_Put(out, n, MPI_INT, (rank + here) % size, 0, n, MPI_INT, w) == 0);
	CHECK(MPI_Put(out, n, MPI_INT, (rank + here) % size, 1, n, MPI_INT, w) ==
	      MPI_ERR_RMA_RANGE);
	MPI_Win_fence(0, w);
	for (int i = 0; i < n; i++)
		wrong += base[i] != (rank + size - here) % size * n + i;
	CHECK(!wrong);
	MPI_Win_fence(0, w);
	MPI_Win_free(&w);
	free(out);
}

/* Requests for windows that no library has made change nothing but the window. */
static void requests(void)
{
	enum { BYTES = 256, N = 20000 };
	static unsigned char room[3 * BYTES];
	struct co_test_random random = { (uint32_t)rank };
	struct {
		struct co_mpi_far_request head;
		struct co_mpi_far_part part[2];
		unsigned char data[64];
	} q;
	MPI_Win w[2];

	memset(room, 0x5a, sizeof(room));
	MPI_Win_create(room + BYTES, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w[0]);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w[1]);
	MPI_Win_attach(w[1], room + BYTES, BYTES);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < N && board_of(rank) == 1; i++) {
		uint32_t *word = (uint32_t *)&q, far = co_test_below(&random, 2);
		size_t n = sizeof(q.head);

		for (size_t k = 0; k < sizeof(q) / sizeof(*word); k++)
			word[k] = co_test_next(&random);
		q.head.kind = CO_MPI_FAR_PUT + 2 * co_test_below(&random, 2);
		q.head.op %= CO_MPI_OPS + 1;
		q.head.element %= CO_MPI_BASICS + 8;
		q.head.answers = q.head.fetches = 0; /* nobody would receive them */
		q.head.parts = co_test_below(&random, 3);
		for (int k = 0; k < 2; k++) {
			q.part[k].at %= 4 * BYTES;
			q.part[k].at += far ? (intptr_t)room - BYTES / 2 : -BYTES / 2;
			q.part[k].bytes = co_test_below(&random, 5) * 4;
			q.part[k].blocks = co_test_below(&random, 5);
			q.part[k].stride %= BYTES;
			n += k < (int)q.head.parts ? sizeof(q.part[0]) : 0;
		}
		q.head.bytes = 0;
		for (int k = 0; k < (int)q.head.parts; k++)
			q.head.bytes += q.part[k].bytes * q.part[k].blocks;
		n = n + q.head.bytes < sizeof(q) ? n + q.head.bytes : sizeof(q);
		if (co_test_below(&random, 2))
			word[co_test_below(&random, sizeof(q) / sizeof(*word))] ^=
				(uint32_t)1 << co_test_below(&random, 32);
		q.head.answers = q.head.fetches = 0;
		if (q.head.kind == CO_MPI_FAR_GET || q.head.kind == CO_MPI_FAR_SWAP)
			q.head.kind = 99;
		if (co_message_send(co_mpi.me, co_test_below(&random, (uint32_t)here),
				    CO_CLUSTER_REQUEST, w[far]->comm->context, &q, n))
			abort();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0, written = 0; i < 3 * BYTES; i++) {
		if (room[i] != 0x5a)
			CHECK(i >= BYTES && i < 2 * BYTES && written++ < BYTES);
		CHECK(i != 3 * BYTES - 1 || (written > 0) == (board_of(rank) == 0));
	}
	MPI_Win_free(&w[0]);
	MPI_Win_free(&w[1]);
}

/* A rank of another board cannot release a lock that it does not have. */
static void foreign_unlock(void)
{
	long *base;
	MPI_Win w;

	MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	if (!rank)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == size - 1) {
		CHECK(co_mpi_far_unlock(w, 0, MPI_LOCK_EXCLUSIVE) == MPI_ERR_RMA_SYNC);
		CHECK(co_mpi_far_unlock(w, 0, MPI_LOCK_SHARED) == MPI_ERR_RMA_SYNC);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		MPI_Win_unlock(0, w);
	CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w) == 0 && MPI_Win_unlock(0, w) == 0);
	CHECK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w) == 0 && MPI_Win_unlock(0, w) == 0);
	MPI_Win_free(&w);
}

/* Have another board refuse a put: the origin hears of it only when it waits for the target. */
static void refused(MPI_Win w, int target)
{
	static const struct {
		struct co_mpi_far_request head;
		struct co_mpi_far_part part;
		long data;
	} q = { { .kind = CO_MPI_FAR_PUT, .parts = 1, .bytes = 8 }, { -8, 0, 1, 8 }, 0 };

	w->pending[target] = 1;
	if (co_message_send(co_mpi.me, (uint32_t)target, CO_CLUSTER_REQUEST, w->comm->context, &q,
			    sizeof(q)))
		abort();
}

/* A late error ends the epoch of the rank that has made it, and the other ranks' as ever. */
static void late_errors(void)
{
	int late = rank ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
	MPI_Group all;
	long *base;
	MPI_Win w;

	MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	MPI_Win_set_errhandler(w, MPI_ERRORS_RETURN);
	MPI_Win_get_group(w, &all);

	CHECK(MPI_Win_fence(0, w) == 0);
	if (!rank) {
		refused(w, size - 1);
		MPI_Send(NULL, 0, MPI_INT, size - 1, 9, MPI_COMM_WORLD);
	} else if (rank == size - 1) {
		/* An early access must not fail the window, which other ranks may still make. */
		MPI_Recv(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(w->targets[0].error == 0);
	}
	CHECK(MPI_Win_fence(0, w) == late);
	CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w) == 0);

	CHECK(MPI_Win_post(all, 0, w) == 0 && MPI_Win_start(all, 0, w) == 0);
	if (!rank)
		refused(w, size - 1);
	CHECK(MPI_Win_complete(w) == late && MPI_Win_wait(w) == 0);

	CHECK(MPI_Win_lock_all(0, w) == 0);
	for (int i = here; i < size && !rank; i++)
		refused(w, i);
	CHECK(MPI_Win_unlock_all(w) == late);
	CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, w) == 0); /* all have given it back */
	CHECK(MPI_Win_unlock(size - 1, w) == 0);

	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank) { /* rank 1 cannot be locked: the lock of rank 0 is given back */
		CHECK(co_mutex_lock(&w->targets[1].guard) == 0);
		CHECK(MPI_Win_lock_all(0, w) != 0);
		co_mutex_unlock(&w->targets[1].guard);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w) == 0 && MPI_Win_unlock(0, w) == 0);
	MPI_Group_free(&all);
	MPI_Win_free(&w);
}

/* An accumulate that only reads waits for another one that is under way. */
static void atomic_reads(void)
{
	long *base, got = -1;
	MPI_Win w;

	MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	*base = 1;
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		double begun = MPI_Wtime();

		CHECK(co_mutex_lock(&w->targets[0].atomic) == 0);
		MPI_Send(NULL, 0, MPI_INT, size - 1, 7, MPI_COMM_WORLD);
		while (MPI_Wtime() < begun + 0.05)
			;
		*base = 2;
		co_mutex_unlock(&w->targets[0].atomic);
	} else if (rank == size - 1) {
		MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, w);
		CHECK(MPI_Get_accumulate(NULL, 0, MPI_LONG, &got, 1, MPI_LONG, 0, 0, 1, MPI_LONG,
					 MPI_NO_OP, w) == 0);
		MPI_Win_unlock(0, w);
		CHECK(got == 2);
	}
	MPI_Win_free(&w);
}

/* The last rank takes all memory of its board: there is none for the answers to rank 0. */
static void starved(void)
{
	size_t bytes = (size_t)1 << 30;
	double begun;
	long *base;
	MPI_Win w;

	MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	begun = MPI_Wtime();
	if (rank == 0) {
		while (MPI_Wtime() < begun + 30) {
			MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, w);
			MPI_Win_unlock(size - 1, w);
		}
		for (int i = 1; i < size; i++)
			MPI_Send(NULL, 0, MPI_INT, i, 7, MPI_COMM_WORLD);
	} else {
		while (rank == size - 1 && bytes) {
			while (malloc(bytes))
				;
			bytes /= 2;
		}
		MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void files(void)
{
	MPI_File f;

	MPI_File_open(MPI_COMM_WORLD, "there_is_none", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
}

/* A rank of the last board fails. */
static void faults(void)
{
	if (rank == size - 1)
		abort();
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Ranks of two boards wait for each other. */
static void deadlock(void)
{
	int x;

	MPI_Recv(&x, 1, MPI_INT, (rank + here) % size, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(int peer, void *data, int bytes)
{
	if (!rank)
		MPI_Send(data, bytes, MPI_CHAR, peer, 6, MPI_COMM_WORLD);
	MPI_Recv(data, bytes, MPI_CHAR, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank)
		MPI_Send(data, bytes, MPI_CHAR, peer, 6, MPI_COMM_WORLD);
}

/* The first and the last rank: ns of one way. */
static void pingpong(void)
{
	static const struct {
		int bytes, times;
	} runs[] = { { 8, 2000 }, { 1024, 1000 }, { 1 << 16, 200 }, { 1 << 20, 40 } };
	static char data[1 << 20];
	int peer = size - 1 - rank;

	if (rank && rank != size - 1)
		return;
	for (unsigned k = 0; k < sizeof(runs) / sizeof(runs[0]); k++) {
		double begun = 0;

		for (int i = -10; i < runs[k].times; i++) {
			if (!i)
				begun = MPI_Wtime();
			exchange(peer, data, runs[k].bytes);
		}
		if (!rank)
			printf("%d bytes: %.0f ns\n", runs[k].bytes,
			       (MPI_Wtime() - begun) * 1e9 / 2 / runs[k].times);
	}
}

/* The first rank at the last one's window: ns of an access, with its end. */
static void accesses(void)
{
	enum { TIMES = 500 };
	static const char *const names[] = { "put and flush", "get", "fetch and add", "put" };
	static char data[1 << 20];
	long one = 1, was = 0, *base;
	MPI_Win w;

	MPI_Win_allocate(sizeof(data), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	base[0] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (int k = 0; k < 4 && !rank; k++) {
		double begun = MPI_Wtime();

		MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, w);
		for (int i = 0; i < TIMES; i++) {
			if (k == 1)
				MPI_Get(&was, 8, MPI_CHAR, size - 1, 0, 8, MPI_CHAR, w);
			else if (k == 2)
				MPI_Fetch_and_op(&one, &was, MPI_LONG, size - 1, 0, MPI_SUM, w);
			else
				MPI_Put(data, 8, MPI_CHAR, size - 1, 8, 8, MPI_CHAR, w);
			if (k == 0)
				MPI_Win_flush(size - 1, w);
		}
		MPI_Win_unlock(size - 1, w);
		printf("%s: %.0f ns\n", names[k], (MPI_Wtime() - begun) * 1e9 / TIMES);
	}
	MPI_Win_fence(0, w);
	CHECK(rank != size - 1 || base[0] == TIMES);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, w);
	MPI_Win_free(&w);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "any_source", any_source },
		{ "unexpected", unexpected },
		{ "synchronous", synchronous },
		{ "communicators", communicators },
		{ "windows", windows },
		{ "files", files },
		{ "faults", faults },
		{ "pingpong", pingpong },
		{ "deadlock", deadlock },
		{ "requests", requests },
		{ "foreign_unlock", foreign_unlock },
		{ "accesses", accesses },
		{ "late_errors", late_errors },
		{ "atomic_reads", atomic_reads },
		{ "starved", starved },
	};

	init(&argc, &argv, &rank, &size);
	here = size / (int)co_cluster_boards();
	for (int k = 1; k < argc; k++) {
		for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			if (!strcmp(argv[k], cases[i].name))
				cases[i].run();
		}
		MPI_Barrier(MPI_COMM_WORLD);
		if (!rank)
			printf("%s is over\n", argv[k]);
	}
	MPI_Finalize();
	return 0;
}
