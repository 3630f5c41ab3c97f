/*
 * unexpected.c - each rank sends to the others before anybody receives: a receive gets the oldest
 * message that fits, in any order of tags, senders and wildcards. With an argument: that number of
 * messages from each rank, received by sender, the last sender first.
 */
#include "check.h"

enum { EACH = 600, TAGS = 5, MOST = 64 };

static int rank, size;
static unsigned char taken[MOST][EACH]; /* message i of a rank was received */

static unsigned draw(unsigned below)
{
	static unsigned state = 1;

	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

/* The tag of a rank's message, and the communicator that it goes by. */
static int tag_of(int of, int i)
{
	return (i * 7 + of + i / 3) % TAGS;
}

static int which_of(int of, int i)
{
	return (i + of) % 3 == 0;
}

/* The oldest message of a rank with this tag and communicator; EACH: there is none. */
static int oldest(int of, int tag, int which)
{
	int i = 0;

	while (i < EACH && (taken[of][i] || which_of(of, i) != which ||
			    (tag != MPI_ANY_TAG && tag != tag_of(of, i))))
		i++;
	return i;
}

static bool is_any_left(int source, int tag, int which)
{
	bool any = false;

	for (int of = 0; of < size; of++)
		any |= (source == of || source == MPI_ANY_SOURCE) && oldest(of, tag, which) < EACH;
	return any;
}

/* Receive one, as drawn: of a rank or any, its tag or any, by a receive, a probe or a request. */
static bool receive(MPI_Comm by[2])
{
	int source = draw(3) ? (int)draw((unsigned)size) : MPI_ANY_SOURCE;
	int tag = draw(3) ? (int)draw(TAGS) : MPI_ANY_TAG, which = (int)draw(2), got = -1;
	unsigned how = draw(4);
	MPI_Status status;
	MPI_Message message;
	MPI_Request request;

	if (!is_any_left(source, tag, which))
		return false;
	if (how == 0) {
		CHECK(MPI_Mprobe(source, tag, by[which], &message, &status) == 0);
		CHECK(MPI_Mrecv(&got, 1, MPI_INT, &message, &status) == 0);
	} else if (how == 1) {
		CHECK(MPI_Irecv(&got, 1, MPI_INT, source, tag, by[which], &request) == 0);
		CHECK(MPI_Wait(&request, &status) == 0);
	} else {
		if (how == 2)
			CHECK(MPI_Probe(source, tag, by[which], &status) == 0);
		CHECK(MPI_Recv(&got, 1, MPI_INT, source, tag, by[which], &status) == 0);
	}
	CHECK(source == MPI_ANY_SOURCE || source == status.MPI_SOURCE);
	CHECK(got == oldest(status.MPI_SOURCE, tag, which));
	CHECK(status.MPI_TAG == tag_of(status.MPI_SOURCE, got));
	taken[status.MPI_SOURCE][got] = 1;
	return true;
}

static void in_any_order(void)
{
	MPI_Comm by[2] = { MPI_COMM_WORLD };

	CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &by[1]) == 0);
	for (int i = 0; i < EACH; i++) {
		for (int to = 0; to < size; to++)
			CHECK(MPI_Send(&i, 1, MPI_INT, to, tag_of(rank, i),
				       by[which_of(rank, i)]) == 0);
	}
	CHECK(MPI_Barrier(MPI_COMM_WORLD) == 0);
	for (int left = EACH * size; left;)
		left -= receive(by);
	CHECK(MPI_Comm_free(&by[1]) == 0);
}

static void by_sender(int n)
{
	double start;
	int x;

	for (int i = 0; rank && i < n; i++)
		CHECK(MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_WORLD) == 0);
	CHECK(MPI_Barrier(MPI_COMM_WORLD) == 0);
	start = MPI_Wtime();
	for (int p = size - 1; !rank && p > 0; p--) {
		for (int i = 0; i < n; i++) {
			CHECK(MPI_Recv(&x, 1, MPI_INT, p, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
			      0);
			CHECK(x == i);
		}
	}
	if (!rank)
		printf("%d from each: %.0f ms\n", n, 1e3 * (MPI_Wtime() - start));
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	if (argc > 1)
		by_sender(atoi(argv[1]));
	else
		in_any_order();
	MPI_Finalize();
	return 0;
}
