/*
 * serve.c - accesses of other boards' ranks to windows here. This runs on hart 0, without static
 * data. All parts of a request are checked before any of them is done.
 */
#include <stdlib.h>
#include <string.h>

#include <cohart/process.h>

#include "remote.h"

/* A request that is being executed. */
struct access {
	struct co_mpi_served *w;
	const struct co_cluster_request *q;
	const struct co_mpi_far_request *head;
	const struct co_mpi_far_part *part;
	const unsigned char *data;
	unsigned char *back; /* data of the answer; NULL: none is sent back */
	int from, to;        /* ranks of the window */
	struct co_mpi_target *target;
	co_mpi_op_function *function;
	size_t extent, padding; /* bytes of an element, and behind its data */
};

/* The rank in a window of a rank of MPI_COMM_WORLD, or -1. */
static int rank_of(const struct co_mpi_served *w, uint32_t world)
{
	int i = 0;

	while (i < w->n && (uint32_t)w->world[i] != world)
		i++;
	return i < w->n ? i : -1;
}

/* Send an answer, whose first bytes are the struct. */
static void answer(const struct access *a, struct co_mpi_far_answer *with, size_t bytes)
{
	co_cluster_post(a->q->dest, a->q->source, CO_MPI_TAG_ANSWER, a->w->server.context, with,
			sizeof(*with) + bytes);
}

static void answer_error(const struct access *a, int error)
{
	struct co_mpi_far_answer with = { .error = error };

	answer(a, &with, 0);
}

/* ---- Locks ---- */

static void grant(const struct access *a, int rank)
{
	co_cluster_post(a->q->dest, (uint32_t)a->w->world[rank], CO_MPI_TAG_GRANT,
			a->w->server.context, NULL, 0);
}

/* The lock at the target that a rank of another board has asked for. */
static unsigned char *asked_of(const struct access *a)
{
	return &a->w->asked[a->q->dest % (uint32_t)a->w->here * (uint32_t)a->w->n +
			    (uint32_t)a->from];
}

static void lock(const struct access *a)
{
	int kind = a->head->lock == MPI_LOCK_SHARED ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
	bool had;

	/* A rank that waits asks for no second lock: its board is garbled, and its entry in use. */
	if (*asked_of(a) || co_mpi_waits(a->w->targets, a->from) || co_mpi_lock(&a->target->guard))
		return;
	*asked_of(a) = (unsigned char)kind;
	had = co_mpi_lock_or_wait(a->w->targets, a->to, a->from, kind);
	co_mutex_unlock(&a->target->guard);
	if (had)
		grant(a, a->from);
}

/* A lock that another rank has stays: MPI_ERR_RMA_SYNC. */
static int unlock(const struct access *a)
{
	int kind = *asked_of(a), granted = 0, next;

	if (!kind || co_mpi_waits(a->w->targets, a->from) || co_mpi_lock(&a->target->guard))
		return MPI_ERR_RMA_SYNC;
	*asked_of(a) = 0;
	granted = co_mpi_unlock(a->w->targets, a->to, kind);
	co_mutex_unlock(&a->target->guard);
	while ((next = co_mpi_next_granted(a->w->targets, &granted)) >= 0)
		grant(a, next);
	return MPI_SUCCESS;
}

/* Answer by the first error since the last flush. */
static void flush(const struct access *a)
{
	int *error = &a->w->targets[a->from].far_error;

	answer_error(a, *error);
	*error = MPI_SUCCESS;
}

/* ---- Accesses ---- */

/* The address of a block of the target's memory; NULL: the rank has not registered all of it. */
static unsigned char *find(const struct access *a, int64_t at, uint64_t bytes)
{
	const struct co_mpi_target *t = a->target;
	char *there = (char *)(uintptr_t)at;

	if (a->w->is_dynamic)
		return bytes <= UINTPTR_MAX - (uintptr_t)there &&
				       co_mpi_is_attached(
					       t, there,
					       (char *)((uintptr_t)there + (uintptr_t)bytes))
			       ? co_process_at(there, a->q->dest % (uint32_t)a->w->here)
			       : NULL;
	if (at < 0 || at > t->bytes || bytes > (uint64_t)(t->bytes - at))
		return NULL;
	return (unsigned char *)t->base + at;
}

