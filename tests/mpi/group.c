/* group.c - groups: what they are made of, compared and translated; bad ranks and ranges. */
#include <limits.h>

#include "check.h"

static int rank, size;
static MPI_Group all;

static int size_in(MPI_Group g)
{
	int n;

	CHECK(MPI_Group_size(g, &n) == 0);
	return n;
}

static int compared(MPI_Group a, MPI_Group b)
{
	int result;

	CHECK(MPI_Group_compare(a, b, &result) == 0);
	return result;
}

/* The rank in `all` of one in the group. */
static int in_all(MPI_Group g, int r)
{
	int there;

	CHECK(MPI_Group_translate_ranks(g, 1, &r, all, &there) == 0);
	return there;
}

static void of_world(void)
{
	int r, none = MPI_PROC_NULL;

	CHECK(size_in(all) == size);
	CHECK(MPI_Group_rank(all, &r) == 0 && r == rank);
	CHECK(in_all(all, size - 1) == size - 1);
	CHECK(in_all(all, none) == MPI_PROC_NULL);
	CHECK(MPI_Group_rank(MPI_GROUP_EMPTY, &r) == 0 && r == MPI_UNDEFINED);
	CHECK(size_in(MPI_GROUP_EMPTY) == 0);
	CHECK(compared(all, all) == MPI_IDENT);
	CHECK(compared(all, MPI_GROUP_EMPTY) == MPI_UNEQUAL);
}

/* All ranks, the last first. */
static void turned(void)
{
	MPI_Group back, again;
	int range[1][3] = { { size - 1, 0, -1 } }, r;

	CHECK(MPI_Group_range_incl(all, 1, range, &back) == 0);
	CHECK(size_in(back) == size);
	CHECK(MPI_Group_rank(back, &r) == 0 && r == size - 1 - rank);
	for (int i = 0; i < size; i++)
		CHECK(in_all(back, i) == size - 1 - i);
	CHECK(compared(all, back) == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
	CHECK(MPI_Group_range_incl(back, 1, range, &again) == 0);
	CHECK(compared(all, again) == MPI_IDENT);
	MPI_Group_free(&back);
	MPI_Group_free(&again);
	CHECK(back == MPI_GROUP_NULL);
}

static void listed(void)
{
	MPI_Group even, odd, both, none, rest;
	int *ranks = malloc(sizeof(int) * (size_t)size), n = 0, r, one = 0;

	for (int i = 0; i < size; i += 2)
		ranks[n++] = i;
	CHECK(MPI_Group_incl(all, n, ranks, &even) == 0 && size_in(even) == n);
	CHECK(MPI_Group_excl(all, n, ranks, &odd) == 0 && size_in(odd) == size - n);
	CHECK(MPI_Group_rank(even, &r) == 0 && r == (rank % 2 ? MPI_UNDEFINED : rank / 2));
	CHECK(MPI_Group_rank(odd, &r) == 0 && r == (rank % 2 ? rank / 2 : MPI_UNDEFINED));
	CHECK(MPI_Group_union(even, odd, &both) == 0);
	for (int i = 0; i < size; i++)
		CHECK(in_all(both, i) == (i < n ? 2 * i : 2 * (i - n) + 1));
	CHECK(MPI_Group_intersection(even, odd, &none) == 0 && none == MPI_GROUP_EMPTY);
	CHECK(MPI_Group_intersection(both, all, &rest) == 0);
	CHECK(compared(rest, both) == MPI_IDENT);
	MPI_Group_free(&rest);
	CHECK(MPI_Group_difference(all, odd, &rest) == 0 && compared(rest, even) == MPI_IDENT);
	if (size > 1) {
		CHECK(MPI_Group_translate_ranks(even, 1, &one, odd, &r) == 0 && r == MPI_UNDEFINED);
		CHECK(compared(even, odd) == MPI_UNEQUAL);
	}
	MPI_Group_free(&rest);
	MPI_Group_free(&none);
	MPI_Group_free(&both);
	MPI_Group_free(&odd);
	MPI_Group_free(&even);
	CHECK(MPI_Group_incl(all, 0, NULL, &none) == 0 && size_in(none) == 0);
	free(ranks);
}

static void ranges(void)
{
	MPI_Group some, others;
	int range[2][3] = { { 0, size - 1, 2 }, { 0, 0, 5 } };

	CHECK(MPI_Group_range_incl(all, 1, range, &some) == 0);
	CHECK(size_in(some) == (size + 1) / 2);
	CHECK(in_all(some, size_in(some) - 1) == (size - 1) / 2 * 2);
	CHECK(MPI_Group_range_excl(all, 1, range, &others) == 0);
	CHECK(size_in(others) == size / 2);
	CHECK(size == 1 || in_all(others, 0) == 1);
	MPI_Group_free(&some);
	MPI_Group_free(&others);
	/* A rank twice, a step of 0, a step the wrong way. */
	CHECK_ERROR(MPI_Group_range_incl(all, 2, range, &some),
		    size == 1 ? MPI_ERR_ARG : MPI_ERR_RANK);
	if (size > 1) {
		int large[2][3] = { { 0, 0, 1 }, { 1, INT_MAX, 1 } };

		CHECK_ERROR(MPI_Group_range_incl(all, 2, large, &some), MPI_ERR_ARG);
	}
	range[0][2] = 0;
	CHECK_ERROR(MPI_Group_range_incl(all, 1, range, &some), MPI_ERR_ARG);
	range[0][2] = -1;
	if (size > 1)
		CHECK_ERROR(MPI_Group_range_excl(all, 1, range, &some), MPI_ERR_ARG);
}

static void bad(void)
{
	int ranks[2] = { 0, 0 }, n;
	MPI_Group g, gone = MPI_GROUP_NULL;

	CHECK_ERROR(MPI_Group_incl(all, 2, ranks, &g), MPI_ERR_RANK);
	ranks[0] = size;
	CHECK_ERROR(MPI_Group_incl(all, 1, ranks, &g), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Group_excl(all, 1, ranks, &g), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Group_incl(all, -1, ranks, &g), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Group_translate_ranks(all, 1, ranks, all, &n), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
	CHECK_ERROR(MPI_Group_rank(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
	CHECK_ERROR(MPI_Group_compare(all, MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
	CHECK_ERROR(MPI_Group_union(MPI_GROUP_NULL, all, &g), MPI_ERR_GROUP);
	CHECK_ERROR(MPI_Group_free(&gone), MPI_ERR_GROUP);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK(MPI_Comm_group(MPI_COMM_WORLD, &all) == 0);
	of_world();
	turned();
	listed();
	ranges();
	bad();
	MPI_Group_free(&all);
	MPI_Finalize();
	return 0;
}
