/*
 * coroutine.c - a coroutine of the rank ends what its main() waits for: a generalised request,
 * alone, and beside messages that go on meanwhile. Coroutines reduce a short value to all ranks,
 * with a stack that other harts cannot use, and are cancelled there.
 */
#include <cohart/atomic.h>
#include <cohart/coroutine.h>
#include <cohart/hart.h>
#include <cohart/message.h>

#include "check.h"

enum { LONG = 20000, LINES = CO_MESSAGE_LINES };

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

static void run(enum co_stack stack, co_fn *f, void *arg)
{
	struct co_attr attr = { .on = CO_ON_HART(co_hart()), .stack = stack };
	struct co *c;

	CHECK(co_spawn(&c, &attr, f, arg) == 0 && co_join(c, NULL) == 0);
}

/* Of n ints, up to those of a short message. */
static intptr_t reduce(void *comm)
{
	int mine[12], sum[12], ranks = size_of(*(MPI_Comm *)comm);

	for (int n = 1; n <= 12; n++) {
		for (int i = 0; i < n; i++)
			mine[i] = rank_in(*(MPI_Comm *)comm) + i;
		CHECK(MPI_Allreduce(mine, sum, n, MPI_INT, MPI_SUM, *(MPI_Comm *)comm) == 0);
		for (int i = 0; i < n; i++)
			CHECK(sum[i] == ranks * (ranks - 1) / 2 + ranks * i);
	}
	return 0;
}

/* ---- A call that is cancelled while what it sends is under way ---- */

static bool begun;

static intptr_t reduce_until_cancelled(void *comm)
{
	int mine = 40, sum = -1;

	begun = true;
	CHECK_ERROR(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)comm),
		    MPI_ERR_OTHER);
	CHECK(sum == -1);
	return 0;
}

/* What is left of the stack of the one before is overwritten. */
static intptr_t fill_stack(void *arg)
{
	volatile char bytes[2048];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 0x55;
	return 0;
}

static intptr_t exchange_until_cancelled(void *comm)
{
	MPI_Status status;

	begun = true;
	CHECK_ERROR(
		MPI_Sendrecv_replace(out, LONG, MPI_INT, 1, 8, 1, 8, *(MPI_Comm *)comm, &status),
		MPI_ERR_OTHER);
	return 0;
}

static void cancel_in(co_fn *fn, MPI_Comm pair)
{
	struct co_attr attr = { .on = CO_ON_HART(co_hart()), .stack = CO_STACK_MAIN };
	struct co *c;

	begun = false;
	CHECK(co_spawn(&c, &attr, fn, &pair) == 0);
	while (!begun)
		co_pause();
	co_cancel(c);
	CHECK(co_join(c, NULL) == 0);
}

/* What was freed, of the size of `out`, is overwritten. */
static void fill_heap(void)
{
	void *block[8];

	for (int i = 0; i < 8; i++) {
		block[i] = malloc(sizeof(out) + 1);
		if (block[i])
			memset(block[i], 0x55, sizeof(out));
	}
	for (int i = 0; i < 8; i++)
		free(block[i]);
}

/* The other rank receives nothing until *go: no line is free for the last message. */
static void send_and_cancel(MPI_Comm pair, struct co_a32 *go)
{
	MPI_Comm self = MPI_COMM_SELF;

	for (int i = 0; i < LINES; i++)
		MPI_Send(&i, 1, MPI_INT, 1, 7, pair);
	cancel_in(reduce_until_cancelled, pair);
	for (int i = 0; i < LONG; i++)
		out[i] = i;
	cancel_in(exchange_until_cancelled, pair);
	memset(out, 0x55, sizeof(out)); /* a copy was sent */
	fill_heap();
	run(CO_STACK_MAIN, fill_stack, NULL);
	run(CO_STACK_ANY, reduce, &self);
	/* release: what was done before is over; pairs with receive_late(). */
	co_atomic_store(go, 1, CO_RELEASE);
}

static void receive_late(MPI_Comm pair, struct co_a32 *go)
{
	int x = 2, sum;

	/* acquire: pairs with send_and_cancel(). */
	while (!co_atomic_load(go, CO_ACQUIRE))
		co_pause();
	for (int i = 0; i < LINES; i++) {
		MPI_Recv(&sum, 1, MPI_INT, 0, 7, pair, MPI_STATUS_IGNORE);
		CHECK(sum == i);
	}
	CHECK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, pair) == 0 && sum == 42);
	MPI_Recv(in, LONG, MPI_INT, 0, 8, pair, MPI_STATUS_IGNORE);
	for (int i = 0; i < LONG; i++)
		CHECK(in[i] == i);
}

/*
 * Of two ranks the first is cancelled; what it has sent arrives, and both go on. A pair that is all
 * ranks would break their team: its collectives are no messages.
 */
static void cancelled(void)
{
	MPI_Comm pair;
	struct co_a32 *go = calloc(1, sizeof(*go)); /* all ranks can use what is on the heap */
	struct co_a32 *theirs;

	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
	MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
	if (size_of(pair) == 2 && size > 2) {
		theirs = go;
		MPI_Bcast(&theirs, sizeof(theirs), MPI_BYTE, 0, pair);
		if (rank % 2)
			receive_late(pair, theirs);
		else
			send_and_cancel(pair, theirs);
		run(CO_STACK_ANY, reduce, &pair);
	}
	MPI_Comm_free(&pair);
	MPI_Barrier(MPI_COMM_WORLD);
	free(go);
}

int main(int argc, char **argv)
{
	MPI_Comm world;
	MPI_Request r[3], copy;
	MPI_Status statuses[3];
	struct co *c;
	int count, which;

	init(&argc, &argv, &rank, &size);
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

	world = MPI_COMM_WORLD;
	run(CO_STACK_ANY, reduce, &world);
	run(CO_STACK_MAIN, reduce, &world);
	cancelled();
	MPI_Finalize();
	return 0;
}
