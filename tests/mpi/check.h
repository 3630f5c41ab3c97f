/*
 * check.h - for MPI programs that check themselves. A check that fails says so and ends all ranks.
 */
#ifndef TESTS_MPI_CHECK_H
#define TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef CO_DEBUG
#define DEBUGGED true
#else
#define DEBUGGED false
#endif

#define CHECK(x) check((x), __FILE__, __LINE__, #x)

static inline void check(bool ok, const char *file, int line, const char *what)
{
	int rank;

	if (ok)
		return;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("%s:%d: rank %d: %s\n", file, line, rank, what);
	MPI_Abort(MPI_COMM_WORLD, 99);
}

/* The call returns an error of that class. */
#define CHECK_ERROR(call, error_class) check_error((call), error_class, __FILE__, __LINE__, #call)

static inline void check_error(int code, int wanted, const char *file, int line, const char *what)
{
	int got;

	MPI_Error_class(code, &got);
	check(got == wanted, file, line, what);
}

/* A call, or (`now` is false) its non-blocking form and a wait. */
#define BOTH(name, iname, ...)                                                               \
	do {                                                                                 \
		MPI_Request r_ = MPI_REQUEST_NULL;                                           \
		CHECK((now ? MPI_##name(__VA_ARGS__) : MPI_##iname(__VA_ARGS__, &r_)) == 0); \
		CHECK(MPI_Wait(&r_, MPI_STATUS_IGNORE) == 0);                                \
	} while (0)

static inline int rank_in(MPI_Comm comm)
{
	int rank;

	MPI_Comm_rank(comm, &rank);
	return rank;
}

static inline int size_of(MPI_Comm comm)
{
	int size;

	MPI_Comm_size(comm, &size);
	return size;
}

/* MPI_Init(), and who this rank is. */
static inline void init(int *argc, char ***argv, int *rank, int *ranks)
{
	MPI_Init(argc, argv);
	*rank = rank_in(MPI_COMM_WORLD);
	*ranks = size_of(MPI_COMM_WORLD);
}

/*
 * A handle of an info that has been freed. All ranks call this. The heap is one for all of them, so
 * the handle is known for stale only until any rank makes another info: here all ranks have made
 * theirs before the first is freed.
 */
static inline MPI_Info stale_info(void)
{
	MPI_Info info, stale;

	MPI_Info_create(&info);
	stale = info;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Info_free(&info);
	MPI_Barrier(MPI_COMM_WORLD);
	return stale;
}

#endif
