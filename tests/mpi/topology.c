/* topology.c - grids, graphs, distributed graphs: what they say of themselves, and bad ones. */
#include "check.h"

static int rank, size;

/* ---- Dimensions ---- */

static void check_dims(int ranks, int n, const int wanted[])
{
	int dims[5] = { 0 };

	CHECK(MPI_Dims_create(ranks, n, dims) == 0);
	CHECK(memcmp(dims, wanted, sizeof(int) * (size_t)n) == 0);
}

static void dims(void)
{
	int given[3] = { 0, 3, 0 }, bad[2] = { -1, 0 }, odd[2] = { 4, 0 };

	check_dims(12, 2, (int[]){ 4, 3 });
	check_dims(16, 2, (int[]){ 4, 4 });
	check_dims(6, 1, (int[]){ 6 });
	check_dims(7, 2, (int[]){ 7, 1 });
	check_dims(511, 2, (int[]){ 73, 7 });
	check_dims(64, 3, (int[]){ 4, 4, 4 });
	check_dims(1, 4, (int[]){ 1, 1, 1, 1 });
	CHECK(MPI_Dims_create(24, 3, given) == 0);
	CHECK(given[0] == 4 && given[1] == 3 && given[2] == 2);
	CHECK_ERROR(MPI_Dims_create(6, 2, bad), MPI_ERR_DIMS);
	CHECK_ERROR(MPI_Dims_create(6, 2, odd), MPI_ERR_DIMS);
	CHECK_ERROR(MPI_Dims_create(0, 2, given), MPI_ERR_ARG);
}

/* ---- Grids ---- */

static void one_dimension(void)
{
	int dim = size, period = 1, n, d, p, c, from, to, r, far[1] = { -1 };
	MPI_Comm ring, line, dup;

	CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &dim, &period, 1, &ring) == 0);
	CHECK(MPI_Topo_test(ring, &n) == 0 && n == MPI_CART);
	CHECK(MPI_Cartdim_get(ring, &n) == 0 && n == 1);
	CHECK(MPI_Comm_dup(ring, &dup) == 0);
	CHECK(MPI_Cart_get(dup, 1, &d, &p, &c) == 0 && d == size && p == 1);
	CHECK(c == rank_in(ring));
	CHECK(MPI_Cart_shift(ring, 0, 1, &from, &to) == 0);
	CHECK(from == (c - 1 + size) % size && to == (c + 1) % size);
	CHECK(MPI_Cart_shift(ring, 0, -2 * size, &from, &to) == 0 && from == c && to == c);
	CHECK(MPI_Cart_rank(ring, far, &r) == 0 && r == size - 1);
	period = 0;
	CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &dim, &period, 0, &line) == 0);
	CHECK(MPI_Cart_shift(line, 0, 1, &from, &to) == 0);
	CHECK(from == (rank ? rank - 1 : MPI_PROC_NULL));
	CHECK(to == (rank < size - 1 ? rank + 1 : MPI_PROC_NULL));
	CHECK_ERROR(MPI_Cart_rank(line, far, &r), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Cart_shift(line, 1, 1, &from, &to), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Cart_coords(line, size, 1, &c), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Cart_coords(line, 0, 0, &c), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Cart_get(line, 0, &d, &p, &c), MPI_ERR_ARG);
	MPI_Comm_free(&ring);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&line);
}

