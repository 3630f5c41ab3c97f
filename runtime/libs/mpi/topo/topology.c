/* topology.c - the common part of all topologies, and Cartesian grids. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "topology.h"

struct co_mpi_topology *co_mpi_topology_new(int kind, int ints)
{
	struct co_mpi_topology *t = calloc(1, sizeof(*t) + sizeof(int) * (size_t)ints);

	if (t) {
		t->references = 1;
		t->kind = kind;
	}
	return t;
}

int *co_mpi_topology_list(struct co_mpi_topology *t, int n, const int list[])
{
	int *at = t->memory + t->used;

	t->used += n;
	if (list && n)
		memcpy(at, list, sizeof(int) * (size_t)n);
	return at;
}

static const char *const names[] = {
	[MPI_CART] = "grid",
	[MPI_GRAPH] = "graph",
	[MPI_DIST_GRAPH] = "distributed graph",
};

int co_mpi_check_topology(MPI_Comm comm, int kind)
{
	int r = co_mpi_check_comm(comm);

	if (!r && (!comm->topology || comm->topology->kind != kind))
		r = co_mpi_say(MPI_ERR_TOPOLOGY, "%s has no %s", co_mpi_comm_name(comm),
			       names[kind]);
	return r;
}

/* The group of the first n ranks of comm; NULL: no memory. */
static MPI_Group first_ranks(MPI_Comm comm, int n)
{
	int *world;
	MPI_Group group;

	if (n == co_mpi_size(comm))
		return co_mpi_group_get(comm->group);
	world = co_mpi_group_list(comm->group);
	group = world ? co_mpi_group_new(n, world) : NULL;
	free(world);
	return group;
}

int co_mpi_topology_comm(MPI_Comm comm, int n, struct co_mpi_topology *t, MPI_Comm *made)
{
	MPI_Group group = first_ranks(comm, n);
	/* A rank without memory for the group needs one, to tell all that it has none. */
	struct co_mpi_group first = *comm->group;
	int r = group && t ? MPI_SUCCESS : MPI_ERR_NO_MEM;

	first.size = n;
	r = co_mpi_comm_of(comm, group ? group : &first, CO_MPI_TAG_CREATE, r, made);
	if (*made)
		(*made)->topology = t;
	else
		co_mpi_topology_put(t);
	co_mpi_group_put(group);
	return r;
}

CO_MPI_DEFINE(Topo_test, MPI_Comm comm, int *status)
{
	int r = co_mpi_check_comm(comm);

	if (!r)
		*status = comm->topology ? comm->topology->kind : MPI_UNDEFINED;
	return co_mpi_error(comm, __func__, r);
}

/* ---- Grids: ranks in row-major order ---- */

static void to_coords(const struct co_mpi_topology *t, int rank, int coords[])
{
	for (int i = t->n - 1; i >= 0; i--) {
		coords[i] = rank % t->dims[i];
		rank /= t->dims[i];
	}
}

/* MPI_PROC_NULL: it is outside. */
static int to_rank(const struct co_mpi_topology *t, const int coords[])
{
	int rank = 0;

	for (int i = 0; i < t->n; i++) {
		int at = coords[i], size = t->dims[i];

		if (t->periods[i])
			at = (at % size + size) % size;
		else if (at < 0 || at >= size)
			return MPI_PROC_NULL;
		rank = rank * size + at;
	}
	return rank;
}

/* The rank `by` steps from this rank in a dimension, or MPI_PROC_NULL. */
static int shifted(const struct co_mpi_topology *t, int dim, long long by)
{
	int here = t->coords[dim], size = t->dims[dim], stride = 1;
	long long at = here + by;

	if (t->periods[dim])
		at = (at % size + size) % size;
	else if (at < 0 || at >= size)
		return MPI_PROC_NULL;
	for (int i = dim + 1; i < t->n; i++)
		stride *= t->dims[i];
	return to_rank(t, t->coords) + ((int)at - here) * stride;
}

static struct co_mpi_topology *new_grid(int n, const int dims[], const int periods[], int rank)
{
	struct co_mpi_topology *t = co_mpi_topology_new(MPI_CART, 7 * n);

