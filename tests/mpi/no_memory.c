/*
 * no_memory.c - one rank's allocation fails while all make an object: no rank waits for it, and
 * none gets the object. The library is linked with the allocator below in the place of malloc().
 */
#include "check.h"

static int rank, ranks;
static int fails_in = -1; /* this rank's allocations until one fails; -1: none fails */

static bool fails(void)
{
	return fails_in >= 0 && fails_in-- == 0;
}

void *failing_malloc(size_t bytes);
void *failing_malloc(size_t bytes)
{
	return fails() ? NULL : malloc(bytes);
}

void *failing_calloc(size_t n, size_t bytes);
void *failing_calloc(size_t n, size_t bytes)
{
	return fails() ? NULL : calloc(n, bytes);
}

void *failing_realloc(void *p, size_t bytes);
void *failing_realloc(void *p, size_t bytes)
{
	return fails() ? NULL : realloc(p, bytes);
}

void *failing_aligned_alloc(size_t align, size_t bytes);
void *failing_aligned_alloc(size_t align, size_t bytes)
{
	return fails() ? NULL : aligned_alloc(align, bytes);
}

/* The scratchpad is full: what would be there is on the heap. */
void *failing_co_spm_alloc(size_t bytes, size_t align);
void *failing_co_spm_alloc(size_t bytes, size_t align)
{
	(void)bytes;
	(void)align;
	return NULL;
}

/* Makes an object of all ranks, and frees it. Returns the error of the call that makes it. */
typedef int maker(void);

static int freed(int error, MPI_Comm *comm)
{
	if (!error)
		CHECK(MPI_Comm_free(comm) == 0);
	return error;
}

static int make_dup(void)
{
	MPI_Comm comm;

	return freed(MPI_Comm_dup(MPI_COMM_WORLD, &comm), &comm);
}

static int make_dup_with_info(void)
{
	MPI_Info info;
	MPI_Comm comm;
	int left = fails_in, r;

	fails_in = -1; /* not this rank's own object */
	CHECK(MPI_Info_create(&info) == 0 && MPI_Info_set(info, "key", "value") == 0);
	fails_in = left;
	r = MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
	MPI_Info_free(&info);
	return freed(r, &comm);
}

static int make_created(void)
{
	MPI_Group group;
	MPI_Comm comm;
	int r;

	MPI_Comm_group(MPI_COMM_WORLD, &group);
	r = MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
	MPI_Group_free(&group);
	return freed(r, &comm);
}

static int make_part(void)
{
	MPI_Comm comm;

	return freed(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm), &comm);
}

static int make_grid(void)
{
	int dims = ranks, periods = 1;
	MPI_Comm comm;

	return freed(MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &comm), &comm);
}

/* A grid of all ranks but the last, which gets none. */
static int make_smaller_grid(void)
{
	int dims = ranks - 1, periods = 1, r, left, error = 0;
	MPI_Comm comm = MPI_COMM_NULL;

	r = MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &comm);
	if (comm != MPI_COMM_NULL)
		(void)freed(r, &comm);
	if (rank == 0)
		error = r;
	left = fails_in;
	fails_in = -1; /* not in the test's own collective */
	MPI_Bcast(&error, 1, MPI_INT, 0, MPI_COMM_WORLD);
	fails_in = left;
	CHECK(r == error || rank == ranks - 1);
	return error;
}

static MPI_Comm grid;

static int make_part_of_grid(void)
{
	int remain = 0;
	MPI_Comm comm;

	return freed(MPI_Cart_sub(grid, &remain, &comm), &comm);
}

/* A ring, of which each rank knows the edge to the next rank. */
static int make_graph(void)
{
	int degree = 1, next = (rank + 1) % ranks;
	MPI_Comm comm;

	return freed(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &next, MPI_UNWEIGHTED,
					   MPI_INFO_NULL, 0, &comm),
		     &comm);
}

static MPI_Comm with_attribute;

static int make_dup_with_attribute(void)
{
	MPI_Comm comm;

	return freed(MPI_Comm_dup(with_attribute, &comm), &comm);
}

static MPI_Comm inter;

static int make_merged(void)
{
	MPI_Comm comm;

	return freed(MPI_Intercomm_merge(inter, rank % 2, &comm), &comm);
}

static int make_window(void)
{
	static int word;
	MPI_Win win;
	int r = MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);

	if (!r)
		CHECK(MPI_Win_free(&win) == 0);
	return r;
}

static int make_allocated(void)
{
	MPI_Win win;
	void *base;
	int r = MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);

	if (!r)
		CHECK(MPI_Win_free(&win) == 0);
	return r;
}

static int make_file(void)
{
	MPI_File f;
	int r = MPI_File_open(MPI_COMM_WORLD, "mpi-memory.tmp",
			      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
			      MPI_INFO_NULL, &f);

	if (!r)
		CHECK(MPI_File_close(&f) == 0);
	return r;
}

/* Let each allocation of the call fail in turn, on one rank. Schedules and requests are there. */
static void each_fails(maker *make, int on)
{
	int failed = 1, n;

	CHECK(make() == 0 && make() == 0);
	for (n = 0; failed; n++) {
		int mine, r;

		fails_in = rank == on ? n : -1;
		r = make();
		mine = rank == on && fails_in < 0;
		fails_in = -1;
		MPI_Bcast(&mine, 1, MPI_INT, on, MPI_COMM_WORLD);
		failed = mine;
		CHECK_ERROR(r, failed ? MPI_ERR_NO_MEM : MPI_SUCCESS);
		CHECK(n < 100);
	}
	CHECK(n > 1); /* at least one has failed */
}

/* Make what some makers make theirs of, each with its errors returned. */
static void begin(void)
{
	int dims = ranks, periods = 1, key;
	MPI_Comm half;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &grid) == 0);
	CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &with_attribute) == 0);
	CHECK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL) == 0);
	CHECK(MPI_Comm_set_attr(with_attribute, key, &key) == 0);
	if (ranks == 1)
		return;
	CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half) == 0);
	CHECK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter) == 0);
	CHECK(MPI_Comm_free(&half) == 0);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &ranks);
	begin();
	for (int i = 0; i < (ranks > 1 ? 2 : 1); i++) {
		int on = i ? ranks - 1 : 0;

		each_fails(make_dup, on);
		each_fails(make_dup_with_info, on);
		each_fails(make_created, on);
		if (ranks < 7) { /* later an all-gather wants memory itself */
			each_fails(make_part, on);
			each_fails(make_part_of_grid, on);
		}
		each_fails(make_grid, on);
		each_fails(make_graph, on);
		each_fails(make_dup_with_attribute, on);
		if (ranks == 2) /* later a reduction between groups wants memory itself */
			each_fails(make_merged, on);
		if (ranks > 1 && on == 0)
			each_fails(make_smaller_grid, on);
		each_fails(make_window, on);
		each_fails(make_allocated, on);
		each_fails(make_file, on);
	}
	MPI_Finalize();
	return 0;
}
