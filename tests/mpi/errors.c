/* errors.c - what is wrong is returned by its class, or given to a handler, and nothing is lost. */
#include "check.h"

static int handled, handled_code;

static void handler(MPI_Comm *comm, int *code, ...)
{
	CHECK(*comm == MPI_COMM_WORLD);
	handled++;
	handled_code = *code;
}

static void calls(void)
{
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Status status;
	int x = 0;

	CHECK_ERROR(MPI_Send(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Send(&x, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
	CHECK_ERROR(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Recv(&x, 1, MPI_INT, -7, 0, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Irecv(&x, 1, MPI_INT, 0, -7, MPI_COMM_WORLD, &r), MPI_ERR_TAG);
	CHECK(r == MPI_REQUEST_NULL);
	CHECK_ERROR(MPI_Request_free(&r), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Bsend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Startall(-1, &r), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Buffer_attach(NULL, 100), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Reduce_local(&x, &x, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
}

/* What others take part in is neither withdrawn nor forgotten; the communicator's handler is asked.
 */
static void not_dropped(void)
{
	MPI_Comm quiet;
	MPI_Request r, none = MPI_REQUEST_NULL;
	MPI_Win win;
	int x = 0, here = 0;

	CHECK_ERROR(MPI_Cancel(&none), MPI_ERR_REQUEST);
	MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
	MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Ibarrier(quiet, &r);
	CHECK_ERROR(MPI_Cancel(&r), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Request_free(&r), MPI_ERR_REQUEST);
	CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == 0 && r == MPI_REQUEST_NULL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Win_create(&here, sizeof(here), 1, MPI_INFO_NULL, quiet, &win);
	MPI_Win_lock(MPI_LOCK_SHARED, rank_in(quiet), 0, win);
	MPI_Rget(&x, 1, MPI_INT, rank_in(quiet), 0, 1, MPI_INT, win, &r);
	CHECK_ERROR(MPI_Cancel(&r), MPI_ERR_REQUEST);
	CHECK_ERROR(MPI_Request_free(&r), MPI_ERR_REQUEST);
	CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == 0);
	MPI_Win_unlock(rank_in(quiet), win);
	MPI_Win_free(&win);
	MPI_Comm_free(&quiet);
}

/* A rank's part for itself, where one side has none: the same without a schedule, by one, typed. */
static void own_part(int outs, int ins, int error_class)
{
	static int out[5], in[5];
	int at = 0;
	MPI_Datatype out_type = outs ? MPI_INT : MPI_DATATYPE_NULL;
	MPI_Datatype in_type = ins ? MPI_INT : MPI_DATATYPE_NULL;
	MPI_Request r;

	CHECK_ERROR(MPI_Alltoallv(out, &outs, &at, MPI_INT, in, &ins, &at, MPI_INT, MPI_COMM_SELF),
		    error_class);
	CHECK(MPI_Ialltoallv(out, &outs, &at, MPI_INT, in, &ins, &at, MPI_INT, MPI_COMM_SELF, &r) ==
	      MPI_SUCCESS);
	CHECK_ERROR(MPI_Wait(&r, MPI_STATUS_IGNORE), error_class);
	CHECK_ERROR(
		MPI_Alltoallw(out, &outs, &at, &out_type, in, &ins, &at, &in_type, MPI_COMM_SELF),
		error_class);
}

/* Parts of a collective have one size: neither longer nor shorter than their places. */
static void parts(void)
{
	static int out[201], in[201];
	int rank = rank_in(MPI_COMM_WORLD);
	int ranks = size_of(MPI_COMM_WORLD), wanted = ranks > 1 && rank ? MPI_ERR_OTHER : 0;
	MPI_Comm comm;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	own_part(0, 5, MPI_ERR_OTHER);
	own_part(5, 0, MPI_ERR_TRUNCATE);
	own_part(0, 0, MPI_SUCCESS);
	if (DEBUGGED)
		return; /* mismatch.c */
	for (int n = 1; n <= 200; n += 199) {
		CHECK_ERROR(MPI_Gather(out, n, MPI_INT, in, n + 1, MPI_INT, 0, MPI_COMM_SELF),
			    MPI_ERR_OTHER);
		CHECK_ERROR(MPI_Scatter(out, n, MPI_INT, in, n + 1, MPI_INT, 0, MPI_COMM_SELF),
			    MPI_ERR_OTHER);
		CHECK_ERROR(MPI_Alltoall(out, n, MPI_INT, in, n + 1, MPI_INT, MPI_COMM_SELF),
			    MPI_ERR_OTHER);
		CHECK_ERROR(MPI_Alltoall(out, n + 1, MPI_INT, in, n, MPI_INT, MPI_COMM_SELF),
			    MPI_ERR_TRUNCATE);
	}
	MPI_Comm_split(MPI_COMM_WORLD, rank > 1, 0, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	if (rank <= 1)
		CHECK_ERROR(MPI_Bcast(in, rank ? 4 : 3, MPI_INT, 0, comm), wanted);
	MPI_Comm_free(&comm);
}

static void truncated(void)
{
	int out[4] = { 1, 2, 3, 4 }, in[4] = { 0 }, rank = rank_in(MPI_COMM_WORLD);
	MPI_Request r[2];
	MPI_Status s[2];

	MPI_Isend(out, 4, MPI_INT, rank, 0, MPI_COMM_WORLD, &r[0]);
	CHECK_ERROR(MPI_Recv(in, 2, MPI_INT, rank, 0, MPI_COMM_WORLD, &s[0]), MPI_ERR_TRUNCATE);
	CHECK(in[1] == 2 && in[2] == 0);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Irecv(in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &r[1]);
	MPI_Isend(out, 4, MPI_INT, rank, 0, MPI_COMM_WORLD, &r[0]);
	CHECK_ERROR(MPI_Waitall(2, r, s), MPI_ERR_IN_STATUS);
	CHECK_ERROR(s[1].MPI_ERROR, MPI_ERR_TRUNCATE);
	CHECK(s[0].MPI_ERROR == MPI_SUCCESS);
}

/* Each request's error goes to the handler of its communicator. */
static void of_communicators(void)
{
	int out[2] = { 1, 2 }, in;
	MPI_Comm quiet;
	MPI_Request r[2];
	MPI_Status s[2];

	MPI_Comm_dup(MPI_COMM_SELF, &quiet);
	MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	for (int i = 0; i < 2; i++) {
		MPI_Irecv(&in, 1, MPI_INT, 0, 0, quiet, &r[0]);
		MPI_Isend(out, 2, MPI_INT, 0, 0, quiet, &r[1]);
		if (i == 0)
			CHECK_ERROR(MPI_Waitall(2, r, s), MPI_ERR_IN_STATUS);
		else
			CHECK_ERROR(MPI_Wait(&r[0], &s[0]), MPI_ERR_TRUNCATE);
	}
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	MPI_Comm_free(&quiet);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

static void edges(void)
{
	int x = 4, *bound, found;
	MPI_Status status = { .MPI_ERROR = 4711 };

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	CHECK_ERROR(MPI_Sendrecv_replace(&x, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, 0, 0,
					 MPI_COMM_SELF, &status),
		    MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Sendrecv_replace(&x, -1, MPI_INT, MPI_PROC_NULL, 0, 0, 0, MPI_COMM_SELF,
					 &status),
		    MPI_ERR_COUNT);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
	CHECK(found && *bound >= 32767);
	/* MPI_ERROR is for calls of several requests. */
	CHECK(MPI_Sendrecv_replace(&x, 1, MPI_INT, 0, *bound, 0, *bound, MPI_COMM_SELF, &status) ==
	      0);
	CHECK(status.MPI_ERROR == 4711 && status.MPI_TAG == *bound && x == 4);
	CHECK_ERROR(MPI_Send(&x, 1, MPI_INT, 0, *bound + 1, MPI_COMM_WORLD), MPI_ERR_TAG);
}

static void handlers(void)
{
	MPI_Errhandler own, was;
	int x = 0;

	CHECK(MPI_Comm_create_errhandler(handler, &own) == 0);
	CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, own) == 0);
	CHECK(MPI_Errhandler_free(&own) == 0 && own == MPI_ERRHANDLER_NULL);
	CHECK_ERROR(MPI_Send(&x, 1, MPI_INT, -5, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
	CHECK(handled == 1 && handled_code == MPI_ERR_RANK);
	MPI_Comm_get_errhandler(MPI_COMM_WORLD, &was);
	CHECK(was != MPI_ERRORS_RETURN);
	MPI_Errhandler_free(&was);
	MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
	CHECK(handled == 2 && handled_code == MPI_ERR_OTHER);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK_ERROR(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ARG);
}

/* The names of MPI 1, which programs have still. */
static void old_names(void)
{
	MPI_Errhandler own, got;
	int x = 0, before = handled;

	CHECK(MPI_Errhandler_create(handler, &own) == 0);
	CHECK(MPI_Errhandler_set(MPI_COMM_WORLD, own) == 0);
	CHECK(MPI_Errhandler_get(MPI_COMM_WORLD, &got) == 0 && got == own);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&own);
	CHECK_ERROR(MPI_Send(&x, 1, MPI_INT, 0, -1, MPI_COMM_WORLD), MPI_ERR_TAG);
	CHECK(handled == before + 1 && handled_code == MPI_ERR_TAG);
	CHECK_ERROR(MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ARG);
	CHECK(handled == before + 2);
	CHECK(MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == 0);
	CHECK_ERROR(MPI_Errhandler_get(MPI_COMM_NULL, &got), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Errhandler_free(&own), MPI_ERR_ARG);
}

static void texts(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int error_class, code, got, length;

	for (int i = 0; i <= MPI_ERR_WIN; i++) {
		CHECK(MPI_Error_string(i, text, &length) == 0);
		CHECK(length > 0 && length == (int)strlen(text));
	}
	CHECK(MPI_Add_error_class(&error_class) == 0 && error_class > MPI_ERR_LASTCODE);
	CHECK(MPI_Add_error_code(error_class, &code) == 0 && code > error_class);
	CHECK(MPI_Add_error_string(code, "too much") == 0);
	MPI_Error_string(code, text, &length);
	CHECK(strcmp(text, "too much") == 0 && length == 8);
	MPI_Error_class(code, &got);
	CHECK(got == error_class);
	CHECK_ERROR(MPI_Error_class(123456, &got), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Add_error_string(MPI_ERR_RANK, "no"), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
	int flag, version, subversion, length;
	char name[MPI_MAX_LIBRARY_VERSION_STRING];
	double before;

	MPI_Initialized(&flag);
	CHECK(!flag);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &flag);
	CHECK(flag == MPI_THREAD_FUNNELED);
	CHECK(MPI_Query_thread(&length) == 0 && length == flag);
	CHECK(MPI_Is_thread_main(&length) == 0 && length);
	CHECK(MPI_Pcontrol(0) == 0 && MPI_Pcontrol(7, "with", 2, "more") == 0);
	before = MPI_Wtime();
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	calls();
	not_dropped();
	parts();
	truncated();
	of_communicators();
	edges();
	handlers();
	old_names();
	texts();
	MPI_Get_version(&version, &subversion);
	CHECK(version == 3 && subversion == 1);
	CHECK(MPI_Get_library_version(name, &length) == 0 && length == (int)strlen(name));
	CHECK(MPI_Get_processor_name(name, &length) == 0 && length == (int)strlen(name));
	CHECK(MPI_Wtime() >= before && MPI_Wtick() > 0);
	CHECK_ERROR(MPI_Init(&argc, &argv), MPI_ERR_OTHER);
	MPI_Finalize();
	MPI_Finalized(&flag);
	CHECK(flag);
	return 0;
}
