/*
 * file.c - files: what one rank writes another reads, views and types with holes, positions, sizes,
 * atomic mode, modes and errors, infos, handlers, what is deleted. Also on 64 ranks.
 */
#include "check.h"

static int rank, ranks;
static int words[100]; /* static data: each rank's own */

#define NAME "mpi-file.tmp"

static MPI_File opened(int mode)
{
	MPI_File f = MPI_FILE_NULL;

	CHECK(MPI_File_open(MPI_COMM_WORLD, NAME, mode, MPI_INFO_NULL, &f) == 0);
	CHECK(f != MPI_FILE_NULL);
	return f;
}

static void not_opened(MPI_Comm comm, const char *name, int mode, MPI_Info info, int error_class)
{
	MPI_File f = (MPI_File)1; /* no handle */

	CHECK_ERROR(MPI_File_open(comm, name, mode, info, &f), error_class);
	CHECK(f == MPI_FILE_NULL);
}

static int count_of(const MPI_Status *status)
{
	int n;

	MPI_Get_count(status, MPI_INT, &n);
	return n;
}

static void fill(int first)
{
	for (int i = 0; i < 100; i++)
		words[i] = first + i;
}

static bool holds(int n, int first)
{
	for (int i = 0; i < n; i++) {
		if (words[i] != first + i)
			return false;
	}
	return true;
}

/* Each writes ten words of its own behind the others', and reads its neighbour's. */
static void blocks(void)
{
	MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_RDWR);
	MPI_Offset size, at;
	MPI_Status status;
	int next = (rank + 1) % ranks;

	fill(1000 * rank);
	CHECK(MPI_File_write_at(f, 40 * rank, words, 10, MPI_INT, &status) == 0);
	CHECK(count_of(&status) == 10);
	CHECK(MPI_File_sync(f) == 0);
	CHECK(MPI_File_get_size(f, &size) == 0 && size == 40 * ranks);
	CHECK(MPI_File_seek(f, 40 * next, MPI_SEEK_SET) == 0);
	CHECK(MPI_File_read(f, words, 4, MPI_INT, &status) == 0 && holds(4, 1000 * next));
	CHECK(MPI_File_get_position(f, &at) == 0 && at == 40 * next + 16);
	CHECK(MPI_File_read_all(f, words, 6, MPI_INT, &status) == 0 && holds(6, 1000 * next + 4));
	CHECK(MPI_File_seek(f, -4, MPI_SEEK_END) == 0);
	CHECK(MPI_File_read(f, words, 10, MPI_INT, &status) == 0 && count_of(&status) == 1);
	CHECK(words[0] == 1000 * (ranks - 1) + 9);
	CHECK(MPI_File_read(f, words, 10, MPI_INT, &status) == 0 && count_of(&status) == 0);
	CHECK(MPI_File_seek(f, -8, MPI_SEEK_CUR) == 0);
	CHECK(MPI_File_get_position(f, &at) == 0 && at == 40 * ranks - 8);
	CHECK(MPI_File_close(&f) == 0 && f == MPI_FILE_NULL);
}

/* The ranks' words alternate: each sees its own. */
static void views(void)
{
	MPI_File f = opened(MPI_MODE_CREATE | MPI_MODE_RDWR);
	MPI_Datatype one, unit, type;
	MPI_Offset at, byte;
	MPI_Status status;
	char as[MPI_MAX_DATAREP_STRING];

	CHECK(MPI_File_set_size(f, 0) == 0);
	MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * ranks, &one);
	MPI_Type_commit(&one);
	CHECK(MPI_File_set_view(f, 8 + 4 * rank, MPI_INT, one, "native", MPI_INFO_NULL) == 0);
	fill(100 * rank);
	CHECK(MPI_File_write_all(f, words, 20, MPI_INT, &status) == 0 && count_of(&status) == 20);
	CHECK(MPI_File_get_position(f, &at) == 0 && at == 20);
	CHECK(MPI_File_get_byte_offset(f, 3, &byte) == 0 && byte == 8 + 4 * rank + 12 * ranks);
	CHECK(MPI_File_get_view(f, &at, &unit, &type, as) == 0);
	CHECK(at == 8 + 4 * rank && unit == MPI_INT && !strcmp(as, "native"));
	MPI_Type_free(&type);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(MPI_File_seek(f, 0, MPI_SEEK_END) == 0);
	CHECK(MPI_File_get_position(f, &at) == 0 && at == 20);
	memset(words, 0, sizeof(words));
	CHECK(MPI_File_read_at_all(f, 5, words, 8, MPI_INT, &status) == 0);
	CHECK(count_of(&status) == 8 && holds(8, 100 * rank + 5));
	CHECK(MPI_File_set_view(f, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == 0);
	CHECK(MPI_File_read_at(f, 7 * ranks + (ranks - 1), words, 1, MPI_INT, &status) == 0);
	CHECK(words[0] == 100 * (ranks - 1) + 7);
	CHECK(MPI_File_close(&f) == 0);
	MPI_Type_free(&one);
}

