/* rma.c - windows of each kind, accesses of each kind, in epochs of each kind. */
#include "check.h"

enum { N = 64 };

static int rank, ranks, right, left;

/* Each puts into its right neighbour's, and gets from its left one's. */
static void fences(void)
{
	static int memory[N]; /* static: another copy in each rank */
	int out[4] = { rank, rank + 1, rank + 2, rank + 3 }, in[4], *base, flag;
	MPI_Aint *bytes;
	MPI_Win win;

	CHECK(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
			     &win) == 0);
	CHECK(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag) == 0 && flag && base == memory);
	CHECK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag) == 0 && flag);
	CHECK(*bytes == sizeof(memory));
	CHECK(MPI_Win_fence(MPI_MODE_NOPRECEDE, win) == 0);
	CHECK(MPI_Put(out, 4, MPI_INT, right, 10, 4, MPI_INT, win) == 0);
	CHECK(MPI_Win_fence(0, win) == 0);
	for (int i = 0; i < 4; i++)
		CHECK(memory[10 + i] == left + i);
	CHECK(MPI_Get(in, 4, MPI_INT, left, 10, 4, MPI_INT, win) == 0);
	CHECK(MPI_Win_fence(0, win) == 0);
	for (int i = 0; i < 4; i++)
		CHECK(in[i] == (left + ranks - 1) % ranks + i);
	CHECK(MPI_Accumulate(out, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win) == 0);
	CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win) == 0);
	CHECK(rank != 0 || memory[0] == ranks * (ranks - 1) / 2);
	CHECK(MPI_Win_free(&win) == 0 && win == MPI_WIN_NULL);
}

/* A variable of main()'s stack is memory as any other. */
static void stack(void)
{
	double mine[3] = { rank, rank, rank }, got[3];
	MPI_Win win;

	MPI_Win_create(mine, sizeof(mine), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	CHECK(MPI_Put(&mine[0], 1, MPI_DOUBLE, right, 1, 1, MPI_DOUBLE, win) == 0);
	MPI_Win_fence(0, win);
	CHECK(mine[0] == rank && mine[1] == left && mine[2] == rank);
	CHECK(MPI_Get(got, 3, MPI_DOUBLE, left, 0, 3, MPI_DOUBLE, win) == 0);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	CHECK(got[0] == left && got[1] == (left + ranks - 1) % ranks && got[2] == left);
	MPI_Win_free(&win);
}

/* Made types on both sides: a column goes to a row, and back by accumulates. */
static void types(void)
{
	double *base, mine[8][8];
	MPI_Datatype column;
	MPI_Win win;

	MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	CHECK(MPI_Win_allocate(64 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
			       &base, &win) == 0);
	for (int i = 0; i < 64; i++) {
		base[i] = 0;
		mine[i / 8][i % 8] = rank * 100 + i;
	}
	MPI_Win_fence(0, win);
	CHECK(MPI_Put(&mine[0][3], 1, column, right, 8, 8, MPI_DOUBLE, win) == 0);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 8; i++)
		CHECK(base[8 + i] == left * 100 + 8 * i + 3);
	MPI_Win_fence(0, win);
	CHECK(MPI_Accumulate(mine[1], 8, MPI_DOUBLE, right, 5, 1, column, MPI_SUM, win) == 0);
	CHECK(MPI_Accumulate(mine[0], 1, column, right, 6, 1, column, MPI_MAX, win) == 0);
	CHECK(MPI_Accumulate(mine[0], 1, column, right, 16, 8, MPI_DOUBLE, MPI_REPLACE, win) == 0);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 8; i++) {
		/* On what row 1 had, and before row 2 was replaced. */
		double sum = left * 100 + 8 + i + (i == 1 ? left * 100 + 43 : 0);

		CHECK(base[8 * i + 5] == (i == 2 ? left * 100 + 40 : sum));
		CHECK(i == 1 || i == 2 || base[8 * i + 6] == left * 100 + 8 * i);
	}
	MPI_Win_free(&win);
	MPI_Type_free(&column);
}

