/* graph.c - graphs as topologies: whole at each rank, or distributed. */
#include <stdlib.h>
#include <string.h>

#include "topology.h"

/* ---- Each rank has the whole graph ---- */

static int check_graph(MPI_Comm comm, int n, const int index[], const int edges[])
{
	int r = co_mpi_check_intra(comm);

	if (!r && (n < 0 || n > co_mpi_size(comm)))
		r = co_mpi_say(MPI_ERR_ARG, "%d nodes for %d ranks", n, co_mpi_size(comm));
	for (int i = 0; i < n && !r; i++)
		if (index[i] < (i ? index[i - 1] : 0))
			r = co_mpi_say(MPI_ERR_ARG, "index %d is %d", i, index[i]);
	for (int i = 0; !r && n && i < index[n - 1]; i++)
		if (edges[i] < 0 || edges[i] >= n)
			r = co_mpi_say(MPI_ERR_ARG, "edge %d goes to node %d of %d", i, edges[i],
				       n);
	return r;
}

/* The edges of a node. */
static int *edges_of(const struct co_mpi_topology *t, int node, int *n)
{
	int first = node ? t->index[node - 1] : 0;

	*n = t->index[node] - first;
	return t->edges + first;
}

CO_MPI_DEFINE(Graph_create, MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
	      int reorder, MPI_Comm *comm_graph)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = check_graph(comm_old, nnodes, index, edges);
	struct co_mpi_topology *t;

	(void)reorder;
	if (r)
		return co_mpi_error(comm_old, __func__, r);
	*comm_graph = MPI_COMM_NULL;
	if (comm_old->rank >= nnodes)
		return MPI_SUCCESS;
	t = co_mpi_topology_new(MPI_GRAPH, nnodes + index[nnodes - 1]);
	if (t) {
		t->n = nnodes;
		t->index = co_mpi_topology_list(t, nnodes, index);
		t->edges = co_mpi_topology_list(t, index[nnodes - 1], edges);
		t->from = t->to = edges_of(t, comm_old->rank, &t->ins);
		t->outs = t->ins;
	}
	return co_mpi_error(comm_old, __func__,
			    co_mpi_topology_comm(comm_old, nnodes, t, comm_graph));
}

CO_MPI_DEFINE(Graph_map, MPI_Comm comm, int nnodes, const int index[], const int edges[],
	      int *newrank)
{
	int r = check_graph(comm, nnodes, index, edges);

	if (!r)
		*newrank = comm->rank < nnodes ? comm->rank : MPI_UNDEFINED;
	return co_mpi_error(comm, __func__, r);
}

static int all_edges(const struct co_mpi_topology *t)
{
	return t->n ? t->index[t->n - 1] : 0;
}

CO_MPI_DEFINE(Graphdims_get, MPI_Comm comm, int *nnodes, int *nedges)
{
	int r = co_mpi_check_topology(comm, MPI_GRAPH);

	if (r)
		return co_mpi_error(comm, __func__, r);
	*nnodes = comm->topology->n;
	*nedges = all_edges(comm->topology);
	return MPI_SUCCESS;
}

static void copy_ints(int to[], const int from[], int n)
{
	if (n > 0)
		memcpy(to, from, sizeof(int) * (size_t)n);
}

CO_MPI_DEFINE(Graph_get, MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
	int r = co_mpi_check_topology(comm, MPI_GRAPH);
	const struct co_mpi_topology *t = r ? NULL : comm->topology;

	if (!r && (maxindex < t->n || maxedges < all_edges(t)))
		r = co_mpi_say(MPI_ERR_ARG, "room for %d of %d nodes, %d of %d edges", maxindex,
			       t->n, maxedges, all_edges(t));
	if (r)
		return co_mpi_error(comm, __func__, r);
	copy_ints(index, t->index, t->n);
	copy_ints(edges, t->edges, all_edges(t));
	return MPI_SUCCESS;
}

static int check_node(MPI_Comm comm, int rank)
{
	int r = co_mpi_check_topology(comm, MPI_GRAPH);

	if (!r && (rank < 0 || rank >= comm->topology->n))
		r = co_mpi_say(MPI_ERR_RANK, "node %d of %d", rank, comm->topology->n);
	return r;
}

CO_MPI_DEFINE(Graph_neighbors_count, MPI_Comm comm, int rank, int *nneighbors)
{
	int r = check_node(comm, rank);

	if (!r)
		(void)edges_of(comm->topology, rank, nneighbors);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Graph_neighbors, MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
	int r = check_node(comm, rank), n = 0;
	const int *edges = r ? NULL : edges_of(comm->topology, rank, &n);

	if (!r && maxneighbors < n)
		r = co_mpi_say(MPI_ERR_ARG, "room for %d of %d neighbours", maxneighbors, n);
	if (!r)
		copy_ints(neighbors, edges, n);
	return co_mpi_error(comm, __func__, r);
}

/* ---- Each rank knows its neighbours ---- */

/* The neighbours one way, with or without weights. */
struct side {
	int n;
	const int *ranks, *weights;
};

