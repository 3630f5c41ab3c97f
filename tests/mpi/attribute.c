/* attribute.c - attributes of communicators and datatypes: copied, deleted, refused, predefined. */
#include <limits.h>

#include "check.h"

static int copies, drops, order[8], n_order;
static bool refuse;

static int copy_double(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
	CHECK(state == &copies && key != MPI_KEYVAL_INVALID && comm == MPI_COMM_WORLD);
	copies++;
	*(void **)out = (char *)in + 1000;
	*flag = in != NULL;
	return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int drop_count(MPI_Comm comm, int key, void *value, void *state)
{
	CHECK(state == &copies);
	drops++;
	if (n_order < 8)
		order[n_order++] = (int)(intptr_t)value;
	return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static intptr_t value_of(MPI_Comm comm, int key)
{
	void *value;
	int flag;

	CHECK(MPI_Comm_get_attr(comm, key, &value, &flag) == 0);
	return flag ? (intptr_t)value : -1;
}

static void of_communicators(void)
{
	int key, copied, alias;
	MPI_Comm dup;

	CHECK(MPI_Comm_create_keyval(copy_double, drop_count, &key, &copies) == 0);
	CHECK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &copied, NULL) == 0);
	CHECK(value_of(MPI_COMM_WORLD, key) == -1);
	CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)1) == 0);
	CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, copied, (void *)2) == 0);
	CHECK(value_of(MPI_COMM_WORLD, key) == 1 && value_of(MPI_COMM_SELF, key) == -1);
	CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)3) == 0 && drops == 1);
	CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == 0 && copies == 1);
	CHECK(value_of(dup, key) == 1003 && value_of(dup, copied) == 2);
	/* A key value that has been freed lives on in attributes. */
	alias = key;
	CHECK(MPI_Comm_free_keyval(&key) == 0 && key == MPI_KEYVAL_INVALID);
	CHECK(value_of(dup, alias) == 1003);
	CHECK(MPI_Comm_free(&dup) == 0 && drops == 2);
	CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, alias) == 0 && drops == 3);
	CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_WORLD, alias, NULL), MPI_ERR_KEYVAL);
	CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, copied) == 0);
	CHECK_ERROR(MPI_Comm_delete_attr(MPI_COMM_WORLD, copied), MPI_ERR_KEYVAL);
	CHECK(MPI_Comm_free_keyval(&copied) == 0);
}

/* A function of the program's that fails: nothing is deleted, no duplicate is made. */
static void refused(void)
{
	MPI_Comm dup;
	int key;

	CHECK(MPI_Keyval_create(copy_double, drop_count, &key, &copies) == 0);
	CHECK(MPI_Attr_put(MPI_COMM_WORLD, key, (void *)5) == 0);
	refuse = true;
	CHECK_ERROR(MPI_Comm_dup(MPI_COMM_WORLD, &dup), MPI_ERR_OTHER);
	CHECK(dup == MPI_COMM_NULL);
	CHECK_ERROR(MPI_Attr_delete(MPI_COMM_WORLD, key), MPI_ERR_OTHER);
	CHECK(value_of(MPI_COMM_WORLD, key) == 5);
	refuse = false;
	CHECK(MPI_Attr_delete(MPI_COMM_WORLD, key) == 0);
	CHECK(value_of(MPI_COMM_WORLD, key) == -1);
	CHECK(MPI_Keyval_free(&key) == 0);
}

/* A function that deletes its attribute and sets it anew. */
static int set_anew(MPI_Comm comm, int key, void *value, void *state)
{
	static bool inside;

	drops++;
	if (inside)
		return MPI_SUCCESS;
	inside = true;
	CHECK(MPI_Comm_delete_attr(comm, key) == 0 && value_of(comm, key) == -1);
	CHECK(MPI_Comm_set_attr(comm, key, (char *)value + 1) == 0);
	inside = false;
	return MPI_SUCCESS;
}

/* The attribute that is set anew stays, unless another value is set, or the object ends. */
static void anew(void)
{
	MPI_Comm dup;
	int key;

	CHECK(MPI_Comm_dup(MPI_COMM_SELF, &dup) == 0);
	CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, set_anew, &key, NULL) == 0);
	CHECK(MPI_Comm_set_attr(dup, key, (void *)5) == 0);
	drops = 0;
	CHECK(MPI_Comm_delete_attr(dup, key) == 0 && drops == 2 && value_of(dup, key) == 6);
	CHECK(MPI_Comm_set_attr(dup, key, (void *)9) == 0 && drops == 4);
	CHECK(value_of(dup, key) == 9);
	CHECK(MPI_Comm_free(&dup) == 0 && dup == MPI_COMM_NULL && drops == 6);
	CHECK(MPI_Comm_free_keyval(&key) == 0);
}