static void groups(void)
{
	long *base, value = rank + 5;
	int flag = 0, neighbours[] = { left, right };
	MPI_Group all, both, of;
	MPI_Win win;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, left == right ? 1 : 2, neighbours, &both);
	CHECK(MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
			       &win) == 0);
	CHECK(MPI_Win_get_group(win, &of) == 0);
	MPI_Group_compare(of, all, &flag);
	CHECK(flag == MPI_IDENT || flag == MPI_CONGRUENT);
	MPI_Group_free(&of);
	for (int round = 0; round < 3; round++) {
		base[0] = base[1] = -1;
		CHECK(MPI_Win_post(both, 0, win) == 0);
		CHECK(MPI_Win_start(both, 0, win) == 0);
		CHECK(MPI_Put(&value, 1, MPI_LONG, left, 1, 1, MPI_LONG, win) == 0);
		CHECK(MPI_Put(&value, 1, MPI_LONG, right, 0, 1, MPI_LONG, win) == 0);
		CHECK(MPI_Win_complete(win) == 0);
		if (round == 0)
			CHECK(MPI_Win_wait(win) == 0);
		for (flag = round == 0; !flag;)
			CHECK(MPI_Win_test(win, &flag) == 0);
		CHECK(base[0] == left + 5 && base[1] == right + 5);
	}
	CHECK(MPI_Win_post(MPI_GROUP_EMPTY, 0, win) == 0 && MPI_Win_wait(win) == 0);
	MPI_Win_free(&win);
	MPI_Group_free(&both);
	MPI_Group_free(&all);
}

/* All count on rank 0's, by each way there is. */
static void locks(void)
{
	enum { ROUNDS = 50 };
	long *base, one = 1, zero = 0, was, now;
	MPI_Request request;
	MPI_Win win;

	CHECK(MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
			       &win) == 0);
	memset(base, 0, 4 * sizeof(long));
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win) == 0);
		CHECK(MPI_Get(&was, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win) == 0);
		CHECK(MPI_Win_flush(0, win) == 0);
		now = was + 1;
		CHECK(MPI_Put(&now, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win) == 0);
		CHECK(MPI_Win_unlock(0, win) == 0);
		CHECK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win) == 0);
		CHECK(MPI_Fetch_and_op(&one, &was, MPI_LONG, 0, 1, MPI_SUM, win) == 0);
		CHECK(was >= i && was < ROUNDS * ranks);
		CHECK(MPI_Win_unlock(0, win) == 0);
		CHECK(MPI_Win_lock_all(0, win) == 0);
		do { /* take a lock by compare-and-swap, count, and let it go */
			CHECK(MPI_Compare_and_swap(&one, &zero, &was, MPI_LONG, 0, 2, win) == 0);
			MPI_Win_flush(0, win);
		} while (was);
		CHECK(MPI_Rget(&now, 1, MPI_LONG, 0, 3, 1, MPI_LONG, win, &request) == 0);
		CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0);
		now++;
		CHECK(MPI_Rput(&now, 1, MPI_LONG, 0, 3, 1, MPI_LONG, win, &request) == 0);
		CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0);
		MPI_Win_flush_all(win);
		CHECK(MPI_Fetch_and_op(&zero, &was, MPI_LONG, 0, 2, MPI_REPLACE, win) == 0);
		CHECK(was == 1);
		CHECK(MPI_Win_unlock_all(win) == 0);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 4; i++)
		CHECK(rank != 0 || base[i] == (i == 2 ? 0 : ROUNDS * ranks));
	MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
	CHECK(MPI_Get_accumulate(NULL, 0, MPI_LONG, &now, 1, MPI_LONG, 0, 3, 1, MPI_LONG, MPI_NO_OP,
				 win) == 0);
	CHECK(now == ROUNDS * ranks);
	MPI_Barrier(MPI_COMM_WORLD); /* all have seen it */
	CHECK(MPI_Raccumulate(&zero, 1, MPI_LONG, 0, 3, 1, MPI_LONG, MPI_BAND, win, &request) == 0);
	CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0);
	CHECK(MPI_Rget_accumulate(&zero, 1, MPI_LONG, &now, 1, MPI_LONG, 0, 3, 1, MPI_LONG, MPI_SUM,
				  win, &request) == 0);
	CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == 0 && now == 0);
	CHECK(MPI_Win_flush_local(0, win) == 0 && MPI_Win_flush_local_all(win) == 0);
	CHECK(MPI_Win_sync(win) == 0);
	MPI_Win_unlock(0, win);
	MPI_Win_free(&win);
}

