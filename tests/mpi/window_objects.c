/*
 * window_objects.c - what belongs to windows: attributes, error handlers, memory that
 * MPI_Alloc_mem() gives.
 */
#include <stdint.h>

#include "check.h"

static int rank, ranks;
static int *memory;
static MPI_Win win;

static void make(void)
{
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "true");
	CHECK(MPI_Alloc_mem(3 * sizeof(int), info, &memory) == 0 && memory);
	MPI_Info_free(&info);
	memory[0] = memory[1] = memory[2] = rank;
	CHECK(MPI_Win_create(memory, 3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
			     &win) == 0);
}

static void end(void)
{
	CHECK(MPI_Win_free(&win) == 0 && win == MPI_WIN_NULL);
	CHECK(MPI_Free_mem(memory) == 0);
}

/* ---- Memory ---- */

static void memories(void)
{
	void *base = &rank, *many[5];

	CHECK_ERROR(MPI_Alloc_mem(-1, MPI_INFO_NULL, &base), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Alloc_mem(PTRDIFF_MAX / 2, MPI_INFO_NULL, &base), MPI_ERR_NO_MEM);
	for (int i = 0; i < 5; i++) {
		CHECK(MPI_Alloc_mem(1001, MPI_INFO_NULL, &many[i]) == 0 && many[i]);
		CHECK((uintptr_t)many[i] % sizeof(double) == 0);
		memset(many[i], i, 1001);
	}
	for (int i = 0; i < 5; i++) {
		char *p = many[i];

		CHECK(p[0] == i && p[1000] == i && MPI_Free_mem(p) == 0);
	}
	MPI_Win_fence(0, win);
	MPI_Put(&ranks, 1, MPI_INT, (rank + 1) % ranks, 1, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	CHECK(memory[0] == rank && memory[1] == ranks && memory[2] == rank);
}

/* ---- Attributes ---- */

static int drops, order[8];
static bool refuse;

static int copy(MPI_Win w, int key, void *state, void *in, void *result, int *flag)
{
	(void)w, (void)key, (void)state, (void)in, (void)result;
	*flag = 0;
	CHECK(false); /* a window is never copied */
	return MPI_SUCCESS;
}

static int drop(MPI_Win w, int key, void *value, void *state)
{
	CHECK(w == win && key != MPI_KEYVAL_INVALID && state == &drops);
	order[drops++ % 8] = *(int *)value;
	return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int value_of(int key)
{
	void *value;
	int flag;

	CHECK(MPI_Win_get_attr(win, key, &value, &flag) == 0);
	return flag ? *(int *)value : -1;
}

static void attributes(void)
{
	static int one = 1, two = 2, three = 3;
	int key, other, of_comm, stale, flag;
	void *value;

	CHECK(MPI_Win_create_keyval(copy, drop, &key, &drops) == 0);
	CHECK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &other, NULL) ==
	      0);
	CHECK(value_of(key) == -1 && value_of(other) == -1);
	CHECK(MPI_Win_set_attr(win, key, &one) == 0 && value_of(key) == 1 && drops == 0);
	CHECK(MPI_Win_set_attr(win, other, &two) == 0 && value_of(other) == 2);
	CHECK(MPI_Win_set_attr(win, key, &three) == 0 && value_of(key) == 3);
	CHECK(drops == 1 && order[0] == 1);
	refuse = true;
	CHECK_ERROR(MPI_Win_delete_attr(win, key), MPI_ERR_OTHER);
	CHECK(drops == 2 && value_of(key) == 3);
	refuse = false;
	CHECK(MPI_Win_delete_attr(win, key) == 0 && drops == 3 && order[2] == 3);
	CHECK(value_of(key) == -1 && value_of(other) == 2);
	CHECK(MPI_Win_delete_attr(win, other) == 0 && value_of(other) == -1);

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comm, NULL);
	CHECK_ERROR(MPI_Win_set_attr(win, of_comm, &one), MPI_ERR_KEYVAL);
	CHECK_ERROR(MPI_Win_get_attr(win, of_comm, &value, &flag), MPI_ERR_KEYVAL);
	CHECK_ERROR(MPI_Win_delete_attr(win, MPI_KEYVAL_INVALID), MPI_ERR_KEYVAL);
	CHECK_ERROR(MPI_Win_set_attr(MPI_WIN_NULL, other, &one), MPI_ERR_WIN);
	CHECK_ERROR(MPI_Win_delete_attr(MPI_WIN_NULL, other), MPI_ERR_WIN);
	CHECK_ERROR(MPI_Win_set_attr(win, MPI_WIN_BASE, &one), MPI_ERR_KEYVAL);
	MPI_Comm_free_keyval(&of_comm);
	stale = other;
	CHECK(MPI_Win_free_keyval(&other) == 0 && other == MPI_KEYVAL_INVALID);
	CHECK_ERROR(MPI_Win_set_attr(win, stale, &one), MPI_ERR_KEYVAL);
	CHECK_ERROR(MPI_Win_free_keyval(&other), MPI_ERR_KEYVAL);
	/* A key value that is freed lives on in this attribute, which ends with the window. */
	CHECK(MPI_Win_set_attr(win, key, &two) == 0);
	CHECK(MPI_Win_free_keyval(&key) == 0 && drops == 3);
}

/* ---- Error handlers ---- */

static int handled, handled_class;
static MPI_Win handled_win;

static void handle(MPI_Win *w, int *code, ...)
{
	handled++;
	handled_win = *w;
	MPI_Error_class(*code, &handled_class);
}

static void handlers(void)
{
	MPI_Errhandler own, got;
	int x;

	CHECK(MPI_Win_get_errhandler(win, &got) == 0 && got == MPI_ERRORS_ARE_FATAL);
	CHECK(MPI_Win_create_errhandler(handle, &own) == 0 && own != MPI_ERRHANDLER_NULL);
	CHECK(MPI_Win_set_errhandler(win, own) == 0);
	CHECK(MPI_Win_get_errhandler(win, &got) == 0 && got == own);
	CHECK(MPI_Errhandler_free(&got) == 0 && got == MPI_ERRHANDLER_NULL);
	CHECK(MPI_Errhandler_free(&own) == 0 && own == MPI_ERRHANDLER_NULL);
	/* The window has it still. */
	CHECK_ERROR(MPI_Put(&x, 1, MPI_INT, ranks, 0, 1, MPI_INT, win), MPI_ERR_RANK);
	CHECK(handled == 1 && handled_class == MPI_ERR_RANK && handled_win == win);
	CHECK(MPI_Win_call_errhandler(win, MPI_ERR_SIZE) == 0);
	CHECK(handled == 2 && handled_class == MPI_ERR_SIZE && handled_win == win);
	CHECK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN) == 0);
	CHECK(MPI_Win_call_errhandler(win, MPI_ERR_SIZE) == 0 && handled == 2);
	CHECK(MPI_Win_get_errhandler(win, &got) == 0 && got == MPI_ERRORS_RETURN);
	CHECK_ERROR(MPI_Win_set_errhandler(win, MPI_ERRHANDLER_NULL), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Win_set_errhandler(MPI_WIN_NULL, MPI_ERRORS_RETURN), MPI_ERR_WIN);
	CHECK_ERROR(MPI_Win_get_errhandler(MPI_WIN_NULL, &got), MPI_ERR_WIN);
	CHECK_ERROR(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_SIZE), MPI_ERR_WIN);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &ranks);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	make();
	memories();
	handlers();
	attributes();
	end();
	CHECK(drops == 4 && order[3] == 2);
	MPI_Finalize();
	return 0;
}
