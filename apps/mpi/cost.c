/*
 * cost.c - what calls of MPI cost: nanoseconds on a PC, and instructions of all ranks where the
 * clock counts these (make run APP=mpi/cost HARTS=5 ICOUNT=1). Of a collective: a rank. ARGS: how
 * often each is called, 1000 times unless many ranks make that long.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks, turns = 1000;
static double in[1], out[1];
static char *many, *all;
static MPI_Win win;

static void message(void)
{
	if (rank == 0) {
		MPI_Send(in, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(out, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
	}
}

/* The same of other sizes, with a status, or from any rank. */
static int bytes, source_is_any;
static MPI_Status *status;

static void other_message(void)
{
	int other = 1 - rank, from = source_is_any ? MPI_ANY_SOURCE : other;

	if (rank == 0)
		MPI_Send(many, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
	if (rank < 2)
		MPI_Recv(all, bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, status);
	if (rank == 1)
		MPI_Send(many, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
}

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void broadcast(void)
{
	MPI_Bcast(out, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void all_reduce(void)
{
	MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce(void)
{
	MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void scan(void)
{
	MPI_Scan(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(void)
{
	MPI_Gather(in, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void scatter(void)
{
	MPI_Scatter(many, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void all_gather(void)
{
	MPI_Allgather(in, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void broadcast_long(void)
{
	MPI_Bcast(all, 1024, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* All ranks in another order, or a half of them. */
static MPI_Comm others;

static void barrier_of_others(void)
{
	MPI_Barrier(others);
}

static void all_reduce_of_others(void)
{
	MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, others);
}

static void all_to_all(void)
{
	MPI_Alltoall(many, 1024, MPI_CHAR, all, 1024, MPI_CHAR, MPI_COMM_WORLD);
}

static void put(void)
{
	if (rank == 0)
		MPI_Put(in, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
}

static void fetch_and_add(void)
{
	if (rank == 0)
		MPI_Fetch_and_op(in, out, MPI_DOUBLE, 1, 0, MPI_SUM, win);
}

static void nothing(void)
{
}

/* Nanoseconds of some turns, after one that opens windows and the like. */
static double measure(void (*call)(void), int times)
{
	double begin, end;

	call();
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (int i = 0; i < times; i++)
		call();
	end = MPI_Wtime();
	MPI_Barrier(MPI_COMM_WORLD);
	return (end - begin) * 1e9;
}

/* Without the loops; of a call's `each` parts one. */
static void say(const char *what, void (*call)(void), int times, int each)
{
	double empty = measure(nothing, times);
	double all_of_it = measure(call, times);

	if (rank == 0)
		printf("%-32s %9.0f\n", what, (all_of_it - empty) / times / each);
}

static void say_messages(void)
{
	MPI_Status own;

	bytes = 4;
	say("message-4 of 4 bytes", other_message, turns, 2);
	bytes = 48;
	say("message-48 of 48 bytes", other_message, turns, 2);
	status = &own;
	bytes = 8;
	say("message-status of 8 bytes", other_message, turns, 2);
	source_is_any = 1;
	say("message-any of 8 bytes", other_message, turns, 2);
}

int main(int argc, char **argv)
{
	double *mine;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	many = calloc((size_t)ranks, 1024);
	all = calloc((size_t)ranks, 1024);
	if (argc > 1)
		turns = (int)strtol(argv[1], NULL, 10);
	if (ranks < 2 || turns < 1 || !many || !all)
		MPI_Abort(MPI_COMM_WORLD, 1);
	say("message of 8 bytes", message, turns, 2);
	say("barrier", barrier, turns, ranks);
	say("broadcast of 8 bytes", broadcast, turns, ranks);
	say("all-reduce of 8 bytes", all_reduce, turns, ranks);
	say("reduce of 8 bytes", reduce, turns, ranks);
	say("scan of 8 bytes", scan, turns, ranks);
	say("gather of 8 bytes", gather, turns, ranks);
	say("scatter of 8 bytes", scatter, turns, ranks);
	say("all-gather of 8 bytes", all_gather, turns, ranks);
	say("broadcast-1k of 1 KiB", broadcast_long, turns, ranks);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &others);
	say("barrier-split of others", barrier_of_others, turns, ranks);
	say("all-reduce-split of 8 bytes", all_reduce_of_others, turns, ranks);
	MPI_Comm_free(&others);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &others);
	say("barrier-half of half of them", barrier_of_others, turns, ranks);
	say("all-reduce-half of 8 bytes", all_reduce_of_others, turns, ranks);
	MPI_Comm_free(&others);
	say("all-to-all of 1 KiB", all_to_all, 2, ranks);
	MPI_Win_allocate(sizeof(*mine), sizeof(*mine), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	MPI_Win_lock_all(0, win);
	say("put of 8 bytes in an epoch", put, turns, 1);
	say("fetch and add", fetch_and_add, turns, 1);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	say_messages();
	free(many);
	free(all);
	MPI_Finalize();
	return 0;
}