/* While one waits for a lock, what else it has begun goes on. */
static void progress(void)
{
	long *base;
	int zero = 0;
	MPI_Win win;
	MPI_Request barrier;

	MPI_Win_allocate(sizeof(long), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	if (rank == 0) {
		CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win) == 0);
		MPI_Bcast(&zero, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
		CHECK(MPI_Wait(&barrier, MPI_STATUS_IGNORE) == 0);
		CHECK(MPI_Win_unlock(0, win) == 0);
	} else {
		MPI_Bcast(&zero, 1, MPI_INT, 0, MPI_COMM_WORLD);
		MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
		CHECK(MPI_Win_lock(rank % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win) ==
		      0);
		CHECK(MPI_Win_unlock(0, win) == 0);
		CHECK(MPI_Wait(&barrier, MPI_STATUS_IGNORE) == 0);
	}
	MPI_Win_free(&win);
}

static void dynamic(void)
{
	static int here[5]; /* the same address means another's in each rank */
	int *heap = calloc(4, sizeof(int)), value = 100 + rank, got = 0, wide = 0x12345678;
	MPI_Aint mine[2], theirs[2];
	MPI_Win win;

	CHECK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win) == 0);
	CHECK(MPI_Win_attach(win, here, 4 * sizeof(int)) == 0);
	CHECK(MPI_Win_attach(win, heap, 4 * sizeof(int)) == 0);
	MPI_Get_address(here, &mine[0]);
	MPI_Get_address(heap, &mine[1]);
	MPI_Sendrecv(mine, 2, MPI_AINT, left, 0, theirs, 2, MPI_AINT, right, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	CHECK(MPI_Win_lock_all(0, win) == 0);
	CHECK(MPI_Put(&value, 1, MPI_INT, right, MPI_Aint_add(theirs[0], 8), 1, MPI_INT, win) == 0);
	CHECK(MPI_Accumulate(&value, 1, MPI_INT, right, theirs[1], 1, MPI_INT, MPI_SUM, win) == 0);
	CHECK(MPI_Get(&got, 1, MPI_INT, right, theirs[0] + 8, 1, MPI_INT, win) == 0);
	CHECK(got == value);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	CHECK(MPI_Win_attach(win, here + 4, sizeof(int)) == 0); /* behind the other part */
	CHECK(MPI_Put(&wide, 1, MPI_INT, rank, mine[0] + 14, 1, MPI_INT, win) == 0);
	CHECK(here[4] == 0x1234); /* its upper half: little-endian */
	CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, right, theirs[1] + 14, 1, MPI_INT, win),
		    MPI_ERR_RMA_RANGE);
	CHECK(MPI_Win_unlock_all(win) == 0);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(here[2] == 100 + left && heap[0] == 100 + left);
	CHECK(MPI_Win_detach(win, here) == 0);
	CHECK_ERROR(MPI_Win_detach(win, here), MPI_ERR_RMA_ATTACH);
	MPI_Win_free(&win);
	free(heap);
}

