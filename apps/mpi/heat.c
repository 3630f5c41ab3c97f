/*
 * heat.c - heat spreads over a plate: a grid, cut into tiles for the ranks of a Cartesian
 * communicator, each of which exchanges the rim of its tile with its four neighbours.
 *
 * usage: heat [SIDE [STEPS]]
 * An MPI program like any other, and the same on a PC: mpicc heat.c && mpirun -n 4 ./a.out
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define AT(grid, y, x) ((grid)[(size_t)(y)*width + (size_t)(x)])

static MPI_Comm cart;
static int rank, dims[2], place[2], up, down, left, right;
static int side = 96, steps = 200;
static size_t height, width; /* of this rank's tile, with its rim */
static MPI_Datatype column;

/* This rank's part of a side: from begin on, so many. */
static size_t part(int dim, int *begin)
{
	int each = side / dims[dim], more = side % dims[dim], at = place[dim];
	int points = each + (at < more);

	*begin = each * at + (at < more ? at : more);
	return (size_t)points;
}

static void exchange_rims(double *now)
{
	int last_y = (int)height - 2, last_x = (int)width - 2;
	int row = last_x; /* points of it that are not of the rim */

	MPI_Sendrecv(&AT(now, 1, 1), row, MPI_DOUBLE, up, 0, &AT(now, last_y + 1, 1), row,
		     MPI_DOUBLE, down, 0, cart, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(now, last_y, 1), row, MPI_DOUBLE, down, 1, &AT(now, 0, 1), row, MPI_DOUBLE,
		     up, 1, cart, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(now, 1, 1), 1, column, left, 2, &AT(now, 1, last_x + 1), 1, column, right,
		     2, cart, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&AT(now, 1, last_x), 1, column, right, 3, &AT(now, 1, 0), 1, column, left, 3,
		     cart, MPI_STATUS_IGNORE);
}

/* Each point becomes the mean of its neighbours; returns the largest change. */
static double step(const double *now, double *next)
{
	double change = 0;

	for (size_t y = 1; y < height - 1; y++) {
		for (size_t x = 1; x < width - 1; x++) {
			double mean = 0.25 * (AT(now, y - 1, x) + AT(now, y + 1, x) +
					      AT(now, y, x - 1) + AT(now, y, x + 1));
			double by = mean - AT(now, y, x);

			AT(next, y, x) = mean;
			by = by < 0 ? -by : by;
			change = by > change ? by : change;
		}
	}
	return change;
}

static void run(double *now, double *next)
{
	double change, sum = 0, all;

	for (int i = 1; i <= steps; i++) {
		double *old = now;

		exchange_rims(now);
		change = step(now, next);
		now = next;
		next = old;
		if (i % (steps / 4 ? steps / 4 : 1))
			continue;
		MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, cart);
		if (rank == 0)
			printf("step %d: the largest change is %.6f\n", i, change);
	}
	for (size_t y = 1; y < height - 1; y++) {
		for (size_t x = 1; x < width - 1; x++)
			sum += AT(now, y, x);
	}
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, cart);
	if (rank == 0)
		printf("the mean is %.6f\n", all / ((double)side * side));
}

int main(int argc, char **argv)
{
	int ranks, periods[2] = { 0, 0 }, from_y, from_x;
	double *now, *next;

	MPI_Init(&argc, &argv);
	if (argc > 1)
		side = (int)strtol(argv[1], NULL, 0);
	if (argc > 2)
		steps = (int)strtol(argv[2], NULL, 0);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Dims_create(ranks, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	MPI_Comm_rank(cart, &rank);
	MPI_Cart_coords(cart, rank, 2, place);
	MPI_Cart_shift(cart, 0, 1, &up, &down);
	MPI_Cart_shift(cart, 1, 1, &left, &right);
	if (side < dims[0] || side < dims[1] || steps < 1) {
		if (rank == 0)
			fprintf(stderr, "usage: heat [SIDE, at least %d [STEPS]]\n", dims[0]);
		/* Else another rank may end the run before that is printed. */
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	height = part(0, &from_y) + 2;
	width = part(1, &from_x) + 2;
	MPI_Type_vector((int)height - 2, 1, (int)width, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	now = calloc(height * width, sizeof(double));
	next = calloc(height * width, sizeof(double));
	if (!now || !next) {
		fprintf(stderr, "heat: rank %d has no memory\n", rank);
		free(now);
		free(next);
		return MPI_Abort(MPI_COMM_WORLD, 1);
	}
	/* The upper edge is hot. */
	for (size_t x = 0; from_y == 0 && x < width; x++)
		AT(now, 0, x) = AT(next, 0, x) = 100;
	run(now, next);
	free(now);
	free(next);
	MPI_Type_free(&column);
	MPI_Comm_free(&cart);
	MPI_Finalize();
	return 0;
}
