/*
 * patterns.c - patterns of messages, and microseconds of each: an all-reduce in two
 * levels, an all-to-all, and an exchange with the neighbours on a torus. One source for boards, for
 * a PC, and for SimGrid, where all ranks share static data: there is none (docs/scale.md).
 *
 * usage: patterns all_reduce|all_to_all|halo RANKS_OF_A_BOARD [TURNS]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 1024 /* of a message, but for the all-reduce's 8 */

struct job {
	int rank, ranks, near; /* `near`: ranks of a board */
	int wrong, most;       /* `most`: an all-reduce takes the largest, not the sum */
	char out[BYTES], in[BYTES];
};

static double receive(int from)
{
	double x;

	MPI_Recv(&x, 1, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return x;
}

static double fold(const struct job *j, double x, int from)
{
	double y = receive(from);

	return j->most ? (x > y ? x : y) : x + y;
}

static void send(double x, int to)
{
	MPI_Send(&x, 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
}

/* Among the first ranks of boards: recursive doubling; boards beyond a power of two hand over. */
static double across(const struct job *j, double x)
{
	int board = j->rank / j->near, boards = j->ranks / j->near, power = 1;

	while (2 * power <= boards)
		power *= 2;
	if (board >= power) {
		send(x, j->rank - power * j->near);
		return receive(j->rank - power * j->near);
	}
	if (board + power < boards)
		x = fold(j, x, j->rank + power * j->near);
	for (int bit = 1; bit < power; bit *= 2) {
		int with = (board ^ bit) * j->near;

		send(x, with);
		x = fold(j, x, with);
	}
	if (board + power < boards)
		send(x, j->rank + power * j->near);
	return x;
}

/* Within a board: up a binomial tree, and down again. */
static double reduce(const struct job *j, double x)
{
	int near = j->rank % j->near, bit = 1;

	for (; bit < j->near && !(near & bit); bit *= 2) {
		if (near + bit < j->near)
			x = fold(j, x, j->rank + bit);
	}
	if (near) {
		send(x, j->rank - bit);
		x = receive(j->rank - bit);
	} else {
		x = across(j, x);
	}
	while (bit /= 2) {
		if (near + bit < j->near)
			send(x, j->rank + bit);
	}
	return x;
}

static void all_reduce(struct job *j)
{
	j->wrong += reduce(j, j->rank) != 0.5 * j->ranks * (j->ranks - 1);
}

static void swap(struct job *j, int to, int from)
{
	MPI_Sendrecv(j->out, BYTES, MPI_CHAR, to, 0, j->in, BYTES, MPI_CHAR, from, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	j->wrong += j->in[0] != (char)from || j->in[BYTES - 1] != (char)from;
}

static void all_to_all(struct job *j)
{
	for (int i = 1; i < j->ranks; i++)
		swap(j, (j->rank + i) % j->ranks, (j->rank + j->ranks - i) % j->ranks);
}

static void halo(struct job *j)
{
	int x = 1, y, row, column;

	for (int i = 1; i * i <= j->ranks; i++)
		x = j->ranks % i ? x : i;
	y = j->ranks / x;
	row = j->rank / x;
	column = j->rank % x;
	for (int by = 1; by >= -1; by -= 2) {
		swap(j, row * x + (column + x + by) % x, row * x + (column + x - by) % x);
		swap(j, (row + y + by) % y * x + column, (row + y - by) % y * x + column);
	}
}

int main(int argc, char **argv)
{
	struct job *j = calloc(1, sizeof(*j));
	void (*run)(struct job *) = halo;
	int turns = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;
	double begun, us, wrong;

	if (!j)
		return 2;
	MPI_Init(&argc, &argv);
	if (argc > 2)
		j->near = (int)strtol(argv[2], NULL, 10);
	if (j->near < 1 || turns < 1)
		return 2;
	MPI_Comm_rank(MPI_COMM_WORLD, &j->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &j->ranks);
	if (j->ranks % j->near)
		return 2;
	if (argv[1][0] == 'a')
		run = strcmp(argv[1], "all_reduce") ? all_to_all : all_reduce;
	memset(j->out, j->rank, BYTES);
	for (int i = 0; i < 2; i++)
		all_reduce(j); /* all ranks begin at about one time */
	begun = MPI_Wtime();
	for (int i = 0; i < turns; i++)
		run(j);
	us = (MPI_Wtime() - begun) * 1e6 / turns;
	j->most = 1;
	us = reduce(j, us);
	wrong = reduce(j, j->wrong);
	if (j->rank == 0)
		printf("%s of %d ranks: %.0f wrong, %.3f us\n", argv[1], j->ranks, wrong, us);
	free(j);
	MPI_Finalize();
	return 0;
}
