/*
 * file_shared.c - the shared file pointer: who accesses gets a part of its own, ordered accesses
 * are in the order of ranks, views, positions, the file's end, modes, errors. Also on 64 ranks.
 */
#include "check.h"

static int rank, ranks;
static int words[200];
static MPI_File f;

#define NAME "mpi-shared.tmp"
#define MAX 64

static void open_file(int mode)
{
	CHECK(MPI_File_open(MPI_COMM_WORLD, NAME, mode, MPI_INFO_NULL, &f) == 0);
}

static bool counts(const MPI_Status *status, int n)
{
	int got;

	MPI_Get_count(status, MPI_INT, &got);
	return got == n;
}

/* All ranks call this, and none moves the pointer meanwhile. */
static bool pointer_is(MPI_Offset wanted)
{
	MPI_Offset at = -1;

	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(MPI_File_get_position_shared(f, &at) == 0);
	MPI_Barrier(MPI_COMM_WORLD);
	return at == wanted;
}

/* Each rank writes records of three words, by two calls; each record is read by one rank. */
static void records(void)
{
	int seen[MAX] = { 0 }, all[MAX];
	MPI_Request r;
	MPI_Status status;

	open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
	CHECK(MPI_File_set_size(f, 0) == 0);
	CHECK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == 0);
	for (int i = 0; i < 3; i++)
		words[i] = 3 * rank + i;
	CHECK(MPI_File_write_shared(f, words, 3, MPI_INT, &status) == 0 && counts(&status, 3));
	CHECK(MPI_File_iwrite_shared(f, words, 3, MPI_INT, &r) == 0);
	CHECK(MPI_Wait(&r, &status) == 0 && counts(&status, 3));
	CHECK(pointer_is(6 * ranks));
	CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET) == 0 && pointer_is(0));
	CHECK(MPI_File_read_shared(f, words, 3, MPI_INT, &status) == 0 && counts(&status, 3));
	CHECK(MPI_File_iread_shared(f, words + 3, 3, MPI_INT, &r) == 0);
	CHECK(MPI_Wait(&r, &status) == 0 && counts(&status, 3));
	for (int i = 0; i < 6; i += 3) {
		CHECK(words[i] % 3 == 0 && words[i + 1] == words[i] + 1);
		CHECK(words[i + 2] == words[i] + 2);
		seen[words[i] / 3]++;
	}
	MPI_Allreduce(seen, all, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < ranks; i++)
		CHECK(all[i] == 2);
}

/* Rank r writes r + 1 words that are r: they lie in the order of ranks. */
static void ordered(void)
{
	int first = rank * (rank + 1) / 2, n = ranks * (ranks + 1) / 2, last;
	MPI_Status status;

	CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET) == 0);
	for (int i = 0; i <= rank; i++)
		words[i] = rank;
	CHECK(MPI_File_write_ordered(f, words, rank + 1, MPI_INT, &status) == 0);
	CHECK(counts(&status, rank + 1) && pointer_is(n));
	CHECK(MPI_File_write_ordered_begin(f, words, rank + 1, MPI_INT) == 0);
	CHECK(MPI_File_write_ordered_end(f, words, &status) == 0 && counts(&status, rank + 1));
	CHECK(pointer_is(2 * n));
	for (int turn = 0; turn < 2; turn++) {
		CHECK(MPI_File_read_at(f, turn * n + first, words, rank + 1, MPI_INT, &status) ==
		      0);
		CHECK(words[0] == rank && words[rank] == rank);
	}
	CHECK(MPI_File_seek_shared(f, -2 * n, MPI_SEEK_CUR) == 0 && pointer_is(0));
	CHECK(MPI_File_read_ordered(f, words, rank + 1, MPI_INT, &status) == 0);
	CHECK(counts(&status, rank + 1) && words[0] == rank && words[rank] == rank);
	CHECK(MPI_File_read_ordered_begin(f, words, rank % 2, MPI_INT) == 0);
	CHECK(MPI_File_read_ordered_end(f, words, &status) == 0 && counts(&status, rank % 2));
	CHECK(pointer_is(n + ranks / 2));
	/* The individual pointer stays where it is. */
	CHECK(MPI_File_read(f, &last, 1, MPI_INT, &status) == 0 && last == 0);
}