/* Data with holes in memory, by all the other calls. */
static void calls(void)
{
	MPI_File f = opened(MPI_MODE_RDWR);
	MPI_Datatype every_other;
	MPI_Request r;
	MPI_Status status;
	MPI_Offset at = 40 * rank;

	MPI_Type_vector(5, 1, 2, MPI_INT, &every_other);
	MPI_Type_commit(&every_other);
	fill(10 * rank);
	CHECK(MPI_File_iwrite_at(f, at, words, 1, every_other, &r) == 0);
	CHECK(MPI_Wait(&r, &status) == 0 && count_of(&status) == 5);
	memset(words, 0, sizeof(words));
	CHECK(MPI_File_iread_at(f, at, words, 5, MPI_INT, &r) == 0);
	CHECK(MPI_Wait(&r, &status) == 0 && words[4] == 10 * rank + 8);
	CHECK(MPI_File_seek(f, at, MPI_SEEK_SET) == 0);
	CHECK(MPI_File_iread(f, words, 1, every_other, &r) == 0 && MPI_Wait(&r, &status) == 0);
	CHECK(count_of(&status) == 5 && words[8] == 10 * rank + 8 && words[1] == 10 * rank + 2);
	CHECK(MPI_File_seek(f, at, MPI_SEEK_SET) == 0);
	fill(-5);
	CHECK(MPI_File_write_all_begin(f, words, 5, MPI_INT) == 0);
	CHECK_ERROR(MPI_File_write_all_begin(f, words, 5, MPI_INT), MPI_ERR_OTHER);
	CHECK(MPI_File_write_all_end(f, words, &status) == 0 && count_of(&status) == 5);
	CHECK_ERROR(MPI_File_write_all_end(f, words, &status), MPI_ERR_OTHER);
	memset(words, 0, sizeof(words));
	CHECK(MPI_File_read_at_all_begin(f, at, words, 5, MPI_INT) == 0);
	CHECK_ERROR(MPI_File_close(&f), MPI_ERR_FILE);
	CHECK_ERROR(MPI_File_write_all_end(f, words, &status), MPI_ERR_OTHER);
	CHECK(MPI_File_read_at_all_end(f, words, &status) == 0 && holds(5, -5));
	CHECK(MPI_File_close(&f) == 0);
	MPI_Type_free(&every_other);
}

static void sizes(void)
{
	MPI_File f = opened(MPI_MODE_RDWR);
	MPI_Offset size;

	CHECK(MPI_File_set_size(f, 400) == 0);
	CHECK(MPI_File_get_size(f, &size) == 0 && size == 400);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		fill(7);
		CHECK(MPI_File_write_at(f, 0, words, 100, MPI_INT, MPI_STATUS_IGNORE) == 0);
	}
	CHECK(MPI_File_set_size(f, 80) == 0);
	CHECK(MPI_File_preallocate(f, 40) == 0);
	CHECK(MPI_File_get_size(f, &size) == 0 && size == 80);
	memset(words, 0, sizeof(words));
	CHECK(MPI_File_read_at(f, 0, words, 20, MPI_INT, MPI_STATUS_IGNORE) == 0 && holds(20, 7));
	CHECK(MPI_File_preallocate(f, 1000) == 0);
	CHECK(MPI_File_get_size(f, &size) == 0 && size == 1000);
	CHECK_ERROR(MPI_File_set_size(f, -1), MPI_ERR_ARG);
	CHECK(MPI_File_close(&f) == 0);
	f = opened(MPI_MODE_WRONLY | MPI_MODE_APPEND);
	CHECK(MPI_File_get_position(f, &size) == 0 && size == 1000);
	CHECK(MPI_File_close(&f) == 0);
}

