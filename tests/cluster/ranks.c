/*
 * ranks.c - ranks of several boards, one MPI_COMM_WORLD: what is peculiar to them.
 *
 * usage: ranks CASE
 */
#include <string.h>

#include <cohart/cluster.h>

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

static void windows(void)
{
	MPI_Win w;
	int x;

	MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
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

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "any_source", any_source },   { "unexpected", unexpected },
		{ "synchronous", synchronous }, { "communicators", communicators },
		{ "windows", windows },         { "files", files },
		{ "faults", faults },           { "pingpong", pingpong },
		{ "deadlock", deadlock },
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
