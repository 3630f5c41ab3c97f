/* group.c - groups: ordered sets of ranks of MPI_COMM_WORLD. */
#include <stdlib.h>
#include <string.h>

#include "objects.h"

struct co_mpi_group co_mpi_empty = {
	.magic = CO_MPI_IS_GROUP,
	.references = 1,
	.rank = MPI_UNDEFINED,
};

static int check_group(MPI_Group group)
{
	if (co_mpi_is(group, CO_MPI_IS_GROUP))
		return MPI_SUCCESS;
	return co_mpi_say(MPI_ERR_GROUP, "%s", group ? "no group" : "MPI_GROUP_NULL");
}

int co_mpi_check_part(MPI_Group part, MPI_Group of, const char *name)
{
	int r = check_group(part);

	for (int i = 0; !r && i < part->size; i++)
		if (co_mpi_group_find(of, co_mpi_group_world(part, i)) == MPI_UNDEFINED)
			r = co_mpi_say(MPI_ERR_GROUP, "rank %d of the group is not in %s", i, name);
	return r;
}

static int check_two(MPI_Group a, MPI_Group b)
{
	int r = check_group(a);

	return r ? r : check_group(b);
}

int co_mpi_group_find(const struct co_mpi_group *g, int world)
{
	if (!g->world)
		return world >= g->first && world < g->first + g->size ? world - g->first
								       : MPI_UNDEFINED;
	for (int i = 0; i < g->size; i++)
		if (g->world[i] == world)
			return i;
	return MPI_UNDEFINED;
}

static bool in_sequence(int n, const int world[])
{
	for (int i = 1; i < n; i++)
		if (world[i] != world[0] + i)
			return false;
	return true;
}

/* The list lies behind the group. */
static size_t bytes_of(int n, bool listed)
{
	return sizeof(struct co_mpi_group) + (listed ? sizeof(int) * (size_t)n : 0);
}

MPI_Group co_mpi_group_new(int n, const int world[])
{
	bool listed = n > 0 && !in_sequence(n, world);
	MPI_Group g;

	if (n == 0)
		return MPI_GROUP_EMPTY;
	g = co_mpi_near_take(bytes_of(n, listed));
	if (!g)
		return NULL;
	*g = (struct co_mpi_group){
		.magic = CO_MPI_IS_GROUP,
		.references = 1,
		.size = n,
		.first = world[0],
		.world = listed ? (int *)(g + 1) : NULL,
	};
	if (listed)
		memcpy(g->world, world, sizeof(int) * (size_t)n);
	g->rank = co_mpi_group_find(g, co_mpi.rank);
	return g;
}

void co_mpi_group_put(MPI_Group group)
{
	if (!group || group == MPI_GROUP_EMPTY || --group->references)
		return;
	co_mpi_unmark(&group->magic);
	co_mpi_near_give(group, bytes_of(group->size, group->world));
}

/* Return the group of a call that makes a group of other groups; free `world`. */
static int make_group(int n, int world[], MPI_Group *group)
{
	MPI_Group g = world ? co_mpi_group_new(n, world) : NULL;

	free(world);
	if (!g)
		return MPI_ERR_NO_MEM;
	*group = g;
	return MPI_SUCCESS;
}

static int *list_of(int n)
{
	return malloc(sizeof(int) * (size_t)(n + 1));
}

int *co_mpi_group_list(MPI_Group g)
{
	int *world = list_of(g->size);

	for (int i = 0; i < g->size && world; i++)
		world[i] = co_mpi_group_world(g, i);
	return world;
}

/* ---- Properties ---- */

CO_MPI_DEFINE(Group_size, MPI_Group group, int *size)
{
	int r = check_group(group);

	if (!r)
		*size = group->size;
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Group_rank, MPI_Group group, int *rank)
{
	int r = check_group(group);

	if (!r)
		*rank = group->rank;
	return co_mpi_error(NULL, __func__, r);
}

static int check_member(MPI_Group group, int rank)
{
	if (rank >= 0 && rank < group->size)
		return MPI_SUCCESS;
	return co_mpi_say(MPI_ERR_RANK, "rank %d of a group of %d", rank, group->size);
}

CO_MPI_DEFINE(Group_translate_ranks, MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
	      int ranks2[])
{
	int r = check_two(group1, group2);

	if (!r && n < 0)
		r = co_mpi_say(MPI_ERR_ARG, "%d ranks", n);
	for (int i = 0; i < n && !r; i++)
		if (ranks1[i] != MPI_PROC_NULL)
			r = check_member(group1, ranks1[i]);
	for (int i = 0; i < n && !r; i++)
		ranks2[i] =
			ranks1[i] == MPI_PROC_NULL
				? MPI_PROC_NULL
				: co_mpi_group_find(group2, co_mpi_group_world(group1, ranks1[i]));
	return co_mpi_error(NULL, __func__, r);
}

int co_mpi_group_compare(const struct co_mpi_group *a, const struct co_mpi_group *b)
{
	bool same_order = true;

	if (a->size != b->size)
		return MPI_UNEQUAL;
	for (int i = 0; i < a->size; i++) {
		int world = co_mpi_group_world(a, i);

		if (co_mpi_group_world(b, i) == world)
			continue;
		same_order = false;
		if (co_mpi_group_find(b, world) == MPI_UNDEFINED)
			return MPI_UNEQUAL;
	}
	return same_order ? MPI_IDENT : MPI_SIMILAR;
}

