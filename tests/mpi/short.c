/*
 * short.c - collectives of short data, which need no messages: what else is under way goes on in
 * them; communicators of all ranks, and of some, may take turns; data may have holes, or none of it
 * may be there; ranks that disagree on its size are notified.
 */
#include "check.h"

enum { LONG = 20000, TURNS = 1000 };

static int rank, size, right, left;
static int out[LONG], in[LONG];

/* A rank that waits in a collective goes on to receive: the sender comes there after its send. */
static void receives_go_on(MPI_Comm comm)
{
	MPI_Request r;
	int one = 1, sum, before;

	for (int of = 0; of < 4; of++) {
		in[LONG - 1] = -1;
		out[LONG - 1] = 100 * of + rank;
		MPI_Irecv(in, LONG, MPI_INT, left, of, comm, &r);
		if (rank % 2)
			MPI_Ssend(out, LONG, MPI_INT, right, of, comm);
		if (of == 0)
			MPI_Barrier(comm);
		else if (of == 1)
			MPI_Bcast(&one, 1, MPI_INT, size - 1, comm);
		else if (of == 2)
			CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == 0 &&
			      sum == size);
		else
			CHECK(MPI_Scan(&one, &before, 1, MPI_INT, MPI_SUM, comm) == 0 &&
			      before == rank + 1);
		if (rank % 2 == 0)
			MPI_Ssend(out, LONG, MPI_INT, right, of, comm);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		CHECK(in[LONG - 1] == 100 * of + left);
	}
}

/* Half of the ranks wait for the non-blocking one first, the others come to the barrier first. */
static void collectives_go_on(MPI_Comm comm, MPI_Comm other)
{
	static int sums[LONG];
	MPI_Request r;

	for (int i = 0; i < LONG; i++)
		out[i] = rank + i;
	for (int turn = 0; turn < 3; turn++) {
		MPI_Iallreduce(out, sums, LONG, MPI_INT, MPI_SUM, turn ? other : comm, &r);
		if ((rank + turn) % 2)
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		MPI_Barrier(comm);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		for (int i = 0; i < LONG; i++)
			CHECK(sums[i] == size * (size - 1) / 2 + size * i);
	}
}

/* All ranks, and those of one side, in another order on each side. */
static void take_turns(MPI_Comm all, MPI_Comm half)
{
	int x, sum;

	for (int i = 0; i < 50; i++) {
		x = rank == i % size ? i : -1;
		if (rank % 2)
			MPI_Barrier(half);
		CHECK(MPI_Bcast(&x, 1, MPI_INT, i % size, all) == 0 && x == i);
		CHECK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, half) == 0 &&
		      sum == i * size_of(half));
		if (rank % 2 == 0)
			MPI_Barrier(half);
		CHECK(MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_MAX, all) == 0 && x == i);
	}
}

/* Every second int, at a rank of two, and around the length of a line. */
static void holes(MPI_Comm comm)
{
	MPI_Datatype spread;
	int all[64];

	for (int n = 0; n <= 16; n++) {
		int root = n % size;

		MPI_Type_vector(n, 1, 2, MPI_INT, &spread);
		MPI_Type_commit(&spread);
		for (int i = 0; i < 64; i++)
			all[i] = rank == root ? i : -1;
		if (rank % 2) {
			CHECK(MPI_Bcast(all, 1, spread, root, comm) == 0);
			for (int i = 0; i < 32; i++)
				CHECK(all[2 * i] == (i < n || rank == root ? 2 * i : -1) ||
				      root % 2 == 0);
		} else {
			CHECK(MPI_Bcast(all, n, MPI_INT, root, comm) == 0);
		}
		/* Those with holes have at 2 * i what those without have at i. */
		for (int i = 0; i < n; i++)
			CHECK(all[rank % 2 ? 2 * i : i] == (root % 2 ? 2 * i : i));
		MPI_Type_free(&spread);
	}
}

static void nothing(MPI_Comm comm)
{
	int x = 4;

	CHECK(MPI_Bcast(NULL, 0, MPI_INT, 0, comm) == 0);
	CHECK(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == 0);
	CHECK(MPI_Reduce(&x, &x + 1, 0, MPI_INT, MPI_SUM, size - 1, comm) == 0);
	CHECK(MPI_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == 0);
	CHECK(MPI_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, comm) == 0);
	CHECK(x == 4);
}

