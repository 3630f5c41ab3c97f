/* attribute.c - key values, and the attributes of communicators, datatypes and windows. */
#include <stdlib.h>
#include <string.h>

#include "type.h"
#include "window.h"

/* The kind of object that a key value is for. */
enum owner { COMM, TYPE, WIN };

/* The program's functions: for datatypes and windows they are called as for communicators. */
typedef int copy_function(void *, int, void *, void *, void *, int *);
typedef int drop_function(void *, int, void *, void *);

/* A key value lives until it is freed and no attribute has it. */
struct keyval {
	enum owner of;
	bool freed;
	int references;
	copy_function *copy;
	drop_function *drop;
	void *state;
};

/* An attribute of an object. The newest is the first in the list, and the first to end. */
struct co_mpi_attribute {
	struct co_mpi_attribute *next;
	int keyval;
	void *value;
};

/* Smaller numbers are of predefined attributes. */
#define FIRST 64

static struct keyval **keyvals; /* NULL: a free entry */
static int n_keyvals;

static const char *const names[] = { "a communicator's", "a datatype's", "a window's" };

static int check_keyval(enum owner of, int keyval)
{
	int i = keyval - FIRST;

	if (keyval == MPI_KEYVAL_INVALID)
		return co_mpi_say(MPI_ERR_KEYVAL, "MPI_KEYVAL_INVALID");
	if (keyval > 0 && keyval < FIRST)
		return co_mpi_say(MPI_ERR_KEYVAL, "%d is predefined", keyval);
	if (i < 0 || i >= n_keyvals || !keyvals[i] || keyvals[i]->of != of)
		return co_mpi_say(MPI_ERR_KEYVAL, "%d is none of %s", keyval, names[of]);
	return MPI_SUCCESS;
}

static struct keyval *keyval_of(int keyval)
{
	return keyvals[keyval - FIRST];
}

static void put_keyval(int keyval)
{
	struct keyval *k = keyval_of(keyval);

	if (--k->references)
		return;
	free(k);
	keyvals[keyval - FIRST] = NULL;
}

/* The index of a free entry of keyvals; -1: no memory. */
static int place(void)
{
	struct keyval **more;
	int i = 0;

	while (i < n_keyvals && keyvals[i])
		i++;
	if (i < n_keyvals)
		return i;
	more = realloc(keyvals, sizeof(*more) * (size_t)(n_keyvals + 1));
	if (!more)
		return -1;
	keyvals = more;
	keyvals[n_keyvals++] = NULL;
	return i;
}

static int create_keyval(enum owner of, copy_function *copy, drop_function *drop, int *keyval,
			 void *state)
{
	struct keyval *k = calloc(1, sizeof(*k));
	int i = k ? place() : -1;

	if (i < 0) {
		free(k);
		return MPI_ERR_NO_MEM;
	}
	*k = (struct keyval){
		.of = of, .references = 1, .copy = copy, .drop = drop, .state = state
	};
	keyvals[i] = k;
	*keyval = FIRST + i;
	return MPI_SUCCESS;
}

static int free_keyval(enum owner of, int *keyval)
{
	int r = check_keyval(of, *keyval);

	if (r)
		return r;
	/* The program may free it again by a copy of its number, while attributes have it. */
	if (!keyval_of(*keyval)->freed) {
		keyval_of(*keyval)->freed = true;
		put_keyval(*keyval);
	}
	*keyval = MPI_KEYVAL_INVALID;
	return MPI_SUCCESS;
}

/* ---- Attributes ---- */

static struct co_mpi_attribute **find_attribute(struct co_mpi_attribute **list, int keyval)
{
	while (*list && (*list)->keyval != keyval)
		list = &(*list)->next;
	return list;
}

/* Call the program's function for the end of an attribute: it may refuse. */
static int drop_attribute(void *handle, struct co_mpi_attribute *a)
{
	struct keyval *k = keyval_of(a->keyval);
	int keyval = a->keyval;
	int r = k->drop ? k->drop(handle, keyval, a->value, k->state) : MPI_SUCCESS;

	return r ? co_mpi_say(r, "its function for the end of attribute %d failed", keyval) : r;
}

/* End an attribute. The program's function may change the list: look for the attribute again. */
static int end(void *handle, struct co_mpi_attribute **list, struct co_mpi_attribute *a)
{
	int r = drop_attribute(handle, a);

	if (r)
		return r;
	while (*list && *list != a)
		list = &(*list)->next;
	if (!*list)
		return MPI_SUCCESS;
	*list = a->next;
	put_keyval(a->keyval);
	free(a);
	return MPI_SUCCESS;
}

