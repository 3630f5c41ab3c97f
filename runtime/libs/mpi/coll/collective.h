/*
 * collective.h - the interface between the files of collectives, and to the folders above them.
 *
 * A co_mpi_fill_x() adds the steps of a collective to a schedule, for this rank. `rank` and `size`
 * are of a communicator, or of one side of an inter-communicator (co_mpi_schedule_local()). Its
 * last steps may be under way when steps begin that are added later: the caller adds
 * co_mpi_schedule_then().
 */
#ifndef COHART_MPI_COLLECTIVE_H
#define COHART_MPI_COLLECTIVE_H

#include "../request/schedule.h"

/*
 * Limits of the algorithms: in bytes, and in ranks. They are from counts of instructions (icount)
 * on qemu-virt-rv64 at 4 to 64 ranks: a message costs some 2500, a copied byte a quarter, a byte
 * that is reduced and received 1.2. Where all ranks do equal work, the algorithm with fewer
 * instructions was chosen; where a root does more, its share by both algorithms was computed from
 * these costs.
 */
enum {
	CO_MPI_BCAST_SCATTER = 262144,
	CO_MPI_BCAST_SCATTER_RANKS = 5,
	CO_MPI_GATHER_BINOMIAL = 2048, /* gather, scatter: at most, per rank */
	CO_MPI_GATHER_BINOMIAL_RANKS = 4,
	CO_MPI_ALLGATHER_SHORT = 2048, /* at most, per rank; above: round a ring */
	CO_MPI_ALLGATHER_BRUCK_RANKS = 7,
	CO_MPI_ALLTOALL_BRUCK = 128, /* at most, per rank */
	CO_MPI_ALLTOALL_BRUCK_RANKS = 16,
	CO_MPI_ALLREDUCE_RABENSEIFNER = 8192,
	CO_MPI_ALLREDUCE_RABENSEIFNER_RANKS = 4,
	CO_MPI_REDUCE_SCATTER_PAIRWISE = 512, /* at least, per rank */
};

/* Where each rank sends to each: messages each way at once. */
#define CO_MPI_WINDOW 8

/* Where the parts of a buffer lie that go to, or come from, each rank. */
struct co_mpi_blocks {
	const void *base;
	bool listed;     /* each part has its own count and place */
	MPI_Count count; /* of each part, unless `listed` */
	const int *counts;
	const int *at;            /* places: in extents of `type`; in bytes with `types` */
	const MPI_Aint *bytes_at; /* places, in bytes, in the place of `at`; with `types` */
	MPI_Datatype type;
	const MPI_Datatype *types; /* one for each part; NULL: `type` is for all */
};

static inline MPI_Count co_mpi_block_n(const struct co_mpi_blocks *b, int i)
{
	return b->listed ? b->counts[i] : b->count;
}

static inline MPI_Datatype co_mpi_block_type(const struct co_mpi_blocks *b, int i)
{
	return b->types ? b->types[i] : b->type;
}

/* With no elements the type is not read. */
static inline MPI_Count co_mpi_block_bytes(const struct co_mpi_blocks *b, int i)
{
	MPI_Count n = co_mpi_block_n(b, i);

	return n ? n * co_mpi_block_type(b, i)->size : 0;
}

static inline void *co_mpi_block(const struct co_mpi_blocks *b, int i)
{
	char *base = (char *)b->base;

	if (b->bytes_at)
		return base + b->bytes_at[i];
	/* NOLINTBEGIN(clang-analyzer-core.NullDereference): where they are used they are there */
	if (b->types)
		return base + b->at[i];
	return base + (MPI_Aint)(b->listed ? b->at[i] : i * b->count) * b->type->extent;
	/* NOLINTEND(clang-analyzer-core.NullDereference) */
}

/* The parts that a call's arguments describe: of equal size, or listed. */
#define CO_MPI_EQUAL(buf, n, t) \
	(&(struct co_mpi_blocks){ .base = (buf), .count = (n), .type = (t) })
#define CO_MPI_LISTED(buf, n, places, t) \
	(&(struct co_mpi_blocks){        \
		.base = (buf), .listed = true, .counts = (n), .at = (places), .type = (t) })

/*
 * Define PMPI_name(), which waits, and PMPI_iname(), which begins. `class` is a call that returns a
 * class and takes `request`, which is NULL in PMPI_name(); `tell` notes values of a call in a
 * timeline; `args` are the arguments, in brackets, to make it again; their declarations follow.
 */
#define CO_MPI_BOTH(name, iname, class, tell, args, ...)                                         \
	CO_MPI_CALL_BY(name, MPI_Request *const request = NULL, class, tell, args, __VA_ARGS__); \
	CO_MPI_CALL_BY(iname, , class, tell, (CO_MPI_LIST args, request), __VA_ARGS__,           \
		       MPI_Request *request)
#define CO_MPI_LIST(...) __VA_ARGS__
#define CO_MPI_CALL_BY(name, first, class, tell, args, ...) \
	CO_MPI_TRACED(name, tell, args, __VA_ARGS__)        \
	int PMPI_##name(__VA_ARGS__) CO_MPI_BODY(name, first, class, args) CO_MPI_NAME(name)
