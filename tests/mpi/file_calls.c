/*
 * file_calls.c - accesses of files that are collective, or do not wait, or both, or come in two
 * halves: the ranks' words alternate in the file and have holes in memory; where each call leaves
 * the rank's position, and how many there were.
 */
#include "check.h"

#define NAME "mpi-file-calls.tmp"

enum { N = 7 }; /* words that a call moves */

static int rank, ranks;
static int words[2 * N];
static MPI_File f;
static MPI_Datatype every_other; /* N ints in memory, with holes */

static void give(int first)
{
	for (int i = 0; i < 2 * N; i++)
		words[i] = i % 2 ? -1 : 1000 * rank + first + i / 2;
}

/* N numbers from `first` on, of which `n` have come; what lies between them is untouched. */
static bool has(int first, int n)
{
	for (int i = 0; i < 2 * N; i++)
		if (words[i] != (i % 2 || i / 2 >= n ? -1 : 1000 * rank + first + i / 2))
			return false;
	return true;
}

static void clear(void)
{
	memset(words, -1, sizeof(words));
}

static bool counts(const MPI_Status *status, int n)
{
	int count;

	MPI_Get_count(status, MPI_INT, &count);
	return count == n;
}

static bool ends(MPI_Request *r, int n)
{
	MPI_Status status;

	return MPI_Wait(r, &status) == 0 && *r == MPI_REQUEST_NULL && counts(&status, n);
}

static bool is_at(MPI_Offset wanted)
{
	MPI_Offset at;

	return MPI_File_get_position(f, &at) == 0 && at == wanted;
}

static void open_file(void)
{
	MPI_Datatype stripe;

	CHECK(MPI_File_open(MPI_COMM_WORLD, NAME,
			    MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
			    MPI_INFO_NULL, &f) == 0);
	CHECK(MPI_File_set_size(f, 0) == 0);
	MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * ranks, &stripe);
	MPI_Type_commit(&stripe);
	CHECK(MPI_File_set_view(f, (MPI_Offset)sizeof(int) * rank, MPI_INT, stripe, "native",
				MPI_INFO_NULL) == 0);
	MPI_Type_free(&stripe);
	MPI_Type_vector(N, 1, 2, MPI_INT, &every_other);
	MPI_Type_commit(&every_other);
}

/* Each writes the next N words of the rank's: 0, N, 2 N, ... */
static void writes(void)
{
	MPI_Status status;
	MPI_Request r;

	give(0);
	CHECK(MPI_File_iwrite(f, words, 1, every_other, &r) == 0 && ends(&r, N) && is_at(N));
	give(N);
	CHECK(MPI_File_iwrite_all(f, words, 1, every_other, &r) == 0 && ends(&r, N));
	CHECK(is_at(2 * N));
	give(2 * N);
	CHECK(MPI_File_iwrite_at_all(f, 2 * N, words, 1, every_other, &r) == 0 && ends(&r, N));
	give(3 * N);
	CHECK(MPI_File_write_at_all(f, 3 * N, words, 1, every_other, &status) == 0);
	CHECK(counts(&status, N));
	give(4 * N);
	CHECK(MPI_File_write_at_all_begin(f, 4 * N, words, 1, every_other) == 0);
	CHECK(MPI_File_write_at_all_end(f, words, &status) == 0 && counts(&status, N));
	CHECK(is_at(2 * N)); /* offsets that are given leave it where it is */
	CHECK(MPI_File_sync(f) == 0);
	MPI_Barrier(MPI_COMM_WORLD);
}

static void reads(void)
{
	MPI_Status status;
	MPI_Request r;

	clear();
	CHECK(MPI_File_iread_all(f, words, 1, every_other, &r) == 0 && ends(&r, N));
	CHECK(has(2 * N, N) && is_at(3 * N));
	clear();
	CHECK(MPI_File_read_all_begin(f, words, 1, every_other) == 0);
	CHECK(MPI_File_read_all_end(f, words, &status) == 0 && counts(&status, N));
	CHECK(has(3 * N, N) && is_at(4 * N));
	clear();
	CHECK(MPI_File_iread_at_all(f, N, words, 1, every_other, &r) == 0 && ends(&r, N));
	CHECK(has(N, N));
	clear();
	CHECK(MPI_File_read_at_all_begin(f, 0, words, 1, every_other) == 0);
	CHECK(MPI_File_read_at_all_end(f, words, MPI_STATUS_IGNORE) == 0 && has(0, N));
	CHECK(is_at(4 * N));
}

/* Ranks need not ask for as much as others: the odd ones for nothing. At the file's end is less. */
static void edges(void)
{
	MPI_Status status;
	MPI_Request r;
	int n = rank % 2 ? 0 : 1;

	clear();
	CHECK(MPI_File_iread_all(f, words, n, every_other, &r) == 0 && ends(&r, n * N));
	CHECK(has(4 * N, n * N) && is_at((4 + n) * N));
	clear();
	CHECK(MPI_File_iread_at_all(f, 5 * N - 2, words, 1, every_other, &r) == 0 && ends(&r, 2));
	CHECK(has(5 * N - 2, 2));
	CHECK(MPI_File_seek(f, 0, MPI_SEEK_SET) == 0);
	clear();
	CHECK(MPI_File_read_all_begin(f, words, 0, MPI_INT) == 0);
	CHECK(MPI_File_read_all_end(f, words, &status) == 0 && counts(&status, 0));
	CHECK(has(0, 0) && is_at(0));
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &ranks);
	open_file();
	writes();
	reads();
	edges();
	CHECK(MPI_File_close(&f) == 0 && f == MPI_FILE_NULL);
	MPI_Type_free(&every_other);
	MPI_Finalize();
	return 0;
}
