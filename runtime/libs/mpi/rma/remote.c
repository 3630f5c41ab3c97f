/* remote.c - accesses to the memory of ranks on other boards, by requests: the origin's side. */
#include <stdlib.h>
#include <string.h>

#include "../p2p/p2p.h"
#include "remote.h"

/* ---- Requests and answers ---- */

static int send_request(MPI_Win win, int rank, const void *request, size_t bytes)
{
	win->pending[rank] = 1;
	return co_mpi_send(request, (MPI_Count)bytes, MPI_BYTE, co_mpi_win_world(win, rank),
			   CO_CLUSTER_REQUEST, win->comm->context);
}

/* Receive an answer: data, of up to `room` bytes, come behind the struct. Returns a class. */
static int receive_answer(MPI_Win win, int rank, struct co_mpi_far_answer *with, size_t room)
{
	MPI_Count bytes = (MPI_Count)sizeof(*with) + (MPI_Count)room;
	int r = co_mpi_recv(with, bytes, MPI_BYTE, co_mpi_win_world(win, rank), CO_MPI_TAG_ANSWER,
			    win->comm->context);

	if (!r && with->error)
		r = co_mpi_say(with->error, "rank %d, on another board, has refused an access",
			       rank);
	return r;
}

/* A request without data. */
static int send_word(MPI_Win win, int rank, enum co_mpi_far kind, int lock)
{
	struct co_mpi_far_request head = { .kind = kind, .lock = (uint32_t)lock };

	return send_request(win, rank, &head, sizeof(head));
}

/* ---- Parts of the target's memory ---- */

/* Lists parts, as far as `left` bytes go; counts them first, with `part` NULL. */
struct lister {
	struct co_mpi_walk walk;
	struct co_mpi_far_part *part;
	uint64_t parts;
	MPI_Count left;
	bool by_extent; /* as elements of an array lie, with the holes between them */
};

static void list(struct lister *l, const char *at, const struct co_mpi_run *run, MPI_Count blocks,
		 MPI_Count bytes)
{
	if (blocks == 0 || bytes == 0)
		return;
	if (l->part)
		l->part[l->parts] = (struct co_mpi_far_part){ (int64_t)(intptr_t)at, run->stride,
							      (uint64_t)blocks, (uint64_t)bytes };
	l->parts++;
	l->left -= blocks * bytes;
}

static bool list_run(struct co_mpi_walk *w, const struct co_mpi_run *run)
{
	struct lister *l = (struct lister *)w;
	MPI_Count bytes = l->by_extent ? run->bytes / run->type->size * run->type->extent
				       : run->bytes;
	MPI_Count whole = l->left / bytes < run->blocks ? l->left / bytes : run->blocks;

	list(l, run->at, run, whole, bytes);
	if (whole < run->blocks)
		list(l, run->at + whole * run->stride, run, 1, l->left);
	return l->left > 0;
}

/* A request about `bytes` bytes of the target's elements, with room for `data` bytes behind. */
static struct co_mpi_far_request *new_request(const struct co_mpi_far_request *head,
					      const struct co_mpi_elements_at *to, bool by_extent,
					      MPI_Count bytes, size_t data, unsigned char **where,
					      size_t *all)
{
	enum co_mpi_depth depth = by_extent ? CO_MPI_TO_NAMED : CO_MPI_TO_DENSE;
	struct lister l = { { list_run, depth }, NULL, 0, bytes, by_extent };
	struct co_mpi_far_request *q;

	co_mpi_walk(&l.walk, to->type, to->n, to->buf);
	*all = sizeof(*q) + l.parts * sizeof(*l.part) + data;
	q = malloc(*all);
	if (!q)
		return NULL;
	*q = *head;
	q->parts = l.parts;
	q->bytes = data ? data : (uint64_t)bytes;
	l = (struct lister){ { list_run, depth }, (void *)(q + 1), 0, bytes, by_extent };
	co_mpi_walk(&l.walk, to->type, to->n, to->buf);
	*where = (unsigned char *)(l.part + l.parts);
	return q;
}

static MPI_Count bytes_of(const struct co_mpi_elements_at *e)
{
	return e->n * e->type->size;
}

static int check_room(MPI_Count bytes, MPI_Count room)
{
	return bytes <= room
		       ? MPI_SUCCESS
		       : co_mpi_say(MPI_ERR_TRUNCATE, "%lld bytes, room for %lld", bytes, room);
}

/* Send a request, which is freed, and unpack its answer to `result`. */
static int fetch(MPI_Win win, int rank, struct co_mpi_far_request *q, size_t all, MPI_Count bytes,
		 const struct co_mpi_elements_at *result, MPI_Datatype only)
{
	struct co_mpi_far_answer *with = malloc(sizeof(*with) + (size_t)bytes);
	int r = with ? send_request(win, rank, q, all) : MPI_ERR_NO_MEM;

	free(q);
	if (!r)
		r = receive_answer(win, rank, with, (size_t)bytes);
	if (!r && only)
		r = co_mpi_copy(with + 1, bytes / only->extent, only, (void *)result->buf,
				result->n, result->type);
	else if (!r)
		co_mpi_unpack(with + 1, bytes, (void *)result->buf, result->n, result->type);
	free(with);
	return r;
}

/* Send a request, which is freed; dynamic windows' are answered, since all is checked there. */
static int send_and_free(MPI_Win win, int rank, struct co_mpi_far_request *q, size_t all)
{
	struct co_mpi_far_answer with;
	int r;

	q->answers = win->flavor == MPI_WIN_FLAVOR_DYNAMIC;
	r = send_request(win, rank, q, all);
	if (!r && q->answers)
		r = receive_answer(win, rank, &with, 0);
	free(q);
	return r;
}

