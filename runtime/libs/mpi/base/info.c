/* info.c - infos: keys with values, in the order in which they were set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

struct pair {
	struct pair *next;
	char *key, *value;
};

struct co_mpi_info {
	enum co_mpi_magic magic;
	struct pair *pairs;
};

struct co_mpi_info co_mpi_env = { .magic = CO_MPI_IS_INFO };

/* Infos are used before MPI_Init(), too. */
static int check_given(MPI_Info info)
{
	if (co_mpi_is(info, CO_MPI_IS_INFO))
		return MPI_SUCCESS;
	return co_mpi_say(MPI_ERR_INFO, "%s", info ? "no info" : "MPI_INFO_NULL");
}

static int check_key(MPI_Info info, const char *key)
{
	int r = check_given(info);
	size_t n = !r && key ? strlen(key) : 0;

	if (!r && (n == 0 || n > MPI_MAX_INFO_KEY))
		r = co_mpi_say(MPI_ERR_INFO_KEY, "a key of %zu characters", n);
	return r;
}

/* The link to the pair with this key, or the end of the list. */
static struct pair **find_pair(MPI_Info info, const char *key)
{
	struct pair **at = &info->pairs;

	while (*at && strcmp((*at)->key, key) != 0)
		at = &(*at)->next;
	return at;
}

static void free_pair(struct pair *p)
{
	if (!p)
		return;
	free(p->key);
	free(p->value);
	free(p);
}

static void free_info(MPI_Info info)
{
	while (info->pairs) {
		struct pair *p = info->pairs;

		info->pairs = p->next;
		free_pair(p);
	}
	co_mpi_unmark(&info->magic);
	free(info);
}

static int set_pair(MPI_Info info, const char *key, const char *value)
{
	struct pair **at = find_pair(info, key), *p = calloc(1, sizeof(*p));

	if (p) {
		p->key = strdup(key);
		p->value = strdup(value);
	}
	if (!p || !p->key || !p->value) {
		free_pair(p);
		return MPI_ERR_NO_MEM;
	}
	if (*at) {
		p->next = (*at)->next;
		free_pair(*at);
	}
	*at = p;
	return MPI_SUCCESS;
}

int co_mpi_check_info(MPI_Info info)
{
	return info ? check_given(info) : MPI_SUCCESS;
}

static MPI_Info new_info(void)
{
	MPI_Info info = calloc(1, sizeof(*info));

	if (info)
		info->magic = CO_MPI_IS_INFO;
	return info;
}

MPI_Info co_mpi_info_copy(MPI_Info info)
{
	MPI_Info copy = co_mpi_is(info, CO_MPI_IS_INFO) ? new_info() : NULL;

	for (struct pair *p = copy ? info->pairs : NULL; p; p = p->next) {
		if (set_pair(copy, p->key, p->value)) {
			free_info(copy);
			return NULL;
		}
	}
	return copy;
}

void co_mpi_info_put(MPI_Info info)
{
	if (info)
		free_info(info);
}

int co_mpi_info_set(MPI_Info *at, MPI_Info info)
{
	int r = co_mpi_check_info(info);
	MPI_Info copy = r ? NULL : co_mpi_info_copy(info);

	if (!r && info && !copy)
		r = MPI_ERR_NO_MEM;
	if (r)
		return r;
	co_mpi_info_put(*at);
	*at = copy;
	return MPI_SUCCESS;
}

int co_mpi_info_get(MPI_Info of, MPI_Info *info)
{
	MPI_Info copy = of ? co_mpi_info_copy(of) : new_info();

	if (!copy)
		return MPI_ERR_NO_MEM;
	*info = copy;
	return MPI_SUCCESS;
}

/* ---- The calls ---- */

CO_MPI_DEFINE(Info_create, MPI_Info *info)
{
	return co_mpi_error(NULL, __func__, co_mpi_info_get(NULL, info));
}

CO_MPI_DEFINE(Info_set, MPI_Info info, const char *key, const char *value)
{
	int r = check_key(info, key);
	size_t n = !r && value ? strlen(value) : 0;

	if (!r && info == MPI_INFO_ENV)
		r = co_mpi_say(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
	if (!r && (n == 0 || n > MPI_MAX_INFO_VAL))
		r = co_mpi_say(MPI_ERR_INFO_VALUE, "a value of %zu characters", n);
	return co_mpi_error(NULL, __func__, r ? r : set_pair(info, key, value));
}

CO_MPI_DEFINE(Info_get, MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
	int r = check_key(info, key);
	const struct pair *p = r ? NULL : *find_pair(info, key);

	if (!r && valuelen < 0)
		r = co_mpi_say(MPI_ERR_ARG, "room for %d characters", valuelen);
	if (r)
		return co_mpi_error(NULL, __func__, r);
	*flag = p != NULL;
	if (p)
		snprintf(value, (size_t)valuelen + 1, "%s", p->value);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Info_get_valuelen, MPI_Info info, const char *key, int *valuelen, int *flag)
{
	int r = check_key(info, key);
	const struct pair *p = r ? NULL : *find_pair(info, key);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	*flag = p != NULL;
	if (p)
		*valuelen = (int)strlen(p->value);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Info_get_nkeys, MPI_Info info, int *nkeys)
{
	int r = check_given(info);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	*nkeys = 0;
	for (const struct pair *p = info->pairs; p; p = p->next)
		++*nkeys;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Info_get_nthkey, MPI_Info info, int n, char *key)
{
	int r = check_given(info), i = 0;
	const struct pair *p = r ? NULL : info->pairs;

	for (; p && i < n; i++)
		p = p->next;
	if (!r && (n < 0 || !p))
		r = co_mpi_say(MPI_ERR_ARG, "key %d of %d", n, i);
	if (!r)
		snprintf(key, MPI_MAX_INFO_KEY + 1, "%s", p->key);
	return co_mpi_error(NULL, __func__, r);
}

CO_MPI_DEFINE(Info_delete, MPI_Info info, const char *key)
{
	int r = check_key(info, key);
	struct pair **at = r ? NULL : find_pair(info, key), *p;

	if (!r && !*at)
		r = co_mpi_say(MPI_ERR_INFO_NOKEY, "%s", key);
	if (r)
		return co_mpi_error(NULL, __func__, r);
	p = *at;
	*at = p->next;
	free_pair(p);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Info_dup, MPI_Info info, MPI_Info *newinfo)
{
	int r = check_given(info);

	return co_mpi_error(NULL, __func__, r ? r : co_mpi_info_get(info, newinfo));
}

CO_MPI_DEFINE(Info_free, MPI_Info *info)
{
	int r = check_given(*info);

	if (!r && *info == MPI_INFO_ENV)
		r = co_mpi_say(MPI_ERR_INFO, "MPI_INFO_ENV cannot be freed");
	if (r)
		return co_mpi_error(NULL, __func__, r);
	free_info(*info);
	*info = MPI_INFO_NULL;
	return MPI_SUCCESS;
}