#define CO_MPI_BODY(name, first, class, args)               \
	{                                                   \
		first;                                      \
		CO_MPI_TRACE(name, args);                   \
		CO_MPI_HERE();                              \
		return co_mpi_error(comm, __func__, class); \
	}

/*
 * Note the root, or MPI_UNDEFINED, and the bytes of this rank's part, unless the call ignores them:
 * the type may be anything then.
 */
static inline void co_mpi_tell_part(int root, const void *buf, MPI_Count n, MPI_Datatype type)
{
	bool ignored = buf == MPI_IN_PLACE || (root < 0 && root != MPI_UNDEFINED);

	co_mpi_tell(root, -1, ignored ? -1 : co_mpi_bytes(n, type));
}

/* The address n elements on. */
static inline void *co_mpi_after(const void *buf, MPI_Count n, MPI_Datatype type)
{
	return (char *)buf + n * type->extent;
}

/* Is the root on this side of an inter-communicator: this rank (MPI_ROOT), or another one? */
static inline bool co_mpi_root_is_here(int root)
{
	return root == MPI_ROOT || root == MPI_PROC_NULL;
}

/* ---- Checks ---- */
int co_mpi_check_root(MPI_Comm comm, int root); /* checks the communicator, too */
/* Check type and buffer; MPI_IN_PLACE is an error. */
int co_mpi_check_data(const void *buf, MPI_Count n, MPI_Datatype type);
int co_mpi_check_blocks(const struct co_mpi_blocks *b, int n);
/* MPI_IN_PLACE is for communicators of one group. */
int co_mpi_check_in_place(MPI_Comm comm, const void *buf);
/*
 * Check the buffers of a reduction of `all` elements, of which this rank's result has `own`. In
 * place, `in` holds all operands. At a rank that is not in place and has no result, `in` is only
 * compared with `out`.
 */
int co_mpi_check_reduction(const void *out, MPI_Count all, const void *in, MPI_Count own,
			   bool result, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

/* ---- Steps ---- */
/*
 * Collective: 0 if all ranks, of both sides, give 0; else this rank's own error, or the greatest
 * class of any rank. No rank then waits for messages of a rank that has failed.
 */
int co_mpi_error_of_all(MPI_Comm comm, int error);
void co_mpi_fill_bcast(struct co_mpi_schedule *s, int rank, int size, void *buf, MPI_Count n,
		       MPI_Datatype type, int root);
/*
 * All-gather the blocks of `in`. This rank's own block is in its place, or an earlier step copies
 * it there.
 */
void co_mpi_fill_allgather(struct co_mpi_schedule *s, int rank, int size,
			   const struct co_mpi_blocks *in);
/* Scatter the root's blocks, each to its rank. */
void co_mpi_fill_scatter(struct co_mpi_schedule *s, int rank, int size,
			 const struct co_mpi_blocks *out, void *in, MPI_Count n, MPI_Datatype type,
			 int root);
/*
 * Rank 0 of each side sends its `mine` to rank 0 of the remote side; all ranks of a side get both.
 * For making communicators. Waits. Returns a class.
 */
int co_mpi_swap(MPI_Comm inter, int mine[], int n, int theirs[], int m);

/*
 * ---- Short data among all ranks: short.c ----
 *
 * For blocking calls, whose arguments have been checked.
 */
/* May a call that begins `request` (NULL: it waits) go by lines, `in_order` of ranks? */
static inline bool co_mpi_by_lines(MPI_Comm comm, const MPI_Request *request, bool in_order)
{
	return !request && comm->lines >= (in_order ? CO_MPI_LINES_IN_ORDER : CO_MPI_LINES);
}
int co_mpi_short_barrier(MPI_Comm comm);
/* False: the root sends more than fits, and all ranks go on by a schedule. True: *error is set. */
bool co_mpi_short_bcast(void *buf, MPI_Count n, MPI_Datatype type, int root, MPI_Comm comm,
			int *error);

/* A reduction of elements that lie as bytes. */
struct co_mpi_short {
	MPI_Comm comm;
	MPI_Count n;
	MPI_Datatype type;
	MPI_Op op;
	int root;
	bool scans;
	size_t bytes;
};

/* By the arguments of a call. A scan is to set `scans`. */
#define CO_MPI_SHORT_OF(comm, n, type, op, root) \
	((struct co_mpi_short){ comm, n, type, op, root, false, 0 })

/* May it go by lines? True: it has begun; *error: this rank must not go on. */
bool co_mpi_short_begin(struct co_mpi_short *x, const MPI_Request *request, int *error);
int co_mpi_short_allreduce(struct co_mpi_short *x, const void *out, void *in);
int co_mpi_short_reduce(struct co_mpi_short *x, const void *out, void *in);
/* with: the result has this rank's operand, too. */
int co_mpi_short_scan(struct co_mpi_short *x, const void *out, void *in, bool with);

int co_mpi_alltoall(const struct co_mpi_blocks *out, const struct co_mpi_blocks *in, MPI_Comm comm,
		    MPI_Request *request);
#endif
