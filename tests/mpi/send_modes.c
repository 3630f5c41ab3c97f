/*
 * send_modes.c - buffered, synchronous and ready sends, at once and by persistent requests: what
 * each mode promises about its end, short and long messages, types with holes, wrong arguments.
 */
#include "check.h"

enum { SHORT = 3, LONG = 5001, TAG = 5 };

static int rank, size, left, right;
static int out[2 * LONG], in[LONG];
static MPI_Datatype second; /* each second int, so that three of them have holes */
static char buffer[2 * (LONG * (int)sizeof(int) + MPI_BSEND_OVERHEAD)];

static const int lengths[] = { SHORT, LONG, 0 };

static void give(int n, int value)
{
	for (int i = 0; i < 2 * n; i++)
		out[i] = i % 2 ? -1 : value + i / 2;
	for (int i = 0; i < n; i++)
		in[i] = -1;
}

static bool has(int n, int value)
{
	for (int i = 0; i < n; i++)
		if (in[i] != value + i)
			return false;
	return true;
}

static void receive(int n, MPI_Request *r)
{
	CHECK(MPI_Irecv(in, n, MPI_INT, left, TAG, MPI_COMM_WORLD, r) == 0);
}

static void received(int n, MPI_Request *r)
{
	MPI_Status status;
	int count;

	CHECK(MPI_Wait(r, &status) == 0);
	CHECK(MPI_Get_count(&status, MPI_INT, &count) == 0 && count == n);
	CHECK(status.MPI_SOURCE == left && status.MPI_TAG == TAG && has(n, 1000 * left));
}

/* The receive is there when a ready send begins. */
static void ready(int n)
{
	MPI_Request r, send;

	for (int turn = 0; turn < 3; turn++) {
		give(n, 1000 * rank);
		receive(n, &r);
		MPI_Barrier(MPI_COMM_WORLD);
		if (turn == 0) {
			CHECK(MPI_Rsend(out, n, second, right, TAG, MPI_COMM_WORLD) == 0);
		} else {
			if (turn == 1)
				CHECK(MPI_Rsend_init(out, n, second, right, TAG, MPI_COMM_WORLD,
						     &send) == 0);
			CHECK(MPI_Start(&send) == 0);
			CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE) == 0 && send != MPI_REQUEST_NULL);
		}
		received(n, &r);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	CHECK(MPI_Request_free(&send) == 0 && send == MPI_REQUEST_NULL);
}

/* A synchronous send has not ended while there is no receive. */
static void synchronous(int n)
{
	MPI_Request r[2];
	int flag;

	CHECK(MPI_Ssend_init(out, n, second, right, TAG, MPI_COMM_WORLD, &r[1]) == 0);
	CHECK(MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE) == 0 && flag);
	for (int turn = 0; turn < 2; turn++) {
		give(n, 1000 * rank);
		CHECK(MPI_Start(&r[1]) == 0);
		CHECK(MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE) == 0 && !flag);
		MPI_Barrier(MPI_COMM_WORLD);
		CHECK(MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE) == 0 && !flag);
		MPI_Barrier(MPI_COMM_WORLD);
		receive(n, &r[0]);
		received(n, &r[0]);
		CHECK(MPI_Wait(&r[1], MPI_STATUS_IGNORE) == 0 && r[1] != MPI_REQUEST_NULL);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	CHECK(MPI_Request_free(&r[1]) == 0);
}

/* A buffered send ends without a receive, and what is sent is what was there when it began. */
static void buffered(int n)
{
	MPI_Request send, r;
	void *base;
	int bytes;

	CHECK(MPI_Buffer_attach(buffer, sizeof(buffer)) == 0);
	CHECK(MPI_Bsend_init(out, n, second, right, TAG, MPI_COMM_WORLD, &send) == 0);
	for (int turn = 0; turn < 2; turn++) {
		give(n, 1000 * rank);
		CHECK(MPI_Start(&send) == 0);
		CHECK(MPI_Wait(&send, MPI_STATUS_IGNORE) == 0 && send != MPI_REQUEST_NULL);
		give(n, -5);
		MPI_Barrier(MPI_COMM_WORLD);
		receive(n, &r);
		received(n, &r);
		CHECK(MPI_Buffer_detach(&base, &bytes) == 0);
		CHECK(base == buffer && bytes == (int)sizeof(buffer));
		CHECK(MPI_Buffer_attach(buffer, sizeof(buffer)) == 0);
	}
	CHECK(MPI_Request_free(&send) == 0);
	MPI_Buffer_detach(&base, &bytes);
}

