/* attribute.c - key values, and the attributes of communicators, datatypes and windows. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* A key value lives until it is freed and no attribute has it. */
struct keyval {
	enum co_mpi_owner of;
	bool freed;
	int references;
	co_mpi_copy_function *copy;
	co_mpi_delete_function *drop;
	void *state;
};

/* An attribute of an object. The newest is the first in the list, and the first to end. */
struct co_mpi_attribute {
	struct co_mpi_attribute *next;
	int keyval;
	unsigned number; /* of the call that has set it: no two have one number */
	void *value;
};

/* Smaller numbers are of predefined attributes. */
#define FIRST 64

static struct keyval **keyvals; /* NULL: a free entry */
static int n_keyvals;
static unsigned n_set;

static const char *const names[] = { "a communicator's", "a datatype's", "a window's" };

static int check_keyval(enum co_mpi_owner of, int keyval)
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

int co_mpi_keyval_create(enum co_mpi_owner of, co_mpi_copy_function *copy,
			 co_mpi_delete_function *drop, int *keyval, void *state)
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

int co_mpi_keyval_free(enum co_mpi_owner of, int *keyval)
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

static void remove_attribute(struct co_mpi_attribute **at)
{
	struct co_mpi_attribute *a = *at;

	*at = a->next;
	put_keyval(a->keyval);
	free(a);
}

/*
 * End an attribute. The program's function may change the list, and delete this attribute and set
 * it anew: the new one stays.
 */
static int end(void *handle, struct co_mpi_attribute **list, struct co_mpi_attribute *a)
{
	unsigned number = a->number;
	int keyval = a->keyval;
	int r = drop_attribute(handle, a);

	list = find_attribute(list, keyval);
	if (!r && *list && (*list)->number == number)
		remove_attribute(list);
	return r;
}

/* Attributes that are set meanwhile, by functions of the program, end without them. */
int co_mpi_attributes_free(void *handle, struct co_mpi_attribute **list)
{
	unsigned last = n_set;
	int r = MPI_SUCCESS;

	while (*list && !r) {
		if ((*list)->number - last - 1 < UINT_MAX / 2)
			remove_attribute(list);
		else
			r = end(handle, list, *list);
	}
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
		*a = (struct co_mpi_attribute){ .keyval = keyval,
						.number = ++n_set,
						.value = value };
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

int co_mpi_attribute_set(enum co_mpi_owner of, void *handle, struct co_mpi_attribute **list,
			 int keyval, void *value)
{
	struct co_mpi_attribute *a;
	int r = check_keyval(of, keyval);

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
	a->number = ++n_set;
	a->value = value;
	return MPI_SUCCESS;
}

int co_mpi_attribute_get(enum co_mpi_owner of, struct co_mpi_attribute *list, int keyval,
			 void *value, int *flag)
{
	int r = check_keyval(of, keyval);
	const struct co_mpi_attribute *a;

	if (r)
		return r;
	a = *find_attribute(&list, keyval);
	*flag = a != NULL;
	if (a)
		memcpy(value, &a->value, sizeof(a->value));
	return MPI_SUCCESS;
}

int co_mpi_attribute_delete(enum co_mpi_owner of, void *handle, struct co_mpi_attribute **list,
			    int keyval)
{
	int r = check_keyval(of, keyval);

	if (!r && !*find_attribute(list, keyval))
		r = co_mpi_say(MPI_ERR_KEYVAL, "it has no attribute %d", keyval);
	return r ? r : end(handle, list, *find_attribute(list, keyval));
}
