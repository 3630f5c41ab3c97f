/*
 * ordinary.c - a program as others write them for a PC, of static data, the heap, arguments, files
 * and exit handlers: each rank writes measurements into a file of its own, and rank 0 reads them
 * all. It prints the same by Open MPI (tests/mpi/run).
 *
 * usage: ordinary [MEASUREMENTS [NAME...]]
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "check.h"

struct measurement {
	int rank, number;
	double value;
	char name[16];
};

static const char *names[] = { "flow", "heat", "mass", "wind" };
static int n_names = 4;
static int rank, ranks, each = 5;
static uint32_t state; /* of a generator: the program's own, since a C library's rand() differs */
static double largest = -INFINITY;

static void last(void)
{
	printf("rank %d ends; its largest was %.6g\n", rank, largest);
}

static double next(void)
{
	state = state * 1664525 + 1013904223;
	return (double)(state >> 8) / (1 << 24) - 0.25;
}

static const char *file_of(int r)
{
	static char name[40];

	snprintf(name, sizeof(name), "ordinary.%d.tmp", r);
	return name;
}

static void write_own(char **argv)
{
	FILE *f = fopen(file_of(rank), "w");

	CHECK(f);
	for (int i = 0; i < each; i++) {
		double x = next();

		largest = x > largest ? x : largest;
		fprintf(f, "%d %d %.17g %s\n", rank, i, x,
			(argv ? argv : (char **)names)[i % n_names]);
	}
	CHECK(fclose(f) == 0);
}

static int by_value(const void *a, const void *b)
{
	double x = ((const struct measurement *)a)->value,
	       y = ((const struct measurement *)b)->value;

	return (x > y) - (x < y);
}

static void read_all(void)
{
	struct measurement *all = NULL;
	int n = 0, room = 0;
	char line[100];

	for (int r = 0; r < ranks; r++) {
		FILE *f = fopen(file_of(r), "r");

		CHECK(f);
		while (fgets(line, sizeof(line), f)) {
			if (n == room) {
				room = room ? 2 * room : 4;
				all = realloc(all, (size_t)room * sizeof(*all));
				CHECK(all);
			}
			CHECK(sscanf(line, "%d %d %lf %15s", &all[n].rank, &all[n].number,
				     &all[n].value, all[n].name) == 4);
			n++;
		}
		CHECK(feof(f) && fclose(f) == 0 && remove(file_of(r)) == 0);
	}
	CHECK(n == ranks * each);
	qsort(all, (size_t)n, sizeof(*all), by_value);
	for (int i = 0; i < n; i++)
		printf("%4d %-8s %+.6e of rank %d, number %d\n", i, all[i].name, all[i].value,
		       all[i].rank, all[i].number);
	free(all);
}

int main(int argc, char **argv)
{
	double all;
	FILE *none;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	atexit(last);
	if (argc > 1)
		each = atoi(argv[1]);
	if (argc > 2)
		n_names = argc - 2;
	state = 12345 + (uint32_t)rank;
	errno = 0;
	none = fopen("nowhere/at all", "r");
	CHECK(!none && errno == ENOENT);
	write_own(argc > 2 ? argv + 2 : NULL);
	MPI_Reduce(&largest, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		read_all();
		printf("%d arguments; the largest of %d ranks is %a\n", argc - 1, ranks, all);
	}
	MPI_Finalize();
	return 0;
}