/* Among the ranks of a board. */
static void shared(void)
{
	int *mine, *theirs, unit;
	MPI_Aint bytes;
	MPI_Info info;
	MPI_Comm board;
	MPI_Win win;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &board);
	MPI_Comm_rank(board, &rank);
	MPI_Comm_size(board, &ranks);
	left = (rank + ranks - 1) % ranks;
	CHECK(MPI_Win_allocate_shared((rank + 1) * (MPI_Aint)sizeof(int), sizeof(int),
				      MPI_INFO_NULL, board, &mine, &win) == 0);
	for (int i = 0; i <= rank; i++)
		mine[i] = 10 * rank + i;
	MPI_Win_fence(0, win);
	CHECK(MPI_Win_shared_query(win, left, &bytes, &unit, &theirs) == 0);
	CHECK(bytes == (left + 1) * (MPI_Aint)sizeof(int) && unit == sizeof(int));
	for (int i = 0; i <= left; i++)
		CHECK(theirs[i] == 10 * left + i);
	CHECK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &theirs) == 0);
	for (int r = 0; r < ranks; r++) { /* all parts lie behind each other */
		CHECK(theirs[r] == 10 * r + r);
		theirs += r + 1;
	}
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	MPI_Info_create(&info);
	MPI_Info_set(info, "alloc_shared_noncontig", "true");
	CHECK(MPI_Win_allocate_shared(rank == 0 ? 0 : 4, 1, info, board, &mine, &win) == 0);
	CHECK(MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &theirs) == 0);
	CHECK(bytes == (ranks > 1 ? 4 : 0));
	MPI_Info_free(&info);
	MPI_Win_free(&win);
	MPI_Comm_free(&board);
}

static void questions(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length, flag, *value;
	MPI_Info info;
	MPI_Win win;

	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	CHECK(MPI_Win_get_name(win, name, &length) == 0 && length == 0);
	CHECK(MPI_Win_set_name(win, "w") == 0);
	CHECK(MPI_Win_get_name(win, name, &length) == 0 && length == 1 && !strcmp(name, "w"));
	CHECK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag) == 0 && flag);
	CHECK(*value == MPI_WIN_FLAVOR_CREATE);
	CHECK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag) == 0 && flag);
	CHECK(*value == MPI_WIN_UNIFIED);
	CHECK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag) == 0 && *value == 1);
	CHECK(MPI_Win_get_info(win, &info) == 0 && info);
	CHECK(MPI_Win_set_info(win, info) == 0);
	MPI_Info_free(&info);
	MPI_Win_free(&win);
}

/* A window may end where the data of a pair do, and the padding behind be other data. */
static void pairs(void)
{
	struct {
		double value;
		int at, behind;
	} mine[2] = { { 1, rank, 77 }, { 2, rank, 78 } }, old[2] = { { 0 } }, out[2] = { { 0 } };
	MPI_Win win;

	for (int i = 0; i < 2; i++) {
		out[i].value = 5 + i;
		out[i].at = 1000 + rank;
	}
	MPI_Win_create(mine, sizeof(mine) - sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	for (int to = 0; to < ranks; to++) {
		CHECK(MPI_Win_fence(0, win) == 0);
		if (rank == ranks - 1)
			CHECK(MPI_Accumulate(out, 2, MPI_DOUBLE_INT, to, 0, 2, MPI_DOUBLE_INT,
					     MPI_MAXLOC, win) == 0);
		CHECK(MPI_Win_fence(0, win) == 0);
		if (rank == 0)
			CHECK(MPI_Get_accumulate(out, 2, MPI_DOUBLE_INT, old, 2, MPI_DOUBLE_INT, to,
						 0, 2, MPI_DOUBLE_INT, MPI_MAXLOC, win) == 0);
		CHECK(MPI_Win_fence(0, win) == 0);
		CHECK(rank || (old[1].value == 6 && old[1].at == 1000 + ranks - 1));
	}
	CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win) == 0);
	for (int i = 0; i < 2; i++)
		CHECK(mine[i].value == 5 + i && mine[i].at == 1000);
	CHECK(mine[1].behind == 78);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &ranks);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	right = (rank + 1) % ranks;
	left = (rank + ranks - 1) % ranks;
	fences();
	stack();
	types();
	pairs();
	groups();
	locks();
	progress();
	dynamic();
	questions();
	shared();
	MPI_Finalize();
	return 0;
}
