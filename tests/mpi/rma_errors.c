/* rma_errors.c - wrong arguments of windows' calls, and accesses outside of epochs. */
#include "check.h"

static int rank, ranks;
static int x = 1;

static void creation(void)
{
	int here;
	void *base;
	MPI_Win win = MPI_WIN_NULL;

	/* One rank's error is that of all, and none waits. */
	CHECK_ERROR(
		MPI_Win_create(&here, rank == 0 ? -1 : 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win),
		MPI_ERR_SIZE);
	CHECK_ERROR(MPI_Win_create(&here, 4, rank == ranks - 1 ? 0 : 1, MPI_INFO_NULL,
				   MPI_COMM_WORLD, &win),
		    MPI_ERR_DISP);
	CHECK_ERROR(MPI_Win_allocate(-4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
		    MPI_ERR_SIZE);
	CHECK_ERROR(MPI_Win_allocate_shared(4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
		    MPI_ERR_DISP);
	CHECK_ERROR(MPI_Win_allocate(INTPTR_MAX / 2, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
		    MPI_ERR_NO_MEM);
	CHECK_ERROR(MPI_Win_create(&here, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
	CHECK_ERROR(MPI_Win_free(&win), MPI_ERR_WIN);
	CHECK_ERROR(MPI_Win_fence(0, win), MPI_ERR_WIN);
	CHECK_ERROR(MPI_Put(&here, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_WIN);
	CHECK(win == MPI_WIN_NULL);
}

static void epochs(MPI_Win win, MPI_Group group)
{
	int flag;
	MPI_Request r;

	CHECK_ERROR(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_lock(77, 0, 0, win), MPI_ERR_LOCKTYPE);
	CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, ranks, 0, win), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, 0, 1 << 20, win), MPI_ERR_ASSERT);
	CHECK_ERROR(MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
	CHECK_ERROR(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_start(group, 0, win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
	if (ranks > 1)
		CHECK_ERROR(MPI_Get(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
	MPI_Win_unlock(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_fence(0, win);
	CHECK(MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win) == 0);
	CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Rget(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &r), MPI_ERR_RMA_SYNC);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	CHECK_ERROR(MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
}

static void none(void *in, void *result, int *n, MPI_Datatype *type)
{
	(void)in, (void)result, (void)n, (void)type;
}

static void arguments(MPI_Win win)
{
	double d = 0, e = 0;
	MPI_Datatype mixed;
	MPI_Op own;

	MPI_Type_create_struct(2, (int[]){ 1, 1 }, (MPI_Aint[]){ 0, 4 },
			       (MPI_Datatype[]){ MPI_INT, MPI_FLOAT }, &mixed);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	CHECK_ERROR(MPI_Put(&x, 1, mixed, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
	MPI_Type_commit(&mixed);
	CHECK_ERROR(MPI_Accumulate(&d, 1, mixed, 0, 0, 1, mixed, MPI_SUM, win), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Accumulate(&d, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_BAND, win),
		    MPI_ERR_OP);
	MPI_Op_create(none, 1, &own);
	CHECK_ERROR(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, own, win), MPI_ERR_OP);
	MPI_Op_free(&own);
	CHECK_ERROR(MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
	CHECK_ERROR(MPI_Put(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Put(&x, 1, MPI_INT, 0, 0, -1, MPI_INT, win), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_Put(&x, 1, MPI_INT, ranks, 0, 1, MPI_INT, win), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Put(&x, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
	CHECK_ERROR(MPI_Put(&x, 1, MPI_INT, 0, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
	CHECK_ERROR(MPI_Get(&d, 2, MPI_INT, 0, 3, 2, MPI_INT, win), MPI_ERR_RMA_RANGE);
	CHECK_ERROR(MPI_Get(&x, 1, MPI_INT, 0, INTPTR_MAX / 2, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
	CHECK_ERROR(MPI_Get(&x, 1, MPI_INT, 0, 0, 2, MPI_INT, win), MPI_ERR_TRUNCATE);
	CHECK_ERROR(MPI_Compare_and_swap(&d, &d, &e, MPI_DOUBLE, 0, 0, win), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_Fetch_and_op(&d, &e, mixed, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
	CHECK(MPI_Put(&x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win) == 0);
	CHECK(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win) == 0);
	CHECK(MPI_Win_unlock(MPI_PROC_NULL, win) == 0);
	MPI_Win_unlock(0, win);
	MPI_Type_free(&mixed);
}

static void infos(MPI_Win win)
{
	MPI_Info info, got, stale;
	MPI_Win none = MPI_WIN_NULL;
	char value[8];
	int flag;

	MPI_Info_create(&info);
	CHECK(MPI_Win_set_info(win, info) == 0);
	MPI_Info_set(info, "no_locks", "true");
	CHECK(MPI_Win_set_info(win, info) == 0);
	MPI_Info_free(&info);
	CHECK(MPI_Win_get_info(win, &got) == 0);
	MPI_Info_get(got, "no_locks", 7, value, &flag);
	CHECK(flag && !strcmp(value, "true"));
	MPI_Info_free(&got);
	stale = stale_info();
	CHECK_ERROR(MPI_Win_set_info(win, stale), MPI_ERR_INFO);
	CHECK_ERROR(MPI_Win_get_info(MPI_WIN_NULL, &got), MPI_ERR_WIN);
	CHECK_ERROR(MPI_Win_create(&x, 4, 1, rank ? MPI_INFO_NULL : stale, MPI_COMM_WORLD, &none),
		    MPI_ERR_INFO);
	CHECK(none == MPI_WIN_NULL);
}

/* A window of this rank alone: all ranks are no group of it. Epochs of two kinds exclude each
 * other. */
static void groups(MPI_Group all)
{
	MPI_Group self;
	MPI_Win own;
	int *base;

	MPI_Win_allocate(8, 4, MPI_INFO_NULL, MPI_COMM_SELF, &base, &own);
	MPI_Win_set_errhandler(own, MPI_ERRORS_RETURN);
	MPI_Win_get_group(own, &self);
	if (ranks > 1) {
		CHECK_ERROR(MPI_Win_post(all, 0, own), MPI_ERR_GROUP);
		CHECK_ERROR(MPI_Win_start(all, 0, own), MPI_ERR_GROUP);
	}
	CHECK(MPI_Win_post(self, 0, own) == 0);
	CHECK_ERROR(MPI_Win_post(self, 0, own), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_free(&own), MPI_ERR_RMA_SYNC);
	CHECK(MPI_Win_start(self, 0, own) == 0);
	CHECK_ERROR(MPI_Win_start(self, 0, own), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, own), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Win_lock_all(0, own), MPI_ERR_RMA_SYNC);
	CHECK_ERROR(MPI_Accumulate(&x, 2, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, own),
		    MPI_ERR_TRUNCATE);
	CHECK(MPI_Win_complete(own) == 0 && MPI_Win_wait(own) == 0);
	CHECK(MPI_Win_free(&own) == 0 && own == MPI_WIN_NULL);
	MPI_Group_free(&self);
}

static void flavors(MPI_Win win)
{
	MPI_Aint bytes;
	int unit;
	void *base;
	MPI_Win open;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &open);
	MPI_Win_set_errhandler(open, MPI_ERRORS_RETURN);
	CHECK_ERROR(MPI_Win_shared_query(open, 0, &bytes, &unit, &base), MPI_ERR_RMA_FLAVOR);
	CHECK_ERROR(MPI_Win_attach(open, &x, -1), MPI_ERR_SIZE);
	MPI_Win_free(&open);
	CHECK_ERROR(MPI_Win_attach(win, &x, 4), MPI_ERR_RMA_FLAVOR);
	CHECK_ERROR(MPI_Win_detach(win, &x), MPI_ERR_RMA_FLAVOR);
	CHECK_ERROR(MPI_Win_shared_query(win, ranks, &bytes, &unit, &base), MPI_ERR_RANK);
	CHECK_ERROR(MPI_Win_set_name(win, NULL), MPI_ERR_ARG);
	infos(win);
}

int main(int argc, char **argv)
{
	int *base;
	MPI_Group group;
	MPI_Win win;

	init(&argc, &argv, &rank, &ranks);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_group(MPI_COMM_WORLD, &group);
	creation();
	MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	epochs(win, group);
	arguments(win);
	flavors(win);
	groups(group);
	MPI_Win_free(&win);
	MPI_Group_free(&group);
	MPI_Finalize();
	return 0;
}