/* Of half of the ranks, in two dimensions; then its rows and columns. */
static void two_dimensions(void)
{
	int shape[2] = { (size + 3) / 4, size > 1 ? 2 : 1 }, periods[2] = { 0, 1 };
	int c[2], other[2], r, remain[2] = { 0, 1 }, nodes = shape[0] * shape[1], mapped;
	MPI_Comm grid, row, column, point;

	CHECK(MPI_Cart_map(MPI_COMM_WORLD, 2, shape, periods, &mapped) == 0);
	CHECK(mapped == (rank < nodes ? rank : MPI_UNDEFINED));
	CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periods, 0, &grid) == 0);
	CHECK((grid == MPI_COMM_NULL) == (rank >= nodes));
	if (grid == MPI_COMM_NULL)
		return;
	for (int i = 0; i < nodes; i++) {
		CHECK(MPI_Cart_coords(grid, i, 2, c) == 0);
		CHECK(c[0] == i / shape[1] && c[1] == i % shape[1]);
		CHECK(MPI_Cart_rank(grid, c, &r) == 0 && r == i);
		c[1] += 3 * shape[1];
		CHECK(MPI_Cart_rank(grid, c, &r) == 0 && r == i);
	}
	MPI_Cart_coords(grid, rank, 2, c);
	CHECK(MPI_Cart_sub(grid, remain, &row) == 0);
	CHECK(size_of(row) == shape[1] && rank_in(row) == c[1]);
	remain[0] = 1;
	remain[1] = 0;
	CHECK(MPI_Cart_sub(grid, remain, &column) == 0 && size_of(column) == shape[0]);
	CHECK(MPI_Cart_coords(column, rank_in(column), 1, other) == 0 && other[0] == c[0]);
	remain[0] = 0;
	CHECK(MPI_Cart_sub(grid, remain, &point) == 0 && size_of(point) == 1);
	CHECK(MPI_Cartdim_get(point, &r) == 0 && r == 0);
	MPI_Comm_free(&point);
	MPI_Comm_free(&column);
	MPI_Comm_free(&row);
	MPI_Comm_free(&grid);
}

static void bad_grids(void)
{
	int shape[2] = { size, 2 }, periods[2] = { 0 }, n;
	MPI_Comm grid;

	CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periods, 0, &grid), MPI_ERR_DIMS);
	shape[1] = 0;
	CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periods, 0, &grid), MPI_ERR_DIMS);
	CHECK_ERROR(MPI_Cart_create(MPI_COMM_WORLD, -1, shape, periods, 0, &grid), MPI_ERR_DIMS);
	CHECK_ERROR(MPI_Cartdim_get(MPI_COMM_WORLD, &n), MPI_ERR_TOPOLOGY);
	CHECK_ERROR(MPI_Graphdims_get(MPI_COMM_WORLD, &n, &n), MPI_ERR_TOPOLOGY);
	CHECK_ERROR(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &n, &n, &n), MPI_ERR_TOPOLOGY);
	CHECK(MPI_Topo_test(MPI_COMM_WORLD, &n) == 0 && n == MPI_UNDEFINED);
	/* No dimensions: one rank. */
	CHECK(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &grid) == 0);
	CHECK((grid == MPI_COMM_NULL) == (rank > 0));
	if (grid != MPI_COMM_NULL)
		MPI_Comm_free(&grid);
}

/* ---- Graphs: node 0 and each other one are neighbours ---- */

static void star(void)
{
	int n = size, edges = 2 * (size - 1), r;
	int *index = malloc(sizeof(int) * (size_t)n),
	    *edge = malloc(sizeof(int) * (size_t)(edges + 1));
	int *got = malloc(sizeof(int) * (size_t)(n + edges + 1));
	MPI_Comm graph, dup;

	for (int i = 0; i < n; i++)
		index[i] = n - 1 + i;
	for (int i = 0; i < n - 1; i++) {
		edge[i] = i + 1;
		edge[n - 1 + i] = 0;
	}
	CHECK(MPI_Graph_map(MPI_COMM_WORLD, n, index, edge, &r) == 0 && r == rank);
	CHECK(MPI_Graph_create(MPI_COMM_WORLD, n, index, edge, 0, &graph) == 0);
	CHECK(MPI_Comm_dup(graph, &dup) == 0);
	MPI_Comm_free(&graph);
	CHECK(MPI_Topo_test(dup, &r) == 0 && r == MPI_GRAPH);
	CHECK(MPI_Graphdims_get(dup, &got[0], &got[1]) == 0 && got[0] == n && got[1] == edges);
	CHECK(MPI_Graph_get(dup, n, edges, got, got + n) == 0);
	CHECK(!memcmp(got, index, sizeof(int) * (size_t)n));
	CHECK(!memcmp(got + n, edge, sizeof(int) * (size_t)edges));
	CHECK(MPI_Graph_neighbors_count(dup, 0, &r) == 0 && r == n - 1);
	CHECK(MPI_Graph_neighbors(dup, 0, n, got) == 0);
	CHECK(!memcmp(got, edge, sizeof(int) * (size_t)(n - 1)));
	CHECK_ERROR(MPI_Graph_neighbors_count(dup, n, &r), MPI_ERR_RANK);
	if (n > 1) {
		CHECK_ERROR(MPI_Graph_neighbors(dup, 0, 0, got), MPI_ERR_ARG);
		edge[0] = n;
		CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, n, index, edge, 0, &graph),
			    MPI_ERR_ARG);
	}
	CHECK_ERROR(MPI_Graph_create(MPI_COMM_WORLD, n + 1, index, edge, 0, &graph), MPI_ERR_ARG);
	MPI_Comm_free(&dup);
	free(index);
	free(edge);
	free(got);
}