/* At the file's end one rank moves the pointer by what is there, all ranks by what they ask for. */
static void at_the_end(void)
{
	MPI_Offset size;
	MPI_Status status;
	int got, all;

	CHECK(MPI_File_set_size(f, 4 * ranks) == 0);
	CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_END) == 0 && pointer_is(ranks));
	CHECK(MPI_File_read_shared(f, words, 5, MPI_INT, &status) == 0 && counts(&status, 0));
	CHECK(MPI_File_seek_shared(f, -1, MPI_SEEK_END) == 0);
	CHECK(MPI_File_read_shared(f, words, 5, MPI_INT, &status) == 0);
	MPI_Get_count(&status, MPI_INT, &got);
	MPI_Allreduce(&got, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(all == 1 && pointer_is(ranks));
	CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET) == 0);
	CHECK(MPI_File_read_ordered(f, words, 2, MPI_INT, &status) == 0);
	CHECK(counts(&status, 2 * rank + 2 <= ranks ? 2 : 2 * rank < ranks ? 1 : 0));
	CHECK(pointer_is(2 * ranks)); /* behind what all have asked for */
	CHECK(MPI_File_get_size(f, &size) == 0 && size == 4 * ranks);
}

/* A view with holes, and data with holes: a view sets the pointer back. */
static void views(void)
{
	MPI_Datatype every_other;
	MPI_Status status;

	MPI_Type_vector(5, 1, 2, MPI_INT, &every_other);
	MPI_Type_commit(&every_other);
	CHECK(MPI_File_set_size(f, 0) == 0);
	CHECK(MPI_File_set_view(f, 4, MPI_INT, every_other, "native", MPI_INFO_NULL) == 0);
	CHECK(pointer_is(0));
	for (int i = 0; i < 10; i++)
		words[i] = 5 * rank + i / 2;
	CHECK(MPI_File_write_ordered(f, words, 1, every_other, &status) == 0);
	CHECK(counts(&status, 5) && pointer_is(5 * ranks));
	CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_END) == 0 && pointer_is(5 * ranks));
	CHECK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET) == 0);
	memset(words, 0, sizeof(words));
	CHECK(MPI_File_read_ordered(f, words, 5, MPI_INT, &status) == 0);
	for (int i = 0; i < 5; i++)
		CHECK(words[i] == 5 * rank + i);
	CHECK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == 0);
	CHECK(pointer_is(0));
	CHECK(MPI_File_read_at(f, 1 + 9 * rank, words, 9, MPI_INT, &status) == 0);
	CHECK(words[0] == 5 * rank && words[8] == 5 * rank + 4);
	MPI_Type_free(&every_other);
}

