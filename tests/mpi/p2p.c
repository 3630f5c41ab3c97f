/* p2p.c - sends and receives of each kind, between each rank and its right neighbour. */
#include "check.h"

enum { TAG = 3, HOLES = 4, LONG = 100000 }; /* HOLES: a neighbour may be in probes() still */

static int rank, size, left, right;

static void blocking(void)
{
	int mine = 100 + rank, theirs = -1, count;
	MPI_Status status;

	if (rank % 2 == 0) {
		CHECK(MPI_Send(&mine, 1, MPI_INT, right, TAG, MPI_COMM_WORLD) == 0 || size == 1);
		CHECK(MPI_Recv(&theirs, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &status) == 0);
	} else {
		CHECK(MPI_Recv(&theirs, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &status) == 0);
		CHECK(MPI_Send(&mine, 1, MPI_INT, right, TAG, MPI_COMM_WORLD) == 0);
	}
	CHECK(theirs == 100 + left && status.MPI_SOURCE == left && status.MPI_TAG == TAG);
	CHECK(MPI_Get_count(&status, MPI_INT, &count) == 0 && count == 1);
}

/* All send to the right at once: the ends are exchanged whatever the order. */
static void exchanged(void)
{
	static int mine[LONG], theirs[LONG];
	MPI_Status status;

	for (int n = 1; n <= LONG; n = n < LONG && 10 * n > LONG ? LONG : 10 * n) {
		for (int i = 0; i < n; i++) {
			mine[i] = rank + i;
			theirs[i] = -1;
		}
		CHECK(MPI_Sendrecv(mine, n, MPI_INT, right, n, theirs, n, MPI_INT, left, n,
				   MPI_COMM_WORLD, &status) == 0);
		for (int i = 0; i < n; i++)
			CHECK(theirs[i] == left + i);
		CHECK(MPI_Sendrecv_replace(mine, n, MPI_INT, right, n, left, n, MPI_COMM_WORLD,
					   &status) == 0);
		for (int i = 0; i < n; i++)
			CHECK(mine[i] == left + i);
		if (n == LONG)
			break;
	}
}

static void modes(void)
{
	enum { ROOM = 4 * (int)sizeof(int) + 4 * MPI_BSEND_OVERHEAD };
	static char buffer[ROOM];
	int out = rank, in[4], bytes;
	void *base;
	MPI_Request r[8];

	for (int i = 0; i < 4; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, left, 10 + i, MPI_COMM_WORLD, &r[i]);
	MPI_Barrier(MPI_COMM_WORLD); /* ready sends need their receives */
	MPI_Buffer_attach(buffer, ROOM);
	MPI_Isend(&out, 1, MPI_INT, right, 10, MPI_COMM_WORLD, &r[4]);
	MPI_Ibsend(&out, 1, MPI_INT, right, 11, MPI_COMM_WORLD, &r[5]);
	MPI_Issend(&out, 1, MPI_INT, right, 12, MPI_COMM_WORLD, &r[6]);
	MPI_Irsend(&out, 1, MPI_INT, right, 13, MPI_COMM_WORLD, &r[7]);
	CHECK(MPI_Waitall(8, r, MPI_STATUSES_IGNORE) == 0);
	for (int i = 0; i < 4; i++)
		CHECK(in[i] == left && r[i] == MPI_REQUEST_NULL);
	MPI_Buffer_detach(&base, &bytes);
	CHECK(base == buffer && bytes == ROOM);
}

