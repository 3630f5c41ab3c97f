/* requests.c - waits and tests for one, any, some and all; cancelled, freed, generalised ones. */
#include <malloc.h>

#include "check.h"

enum { N = 8, TAG = 1 };

static int rank, size, left, right;

/* N receives of the left's, and the sends to the right, in reverse. */
static void begin(MPI_Request r[2 * N], const int out[N], int in[N])
{
	for (int i = 0; i < N; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &r[i]);
	for (int i = N - 1; i >= 0; i--)
		MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &r[N + i]);
}

static void waits(void)
{
	MPI_Request r[2 * N];
	MPI_Status statuses[2 * N];
	int out[N], in[N], which, all[2 * N], n, left_over = 2 * N;

	for (int i = 0; i < N; i++)
		out[i] = rank * N + i;
	begin(r, out, in);
	CHECK(MPI_Waitall(2 * N, r, statuses) == 0);
	for (int i = 0; i < N; i++)
		CHECK(in[i] == left * N + i && statuses[i].MPI_TAG == i);

	begin(r, out, in);
	for (int i = 0; i < 2 * N; i++) {
		CHECK(MPI_Waitany(2 * N, r, &which, statuses) == 0);
		CHECK(which >= 0 && which < 2 * N && r[which] == MPI_REQUEST_NULL);
	}
	CHECK(MPI_Waitany(2 * N, r, &which, statuses) == 0 && which == MPI_UNDEFINED);

	begin(r, out, in);
	while (left_over) {
		CHECK(MPI_Waitsome(2 * N, r, &n, all, statuses) == 0 && n > 0);
		left_over -= n;
	}
	CHECK(MPI_Waitsome(2 * N, r, &n, all, statuses) == 0 && n == MPI_UNDEFINED);
}

static void tests(void)
{
	MPI_Request r[2 * N];
	MPI_Status statuses[2 * N];
	int out[N] = { rank }, in[N], which, all[2 * N], n, flag = 0, left_over = 2 * N;

	begin(r, out, in);
	while (!flag)
		CHECK(MPI_Testall(2 * N, r, &flag, statuses) == 0);
	CHECK(in[0] == left && r[0] == MPI_REQUEST_NULL);

	begin(r, out, in);
	while (left_over) {
		CHECK(MPI_Testany(2 * N, r, &which, &flag, statuses) == 0);
		left_over -= flag;
	}
	CHECK(MPI_Testany(2 * N, r, &which, &flag, statuses) == 0);
	CHECK(flag && which == MPI_UNDEFINED);

	begin(r, out, in);
	for (left_over = 2 * N; left_over; left_over -= n)
		CHECK(MPI_Testsome(2 * N, r, &n, all, statuses) == 0 && n >= 0);

	begin(r, out, in);
	for (int i = 0; i < 2 * N; i++) {
		for (flag = 0; !flag;)
			CHECK(MPI_Request_get_status(r[i], &flag, statuses) == 0);
		CHECK(r[i] != MPI_REQUEST_NULL);
		CHECK(MPI_Test(&r[i], &flag, statuses) == 0 && flag && r[i] == MPI_REQUEST_NULL);
	}
}

static void none(void)
{
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Status status;
	int flag = 0, count = 7;

	CHECK(MPI_Wait(&r, &status) == 0 && status.MPI_SOURCE == MPI_ANY_SOURCE);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK(count == 0);
	CHECK(MPI_Test(&r, &flag, &status) == 0 && flag);
	CHECK(MPI_Waitall(1, &r, &status) == 0);
	CHECK(MPI_Testall(1, &r, &flag, &status) == 0 && flag);
}

