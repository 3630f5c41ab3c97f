/* make.c - communicators made of others: duplicates, parts. */
#include <stdlib.h>

#include "../p2p/p2p.h"
#include "make.h"

/* A communicator without a context; NULL: no memory. */
static MPI_Comm new_comm(MPI_Comm like, MPI_Group group, MPI_Group remote)
{
	MPI_Comm c = co_mpi_near_take(sizeof(*c));

	if (!c) {
		co_mpi_group_put(group);
		co_mpi_group_put(remote);
		return NULL;
	}
	*c = (struct co_mpi_comm){ .magic = CO_MPI_IS_COMM, .references = 1 };
	co_mpi_comm_set_groups(c, group, remote);
	c->local_leads = remote && like->local_leads;
	c->errhandler = co_mpi_errhandler_get(like->errhandler);
	return c;
}

int co_mpi_comm_with(MPI_Comm like, MPI_Group group, MPI_Group remote, uint32_t context,
		     MPI_Comm *made)
{
	MPI_Comm c = new_comm(like, group, remote);
	int r = c ? co_mpi_context_used(context) : MPI_ERR_NO_MEM;

	if (r) {
		co_mpi_comm_put(c);
		return r;
	}
	c->context = context;
	*made = c;
	return MPI_SUCCESS;
}

int co_mpi_all_have(MPI_Comm comm, int error, MPI_Comm *made)
{
	error = co_mpi_error_of_all(comm, error);
	if (error) {
		co_mpi_comm_put(*made);
		*made = MPI_COMM_NULL;
	}
	return error;
}

/* ---- Duplicates ---- */

static int context_came(void *arg)
{
	return ((MPI_Comm)arg)->context ? MPI_SUCCESS : co_mpi_context_used(0);
}

/* Send the context of a duplicate from the first rank (of the side that leads) to all. */
static void fill_context(struct co_mpi_schedule *s, MPI_Comm comm, MPI_Comm dup)
{
	bool first = comm->rank == 0 && (!comm->remote || comm->local_leads);

	if (first)
		dup->context = co_mpi_context();
	if (comm->remote && comm->rank == 0) {
		if (comm->local_leads)
			co_mpi_schedule_send(s, &dup->context, 1, MPI_UINT32_T, 0);
		else
			co_mpi_schedule_recv(s, &dup->context, 1, MPI_UINT32_T, 0);
		co_mpi_schedule_then(s);
	}
	co_mpi_schedule_local(s, true);
	co_mpi_fill_bcast(s, comm->rank, comm->group->size, &dup->context, 1, MPI_UINT32_T, 0);
	co_mpi_schedule_then(s);
	co_mpi_schedule_call(s, context_came, dup);
}

/* Make a duplicate without its context and attributes. */
static int new_dup(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
	MPI_Comm dup;

	dup = new_comm(comm, co_mpi_group_get(comm->group), co_mpi_group_get(comm->remote));
	if (!dup)
		return MPI_ERR_NO_MEM;
	dup->topology = comm->topology;
	if (dup->topology)
		dup->topology->references++;
	dup->info = co_mpi_info_copy(info);
	if (info && !dup->info) {
		co_mpi_comm_put(dup);
		return MPI_ERR_NO_MEM;
	}
	*made = dup;
	return MPI_SUCCESS;
}

/*
 * Duplicate comm with `info`, or with comm's own (NULL). The functions of attributes may use
 * neither communicator.
 */
static int duplicate(MPI_Comm comm, const MPI_Info *info, MPI_Comm *made, MPI_Request *request)
{
	struct co_mpi_schedule *s;
	MPI_Comm dup = NULL;
	int r = co_mpi_check_comm(comm), copied;

	if (r)
		return r;
	*made = MPI_COMM_NULL;
	if (info)
		r = co_mpi_check_info(*info);
	if (!r)
		r = new_dup(comm, info ? *info : comm->info, &dup);
	copied = r ? r : co_mpi_attributes_copy(comm, comm->attributes, &dup->attributes);
	if (!request) /* MPI_Comm_idup() does not wait for others */
		r = copied = co_mpi_error_of_all(comm, copied);
	if (!r && dup) {
		s = co_mpi_schedule_new(comm, !request);
		if (s)
			fill_context(s, comm, dup);
		r = co_mpi_schedule_run(s, request);
	}
	if (!r && !copied) {
		*made = dup;
		return MPI_SUCCESS;
	}
	/* A duplication that is under way still writes to `dup`. */
	if (dup && (!request || r)) {
		(void)co_mpi_attributes_free(dup, &dup->attributes); /* copied before the error */
		co_mpi_comm_put(dup);
	}
	return r ? r : copied;
}

CO_MPI_DEFINE(Comm_dup, MPI_Comm comm, MPI_Comm *newcomm)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_error(comm, __func__, duplicate(comm, NULL, newcomm, NULL));
}

