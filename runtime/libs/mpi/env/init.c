/* init.c - beginning and end, the rank's surroundings, the clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cohart/cluster.h>
#include <cohart/cohart.h>
#include <cohart/debug.h>
#include <cohart/process.h>

#include "../request/request.h"

CO_MPI_DEFINE(Init_thread, int *argc, char ***argv, int required, int *provided)
{
	int r;

	(void)argc;
	(void)argv;
	if (co_mpi.me || co_mpi.finalized)
		return co_mpi_error(NULL, __func__,
				    co_mpi_say(MPI_ERR_OTHER, "it has been called before"));
	if (co_process_rank() == CO_NO_RANK) {
		fprintf(stderr, "MPI_Init: this hart is no rank: link with cohart-mpicc\n");
		_exit(1);
	}
	r = co_team_of_ranks(&co_mpi.me);
	if (r)
		return co_mpi_error(NULL, __func__, co_mpi_class(r));
	co_mpi.rank = (int)co_member_rank(co_mpi.me);
	co_mpi.ranks = (int)co_member_ranks(co_mpi.me);
	co_mpi.board = (int)co_cluster_board();
	co_mpi.boards = (int)co_cluster_boards();
	if (co_mpi.ranks > CO_MPI_RANKS_MOST) {
		fprintf(stderr, "MPI_Init: %d ranks on %d boards: there may be %d\n", co_mpi.ranks,
			co_mpi.boards, CO_MPI_RANKS_MOST);
		_exit(1);
	}
	co_mpi.threads = required < MPI_THREAD_FUNNELED ? required : MPI_THREAD_FUNNELED;
	*provided = co_mpi.threads;
	co_mpi.now = calloc(1, sizeof(*co_mpi.now));
	r = co_mpi.now ? co_mpi_comms_begin() : MPI_ERR_NO_MEM;
	if (!r)
		co_process_need(true);
	co_mpi_trace(co_trace_on());
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Init, int *argc, char ***argv)
{
	int provided;

	return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}

CO_MPI_DEFINE(Initialized, int *flag)
{
	*flag = co_mpi.me || co_mpi.finalized;
	return MPI_SUCCESS;
}

/* The functions of attributes run first, and may use all of MPI. Then all ranks meet. */
CO_MPI_DEFINE(Finalize, void)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_comm(MPI_COMM_WORLD);

	if (!r)
		r = co_mpi_attributes_free(MPI_COMM_SELF, &MPI_COMM_SELF->attributes);
	if (!r)
		r = co_mpi_requests_end(NULL);
	if (!r)
		r = PMPI_Barrier(MPI_COMM_WORLD);
	if (r)
		return co_mpi_error(NULL, __func__, r);
	co_mpi_comms_end();
	if (co_message_ended(&co_mpi.now->sent))
		free(co_mpi.now);
	co_mpi.me = co_mpi.quick = NULL;
	co_mpi.finalized = true;
	co_process_need(false);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Finalized, int *flag)
{
	*flag = co_mpi.finalized;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Query_thread, int *provided)
{
	*provided = co_mpi.threads;
	return MPI_SUCCESS;
}

/* Coroutines of the rank count as its thread, as long as one calls at a time. */
CO_MPI_DEFINE(Is_thread_main, int *flag)
{
	*flag = 1;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Abort, MPI_Comm comm, int errorcode)
{
	(void)comm; /* all ranks end, as everywhere */
	fflush(stdout);
	fprintf(stderr, "MPI_Abort: rank %d, code %d\n", co_mpi.rank, errorcode);
	_exit(errorcode & 0xff ? errorcode : 1); /* its low byte, the exit status, is not 0 */
}

/* ---- Surroundings ---- */

CO_MPI_DEFINE(Get_version, int *version, int *subversion)
{
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Get_library_version, char *version, int *resultlen)
{
	*resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Cohart %s, MPI %d.%d",
			      CO_VERSION, MPI_VERSION, MPI_SUBVERSION);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Get_processor_name, char *name, int *resultlen)
{
	if (co_mpi.boards > 1)
		*resultlen = snprintf(name, MPI_MAX_PROCESSOR_NAME, "board %d hart %u",
				      co_mpi.board, co_hart());
	else
		*resultlen = snprintf(name, MPI_MAX_PROCESSOR_NAME, "hart %u", co_hart());
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Alloc_mem, MPI_Aint size, MPI_Info info, void *baseptr)
{
	void *p;

	(void)info;
	if (size < 0)
		return co_mpi_error(NULL, __func__,
				    co_mpi_say(MPI_ERR_ARG, "%ld bytes", (long)size));
	p = malloc(size ? (size_t)size : 1);
	if (!p)
		return co_mpi_error(NULL, __func__,
				    co_mpi_say(MPI_ERR_NO_MEM, "%ld bytes", (long)size));
	memcpy(baseptr, &p, sizeof(p));
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Free_mem, void *base)
{
	free(base);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Pcontrol, const int level, ...)
{
	(void)level; /* for profiling libraries, which define their own */
	return MPI_SUCCESS;
}

/* ---- The clock, which all harts of a board share ---- */

double PMPI_Wtime(void)
{
	return (double)co_us(co_now()) * 1e-6;
}
CO_MPI_NAME(Wtime);

double PMPI_Wtick(void)
{
	return 1e-6;
}
CO_MPI_NAME(Wtick);