static int check_side(MPI_Comm comm, const struct side *s)
{
	int r = MPI_SUCCESS;

	if (s->n < 0)
		return co_mpi_say(MPI_ERR_ARG, "%d neighbours", s->n);
	if (s->n && (!s->weights || s->weights == MPI_WEIGHTS_EMPTY))
		return co_mpi_say(MPI_ERR_ARG, "no weights for %d neighbours", s->n);
	for (int i = 0; i < s->n && !r; i++) {
		if (s->ranks[i] == MPI_PROC_NULL)
			continue;
		r = co_mpi_check_rank(comm, s->ranks[i]);
		if (!r && s->weights != MPI_UNWEIGHTED && s->weights[i] < 0)
			r = co_mpi_say(MPI_ERR_ARG, "weight %d", s->weights[i]);
	}
	return r;
}

static int adjacent(MPI_Comm comm, const struct side *in, const struct side *out, bool weighted,
		    MPI_Comm *graph)
{
	struct co_mpi_topology *t = co_mpi_topology_new(MPI_DIST_GRAPH, 2 * (in->n + out->n));

	if (t) {
		t->ins = in->n;
		t->outs = out->n;
		t->from = co_mpi_topology_list(t, in->n, in->ranks);
		t->to = co_mpi_topology_list(t, out->n, out->ranks);
	}
	if (t && weighted) {
		t->in_weights = co_mpi_topology_list(t, in->n, in->weights);
		t->out_weights = co_mpi_topology_list(t, out->n, out->weights);
	}
	return co_mpi_topology_comm(comm, co_mpi_size(comm), t, graph);
}

CO_MPI_DEFINE(Dist_graph_create_adjacent, MPI_Comm comm_old, int indegree, const int sources[],
	      const int sourceweights[], int outdegree, const int destinations[],
	      const int destweights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph)
{
	CO_MPI_SLICE(__func__, (void)0);
	struct side in = { indegree, sources, sourceweights },
		    out = { outdegree, destinations, destweights };
	bool weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
	int r = co_mpi_check_intra(comm_old);

	(void)info;
	(void)reorder;
	if (!r)
		r = check_side(comm_old, &in);
	if (!r)
		r = check_side(comm_old, &out);
	if (!r && (sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED))
		r = co_mpi_say(MPI_ERR_ARG, "weights on one side");
	return co_mpi_error(comm_old, __func__,
			    r ? r : adjacent(comm_old, &in, &out, weighted, comm_dist_graph));
}

/* ---- Any rank has any edges: both ends of an edge are notified of it ---- */

/* A record for one end of an edge: the direction, the neighbour, and the weight. */
enum { OUTWARD, OTHER, WEIGHT, NEWS };

/* Lists for the exchange: how many ints go to and come from each rank, and where they are. */
struct news {
	int *outs, *out_at, *ins, *in_at;
	int *out, *in;
	int all_in;
};

static void free_news(struct news *t)
{
	free(t->outs);
	free(t->out);
	free(t->in);
}

static int starts(const int counts[], int at[], int n)
{
	int all = 0;

	for (int i = 0; i < n; i++) {
		at[i] = all;
		all += counts[i];
	}
	return all;
}

/* Count the record of an edge for rank `to` (`out` NULL), or write it. */
static void tell_neighbour(struct news *t, int to, int outward, int other, int weight)
{
	int *p = t->out ? t->out + t->out_at[to] + t->outs[to] : NULL;

	t->outs[to] += NEWS;
	if (!p)
		return;
	p[OUTWARD] = outward;
	p[OTHER] = other;
	p[WEIGHT] = weight;
}

static void tell_all(struct news *t, int size, int n, const int sources[], const int degrees[],
		     const struct side *edges)
{
	int edge = 0;

	memset(t->outs, 0, sizeof(int) * (size_t)size);
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < degrees[i]; k++, edge++) {
			bool weighted = edges->weights != MPI_UNWEIGHTED;
			int weight = weighted ? edges->weights[edge] : 0;

			tell_neighbour(t, sources[i], 1, edges->ranks[edge], weight);
			tell_neighbour(t, edges->ranks[edge], 0, sources[i], weight);
		}
	}
}

static int exchange(MPI_Comm comm, struct news *t, int n, const int sources[], const int degrees[],
		    const struct side *edges)
{
	int size = co_mpi_size(comm), r;

	t->outs = calloc(4 * (size_t)size, sizeof(int));
	r = co_mpi_error_of_all(comm, t->outs ? MPI_SUCCESS : MPI_ERR_NO_MEM);
	if (r || !t->outs)
		return r;
	t->out_at = t->outs + size;
	t->ins = t->out_at + size;
	t->in_at = t->ins + size;
	tell_all(t, size, n, sources, degrees, edges);
	r = co_mpi_alltoall(CO_MPI_EQUAL(t->outs, 1, MPI_INT), CO_MPI_EQUAL(t->ins, 1, MPI_INT),
			    comm, NULL);
	if (r)
		return r;
	t->out = malloc(sizeof(int) * (size_t)(starts(t->outs, t->out_at, size) + 1));
	t->all_in = starts(t->ins, t->in_at, size);
	t->in = malloc(sizeof(int) * (size_t)(t->all_in + 1));
	r = co_mpi_error_of_all(comm, t->out && t->in ? MPI_SUCCESS : MPI_ERR_NO_MEM);
	if (r || !t->out || !t->in)
		return r;
	tell_all(t, size, n, sources, degrees, edges);
	return co_mpi_alltoall(CO_MPI_LISTED(t->out, t->outs, t->out_at, MPI_INT),
			       CO_MPI_LISTED(t->in, t->ins, t->in_at, MPI_INT), comm, NULL);
}