/* Do one block; `done`: bytes of the access before it. */
static void do_block(const struct access *a, unsigned char *there, uint64_t bytes, uint64_t done)
{
	if (a->back) {
		co_mpi_copy_bytes(a->back + done, there, bytes - a->padding);
		memset(a->back + done + bytes - a->padding, 0, a->padding);
	}
	if (a->function)
		a->function(a->data + done, there, (MPI_Count)(bytes / a->extent));
	else if (a->head->kind == CO_MPI_FAR_PUT ||
		 (a->head->kind == CO_MPI_FAR_COMBINE && a->head->op == CO_MPI_REPLACE))
		co_mpi_copy_bytes(there, a->data + done, bytes);
	else if (a->head->kind == CO_MPI_FAR_SWAP && a->back && !memcmp(a->back, a->data, bytes))
		co_mpi_copy_bytes(there, a->data + bytes, bytes);
}

/* All parts; `check`: nothing is done yet. Returns a class. */
static int go_through(const struct access *a, uint64_t bytes, bool check)
{
	uint64_t done = 0;

	for (uint64_t i = 0; i < a->head->parts; i++) {
		const struct co_mpi_far_part p = a->part[i];
		int64_t at = p.at;

		if (check && (!p.bytes || p.bytes % a->extent || p.bytes > bytes ||
			      p.blocks > (bytes - done) / p.bytes))
			return MPI_ERR_COUNT;
		for (uint64_t k = 0; k < p.blocks; k++, done += p.bytes) {
			unsigned char *there = find(a, at, p.bytes - a->padding);

			if (check && !there)
				return MPI_ERR_RMA_RANGE;
			if (!check)
				do_block(a, there, p.bytes, done);
			at = (int64_t)((uint64_t)at + (uint64_t)p.stride);
		}
	}
	return done == bytes ? MPI_SUCCESS : MPI_ERR_COUNT;
}

/* Do all of the access, or nothing of it. Returns a class. */
static int access_memory(const struct access *a, uint64_t bytes)
{
	bool is_atomic = a->head->kind >= CO_MPI_FAR_COMBINE;
	int r = a->w->is_dynamic ? co_mpi_lock(&a->target->guard) : MPI_SUCCESS;

	if (r)
		return r;
	r = go_through(a, bytes, true);
	if (!r && is_atomic)
		r = co_mpi_lock(&a->target->atomic);
	if (!r) {
		(void)go_through(a, bytes, false);
		if (is_atomic)
			co_mutex_unlock(&a->target->atomic);
	}
	if (a->w->is_dynamic)
		co_mutex_unlock(&a->target->guard);
	return r;
}

/* Look at the header's numbers; set the data, and the bytes of memory. Returns a class. */
static int check_numbers(struct access *a, uint64_t *bytes)
{
	const struct co_mpi_far_request *h = a->head;
	bool has_data = h->kind != CO_MPI_FAR_GET &&
			(h->kind != CO_MPI_FAR_COMBINE || h->op != CO_MPI_NO_OP);
	size_t left = a->q->bytes - sizeof(*h);

	a->part = (const struct co_mpi_far_part *)(h + 1);
	if (h->parts > left / sizeof(*a->part))
		return MPI_ERR_COUNT;
	a->data = (const unsigned char *)(a->part + h->parts);
	left -= h->parts * sizeof(*a->part);
	if (h->bytes > INT32_MAX || (has_data && h->bytes != left))
		return MPI_ERR_COUNT;
	*bytes = h->kind == CO_MPI_FAR_SWAP ? h->bytes / 2 : h->bytes;
	a->extent = 1;
	if (h->kind == CO_MPI_FAR_SWAP)
		return h->parts == 1 && a->part[0].blocks == 1 ? MPI_SUCCESS : MPI_ERR_COUNT;
	if (h->kind == CO_MPI_FAR_COMBINE && h->op < CO_MPI_REPLACE) {
		size_t data = 0;

		a->function = co_mpi_op_of_kind(h->op, h->element, &a->extent, &data);
		a->padding = a->function ? a->extent - data : 0;
		return a->function ? MPI_SUCCESS : MPI_ERR_OP;
	}
	return MPI_SUCCESS;
}

