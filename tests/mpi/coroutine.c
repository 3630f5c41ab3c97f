/*
 * coroutine.c - a coroutine of the rank ends what its main() waits for: a generalised request,
 * alone, and beside messages that go on meanwhile.
 */
#include <cohart/coroutine.h>
#include <cohart/hart.h>

#include "check.h"

enum { LONG = 20000 };

static int rank, size, completed;
static int out[LONG], in[LONG];

static int query(void *state, MPI_Status *status)
{
	MPI_Status_set_elements(status, MPI_INT, *(int *)state);
	MPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

static int drop(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static intptr_t complete(void *request)
{
	for (int i = 0; i < 10; i++)
		co_pause();
	completed++;
	CHECK(MPI_Grequest_complete(*(MPI_Request *)request) == 0);
	return 0;
}

static struct co *begin(MPI_Request *r, MPI_Request *copy)
{
	static int state = 3;
	struct co *c;

	CHECK(MPI_Grequest_start(query, drop, NULL, &state, r) == 0);
	*copy = *r; /* the wait overwrites the other one */
	CHECK(co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(co_hart()) }, complete, copy) == 0);
	return c;
}

int main(int argc, char **argv)
{
	MPI_Request r[3], copy;
	MPI_Status statuses[3];
	struct co *c;
	int count, which;

	MPI_Init(&argc, &argv);
	rank = rank_in(MPI_COMM_WORLD);
	size = size_of(MPI_COMM_WORLD);
	c = begin(&r[0], &copy);
	CHECK(MPI_Wait(&r[0], statuses) == 0 && completed == 1 && r[0] == MPI_REQUEST_NULL);
	MPI_Get_count(statuses, MPI_INT, &count);
	CHECK(count == 3 && co_join(c, NULL) == 0);

	c = begin(&r[0], &copy);
	out[LONG - 1] = rank;
	MPI_Irecv(in, LONG, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(out, LONG, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &r[2]);
	for (int i = 0; i < 3; i++)
		CHECK(MPI_Waitany(3, r, &which, statuses) == 0 && r[which] == MPI_REQUEST_NULL);
	CHECK(completed == 2 && in[LONG - 1] == (rank + 1) % size && co_join(c, NULL) == 0);
	MPI_Finalize();
	return 0;
}