	if (!t)
		return NULL;
	t->n = n;
	t->dims = co_mpi_topology_list(t, n, dims);
	t->periods = co_mpi_topology_list(t, n, NULL);
	t->coords = co_mpi_topology_list(t, n, NULL);
	t->ins = t->outs = 2 * n;
	t->from = co_mpi_topology_list(t, 2 * n, NULL);
	t->to = co_mpi_topology_list(t, 2 * n, NULL);
	for (int i = 0; i < n; i++)
		t->periods[i] = periods[i] != 0;
	to_coords(t, rank, t->coords);
	for (int i = 0; i < n; i++) {
		t->from[2 * i] = t->to[2 * i] = shifted(t, i, -1);
		t->from[2 * i + 1] = t->to[2 * i + 1] = shifted(t, i, 1);
	}
	return t;
}

/* Check the dimensions of a grid; *nodes is the number of its ranks. */
static int check_grid(MPI_Comm comm, int n, const int dims[], int *nodes)
{
	int r = co_mpi_check_intra(comm);
	long long product = 1;

	if (!r && n < 0)
		r = co_mpi_say(MPI_ERR_DIMS, "%d dimensions", n);
	for (int i = 0; i < n && !r; i++) {
		if (dims[i] <= 0)
			r = co_mpi_say(MPI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
		product *= dims[i];
		if (!r && product > co_mpi_size(comm))
			r = co_mpi_say(MPI_ERR_DIMS, "the grid is larger than %d ranks",
				       co_mpi_size(comm));
	}
	*nodes = (int)product;
	return r;
}

CO_MPI_DEFINE(Cart_create, MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
	      int reorder, MPI_Comm *comm_cart)
{
	CO_MPI_SLICE(__func__, (void)0);
	int nodes, r = check_grid(comm_old, ndims, dims, &nodes);

	(void)reorder;
	if (r)
		return co_mpi_error(comm_old, __func__, r);
	*comm_cart = MPI_COMM_NULL;
	if (comm_old->rank >= nodes)
		return MPI_SUCCESS;
	r = co_mpi_topology_comm(comm_old, nodes, new_grid(ndims, dims, periods, comm_old->rank),
				 comm_cart);
	return co_mpi_error(comm_old, __func__, r);
}

CO_MPI_DEFINE(Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[],
	      int *newrank)
{
	int nodes, r = check_grid(comm, ndims, dims, &nodes);

	(void)periods;
	if (!r)
		*newrank = comm->rank < nodes ? comm->rank : MPI_UNDEFINED;
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Cartdim_get, MPI_Comm comm, int *ndims)
{
	int r = co_mpi_check_topology(comm, MPI_CART);

	if (!r)
		*ndims = comm->topology->n;
	return co_mpi_error(comm, __func__, r);
}

static int check_room(const struct co_mpi_topology *t, int max)
{
	if (max >= t->n)
		return MPI_SUCCESS;
	return co_mpi_say(MPI_ERR_ARG, "room for %d of %d dimensions", max, t->n);
}

CO_MPI_DEFINE(Cart_get, MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
	int r = co_mpi_check_topology(comm, MPI_CART);
	const struct co_mpi_topology *t = r ? NULL : comm->topology;

	if (!r)
		r = check_room(t, maxdims);
	if (r)
		return co_mpi_error(comm, __func__, r);
	for (int i = 0; i < t->n; i++) {
		dims[i] = t->dims[i];
		periods[i] = t->periods[i];
		coords[i] = t->coords[i];
	}
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Cart_rank, MPI_Comm comm, const int coords[], int *rank)
{
	int r = co_mpi_check_topology(comm, MPI_CART), there;

	if (r)
		return co_mpi_error(comm, __func__, r);
	there = to_rank(comm->topology, coords);
	if (there == MPI_PROC_NULL)
		return co_mpi_error(comm, __func__, co_mpi_say(MPI_ERR_ARG, "outside of the grid"));
	*rank = there;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[])
{
	int r = co_mpi_check_topology(comm, MPI_CART);

	if (!r && rank == MPI_PROC_NULL)
		r = co_mpi_say(MPI_ERR_RANK, "MPI_PROC_NULL");
	if (!r)
		r = co_mpi_check_rank(comm, rank);
	if (!r)
		r = check_room(comm->topology, maxdims);
	if (!r)
		to_coords(comm->topology, rank, coords);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Cart_shift, MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
	int r = co_mpi_check_topology(comm, MPI_CART);

	if (!r && (direction < 0 || direction >= comm->topology->n))
		r = co_mpi_say(MPI_ERR_ARG, "dimension %d of %d", direction, comm->topology->n);
	if (r)
		return co_mpi_error(comm, __func__, r);
	*rank_source = shifted(comm->topology, direction, -(long long)disp);
	*rank_dest = shifted(comm->topology, direction, disp);
	return MPI_SUCCESS;
}

/* Ranks with equal coordinates in dropped dimensions form a grid of the remaining dimensions. */
static int sub(MPI_Comm comm, const int remain[], MPI_Comm *part)
{
	const struct co_mpi_topology *t = comm->topology;
	int *dims = malloc(sizeof(int) * (size_t)(2 * t->n + 1)), *periods;
	int n = 0, color = 0, key = 0;
	int r = co_mpi_error_of_all(comm, dims ? MPI_SUCCESS : MPI_ERR_NO_MEM);

	if (r || !dims) {
		free(dims);
		return r;
	}
	periods = dims + t->n;
	for (int i = 0; i < t->n; i++) {
		int *number = remain[i] ? &key : &color;

		*number = *number * t->dims[i] + t->coords[i];
		if (!remain[i])
			continue;
		dims[n] = t->dims[i];
		periods[n++] = t->periods[i];
	}
	r = co_mpi_comm_split(comm, color, key, part);
	if (!r)
		(*part)->topology = new_grid(n, dims, periods, key);
	if (!r && !(*part)->topology)
		r = MPI_ERR_NO_MEM;
	free(dims);
	return co_mpi_all_have(comm, r, part);
}

CO_MPI_DEFINE(Cart_sub, MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_topology(comm, MPI_CART);

	return co_mpi_error(comm, __func__, r ? r : sub(comm, remain_dims, newcomm));
}

/* ---- Dimensions ---- */

/* The largest r with r^k <= n. */
static int root_of(int n, int k)
{
	for (int r = 1;; r++) {
		long long all = 1;

		for (int i = 0; i < k && all <= n; i++)
			all *= r;
		if (all > n)
			return r - 1;
	}
}

/*
 * Factors, in falling order: the current ones, and the best found so far, of which the first is
 * `most` above the last.
 */
struct factors {
	int n, most;
	int *now, *found;
};

/*
 * Are the current factors better: first and last closer; else the last larger, then the last but
 * one?
 */
static bool better(const struct factors *f)
{
	int i = f->n - 1, most = f->now[0] - f->now[i];

	if (most != f->most)
		return most < f->most;
	while (i && f->now[i] == f->found[i])
		i--;
	return f->now[i] > f->found[i];
}

/* Choose the factors from index `at` on: their product is n, and none is larger than `largest`. */
static void choose(struct factors *f, int at, int n, int largest)
{
	int left = f->n - at - 1, first;

	if (left < 0) {
		if (!better(f))
			return;
		f->most = f->now[0] - f->now[f->n - 1];
		memcpy(f->found, f->now, sizeof(int) * (size_t)f->n);
		return;
	}
	for (int i = left ? root_of(n, left + 1) : n; i <= largest && i <= n; i++) {
		if (n % i)
			continue;
		f->now[at] = i;
		first = f->now[0];
		/* The last factor is at most this root; a larger factor here makes it smaller. */
		if (first - (left ? root_of(n / i, left) : i) > f->most)
			return;
		choose(f, at + 1, n / i, i);
	}
}

static int dims_create(int ranks, int n, int dims[])
{
	struct factors f = { .most = INT_MAX };
	int open = 0;

	if (n < 0 || ranks <= 0)
		return co_mpi_say(n < 0 ? MPI_ERR_DIMS : MPI_ERR_ARG, "%d ranks in %d dimensions",
				  ranks, n);
	for (int i = 0; i < n; i++) {
		if (dims[i] < 0 || (dims[i] && ranks % dims[i]))
			return co_mpi_say(MPI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
		if (dims[i])
			ranks /= dims[i];
		else
			open++;
	}
	if (!open)
		return ranks == 1 || n == 0
			       ? MPI_SUCCESS
			       : co_mpi_say(MPI_ERR_DIMS, "the dimensions are %d times too small",
					    ranks);
	f.n = open;
	f.now = calloc(2 * (size_t)open, sizeof(int));
	if (!f.now)
		return MPI_ERR_NO_MEM;
	f.found = f.now + open;
	choose(&f, 0, ranks, ranks);
	open = 0;
	for (int i = 0; i < n; i++)
		if (!dims[i])
			dims[i] = f.found[open++];
	free(f.now);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Dims_create, int nnodes, int ndims, int dims[])
{
	return co_mpi_error(NULL, __func__, dims_create(nnodes, ndims, dims));
}