/* An error of one rank is an error of all in an ordered access, and the pointer stays. */
static void errors(void)
{
	MPI_Datatype bad = rank == ranks - 1 ? MPI_DATATYPE_NULL : MPI_INT;
	MPI_Offset far = (MPI_Offset)1 << 61, at;
	MPI_File none = MPI_FILE_NULL;
	MPI_Status status;

	CHECK(MPI_File_seek_shared(f, 7, MPI_SEEK_SET) == 0);
	CHECK_ERROR(MPI_File_write_ordered(f, words, 1, bad, &status), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_File_read_ordered(f, words, rank ? 1 : -1, MPI_INT, &status),
		    MPI_ERR_COUNT);
	CHECK_ERROR(MPI_File_write_shared(f, words, 1, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_File_read_shared(f, words, 1, MPI_CHAR, &status), MPI_ERR_IO);
	CHECK_ERROR(MPI_File_seek_shared(f, -1, MPI_SEEK_SET), MPI_ERR_ARG);
	CHECK_ERROR(MPI_File_seek_shared(f, far, MPI_SEEK_SET), MPI_ERR_ARG);
	CHECK_ERROR(MPI_File_seek_shared(f, INT64_MIN, MPI_SEEK_CUR), MPI_ERR_ARG);
	CHECK_ERROR(MPI_File_seek_shared(f, 0, 77), MPI_ERR_ARG);
	if (ranks > 1) {
		CHECK_ERROR(MPI_File_seek_shared(f, rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
		CHECK_ERROR(MPI_File_seek_shared(f, 0, rank ? MPI_SEEK_SET : MPI_SEEK_END),
			    MPI_ERR_NOT_SAME);
	}
	CHECK(pointer_is(7));
	CHECK(MPI_File_read_ordered_begin(f, words, 1, MPI_INT) == 0);
	CHECK_ERROR(MPI_File_read_ordered_begin(f, words, 1, MPI_INT), MPI_ERR_OTHER);
	CHECK_ERROR(MPI_File_write_all_begin(f, words, 1, MPI_INT), MPI_ERR_OTHER);
	CHECK_ERROR(MPI_File_write_ordered_end(f, words, &status), MPI_ERR_OTHER);
	CHECK(MPI_File_read_ordered_end(f, words, &status) == 0);
	CHECK_ERROR(MPI_File_read_ordered_end(f, words, &status), MPI_ERR_OTHER);
	CHECK_ERROR(MPI_File_read_shared(none, words, 1, MPI_INT, &status), MPI_ERR_FILE);
	CHECK_ERROR(MPI_File_write_ordered(none, words, 1, MPI_INT, &status), MPI_ERR_FILE);
	CHECK_ERROR(MPI_File_seek_shared(none, 0, MPI_SEEK_SET), MPI_ERR_FILE);
	CHECK_ERROR(MPI_File_get_position_shared(none, &at), MPI_ERR_FILE);
	CHECK(MPI_File_set_size(f, 40) == 0 && MPI_File_close(&f) == 0);
	open_file(MPI_MODE_RDONLY);
	CHECK_ERROR(MPI_File_write_shared(f, words, 1, MPI_INT, &status), MPI_ERR_READ_ONLY);
	CHECK_ERROR(MPI_File_write_ordered(f, words, 1, MPI_INT, &status), MPI_ERR_READ_ONLY);
	CHECK(pointer_is(0) && MPI_File_close(&f) == 0);
}

static void append(void)
{
	MPI_Offset size;

	open_file(MPI_MODE_WRONLY | MPI_MODE_APPEND);
	CHECK(pointer_is(40));
	CHECK_ERROR(MPI_File_read_shared(f, words, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ACCESS);
	words[0] = 100 + rank;
	CHECK(MPI_File_write_ordered(f, words, 1, MPI_INT, MPI_STATUS_IGNORE) == 0);
	CHECK(pointer_is(40 + 4 * ranks));
	CHECK(MPI_File_get_size(f, &size) == 0 && size == 40 + 4 * ranks);
	CHECK(MPI_File_close(&f) == 0);
}

/* With MPI_MODE_SEQUENTIAL there is the shared file pointer alone, and it is not moved. */
static void sequential(void)
{
	MPI_Offset at;

	open_file(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_DELETE_ON_CLOSE);
	CHECK_ERROR(MPI_File_read(f, words, 1, MPI_INT, MPI_STATUS_IGNORE),
		    MPI_ERR_UNSUPPORTED_OPERATION);
	CHECK_ERROR(MPI_File_read_at(f, 0, words, 1, MPI_INT, MPI_STATUS_IGNORE),
		    MPI_ERR_UNSUPPORTED_OPERATION);
	CHECK_ERROR(MPI_File_seek_shared(f, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
	CHECK_ERROR(MPI_File_get_position_shared(f, &at), MPI_ERR_UNSUPPORTED_OPERATION);
	CHECK(MPI_File_read_ordered(f, words, rank ? 0 : 40, MPI_BYTE, MPI_STATUS_IGNORE) == 0);
	CHECK_ERROR(MPI_File_set_view(f, 40, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
		    MPI_ERR_ARG);
	CHECK(MPI_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native",
				MPI_INFO_NULL) == 0);
	CHECK(MPI_File_read_ordered(f, words, 1, MPI_INT, MPI_STATUS_IGNORE) == 0);
	CHECK(words[0] == 100 + rank);
	CHECK(MPI_File_close(&f) == 0);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &ranks);
	records();
	ordered();
	at_the_end();
	views();
	errors();
	append();
	sequential();
	MPI_Finalize();
	return 0;
}
