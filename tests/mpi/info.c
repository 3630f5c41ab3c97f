/* info.c - infos: keys in their order, values cut to the room there is, copies, bad keys. */
#include "check.h"

static void values(MPI_Info info)
{
	char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY + 1];
	int flag, n;

	CHECK(MPI_Info_get_nkeys(info, &n) == 0 && n == 0);
	CHECK(MPI_Info_set(info, "first", "1") == 0);
	CHECK(MPI_Info_set(info, "second", "two words") == 0);
	CHECK(MPI_Info_set(info, "third", "3") == 0);
	CHECK(MPI_Info_set(info, "first", "one") == 0);
	CHECK(MPI_Info_get_nkeys(info, &n) == 0 && n == 3);
	CHECK(MPI_Info_get_nthkey(info, 0, key) == 0 && !strcmp(key, "first"));
	CHECK(MPI_Info_get_nthkey(info, 2, key) == 0 && !strcmp(key, "third"));
	CHECK(MPI_Info_get(info, "first", MPI_MAX_INFO_VAL, value, &flag) == 0);
	CHECK(flag && !strcmp(value, "one"));
	CHECK(MPI_Info_get(info, "second", 3, value, &flag) == 0 && flag && !strcmp(value, "two"));
	CHECK(MPI_Info_get_valuelen(info, "second", &n, &flag) == 0 && flag && n == 9);
	strcpy(value, "untouched");
	CHECK(MPI_Info_get(info, "fourth", MPI_MAX_INFO_VAL, value, &flag) == 0 && !flag);
	CHECK(!strcmp(value, "untouched"));
	CHECK(MPI_Info_get_valuelen(info, "fourth", &n, &flag) == 0 && !flag);
}

static void copies(MPI_Info info)
{
	MPI_Info dup;
	char value[8];
	int flag, n;

	CHECK(MPI_Info_dup(info, &dup) == 0);
	CHECK(MPI_Info_delete(info, "second") == 0);
	CHECK(MPI_Info_get_nkeys(info, &n) == 0 && n == 2);
	CHECK(MPI_Info_get_nkeys(dup, &n) == 0 && n == 3);
	CHECK(MPI_Info_get(dup, "second", 7, value, &flag) == 0 && flag);
	CHECK(!strcmp(value, "two wor"));
	CHECK(MPI_Info_free(&dup) == 0 && dup == MPI_INFO_NULL);
}

static void bad(MPI_Info info)
{
	char longest[MPI_MAX_INFO_VAL + 2], key[MPI_MAX_INFO_KEY + 1];
	int n, flag;
	MPI_Info none = MPI_INFO_NULL;

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	CHECK_ERROR(MPI_Info_set(info, "key", longest), MPI_ERR_INFO_VALUE);
	CHECK_ERROR(MPI_Info_set(info, "key", ""), MPI_ERR_INFO_VALUE);
	CHECK_ERROR(MPI_Info_set(info, longest, "value"), MPI_ERR_INFO_KEY);
	CHECK_ERROR(MPI_Info_set(info, "", "value"), MPI_ERR_INFO_KEY);
	CHECK_ERROR(MPI_Info_delete(info, "fourth"), MPI_ERR_INFO_NOKEY);
	CHECK_ERROR(MPI_Info_get_nthkey(info, 2, key), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Info_get_nthkey(info, -1, key), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Info_get(info, "first", -1, key, &flag), MPI_ERR_ARG);
	CHECK_ERROR(MPI_Info_get_nkeys(MPI_INFO_NULL, &n), MPI_ERR_INFO);
	CHECK_ERROR(MPI_Info_set(MPI_INFO_NULL, "key", "value"), MPI_ERR_INFO);
	CHECK_ERROR(MPI_Info_free(&none), MPI_ERR_INFO);
	CHECK_ERROR(MPI_Info_set(MPI_INFO_ENV, "key", "value"), MPI_ERR_INFO);
	none = MPI_INFO_ENV;
	CHECK_ERROR(MPI_Info_free(&none), MPI_ERR_INFO);
	CHECK(MPI_Info_get_nkeys(MPI_INFO_ENV, &n) == 0);
}

int main(int argc, char **argv)
{
	MPI_Info info;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	CHECK(MPI_Info_create(&info) == 0);
	values(info);
	copies(info);
	bad(info);
	CHECK(MPI_Info_free(&info) == 0 && info == MPI_INFO_NULL);
	MPI_Finalize();
	return 0;
}