static void cancelled(void)
{
	MPI_Request r;
	MPI_Status status;
	int x = 3, flag;

	MPI_Irecv(&x, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &r);
	CHECK(MPI_Cancel(&r) == 0);
	CHECK(MPI_Wait(&r, &status) == 0);
	MPI_Test_cancelled(&status, &flag);
	CHECK(flag && x == 3);
	MPI_Barrier(MPI_COMM_WORLD);
	/* One that has matched is not. */
	MPI_Irecv(&x, 1, MPI_INT, rank, 98, MPI_COMM_WORLD, &r);
	MPI_Send(&rank, 1, MPI_INT, rank, 98, MPI_COMM_WORLD);
	MPI_Cancel(&r);
	MPI_Wait(&r, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(!flag && x == rank);
}

/* A send that is freed goes on. */
static void freed(void)
{
	static int out[50000], in[50000];
	MPI_Request r;

	out[49999] = rank;
	MPI_Isend(out, 50000, MPI_INT, right, TAG, MPI_COMM_WORLD, &r);
	CHECK(MPI_Request_free(&r) == 0 && r == MPI_REQUEST_NULL);
	MPI_Recv(in, 50000, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(in[49999] == left);
	MPI_Barrier(MPI_COMM_WORLD);
}

static long heap_in_use(void)
{
	long bytes;

	MPI_Barrier(MPI_COMM_WORLD);
	bytes = (long)mallinfo().uordblks; /* one heap for all ranks: none goes on meanwhile */
	MPI_Barrier(MPI_COMM_WORLD);
	return bytes;
}

/* Freed sends take no more memory in a program that calls none but blocking calls meanwhile. */
static void freed_without_end(void)
{
	enum { ROUNDS = 300 };
	static int late, x;
	MPI_Request r;
	long before = 0;

	MPI_Irecv(&late, 1, MPI_INT, left, 53, MPI_COMM_WORLD, &r);
	MPI_Request_free(&r); /* it ends after the others */
	for (int i = 0; i < 2 * ROUNDS; i++) {
		if (i == ROUNDS)
			before = heap_in_use();
		MPI_Isend(&rank, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &r);
		MPI_Request_free(&r);
		MPI_Recv(&x, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	CHECK(heap_in_use() - before < ROUNDS * 64);
	x = 7;
	MPI_Send(&x, 1, MPI_INT, right, 53, MPI_COMM_WORLD);
	while (late != 7)
		MPI_Iprobe(left, 54, MPI_COMM_WORLD, &x, MPI_STATUS_IGNORE);
}

/* More than the neighbour takes, until it takes all of it: nothing is lost, none waits for ever. */
static void flood(void)
{
	enum { MANY = 300 };
	static int out[MANY][100], in[100];
	static MPI_Request r[MANY];

	for (int i = 0; i < MANY; i++) {
		out[i][99] = i;
		MPI_Isend(out[i], 100, MPI_INT, right, TAG, MPI_COMM_WORLD, &r[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < MANY; i++) {
		MPI_Recv(in, 100, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(in[99] == i);
	}
	MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE);
}

/* What is buffered is waited for, not what was freed: this receive ends much later. */
static void detached(void)
{
	static char buffer[sizeof(int) + MPI_BSEND_OVERHEAD];
	static int late;
	MPI_Request r;
	void *base;
	int bytes, x;

	MPI_Irecv(&late, 1, MPI_INT, left, 50, MPI_COMM_WORLD, &r);
	MPI_Request_free(&r);
	MPI_Buffer_attach(buffer, sizeof(buffer));
	MPI_Bsend(&rank, 1, MPI_INT, right, 51, MPI_COMM_WORLD);
	MPI_Recv(&x, 1, MPI_INT, left, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(MPI_Buffer_detach(&base, &bytes) == 0 && base == buffer);
	MPI_Barrier(MPI_COMM_WORLD);
	x = 7;
	MPI_Send(&x, 1, MPI_INT, right, 50, MPI_COMM_WORLD);
	while (late != 7)
		MPI_Iprobe(left, 52, MPI_COMM_WORLD, &x, MPI_STATUS_IGNORE);
}

static int queried, dropped, asked_to_cancel;

static int query(void *state, MPI_Status *status)
{
	queried++;
	MPI_Status_set_elements(status, MPI_INT, *(int *)state);
	MPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int drop(void *state)
{
	dropped++;
	return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
	asked_to_cancel += complete ? 10 : 1;
	return MPI_SUCCESS;
}

static void generalised(void)
{
	MPI_Request r, copy;
	MPI_Status status;
	int state = 5, flag, count;

	CHECK(MPI_Grequest_start(query, drop, cancel, &state, &r) == 0);
	CHECK(MPI_Test(&r, &flag, &status) == 0 && !flag);
	MPI_Cancel(&r);
	CHECK(asked_to_cancel == 1);
	CHECK(MPI_Grequest_complete(r) == 0);
	CHECK(MPI_Wait(&r, &status) == 0 && r == MPI_REQUEST_NULL);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK(queried == 1 && dropped == 1 && count == 5);
	CHECK(MPI_Grequest_start(query, drop, cancel, &state, &r) == 0);
	CHECK(MPI_Grequest_complete(r) == 0);
	CHECK(MPI_Request_free(&r) == 0 && r == MPI_REQUEST_NULL && dropped == 2);
	/* One that is freed before its end is dropped at its end, and asked about at any time. */
	CHECK(MPI_Grequest_start(query, drop, NULL, &state, &r) == 0);
	copy = r;
	CHECK(MPI_Request_get_status(r, &flag, &status) == 0 && !flag && queried == 2);
	CHECK(MPI_Cancel(&r) == 0 && asked_to_cancel == 1);
	CHECK(MPI_Request_free(&r) == 0 && r == MPI_REQUEST_NULL && dropped == 2);
	CHECK(MPI_Grequest_complete(copy) == 0 && dropped == 3);
	CHECK(MPI_Grequest_start(query, drop, cancel, &state, &r) == 0);
	CHECK(MPI_Grequest_complete(r) == 0);
	state = 7;
	CHECK(MPI_Request_get_status(r, &flag, &status) == 0 && flag && dropped == 3);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK(count == 7 && MPI_Cancel(&r) == 0 && asked_to_cancel == 11);
	CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == 0 && dropped == 4);
}

/* Of several, those that failed say so in their statuses, and the others have ended. */
static void failed(void)
{
	static const int tags[] = { 60, 61, 62 };
	int big[2] = { rank, rank }, got[3] = { -1, -1, -1 }, which[3], n, all = 0, failures = 0;
	MPI_Request r[3];
	MPI_Status statuses[3];
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 3; i++)
			MPI_Irecv(&got[i], 1, MPI_INT, left, tags[i], comm, &r[i]);
		for (int i = 0; i < 3; i++)
			MPI_Send(big, i == 1 ? 2 : 1, MPI_INT, right, tags[i], comm);
		for (all = failures = 0; all < 3; all += n) {
			int e = (turn ? MPI_Testsome : MPI_Waitsome)(3, r, &n, which, statuses);

			if (e)
				CHECK_ERROR(e, MPI_ERR_IN_STATUS);
			for (int i = 0; i < n && e; i++) {
				CHECK((statuses[i].MPI_ERROR != 0) == (which[i] == 1));
				failures += statuses[i].MPI_ERROR != 0;
			}
		}
		CHECK(failures == 1 && got[0] == left && got[2] == left);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	waits();
	tests();
	none();
	cancelled();
	freed();
	freed_without_end();
	flood();
	detached();
	generalised();
	failed();
	MPI_Finalize();
	return 0;
}