/* Sort the records that have come by direction, and make the topology of them. */
static int from_news(MPI_Comm comm, const struct news *t, bool weighted, MPI_Comm *graph)
{
	int edges = t->all_in / NEWS, r;
	int *lists = malloc(sizeof(int) * (size_t)(4 * edges + 1));
	struct side sides[2];

	if (!lists)
		return co_mpi_topology_comm(comm, co_mpi_size(comm), NULL, graph);
	for (int d = 0; d < 2; d++) {
		int *ranks = lists + 2 * d * edges, *weights = ranks + edges;

		sides[d] = (struct side){ 0, ranks, weights };
		for (int i = 0; i < edges; i++) {
			const int *p = t->in + i * NEWS;

			if (p[OUTWARD] != d)
				continue;
			ranks[sides[d].n] = p[OTHER];
			weights[sides[d].n++] = p[WEIGHT];
		}
	}
	r = adjacent(comm, &sides[0], &sides[1], weighted, graph);
	free(lists);
	return r;
}

static int check_edges(MPI_Comm comm, int n, const int sources[], const int degrees[],
		       struct side *edges)
{
	int r = co_mpi_check_intra(comm);

	if (!r && n < 0)
		r = co_mpi_say(MPI_ERR_ARG, "%d nodes", n);
	for (int i = 0; i < n && !r; i++) {
		if (sources[i] < 0 || sources[i] >= co_mpi_size(comm))
			r = co_mpi_say(MPI_ERR_RANK, "source %d", sources[i]);
		else if (degrees[i] < 0)
			r = co_mpi_say(MPI_ERR_ARG, "degree %d", degrees[i]);
		edges->n += degrees[i];
	}
	if (!r)
		r = check_side(comm, edges);
	for (int i = 0; !r && i < edges->n; i++)
		if (edges->ranks[i] == MPI_PROC_NULL)
			r = co_mpi_say(MPI_ERR_RANK, "an edge to MPI_PROC_NULL");
	return r;
}

CO_MPI_DEFINE(Dist_graph_create, MPI_Comm comm_old, int n, const int sources[], const int degrees[],
	      const int destinations[], const int weights[], MPI_Info info, int reorder,
	      MPI_Comm *comm_dist_graph)
{
	CO_MPI_SLICE(__func__, (void)0);
	struct side edges = { 0, destinations, weights };
	struct news news = { .all_in = 0 };
	int r = check_edges(comm_old, n, sources, degrees, &edges);

	(void)info;
	(void)reorder;
	if (!r) {
		r = exchange(comm_old, &news, n, sources, degrees, &edges);
		if (!r)
			r = from_news(comm_old, &news, weights != MPI_UNWEIGHTED, comm_dist_graph);
		free_news(&news);
	}
	return co_mpi_error(comm_old, __func__, r);
}

CO_MPI_DEFINE(Dist_graph_neighbors_count, MPI_Comm comm, int *indegree, int *outdegree,
	      int *weighted)
{
	int r = co_mpi_check_topology(comm, MPI_DIST_GRAPH);

	if (r)
		return co_mpi_error(comm, __func__, r);
	*indegree = comm->topology->ins;
	*outdegree = comm->topology->outs;
	*weighted = comm->topology->in_weights != NULL;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Dist_graph_neighbors, MPI_Comm comm, int maxindegree, int sources[],
	      int sourceweights[], int maxoutdegree, int destinations[], int destweights[])
{
	int r = co_mpi_check_topology(comm, MPI_DIST_GRAPH);
	const struct co_mpi_topology *t = r ? NULL : comm->topology;

	if (!r && (maxindegree < t->ins || maxoutdegree < t->outs))
		r = co_mpi_say(MPI_ERR_ARG, "room for %d of %d sources, %d of %d destinations",
			       maxindegree, t->ins, maxoutdegree, t->outs);
	if (r)
		return co_mpi_error(comm, __func__, r);
	copy_ints(sources, t->from, t->ins);
	copy_ints(destinations, t->to, t->outs);
	if (t->in_weights && sourceweights != MPI_UNWEIGHTED)
		copy_ints(sourceweights, t->in_weights, t->ins);
	if (t->out_weights && destweights != MPI_UNWEIGHTED)
		copy_ints(destweights, t->out_weights, t->outs);
	return MPI_SUCCESS;
}