/* Each access of an atomic file is there as a whole, also one of many pieces. */
static void atomic(void)
{
	MPI_File f = opened(MPI_MODE_RDWR);
	MPI_Datatype holes;
	int flag;

	CHECK(MPI_File_get_atomicity(f, &flag) == 0 && !flag);
	CHECK(MPI_File_set_atomicity(f, 1) == 0);
	CHECK(MPI_File_get_atomicity(f, &flag) == 0 && flag);
	MPI_Type_vector(10, 1, 3, MPI_INT, &holes);
	MPI_Type_commit(&holes);
	CHECK(MPI_File_set_view(f, 0, MPI_INT, holes, "native", MPI_INFO_NULL) == 0);
	for (int i = 0; i < 10; i++)
		words[i] = 0;
	MPI_File_write_at(f, 0, words, 10, MPI_INT, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int turn = 0; turn < 5; turn++) {
		for (int i = 0; i < 10; i++)
			words[i] = rank;
		CHECK(MPI_File_write_at(f, 0, words, 10, MPI_INT, MPI_STATUS_IGNORE) == 0);
		CHECK(MPI_File_read_at(f, 0, words, 10, MPI_INT, MPI_STATUS_IGNORE) == 0);
		for (int i = 1; i < 10; i++)
			CHECK(words[i] == words[0]);
	}
	CHECK(MPI_File_close(&f) == 0);
	MPI_Type_free(&holes);
}

/* Positions that no file has: an access there would be one of another place. */
static void far_away(void)
{
	static const MPI_Offset offsets[] = { INT64_MAX, INT64_MAX / 2, INT64_MAX / 4 + 1,
					      (MPI_Offset)1 << 62, (MPI_Offset)1 << 61 };
	MPI_File f = opened(MPI_MODE_RDWR);
	MPI_Datatype holes;
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Status status;
	MPI_Offset at;

	MPI_Type_vector(3, 1, 2, MPI_INT, &holes);
	MPI_Type_commit(&holes);
	CHECK(MPI_File_set_view(f, 4, MPI_INT, holes, "native", MPI_INFO_NULL) == 0);
	fill(11);
	CHECK(MPI_File_write_at_all(f, 0, words, 10, MPI_INT, &status) == 0);
	fill(0);
	for (int i = 0; i < 5; i++) {
		MPI_Offset o = offsets[i];

		CHECK_ERROR(MPI_File_write_at(f, o, words, 3, MPI_INT, &status), MPI_ERR_ARG);
		CHECK_ERROR(MPI_File_read_at(f, o, words, 3, MPI_INT, &status), MPI_ERR_ARG);
		CHECK_ERROR(MPI_File_iwrite_at(f, o, words, 3, MPI_INT, &r), MPI_ERR_ARG);
		CHECK_ERROR(MPI_File_get_byte_offset(f, o, &at), MPI_ERR_ARG);
		CHECK_ERROR(MPI_File_seek(f, o, MPI_SEEK_SET), MPI_ERR_ARG);
		CHECK(MPI_File_seek(f, 1, MPI_SEEK_SET) == 0);
		CHECK_ERROR(MPI_File_seek(f, o, MPI_SEEK_CUR), MPI_ERR_ARG);
		CHECK(MPI_File_get_position(f, &at) == 0 && at == 1);
	}
	CHECK_ERROR(MPI_File_seek(f, INT64_MIN, MPI_SEEK_CUR), MPI_ERR_ARG);
	CHECK_ERROR(MPI_File_get_byte_offset(f, -1, &at), MPI_ERR_ARG);
	CHECK(MPI_File_get_byte_offset(f, 5, &at) == 0 && at == 4 + 5 * 4 + 4 * 4);
	CHECK(MPI_File_read_at(f, 0, words, 10, MPI_INT, &status) == 0 && holds(10, 11));
	/* The end is inside of a file type: 1000 bytes are 4, 49 times 20, and 2 words of 3. */
	CHECK(MPI_File_seek(f, 0, MPI_SEEK_END) == 0);
	CHECK(MPI_File_get_position(f, &at) == 0 && at == 49 * 3 + 2);
	CHECK(MPI_File_get_byte_offset(f, at, &at) == 0 && at == 1000);
	CHECK(MPI_File_close(&f) == 0);
	MPI_Type_free(&holes);
}

static int handled;

static void handle(MPI_File *file, int *code, ...)
{
	MPI_Error_class(*code, &handled);
}

static void openings(void)
{
	MPI_Comm all = MPI_COMM_WORLD;
	MPI_Info none = MPI_INFO_NULL, stale;

	not_opened(all, "is/not/there", MPI_MODE_RDONLY, none, MPI_ERR_NO_SUCH_FILE);
	not_opened(all, NAME, MPI_MODE_RDONLY | MPI_MODE_RDWR, none, MPI_ERR_AMODE);
	not_opened(all, NAME, MPI_MODE_RDONLY | MPI_MODE_CREATE, none, MPI_ERR_AMODE);
	not_opened(all, NAME, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, none, MPI_ERR_AMODE);
	not_opened(all, NAME, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, none,
		   MPI_ERR_FILE_EXISTS);
	if (ranks > 1)
		not_opened(all, NAME, rank == 1 ? MPI_MODE_RDWR : MPI_MODE_RDONLY, none,
			   MPI_ERR_NOT_SAME);
	stale = stale_info();
	not_opened(all, NAME, MPI_MODE_RDONLY, rank == ranks - 1 ? stale : none, MPI_ERR_INFO);
	not_opened(all, ".", MPI_MODE_RDWR, none, MPI_ERR_BAD_FILE);
	not_opened(MPI_COMM_NULL, NAME, MPI_MODE_RDWR, none, MPI_ERR_COMM);
}