static void access_and_answer(struct access *a)
{
	const struct co_mpi_far_request *h = a->head;
	bool fetches = h->kind == CO_MPI_FAR_GET || h->kind == CO_MPI_FAR_SWAP || h->fetches;
	struct co_mpi_far_answer *with = NULL;
	uint64_t bytes = 0;
	int r = check_numbers(a, &bytes);

	if (!r && fetches) {
		with = malloc(sizeof(*with) + bytes);
		r = with ? MPI_SUCCESS : MPI_ERR_NO_MEM;
	}
	if (with)
		a->back = (unsigned char *)(with + 1);
	if (!r)
		r = access_memory(a, bytes);
	if (!r && fetches) {
		*with = (struct co_mpi_far_answer){ 0 };
		answer(a, with, bytes);
	} else if (h->answers || fetches) {
		answer_error(a, r);
	} else if (r && !a->w->targets[a->from].far_error) {
		a->w->targets[a->from].far_error = r;
	}
	free(with);
}

static void serve(struct co_cluster_server *s, const struct co_cluster_request *q)
{
	struct co_mpi_served *w = (struct co_mpi_served *)s; /* its first member */
	struct access a = { .w = w,
			    .q = q,
			    .head = q->data,
			    .from = rank_of(w, q->source),
			    .to = rank_of(w, q->dest) };
	int r;

	if (q->bytes < sizeof(*a.head) || a.from < 0 || a.to < 0)
		return; /* no rank has sent that */
	a.target = &w->targets[a.to];
	switch (a.head->kind) {
	case CO_MPI_FAR_LOCK:
		lock(&a);
		break;
	case CO_MPI_FAR_UNLOCK:
		r = unlock(&a);
		if (r)
			answer_error(&a, r);
		else
			flush(&a);
		break;
	case CO_MPI_FAR_FLUSH:
		flush(&a);
		break;
	case CO_MPI_FAR_PUT:
	case CO_MPI_FAR_GET:
	case CO_MPI_FAR_COMBINE:
	case CO_MPI_FAR_SWAP:
		access_and_answer(&a);
		break;
	}
}

/* ---- Beginning and end ---- */

struct co_mpi_served *co_mpi_served_new(MPI_Win win)
{
	int n = co_mpi_size(win->comm);
	size_t asked = (size_t)n * (size_t)co_mpi_ranks_here();
	struct co_mpi_served *w = malloc(sizeof(*w) + (size_t)n * sizeof(int) + asked);

	if (!w)
		return NULL;
	*w = (struct co_mpi_served){ .server = { .context = win->comm->context, .serve = serve },
				     .targets = win->targets,
				     .is_dynamic = win->flavor == MPI_WIN_FLAVOR_DYNAMIC,
				     .board = co_mpi.board,
				     .here = co_mpi_ranks_here(),
				     .n = n,
				     .asked = memset(w->world + n, 0, asked) };
	for (int i = 0; i < n; i++)
		w->world[i] = co_mpi_win_world(win, i);
	co_cluster_serve(&w->server);
	return w;
}

void co_mpi_served_end(struct co_mpi_served *w)
{
	if (!w)
		return;
	co_cluster_unserve(&w->server);
	free(w);
}