CO_MPI_DEFINE(Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_error(comm, __func__, duplicate(comm, &info, newcomm, NULL));
}

CO_MPI_DEFINE(Comm_idup, MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_error(comm, __func__, duplicate(comm, NULL, newcomm, request));
}

/* ---- Of a group ---- */

/*
 * A context for the ranks of a group: the errors of all ranks go up a binomial tree to the first
 * rank, which hands out a context if all ranks can go on; the context or 0 comes down the tree.
 */
static int agree(MPI_Comm comm, MPI_Group group, uint32_t tag, int error, uint32_t *context)
{
	int me = group->rank, r = MPI_SUCCESS, bit;
	struct {
		uint32_t context;
		int error;
	} said = { 0, error }, theirs;

	for (bit = 1; !r && bit < group->size && !(me & bit); bit <<= 1) {
		if (me + bit >= group->size)
			continue;
		r = co_mpi_recv(&theirs, sizeof(theirs), MPI_BYTE,
				co_mpi_group_world(group, me + bit), tag, comm->context + 1);
		if (!r && !said.error)
			said.error = theirs.error;
	}
	if (!r && me)
		r = co_mpi_send(&said, sizeof(said), MPI_BYTE, co_mpi_group_world(group, me - bit),
				tag, comm->context + 1);
	if (!r && me)
		r = co_mpi_recv(&said, sizeof(said), MPI_BYTE, co_mpi_group_world(group, me - bit),
				tag, comm->context + 1);
	else if (!me && !said.error)
		said.context = co_mpi_context();
	while (!r && (bit >>= 1))
		if (me + bit < group->size)
			r = co_mpi_send(&said, sizeof(said), MPI_BYTE,
					co_mpi_group_world(group, me + bit), tag,
					comm->context + 1);
	*context = said.context;
	if (!r && said.error && !error)
		return co_mpi_say(said.error, "on another rank");
	return r ? r : said.error;
}

int co_mpi_comm_of(MPI_Comm comm, MPI_Group group, uint32_t tag, int error, MPI_Comm *made)
{
	uint32_t context = 0;
	MPI_Comm c;
	int r;

	*made = MPI_COMM_NULL;
	if (group->rank == MPI_UNDEFINED)
		return error;
	c = new_comm(comm, co_mpi_group_get(group), NULL);
	r = agree(comm, group, tag, c || error ? error : MPI_ERR_NO_MEM, &context);
	if (!r)
		r = co_mpi_context_used(context);
	if (r) {
		co_mpi_comm_put(c);
		return r;
	}
	c->context = context;
	*made = c;
	return MPI_SUCCESS;
}

/* Both sides exchange their lists of ranks; if either list is empty there is no communicator. */
static int create_inter(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
	int mine[2] = { group->size, 0 }, theirs[2], *list, *other, r;

	mine[1] = comm->rank == 0 && comm->local_leads ? (int)co_mpi_context() : 0;
	*made = MPI_COMM_NULL;
	r = co_mpi_swap(comm, mine, 2, theirs, 2);
	if (r)
		return r;
	list = co_mpi_group_list(group);
	other = malloc(sizeof(int) * (size_t)(theirs[0] + 1));
	r = co_mpi_error_of_all(comm, list && other ? MPI_SUCCESS : MPI_ERR_NO_MEM);
	if (!r)
		r = co_mpi_swap(comm, list, mine[0], other, theirs[0]);
	if (r) {
		free(list);
		free(other);
		return r;
	}
	if (theirs[0] && group->rank != MPI_UNDEFINED) {
		uint32_t context = (uint32_t)(comm->local_leads ? mine[1] : theirs[1]);
		MPI_Group remote = co_mpi_group_new(theirs[0], other);

		r = remote ? co_mpi_comm_with(comm, co_mpi_group_get(group), remote, context, made)
			   : MPI_ERR_NO_MEM;
	}
	free(list);
	free(other);
	return co_mpi_all_have(comm, r, made);
}

CO_MPI_DEFINE(Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_comm(comm);

	if (!r)
		r = co_mpi_check_part(group, comm->group, co_mpi_comm_name(comm));
	if (!r && comm->remote)
		r = create_inter(comm, group, newcomm);
	else if (!r)
		r = co_mpi_comm_of(comm, group, CO_MPI_TAG_CREATE, MPI_SUCCESS, newcomm);
	return co_mpi_error(comm, __func__, r);
}

CO_MPI_DEFINE(Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
	CO_MPI_SLICE(__func__, (void)0);
	int r = co_mpi_check_intra(comm);

	if (!r)
		r = co_mpi_check_part(group, comm->group, co_mpi_comm_name(comm));
	if (!r)
		r = co_mpi_check_tag(tag);
	if (!r)
		r = co_mpi_comm_of(comm, group, CO_MPI_TAG_GROUP | (uint32_t)tag, MPI_SUCCESS,
				   newcomm);
	return co_mpi_error(comm, __func__, r);
}