/* One that has no room is an error of its start, and can be started when there is. */
static void no_room(void)
{
	MPI_Request send;
	void *base;
	int bytes, x = rank, y = -1;

	CHECK(MPI_Bsend_init(&x, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &send) == 0);
	CHECK(MPI_Buffer_attach(buffer, 1) == 0);
	CHECK_ERROR(MPI_Start(&send), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Bsend(&x, 1, MPI_INT, right, TAG, MPI_COMM_WORLD), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Buffer_attach(buffer, sizeof(buffer)), MPI_ERR_BUFFER);
	CHECK(MPI_Buffer_detach(&base, &bytes) == 0 && base == buffer && bytes == 1);
	CHECK(MPI_Buffer_attach(buffer, sizeof(buffer)) == 0);
	CHECK(MPI_Start(&send) == 0 && MPI_Wait(&send, MPI_STATUS_IGNORE) == 0);
	CHECK(MPI_Recv(&y, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == 0);
	CHECK(y == left && MPI_Request_free(&send) == 0);
	MPI_Buffer_detach(&base, &bytes);
}

typedef int send_now(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int send_later(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Of each mode: what is wrong, and a send to nobody. */
static void arguments(void)
{
	static send_now *const now[] = { MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend };
	static send_later *const later[] = { MPI_Isend,      MPI_Ibsend,    MPI_Issend,
					     MPI_Irsend,     MPI_Send_init, MPI_Bsend_init,
					     MPI_Ssend_init, MPI_Rsend_init };
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm comm = MPI_COMM_WORLD;
	int x = 0;

	for (int i = 0; i < 4; i++) {
		CHECK_ERROR(now[i](&x, 1, MPI_INT, size, TAG, comm), MPI_ERR_RANK);
		CHECK_ERROR(now[i](&x, 1, MPI_INT, 0, -9, comm), MPI_ERR_TAG);
		CHECK_ERROR(now[i](&x, -1, MPI_INT, 0, TAG, comm), MPI_ERR_COUNT);
		CHECK_ERROR(now[i](&x, 1, MPI_DATATYPE_NULL, 0, TAG, comm), MPI_ERR_TYPE);
		CHECK_ERROR(now[i](&x, 1, MPI_INT, 0, TAG, MPI_COMM_NULL), MPI_ERR_COMM);
		CHECK(now[i](&x, 1, MPI_INT, MPI_PROC_NULL, TAG, comm) == 0);
	}
	for (int i = 0; i < 8; i++) {
		CHECK_ERROR(later[i](&x, 1, MPI_INT, size, TAG, comm, &r), MPI_ERR_RANK);
		CHECK_ERROR(later[i](&x, 1, MPI_INT, 0, -9, comm, &r), MPI_ERR_TAG);
		CHECK_ERROR(later[i](&x, -1, MPI_INT, 0, TAG, comm, &r), MPI_ERR_COUNT);
		CHECK_ERROR(later[i](&x, 1, MPI_DATATYPE_NULL, 0, TAG, comm, &r), MPI_ERR_TYPE);
		CHECK_ERROR(later[i](&x, 1, MPI_INT, 0, TAG, MPI_COMM_NULL, &r), MPI_ERR_COMM);
		CHECK(r == MPI_REQUEST_NULL);
		CHECK(later[i](&x, 1, MPI_INT, MPI_PROC_NULL, TAG, comm, &r) == 0);
		if (i >= 4)
			CHECK(MPI_Start(&r) == 0);
		CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == 0);
		if (i >= 4)
			CHECK(MPI_Request_free(&r) == 0);
	}
	CHECK_ERROR(MPI_Start(&r), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Startall(1, &r), MPI_ERR_REQUEST);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &second);
	MPI_Type_commit(&second);
	for (int i = 0; i < 3; i++) {
		ready(lengths[i]);
		synchronous(lengths[i]);
		buffered(lengths[i]);
	}
	no_room();
	arguments();
	MPI_Type_free(&second);
	MPI_Finalize();
	return 0;
}