static void errors(void)
{
	MPI_File f = MPI_FILE_NULL;
	MPI_Errhandler own, got;
	MPI_Status status;
	MPI_Offset at;

	CHECK_ERROR(MPI_File_read(f, words, 1, MPI_INT, &status), MPI_ERR_FILE);
	CHECK_ERROR(MPI_File_close(&f), MPI_ERR_FILE);
	f = opened(MPI_MODE_RDONLY);
	CHECK_ERROR(MPI_File_write(f, words, 1, MPI_INT, &status), MPI_ERR_READ_ONLY);
	CHECK_ERROR(MPI_File_set_size(f, 0), MPI_ERR_READ_ONLY);
	CHECK_ERROR(MPI_File_read(f, words, -1, MPI_INT, &status), MPI_ERR_COUNT);
	CHECK_ERROR(MPI_File_read(f, words, 1, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE);
	CHECK_ERROR(MPI_File_read_at(f, -1, words, 1, MPI_INT, &status), MPI_ERR_ARG);
	CHECK_ERROR(MPI_File_seek(f, -1, MPI_SEEK_SET), MPI_ERR_ARG);
	CHECK_ERROR(MPI_File_seek(f, 0, 77), MPI_ERR_ARG);
	CHECK_ERROR(MPI_File_set_view(f, 0, MPI_INT, MPI_SHORT, "native", MPI_INFO_NULL),
		    MPI_ERR_ARG);
	CHECK_ERROR(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL),
		    MPI_ERR_UNSUPPORTED_DATAREP);
	CHECK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == 0);
	CHECK_ERROR(MPI_File_read(f, words, 1, MPI_CHAR, &status), MPI_ERR_IO);
	CHECK(MPI_File_get_position(f, &at) == 0 && at == 0);

	MPI_File_create_errhandler(handle, &own);
	CHECK(MPI_File_set_errhandler(f, own) == 0);
	CHECK(MPI_File_get_errhandler(f, &got) == 0 && got == own);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&own);
	CHECK_ERROR(MPI_File_seek(f, -1, MPI_SEEK_SET), MPI_ERR_ARG);
	CHECK(handled == MPI_ERR_ARG);
	CHECK(MPI_File_call_errhandler(f, MPI_ERR_IO) == 0 && handled == MPI_ERR_IO);
	CHECK(MPI_File_close(&f) == 0);
}

static void questions(void)
{
	MPI_File f = opened(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
	MPI_Info info, stale;
	MPI_Group group;
	MPI_Aint extent;
	char value[8];
	int mode, size, flag;

	CHECK(MPI_File_get_amode(f, &mode) == 0);
	CHECK(mode == (MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE));
	CHECK(MPI_File_get_group(f, &group) == 0);
	MPI_Group_size(group, &size);
	MPI_Group_free(&group);
	CHECK(size == ranks);
	CHECK(MPI_File_get_type_extent(f, MPI_DOUBLE, &extent) == 0 && extent == 8);
	CHECK(MPI_File_get_info(f, &info) == 0 && info != MPI_INFO_NULL);
	CHECK(MPI_Info_get_nkeys(info, &size) == 0 && size == 0);
	CHECK(MPI_File_set_info(f, info) == 0);
	MPI_Info_set(info, "key", "value");
	CHECK(MPI_File_set_info(f, info) == 0);
	MPI_Info_free(&info);
	stale = stale_info();
	CHECK_ERROR(MPI_File_set_info(f, stale), MPI_ERR_INFO);
	MPI_Barrier(MPI_COMM_WORLD); /* before any rank makes infos */
	CHECK(MPI_File_get_info(f, &info) == 0);
	MPI_Info_get(info, "key", 7, value, &flag);
	CHECK(flag && !strcmp(value, "value"));
	MPI_Info_free(&info);
	CHECK(MPI_File_close(&f) == 0);
	not_opened(MPI_COMM_WORLD, NAME, MPI_MODE_RDONLY, MPI_INFO_NULL, MPI_ERR_NO_SUCH_FILE);
	if (rank == 0)
		CHECK_ERROR(MPI_File_delete(NAME, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

int main(int argc, char **argv)
{
	init(&argc, &argv, &rank, &ranks);
	blocks();
	views();
	calls();
	sizes();
	atomic();
	far_away();
	openings();
	errors();
	questions();
	MPI_Finalize();
	return 0;
}