/* ---- Distributed graphs: each sends to the next and the one after it ---- */

static void check_ring(MPI_Comm graph, bool weighted)
{
	int ins, outs, has, in[2], out[2], in_w[2] = { -1, -1 }, out_w[2] = { -1, -1 };
	int next = (rank + 1) % size, third = (rank + 2) % size;
	int last = (rank - 1 + size) % size, before = (rank - 2 + 2 * size) % size;

	CHECK(MPI_Topo_test(graph, &has) == 0 && has == MPI_DIST_GRAPH);
	CHECK(MPI_Dist_graph_neighbors_count(graph, &ins, &outs, &has) == 0);
	CHECK(ins == 2 && outs == 2 && has == weighted);
	CHECK(MPI_Dist_graph_neighbors(graph, 2, in, in_w, 2, out, out_w) == 0);
	for (int i = 0; i < 2; i++) {
		CHECK(in[i] == last || in[i] == before);
		CHECK(out[i] == next || out[i] == third);
		if (!weighted)
			CHECK(in_w[i] == -1 && out_w[i] == -1);
		else if (size > 2) /* the weight says how far it goes */
			CHECK(in_w[i] == (in[i] == last ? 1 : 2) &&
			      out_w[i] == (out[i] == next ? 1 : 2));
	}
	CHECK(in[0] + in[1] == last + before && out[0] + out[1] == next + third);
	CHECK_ERROR(MPI_Dist_graph_neighbors(graph, 1, in, in_w, 2, out, out_w), MPI_ERR_ARG);
}

static void distributed(void)
{
	int in[2] = { (rank - 1 + size) % size, (rank - 2 + 2 * size) % size };
	int out[2] = { (rank + 1) % size, (rank + 2) % size }, weights[2] = { 1, 2 }, degree = 2;
	int left = in[0], of_left[2] = { rank, out[0] }, wrong = size;
	MPI_Comm graph;

	CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, weights, 2, out, weights,
					     MPI_INFO_NULL, 0, &graph) == 0);
	check_ring(graph, true);
	MPI_Comm_free(&graph);
	CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, MPI_UNWEIGHTED, 2, out,
					     MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph) == 0);
	check_ring(graph, false);
	MPI_Comm_free(&graph);
	/* Each tells what its left neighbour sends. */
	CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &left, &degree, of_left, weights,
				    MPI_INFO_NULL, 0, &graph) == 0);
	check_ring(graph, true);
	MPI_Comm_free(&graph);
	CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, out, MPI_UNWEIGHTED,
				    MPI_INFO_NULL, 0, &graph) == 0);
	check_ring(graph, false);
	MPI_Comm_free(&graph);
	/* Nobody tells anything. */
	CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_WEIGHTS_EMPTY,
				    MPI_INFO_NULL, 0, &graph) == 0);
	CHECK(MPI_Dist_graph_neighbors_count(graph, &in[0], &in[1], &degree) == 0);
	CHECK(in[0] == 0 && in[1] == 0);
	MPI_Comm_free(&graph);
	degree = 1;
	CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &wrong, &degree, out, MPI_UNWEIGHTED,
					  MPI_INFO_NULL, 0, &graph),
		    MPI_ERR_RANK);
	CHECK_ERROR(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &wrong, MPI_UNWEIGHTED,
					  MPI_INFO_NULL, 0, &graph),
		    MPI_ERR_RANK);
	CHECK_ERROR(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, -1,
						   out, weights, MPI_INFO_NULL, 0, &graph),
		    MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	dims();
	one_dimension();
	two_dimensions();
	bad_grids();
	star();
	distributed();
	MPI_Finalize();
	return 0;
}