/* ---- Accesses ---- */

int co_mpi_far_move(MPI_Win win, int rank, bool put, const struct co_mpi_elements_at *from,
		    const struct co_mpi_elements_at *to)
{
	const struct co_mpi_far_request head = { .kind = put ? CO_MPI_FAR_PUT : CO_MPI_FAR_GET };
	MPI_Count bytes = bytes_of(from);
	struct co_mpi_far_request *q;
	unsigned char *data;
	size_t all;
	int r = check_room(bytes, bytes_of(to));

	if (r || !bytes)
		return r;
	q = new_request(&head, put ? to : from, false, bytes, put ? (size_t)bytes : 0, &data, &all);
	if (!q)
		return MPI_ERR_NO_MEM;
	if (!put)
		return fetch(win, rank, q, all, bytes, to, NULL);
	co_mpi_pack(from->buf, from->n, from->type, data);
	return send_and_free(win, rank, q, all);
}

/* Fill in the data of an accumulate: as the elements of an array, or packed. */
static int copy_data(const struct co_mpi_elements_at *from, MPI_Datatype only, MPI_Count bytes,
		     void *data)
{
	if (only)
		return co_mpi_copy(from->buf, from->n, from->type, data, bytes / only->extent,
				   only);
	co_mpi_pack(from->buf, from->n, from->type, data);
	return MPI_SUCCESS;
}

int co_mpi_far_combine(MPI_Win win, int rank, const struct co_mpi_elements_at *from,
		       const struct co_mpi_elements_at *to, MPI_Op op,
		       const struct co_mpi_elements_at *result)
{
	MPI_Datatype only = op->code < CO_MPI_REPLACE ? co_mpi_type_only(to->type) : NULL;
	bool silent = op->code == CO_MPI_NO_OP;
	MPI_Count bytes = silent ? bytes_of(to) : bytes_of(from);
	struct co_mpi_far_request *q, head = { .kind = CO_MPI_FAR_COMBINE,
					       .op = (uint32_t)op->code,
					       .fetches = result != NULL };
	unsigned char *data;
	size_t all;
	int r = check_room(bytes, bytes_of(to));

	if (!r && result)
		r = check_room(bytes_of(to), bytes_of(result));
	if (r || !bytes || (silent && !result))
		return r;
	if (only) {
		bytes = bytes / only->size * only->extent;
		head.element = co_mpi_op_kind(only);
	}
	q = new_request(&head, to, only != NULL, bytes, silent ? 0 : (size_t)bytes, &data, &all);
	if (!q)
		return MPI_ERR_NO_MEM;
	if (!silent)
		r = copy_data(from, only, bytes, data);
	if (r)
		free(q);
	else if (result)
		r = fetch(win, rank, q, all, bytes, result, only);
	else
		r = send_and_free(win, rank, q, all);
	return r;
}

int co_mpi_far_swap(MPI_Win win, int rank, const void *out, const void *expected, void *result,
		    const struct co_mpi_elements_at *to)
{
	static const struct co_mpi_far_request head = { .kind = CO_MPI_FAR_SWAP };
	const struct co_mpi_elements_at back = { result, 1, to->type };
	size_t size = (size_t)to->type->size, all;
	unsigned char *data;
	struct co_mpi_far_request *q =
		new_request(&head, to, false, (MPI_Count)size, 2 * size, &data, &all);

	if (!q)
		return MPI_ERR_NO_MEM;
	memcpy(data, expected, size);
	memcpy(data + size, out, size);
	return fetch(win, rank, q, all, (MPI_Count)size, &back, NULL);
}

/* ---- Locks and flushes ---- */

int co_mpi_far_lock(MPI_Win win, int rank, int kind)
{
	int r = send_word(win, rank, CO_MPI_FAR_LOCK, kind);

	return r ? r
		 : co_mpi_recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, CO_MPI_TAG_GRANT,
			       win->comm->context);
}

/* Has the request been answered, all before it are done. */
static int end_pending(MPI_Win win, int rank)
{
	struct co_mpi_far_answer with;

	win->pending[rank] = 0;
	return receive_answer(win, rank, &with, 0);
}

int co_mpi_far_unlock(MPI_Win win, int rank, int kind)
{
	int r = send_word(win, rank, CO_MPI_FAR_UNLOCK, kind);

	return r ? r : end_pending(win, rank);
}

int co_mpi_far_flush(MPI_Win win, int rank)
{
	int r;

	if (!win->pending || !win->pending[rank])
		return MPI_SUCCESS;
	r = send_word(win, rank, CO_MPI_FAR_FLUSH, 0);
	return r ? r : end_pending(win, rank);
}

int co_mpi_far_flush_all(MPI_Win win)
{
	enum { FLUSHED = 2 }; /* in `pending`: the target is to answer */
	int n = win->pending ? co_mpi_size(win->comm) : 0, first = MPI_SUCCESS;

	for (int i = 0; i < n; i++) {
		int r = win->pending[i] ? send_word(win, i, CO_MPI_FAR_FLUSH, 0) : MPI_SUCCESS;

		if (win->pending[i] && !r)
			win->pending[i] = FLUSHED;
		first = first ? first : r;
	}
	for (int i = 0; i < n; i++) {
		int r = win->pending[i] == FLUSHED ? end_pending(win, i) : MPI_SUCCESS;

		first = first ? first : r;
	}
	return first;
}