static void any_source(void)
{
	MPI_Status status;
	int got, seen = 0;

	if (rank) {
		MPI_Ssend(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
		return;
	}
	for (int i = 1; i < size; i++) {
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		CHECK(got == status.MPI_SOURCE && got == status.MPI_TAG);
		seen |= 1 << got;
	}
	CHECK(seen == (1 << size) - 2);
}

/* Messages of a pair come in their order, with a send to itself among them. */
static void order(void)
{
	enum { N = 50 };
	MPI_Request r[N];
	int out[N], in[N];

	for (int i = 0; i < N; i++) {
		out[i] = i;
		MPI_Isend(&out[i], 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &r[i]);
	}
	for (int i = 0; i < N; i++) {
		MPI_Recv(&in[i], 1, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		CHECK(in[i] == i);
	}
	MPI_Waitall(N, r, MPI_STATUSES_IGNORE);
}

static void no_proc(void)
{
	MPI_Status status;
	MPI_Request r;
	int x = 5, count;

	CHECK(MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD) == 0);
	CHECK(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &status) ==
	      0);
	CHECK(MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &status) == 0);
	CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && x == 5);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK(count == 0);
	MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, &status);
	CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

static void persistent(void)
{
	MPI_Request r[2];
	int out, in;

	MPI_Send_init(&out, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &r[0]);
	MPI_Recv_init(&in, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &r[1]);
	for (int i = 0; i < 5; i++) {
		out = rank * 10 + i;
		CHECK(MPI_Startall(2, r) == 0);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		CHECK(in == left * 10 + i && r[0] && r[1]);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
}

static void probes(void)
{
	int out[3] = { rank, 1, 2 }, in[3], count, flag = 0;
	MPI_Message message;
	MPI_Request r;
	MPI_Status status;

	MPI_Isend(out, 3, MPI_INT, right, TAG, MPI_COMM_WORLD, &r);
	MPI_Probe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &count);
	CHECK(count == 3 && status.MPI_TAG == TAG && status.MPI_SOURCE == left);
	while (!flag)
		MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &flag, &status);
	MPI_Mprobe(left, TAG, MPI_COMM_WORLD, &message, &status);
	MPI_Iprobe(left, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	CHECK(!flag); /* it is claimed */
	MPI_Mrecv(in, 3, MPI_INT, &message, &status);
	CHECK(message == MPI_MESSAGE_NULL && in[0] == left && in[2] == 2);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Improbe(left, TAG, MPI_COMM_WORLD, &flag, &message, &status);
	CHECK(!flag);
	MPI_Mprobe(MPI_PROC_NULL, TAG, MPI_COMM_WORLD, &message, &status);
	CHECK(message == MPI_MESSAGE_NO_PROC);
	MPI_Imrecv(in, 3, MPI_INT, &message, &r);
	MPI_Wait(&r, &status);
	CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

/* A matched message into a type with holes, and into one that is too small for it. */
static void matched_holes(void)
{
	int out[5] = { rank, 1, 2, 3, 4 }, in[10], count;
	MPI_Datatype second;
	MPI_Message message;
	MPI_Request r;
	MPI_Status status;

	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &second);
	MPI_Type_commit(&second);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int room = 5; room >= 3; room -= 2) {
		memset(in, -1, sizeof(in));
		MPI_Isend(out, 5, MPI_INT, right, HOLES, MPI_COMM_WORLD, &r);
		MPI_Mprobe(left, HOLES, MPI_COMM_WORLD, &message, &status);
		if (room == 5)
			CHECK(MPI_Mrecv(in, room, second, &message, &status) == 0);
		else
			CHECK_ERROR(MPI_Mrecv(in, room, second, &message, &status),
				    MPI_ERR_TRUNCATE);
		MPI_Get_count(&status, MPI_INT, &count);
		CHECK(message == MPI_MESSAGE_NULL && count == room);
		for (int i = 0; i < 10; i++)
			CHECK(in[i] == (i % 2 || i / 2 >= room ? -1 : i ? i / 2 : left));
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Type_free(&second);
}

int main(int argc, char **argv)
{
	CHECK(MPI_Init(&argc, &argv) == 0);
	rank = rank_in(MPI_COMM_WORLD);
	size = size_of(MPI_COMM_WORLD);
	left = (rank + size - 1) % size;
	right = (rank + 1) % size;
	if (size > 1)
		blocking();
	exchanged();
	modes();
	any_source();
	MPI_Barrier(MPI_COMM_WORLD);
	order();
	no_proc();
	persistent();
	probes();
	matched_holes();
	CHECK(MPI_Finalize() == 0);
	return 0;
}