/* Those of an object end in the reverse order. */
static void ordered(void)
{
	MPI_Comm dup;
	int keys[3];

	MPI_Comm_dup(MPI_COMM_SELF, &dup);
	n_order = 0;
	for (int i = 0; i < 3; i++) {
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_count, &keys[i], &copies);
		MPI_Comm_set_attr(dup, keys[i], (void *)(intptr_t)(i + 1));
		MPI_Comm_free_keyval(&keys[i]);
	}
	MPI_Comm_free(&dup);
	CHECK(n_order == 3 && order[0] == 3 && order[1] == 2 && order[2] == 1);
}

static void predefined(void)
{
	int *value, flag;

	CHECK(MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag) == 0 && flag);
	CHECK(*value >= 32767);
	CHECK(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, *value, MPI_COMM_WORLD) == 0);
	CHECK(MPI_Comm_get_attr(MPI_COMM_SELF, MPI_WTIME_IS_GLOBAL, &value, &flag) == 0 && flag);
	CHECK(*value == 1);
	CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag) == 0 && flag);
	CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag) == 0 && flag);
	CHECK(*value == MPI_PROC_NULL);
	CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag) == 0 && flag);
	CHECK(*value == size_of(MPI_COMM_WORLD));
	CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag) == 0 && flag);
	CHECK(*value == 0);
	CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag) == 0 && flag);
	CHECK(*value >= MPI_ERR_LASTCODE);
	CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, NULL), MPI_ERR_KEYVAL);
}

static int copy_type(MPI_Datatype type, int key, void *state, void *in, void *out, int *flag)
{
	CHECK(type != MPI_DATATYPE_NULL && key != MPI_KEYVAL_INVALID && state == NULL);
	*(void **)out = in;
	*flag = 1;
	copies++;
	return MPI_SUCCESS;
}

static int drop_type(MPI_Datatype type, int key, void *value, void *state)
{
	CHECK(type != MPI_DATATYPE_NULL && key != MPI_KEYVAL_INVALID && value && !state);
	drops++;
	return MPI_SUCCESS;
}

static void of_types(void)
{
	MPI_Datatype type, dup;
	int key, flag;
	void *value;

	copies = drops = 0;
	CHECK(MPI_Type_create_keyval(copy_type, drop_type, &key, NULL) == 0);
	MPI_Type_contiguous(3, MPI_INT, &type);
	CHECK(MPI_Type_set_attr(type, key, &copies) == 0);
	CHECK(MPI_Type_dup(type, &dup) == 0 && copies == 1);
	CHECK(MPI_Type_get_attr(dup, key, &value, &flag) == 0 && flag && value == &copies);
	CHECK(MPI_Type_get_attr(MPI_INT, key, &value, &flag) == 0 && !flag);
	CHECK(MPI_Type_delete_attr(dup, key) == 0 && drops == 1);
	CHECK(MPI_Type_free(&dup) == 0 && MPI_Type_free(&type) == 0 && drops == 2);
	CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL), MPI_ERR_KEYVAL);
	CHECK_ERROR(MPI_Type_set_attr(MPI_DATATYPE_NULL, key, NULL), MPI_ERR_TYPE);
	CHECK(MPI_Type_free_keyval(&key) == 0);
}

static void bad(void)
{
	int key = MPI_KEYVAL_INVALID, flag = 5;
	void *value = &key;

	CHECK_ERROR(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
	CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag), MPI_ERR_KEYVAL);
	CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_WORLD, 12345, &value, &flag), MPI_ERR_KEYVAL);
	CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_NULL, MPI_TAG_UB, &value, &flag), MPI_ERR_COMM);
	CHECK(flag == 5 && value == &key);
}

/* Called for an old value, it deletes the attribute, for which it is called again. */
static int drop_all(MPI_Comm comm, int key, void *value, void *state)
{
	if (++drops == 1)
		CHECK(MPI_Comm_delete_attr(comm, key) == 0);
	return MPI_SUCCESS;
}

static void deleted_by_its_function(void)
{
	int key;

	drops = 0;
	CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_all, &key, NULL) == 0);
	CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)1) == 0);
	CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)2) == 0 && drops == 2);
	CHECK(value_of(MPI_COMM_WORLD, key) == 2);
	CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == 0 && drops == 3);
	CHECK(MPI_Comm_free_keyval(&key) == 0);
}

static int at_end(MPI_Comm comm, int key, void *value, void *state)
{
	*(int *)value = 1;
	return MPI_SUCCESS;
}

/* Those of MPI_COMM_SELF end first of all in MPI_Finalize(). */
int main(int argc, char **argv)
{
	int key, ended = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	of_communicators();
	refused();
	anew();
	ordered();
	predefined();
	of_types();
	bad();
	deleted_by_its_function();
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, &ended);
	MPI_Finalize();
	return ended ? 0 : 1;
}