CO_MPI_DEFINE(Group_compare, MPI_Group group1, MPI_Group group2, int *result)
{
	int r = check_two(group1, group2);

	if (!r)
		*result = co_mpi_group_compare(group1, group2);
	return co_mpi_error(NULL, __func__, r);
}

/* ---- Made of two ---- */

/* Append to world[] the ranks of `a` that are in b (in), or are not. Returns the new length. */
static int choose(MPI_Group a, MPI_Group b, bool in, int world[], int n)
{
	for (int i = 0; i < a->size; i++) {
		int w = co_mpi_group_world(a, i);

		if ((co_mpi_group_find(b, w) != MPI_UNDEFINED) == in)
			world[n++] = w;
	}
	return n;
}

int co_mpi_group_unite(MPI_Group a, MPI_Group b, MPI_Group *group)
{
	int r = check_two(a, b), *world = r ? NULL : list_of(a->size + b->size), n = 0;

	if (r)
		return r;
	if (world) {
		n = choose(a, MPI_GROUP_EMPTY, false, world, n);
		n = choose(b, a, false, world, n);
	}
	return make_group(n, world, group);
}

CO_MPI_DEFINE(Group_union, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	return co_mpi_error(NULL, __func__, co_mpi_group_unite(group1, group2, newgroup));
}

static int part(MPI_Group a, MPI_Group b, bool in, MPI_Group *group)
{
	int r = check_two(a, b), *world = r ? NULL : list_of(a->size);

	if (r)
		return r;
	return make_group(world ? choose(a, b, in, world, 0) : 0, world, group);
}

CO_MPI_DEFINE(Group_intersection, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	return co_mpi_error(NULL, __func__, part(group1, group2, true, newgroup));
}

CO_MPI_DEFINE(Group_difference, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	return co_mpi_error(NULL, __func__, part(group1, group2, false, newgroup));
}

/* ---- Made of a list of ranks ---- */

/* Make a group of the listed ranks (in), in the list's order, or of all ranks not listed. */
static int of_ranks(MPI_Group of, int n, const int ranks[], bool in, MPI_Group *group)
{
	char *named = calloc((size_t)of->size + 1, 1);
	int *world = list_of(of->size), n_world = 0, r = MPI_SUCCESS;

	if (!named || !world)
		r = MPI_ERR_NO_MEM;
	for (int i = 0; i < n && !r; i++) {
		r = check_member(of, ranks[i]);
		if (!r && named[ranks[i]]++)
			r = co_mpi_say(MPI_ERR_RANK, "rank %d twice", ranks[i]);
		if (!r && in)
			world[n_world++] = co_mpi_group_world(of, ranks[i]);
	}
	for (int i = 0; i < of->size && !r && !in; i++)
		if (!named[i])
			world[n_world++] = co_mpi_group_world(of, i);
	free(named);
	if (!r)
		return make_group(n_world, world, group);
	free(world);
	return r;
}

static int list_ranks(MPI_Group of, int n, const int ranks[], bool in, MPI_Group *group)
{
	int r = check_group(of);

	if (!r && n < 0)
		r = co_mpi_say(MPI_ERR_ARG, "%d ranks", n);
	return r ? r : of_ranks(of, n, ranks, in, group);
}

CO_MPI_DEFINE(Group_incl, MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
	return co_mpi_error(NULL, __func__, list_ranks(group, n, ranks, true, newgroup));
}

CO_MPI_DEFINE(Group_excl, MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
	return co_mpi_error(NULL, __func__, list_ranks(group, n, ranks, false, newgroup));
}

/* How many ranks a range has; -1: it is invalid. */
static long long range_size(const int range[3])
{
	long long length = (long long)range[1] - range[0];

	if (range[2] == 0 || (length != 0 && (length < 0) != (range[2] < 0)))
		return -1;
	return length / range[2] + 1;
}

static int list_ranges(MPI_Group of, int n, int ranges[][3], bool in, MPI_Group *group)
{
	int r = check_group(of), all = 0, *ranks;

	if (!r && n < 0)
		r = co_mpi_say(MPI_ERR_ARG, "%d ranges", n);
	for (int i = 0; i < n && !r; i++) {
		long long size = range_size(ranges[i]);

		r = check_member(of, ranges[i][0]);
		if (!r && (size < 0 || size > of->size - all))
			r = co_mpi_say(MPI_ERR_ARG, "range %d to %d by %d", ranges[i][0],
				       ranges[i][1], ranges[i][2]);
		if (!r)
			all += (int)size;
	}
	if (r)
		return r;
	ranks = list_of(all);
	if (!ranks)
		return MPI_ERR_NO_MEM;
	all = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < range_size(ranges[i]); k++)
			ranks[all++] = (int)(ranges[i][0] + (long long)k * ranges[i][2]);
	r = of_ranks(of, all, ranks, in, group);
	free(ranks);
	return r;
}

CO_MPI_DEFINE(Group_range_incl, MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
	return co_mpi_error(NULL, __func__, list_ranges(group, n, ranges, true, newgroup));
}

CO_MPI_DEFINE(Group_range_excl, MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
	return co_mpi_error(NULL, __func__, list_ranges(group, n, ranges, false, newgroup));
}

CO_MPI_DEFINE(Group_free, MPI_Group *group)
{
	int r = check_group(*group);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	co_mpi_group_put(*group);
	*group = MPI_GROUP_NULL;
	return MPI_SUCCESS;
}