int co_mpi_attributes_free(void *handle, struct co_mpi_attribute **list)
{
	int r = MPI_SUCCESS;

	while (*list && !r)
		r = end(handle, list, *list);
	return r;
}

/* The new list is in the order of the old one. */
int co_mpi_attributes_copy(void *handle, struct co_mpi_attribute *from,
			   struct co_mpi_attribute **to)
{
	/* The program's function may delete the attribute. */
	for (struct co_mpi_attribute *next; from; from = next) {
		int keyval = from->keyval;
		struct keyval *k = keyval_of(keyval);
		struct co_mpi_attribute *a;
		void *value = NULL;
		int flag = 0, r;

		next = from->next;
		r = k->copy ? k->copy(handle, keyval, k->state, from->value, &value, &flag)
			    : MPI_SUCCESS;
		if (r)
			return co_mpi_say(r, "its function to copy attribute %d failed", keyval);
		if (!flag)
			continue;
		a = malloc(sizeof(*a));
		if (!a)
			return MPI_ERR_NO_MEM;
		*a = (struct co_mpi_attribute){ .keyval = keyval, .value = value };
		k->references++;
		*to = a;
		to = &a->next;
	}
	return MPI_SUCCESS;
}

int co_mpi_copy_always(MPI_Comm comm, int keyval, void *state, void *from, void *to, int *flag)
{
	(void)comm;
	(void)keyval;
	(void)state;
	memcpy(to, &from, sizeof(from));
	*flag = 1;
	return MPI_SUCCESS;
}

/* ---- Of an object ---- */

/*
 * Find an object's list of attributes. A datatype has one before it is committed, too. Returns a
 * class.
 */
static int list_of(enum owner of, void *handle, struct co_mpi_attribute ***list)
{
	int r = of == COMM   ? co_mpi_check_comm(handle)
		: of == TYPE ? co_mpi_check_made(handle)
			     : co_mpi_check_win(handle);

	if (!r)
		*list = of == COMM   ? &((MPI_Comm)handle)->attributes
			: of == TYPE ? &((MPI_Datatype)handle)->attributes
				     : &((MPI_Win)handle)->attributes;
	return r;
}

static int set_attribute(enum owner of, void *handle, int keyval, void *value)
{
	struct co_mpi_attribute **list, *a;
	int r = list_of(of, handle, &list);

	if (!r)
		r = check_keyval(of, keyval);
	a = r ? NULL : *find_attribute(list, keyval);
	if (a)
		r = drop_attribute(handle, a);
	if (!r && a) /* the program's function may have ended both */
		r = check_keyval(of, keyval);
	if (r)
		return r;
	a = *find_attribute(list, keyval);
	if (!a) {
		a = malloc(sizeof(*a));
		if (!a)
			return MPI_ERR_NO_MEM;
		*a = (struct co_mpi_attribute){ .next = *list, .keyval = keyval };
		*list = a;
		keyval_of(keyval)->references++;
	}
	a->value = value;
	return MPI_SUCCESS;
}

/*
 * The value of a predefined attribute: its address, except for MPI_WIN_BASE, an address itself.
 * False: `keyval` is not predefined for this kind of object.
 */
static bool predefined(enum owner of, void *handle, int keyval, void **value)
{
	static int tag_max = CO_MPI_TAG_MAX, none = MPI_PROC_NULL, any = MPI_ANY_SOURCE, yes = 1,
		   first;
	static int *const of_comm[] = {
		[MPI_TAG_UB] = &tag_max,
		[MPI_HOST] = &none,
		[MPI_IO] = &any,
		[MPI_WTIME_IS_GLOBAL] = &yes,
		[MPI_UNIVERSE_SIZE] = &co_mpi.ranks,
		[MPI_APPNUM] = &first,
		[MPI_LASTUSEDCODE] = &co_mpi_last_code,
	};
	MPI_Win win = handle;

	if (of == COMM && keyval >= MPI_TAG_UB && keyval <= MPI_LASTUSEDCODE) {
		*value = of_comm[keyval];
		return true;
	}
	if (of != WIN || keyval < MPI_WIN_BASE || keyval > MPI_WIN_MODEL)
		return false;
	*value = keyval == MPI_WIN_BASE        ? win->base
		 : keyval == MPI_WIN_SIZE      ? (void *)&win->bytes
		 : keyval == MPI_WIN_DISP_UNIT ? &win->unit
		 : keyval == MPI_WIN_MODEL     ? &win->model
					       : &win->flavor;
	return true;
}

