/*
 * near.c - what short calls look at lies in the rank's scratchpad, up to a limit, and goes back
 * there.
 */
#include <cohart/hart.h>
#include <cohart/spm.h>

#include "check.h"

enum { MANY = 64 };

static size_t used(void)
{
	struct co_spm_use use;

	co_spm_use(co_hart(), &use);
	return use.used;
}

static int is_near(MPI_Comm comm)
{
	return co_spm_hart(comm) == (int)co_hart();
}

static void works(MPI_Comm comm, int rank, int size)
{
	int sum, mine = rank, n;

	CHECK(MPI_Comm_size(comm, &n) == 0 && n == size);
	CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm) == 0);
	CHECK(sum == size * (size - 1) / 2);
	CHECK(MPI_Barrier(comm) == 0);
}

/* More than fit: the later ones are in main memory, and work as well. Returns what is used then. */
static size_t many(int rank, int size)
{
	MPI_Comm comm[MANY], other;
	int near = 0;

	for (int i = 0; i < MANY; i++) {
		CHECK(MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? -rank : rank, &comm[i]) == 0);
		near += is_near(comm[i]);
	}
	CHECK(is_near(comm[0]) && near < MANY && !is_near(comm[MANY - 1]));
	for (int i = 0; i < MANY; i++)
		works(comm[i], i % 2 ? size - 1 - rank : rank, size);
	for (int i = 0; i < MANY; i++)
		CHECK(MPI_Comm_free(&comm[i]) == 0);
	/* There is room again. */
	CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &other) == 0 && is_near(other));
	works(other, rank, size);
	CHECK(MPI_Comm_free(&other) == 0);
	return used();
}

int main(int argc, char **argv)
{
	int rank, size;
	size_t before;

	init(&argc, &argv, &rank, &size);
	before = many(rank, size); /* takes what messages need, too */
	CHECK(many(rank, size) == before);
	MPI_Finalize();
	return 0;
}