/* The root has n ints, another rank m: each is notified by its own class, and all can go on. */
static void sizes(MPI_Comm comm)
{
	static const int pairs[][2] = { { 3, 4 }, { 4, 3 }, { 3, 30 }, { 30, 3 }, { 30, 31 } };
	int data[40], one = 1, sum;

	if (DEBUGGED || size < 2)
		return; /* mismatch.c */
	for (unsigned k = 0; k < 5; k++) {
		int n = pairs[k][0], m = pairs[k][1];
		bool odd = rank == size - 1;

		for (int i = 0; i < 40; i++)
			data[i] = rank ? -1 : i;
		CHECK_ERROR(MPI_Bcast(data, odd ? m : n, MPI_INT, 0, comm),
			    !odd    ? MPI_SUCCESS
			    : n > m ? MPI_ERR_TRUNCATE
				    : MPI_ERR_OTHER);
		CHECK(data[(n < m ? n : m) - 1] == (n < m ? n : m) - 1);
		CHECK(data[39] == (rank ? -1 : 39));
		CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == 0 && sum == size);
	}
}

/* All ranks learn that they disagree, and go on. */
static void operands(MPI_Comm comm)
{
	int data[40] = { 0 }, one = 1, sum;

	if (DEBUGGED || size < 2)
		return;
	CHECK(MPI_Allreduce(data, data + 20, rank == size - 1 ? 3 : 4, MPI_INT, MPI_SUM, comm) !=
	      MPI_SUCCESS);
	CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == 0 && sum == size);
}

/* Keep the right operand. */
static void last(void *left_operand, void *right_operand, int *n, MPI_Datatype *type)
{
}

/* All ranks, from the last to the first: roots and operands are counted by the communicator. */
static void in_another_order(MPI_Comm comm)
{
	int me = rank_in(comm);
	long x, got;
	MPI_Op op = MPI_OP_NULL;

	CHECK(me == size - 1 - rank && MPI_Op_create(last, 0, &op) == 0);
	for (int root = 0; root < size; root++) {
		x = me == root ? root : -1;
		CHECK(MPI_Bcast(&x, 1, MPI_LONG, root, comm) == 0 && x == root);
		got = -1;
		x = me;
		CHECK(MPI_Reduce(&x, &got, 1, MPI_LONG, MPI_SUM, root, comm) == 0);
		CHECK(got == (me == root ? size * (size - 1) / 2 : -1));
		MPI_Barrier(comm);
	}
	CHECK(MPI_Scan(&x, &got, 1, MPI_LONG, MPI_SUM, comm) == 0 && got == me * (me + 1) / 2);
	CHECK(MPI_Allreduce(&x, &got, 1, MPI_LONG, MPI_MAX, comm) == 0 && got == size - 1);
	got = -1;
	CHECK(MPI_Allreduce(&x, &got, 1, MPI_LONG, op, comm) == 0 && got == size - 1);
	MPI_Op_free(&op);
}

static void made_and_freed(void)
{
	for (int i = 0; i < TURNS; i++) {
		MPI_Comm comm;
		int x = rank == 0 ? i : 0;

		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		CHECK(MPI_Bcast(&x, 1, MPI_INT, 0, comm) == 0 && x == i);
		MPI_Comm_free(&comm);
	}
}

/* `other` has the same ranks. */
static void all_of(MPI_Comm comm, MPI_Comm other)
{
	receives_go_on(comm);
	collectives_go_on(comm, other);
	holes(comm);
	nothing(comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	sizes(comm);
}

int main(int argc, char **argv)
{
	MPI_Comm dup, half, grid, same, reversed;
	int periods = 0;

	init(&argc, &argv, &rank, &size);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &same);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &grid);
	if (size > 1) {
		all_of(MPI_COMM_WORLD, dup);
		all_of(dup, MPI_COMM_WORLD);
		all_of(grid, dup);
		all_of(same, dup);
		in_another_order(reversed);
		operands(MPI_COMM_WORLD);
		operands(dup);
		take_turns(dup, half);
		take_turns(MPI_COMM_WORLD, half);
	}
	made_and_freed();
	MPI_Comm_free(&dup);
	MPI_Comm_free(&half);
	MPI_Comm_free(&reversed);
	MPI_Comm_free(&grid);
	MPI_Comm_free(&same);
	MPI_Finalize();
	return 0;
}