/* ---- Parts ---- */

/* The ints that each rank sends; its CONTEXT is used if it is the first rank of its part. */
enum { COLOR, KEY, CONTEXT, SAID };

struct place {
	int key, rank;
};

static int by_key(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank - y->rank;
}

/* The group of the ranks with this color, and the context of its first rank; NULL: no memory. */
static MPI_Group group_of(MPI_Group of, const int (*said)[SAID], int color, uint32_t *context)
{
	struct place *p = malloc(sizeof(*p) * (size_t)(of->size + 1));
	int *world = malloc(sizeof(int) * (size_t)(of->size + 1)), n = 0;
	MPI_Group g = NULL;

	for (int i = 0; i < of->size && p; i++)
		if (said[i][COLOR] == color)
			p[n++] = (struct place){ said[i][KEY], i };
	if (p && world) {
		qsort(p, (size_t)n, sizeof(*p), by_key);
		for (int i = 0; i < n; i++)
			world[i] = co_mpi_group_world(of, p[i].rank);
		g = co_mpi_group_new(n, world);
		*context = n ? (uint32_t)said[p[0].rank][CONTEXT] : 0;
	}
	free(p);
	free(world);
	return g;
}

/* All-gather `said` among the ranks of this side. */
static int say_all(MPI_Comm comm, int (*said)[SAID])
{
	struct co_mpi_schedule *s = co_mpi_schedule_new(comm, true);
	struct co_mpi_blocks all = { .base = said, .count = SAID, .type = MPI_INT };

	if (s) {
		co_mpi_schedule_local(s, true);
		co_mpi_fill_allgather(s, comm->rank, comm->group->size, &all);
	}
	return co_mpi_schedule_run(s, NULL);
}

static int split(MPI_Comm comm, int color, int (*here)[SAID], int (*there)[SAID], MPI_Comm *part)
{
	MPI_Group group, remote = NULL;
	uint32_t context, other = 0;

	group = group_of(comm->group, (const int(*)[SAID])here, color, &context);
	if (comm->remote)
		remote = group_of(comm->remote, (const int(*)[SAID])there, color, &other);
	if (!group || (comm->remote && !remote)) {
		co_mpi_group_put(group);
		co_mpi_group_put(remote);
		return MPI_ERR_NO_MEM;
	}
	if (remote && !remote->size) {
		co_mpi_group_put(group);
		return MPI_SUCCESS;
	}
	if (remote && !comm->local_leads)
		context = other;
	return co_mpi_comm_with(comm, group, remote, context, part);
}

int co_mpi_comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
	int n = comm->group->size, m = comm->remote ? comm->remote->size : 0, r;
	int(*here)[SAID] = calloc((size_t)n, sizeof(*here));
	int(*there)[SAID] = calloc((size_t)m + 1, sizeof(*there));

	*part = MPI_COMM_NULL;
	r = co_mpi_error_of_all(comm, here && there ? MPI_SUCCESS : MPI_ERR_NO_MEM);
	if (!r && here && there) {
		here[comm->rank][COLOR] = color;
		here[comm->rank][KEY] = key;
		here[comm->rank][CONTEXT] = (int)co_mpi_context_next();
		r = say_all(comm, here);
		if (!r && m)
			r = co_mpi_swap(comm, here[0], n * SAID, there[0], m * SAID);
	}
	if (r || !here || !there) {
		free(here);
		free(there);
		return r;
	}
	if (color != MPI_UNDEFINED)
		r = split(comm, color, here, there, part);
	free(here);
	free(there);
	return co_mpi_all_have(comm, r, part);
}

static int split_checked(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
	int r = co_mpi_check_comm(comm);

	if (!r && color < 0 && color != MPI_UNDEFINED)
		r = co_mpi_say(MPI_ERR_ARG, "color %d", color);
	return r ? r : co_mpi_comm_split(comm, color, key, part);
}

CO_MPI_DEFINE(Comm_split, MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	CO_MPI_SLICE(__func__, (void)0);

	return co_mpi_error(comm, __func__, split_checked(comm, color, key, newcomm));
}

/* All ranks of a board share memory. */
CO_MPI_DEFINE(Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info info,
	      MPI_Comm *newcomm)
{
	CO_MPI_SLICE(__func__, (void)0);

	(void)info;
	if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
		return co_mpi_error(comm, __func__, co_mpi_say(MPI_ERR_ARG, "type %d", split_type));
	if (split_type != MPI_UNDEFINED)
		split_type = co_mpi.board; /* the color */
	return co_mpi_error(comm, __func__, split_checked(comm, split_type, key, newcomm));
}