static int get_attribute(enum owner of, void *handle, int keyval, void *value, int *flag)
{
	struct co_mpi_attribute **list, *a = NULL;
	int r = list_of(of, handle, &list);
	void *v = NULL;
	bool known = !r && predefined(of, handle, keyval, &v);

	if (!r && !known)
		r = check_keyval(of, keyval);
	if (r)
		return r;
	if (!known)
		a = *find_attribute(list, keyval);
	if (a)
		v = a->value;
	*flag = known || a;
	if (*flag)
		memcpy(value, &v, sizeof(v));
	return MPI_SUCCESS;
}

static int delete_attribute(enum owner of, void *handle, int keyval)
{
	struct co_mpi_attribute **list;
	int r = list_of(of, handle, &list);

	if (!r)
		r = check_keyval(of, keyval);
	if (!r && !*find_attribute(list, keyval))
		r = co_mpi_say(MPI_ERR_KEYVAL, "it has no attribute %d", keyval);
	return r ? r : end(handle, list, *find_attribute(list, keyval));
}

/* ---- The calls ---- */

CO_MPI_DEFINE(Comm_create_keyval, MPI_Comm_copy_attr_function *copy,
	      MPI_Comm_delete_attr_function *drop, int *keyval, void *state)
{
	return co_mpi_error(
		NULL, __func__,
		create_keyval(COMM, (copy_function *)copy, (drop_function *)drop, keyval, state));
}

CO_MPI_DEFINE(Comm_free_keyval, int *keyval)
{
	return co_mpi_error(NULL, __func__, free_keyval(COMM, keyval));
}

CO_MPI_DEFINE(Comm_set_attr, MPI_Comm comm, int keyval, void *value)
{
	return co_mpi_error(comm, __func__, set_attribute(COMM, comm, keyval, value));
}

CO_MPI_DEFINE(Comm_get_attr, MPI_Comm comm, int keyval, void *value, int *flag)
{
	return co_mpi_error(comm, __func__, get_attribute(COMM, comm, keyval, value, flag));
}

CO_MPI_DEFINE(Comm_delete_attr, MPI_Comm comm, int keyval)
{
	return co_mpi_error(comm, __func__, delete_attribute(COMM, comm, keyval));
}

CO_MPI_DEFINE(Type_create_keyval, MPI_Type_copy_attr_function *copy,
	      MPI_Type_delete_attr_function *drop, int *keyval, void *state)
{
	return co_mpi_error(
		NULL, __func__,
		create_keyval(TYPE, (copy_function *)copy, (drop_function *)drop, keyval, state));
}

CO_MPI_DEFINE(Type_free_keyval, int *keyval)
{
	return co_mpi_error(NULL, __func__, free_keyval(TYPE, keyval));
}

CO_MPI_DEFINE(Type_set_attr, MPI_Datatype type, int keyval, void *value)
{
	return co_mpi_error(NULL, __func__, set_attribute(TYPE, type, keyval, value));
}

CO_MPI_DEFINE(Type_get_attr, MPI_Datatype type, int keyval, void *value, int *flag)
{
	return co_mpi_error(NULL, __func__, get_attribute(TYPE, type, keyval, value, flag));
}

CO_MPI_DEFINE(Type_delete_attr, MPI_Datatype type, int keyval)
{
	return co_mpi_error(NULL, __func__, delete_attribute(TYPE, type, keyval));
}

CO_MPI_DEFINE(Win_create_keyval, MPI_Win_copy_attr_function *copy,
	      MPI_Win_delete_attr_function *drop, int *keyval, void *state)
{
	return co_mpi_error(
		NULL, __func__,
		create_keyval(WIN, (copy_function *)copy, (drop_function *)drop, keyval, state));
}

CO_MPI_DEFINE(Win_free_keyval, int *keyval)
{
	return co_mpi_error(NULL, __func__, free_keyval(WIN, keyval));
}

CO_MPI_DEFINE(Win_set_attr, MPI_Win win, int keyval, void *value)
{
	return co_mpi_win_error(win, __func__, set_attribute(WIN, win, keyval, value));
}

CO_MPI_DEFINE(Win_get_attr, MPI_Win win, int keyval, void *value, int *flag)
{
	return co_mpi_win_error(win, __func__, get_attribute(WIN, win, keyval, value, flag));
}

CO_MPI_DEFINE(Win_delete_attr, MPI_Win win, int keyval)
{
	return co_mpi_win_error(win, __func__, delete_attribute(WIN, win, keyval));
}

CO_MPI_OLD_NAME(Keyval_create, Comm_create_keyval);
CO_MPI_OLD_NAME(Keyval_free, Comm_free_keyval);
CO_MPI_OLD_NAME(Attr_put, Comm_set_attr);
CO_MPI_OLD_NAME(Attr_get, Comm_get_attr);
CO_MPI_OLD_NAME(Attr_delete, Comm_delete_attr);
