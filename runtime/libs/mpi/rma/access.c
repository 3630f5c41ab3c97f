/* access.c - access to other ranks' memory. */
#include <stdlib.h>
#include <string.h>

#include <cohart/process.h>

#include "../request/request.h"
#include "../type/op.h"
#include "remote.h"

/* n elements of a type, at this rank. The type may be NULL where it is not used. */
struct data {
	const void *buf;
	MPI_Count n;
	MPI_Datatype type;
};

/*
 * A place in the target's memory. Once it has been checked, `buf` is where this hart finds it; on
 * another board, from the window's memory on.
 */
struct place {
	int rank;
	MPI_Aint at;
	MPI_Count n;
	MPI_Datatype type;
	char *buf;
	struct co_mpi_target *target;
};

/* The range of bytes, from the displacement on, that n elements of a type reach over. */
static void reach(MPI_Count n, MPI_Datatype type, MPI_Aint *low, MPI_Aint *high)
{
	MPI_Aint last = (MPI_Aint)(n - 1) * type->extent;

	*low = type->true_lower + (last < 0 ? last : 0);
	*high = type->true_lower + type->true_extent + (last > 0 ? last : 0);
}

static int find_attached(struct co_mpi_target *t, const char *low, const char *high)
{
	int r = co_mpi_lock(&t->guard);
	bool is_attached;

	if (r)
		return r;
	is_attached = co_mpi_is_attached(t, low, high);
	co_mutex_unlock(&t->guard);
	return is_attached
		       ? MPI_SUCCESS
		       : co_mpi_say(MPI_ERR_RMA_RANGE, "%p to %p is not attached there", low, high);
}

static int find_memory(MPI_Win win, struct place *p, bool far)
{
	struct co_mpi_target *t = p->target;
	MPI_Aint low, high;
	int r;

	reach(p->n, p->type, &low, &high);
	if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC) {
		char *there = (char *)p->at + low;
		unsigned here = (unsigned)(co_mpi_win_world(win, p->rank) % co_mpi_ranks_here());

		p->buf = (char *)p->at; /* another board checks it */
		r = far ? MPI_SUCCESS : find_attached(t, there, (char *)p->at + high);
		if (!r && !far)
			p->buf = (char *)co_process_at(there, here) - low;
		return r;
	}
	if (p->at < 0)
		return co_mpi_say(MPI_ERR_DISP, "displacement %ld", (long)p->at);
	if (p->at > t->bytes || p->at * t->unit + low < 0 || p->at * t->unit + high > t->bytes)
		return co_mpi_say(MPI_ERR_RMA_RANGE, "bytes %ld to %ld of %ld on rank %d",
				  (long)(p->at * t->unit + low), (long)(p->at * t->unit + high),
				  (long)t->bytes, p->rank);
	p->buf = (far ? NULL : t->base) + p->at * t->unit;
	return MPI_SUCCESS;
}

/* Without a target (MPI_PROC_NULL) p->target is NULL. `far`: it is on another board. */
static int find_place(MPI_Win win, struct place *p, bool *far)
{
	int r = co_mpi_check_target(win, p->rank);

	if (!r)
		r = co_mpi_check_type(p->type);
	if (!r && p->n < 0)
		r = co_mpi_say(MPI_ERR_COUNT, "count %lld", p->n);
	if (r || p->rank == MPI_PROC_NULL)
		return r;
	r = co_mpi_check_access(win, p->rank);
	if (r)
		return r;
	p->target = &win->targets[p->rank];
	*far = co_mpi_win_far(win, p->rank);
	return p->n == 0 || p->type->size == 0 ? MPI_SUCCESS : find_memory(win, p, *far);
}

/*
 * The common case, in a few instructions: elements of one type, without holes, in a lock's epoch or
 * a used fence's. NULL: look closer, as with a timeline always.
 */
static inline void *quick(const struct data *d, const struct place *p, MPI_Win win)
{
	MPI_Datatype t = p->type;
	const struct co_mpi_target *to;

	if (!co_mpi_is(win, CO_MPI_IS_WIN) || !co_mpi_is(t, CO_MPI_IS_TYPE) || t != d->type ||
	    p->n != d->n || p->n <= 0)
		return NULL;
	if (!t->committed || !t->plain || t->true_lower != 0 || !d->buf || d->buf == MPI_IN_PLACE)
		return NULL;
	if (!win->quick || p->rank < 0 || p->rank >= win->comm->group->size)
		return NULL;
	if (!win->locked[p->rank] && (win->fence != CO_MPI_FENCE_USED || win->started))
		return NULL;
	to = &win->targets[p->rank];
	if (p->at < 0 || p->at > to->bytes || p->n * t->size > to->bytes - p->at * to->unit)
		return NULL;
	return to->base + p->at * to->unit;
}

/* ---- Put and get ---- */

#define AT_ORIGIN(d) ((const struct co_mpi_elements_at){ (d)->buf, (d)->n, (d)->type })
#define AT_TARGET(p) ((const struct co_mpi_elements_at){ (p)->buf, (p)->n, (p)->type })

static int move_checked(const struct data *d, struct place *there, bool put, MPI_Win win,
			const char *call)
{
	CO_MPI_SLICE(call, co_mpi_tell(there->rank, -1, co_mpi_bytes(d->n, d->type)));
	int r = co_mpi_check_buffer(d->buf, d->n, d->type);
	bool far = false;

	if (!r)
		r = find_place(win, there, &far);
	if (r || !there->target)
		return r;
	if (far)
		return co_mpi_far_move(win, there->rank, put,
				       put ? &AT_ORIGIN(d) : &AT_TARGET(there),
				       put ? &AT_TARGET(there) : &AT_ORIGIN(d));
	if (put)
		return co_mpi_copy(d->buf, d->n, d->type, there->buf, there->n, there->type);
	return co_mpi_copy(there->buf, there->n, there->type, (void *)d->buf, d->n, d->type);
}

static inline __attribute__((always_inline)) int move_data(struct data d, struct place p, bool put,
							   MPI_Win win, const char *call)
{
	void *there = quick(&d, &p, win);

	if (!there)
		return move_checked(&d, &p, put, win, call);
	co_mpi_copy_bytes(put ? there : (void *)d.buf, put ? d.buf : there,
			  (size_t)(p.n * p.type->size));
	return MPI_SUCCESS;
}

/* Make the request of an access, which has ended. Requests are allowed in epochs of locks alone. */
static int with_request(int r, MPI_Win win, int rank, MPI_Request *request)
{
	if (!r && rank != MPI_PROC_NULL && !win->locked[rank])
		r = co_mpi_say(MPI_ERR_RMA_SYNC, "rank %d is not locked", rank);
	if (!r)
		r = co_mpi_request_ready(request);
	if (!r)
		(*request)->kind = CO_MPI_ACCESS;
	return r;
}

#define ORIGIN ((struct data){ origin_addr, origin_count, origin_datatype })
#define RESULT ((struct data){ result_addr, result_count, result_datatype })
#define TARGET                                \
	((struct place){ .rank = target_rank, \
			 .at = target_disp,   \
			 .n = target_count,   \
			 .type = target_datatype })

CO_MPI_DEFINE(Put, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	      int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	      MPI_Win win)
{
	return co_mpi_win_error(win, __func__, move_data(ORIGIN, TARGET, true, win, __func__));
}

CO_MPI_DEFINE(Rput, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	      int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	      MPI_Win win, MPI_Request *request)
{
	int r = move_data(ORIGIN, TARGET, true, win, __func__);

	return co_mpi_win_error(win, __func__, with_request(r, win, target_rank, request));
}

CO_MPI_DEFINE(Get, void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	      int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	      MPI_Win win)
{
	return co_mpi_win_error(win, __func__, move_data(ORIGIN, TARGET, false, win, __func__));
}

CO_MPI_DEFINE(Rget, void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	      int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	      MPI_Win win, MPI_Request *request)
{
	int r = move_data(ORIGIN, TARGET, false, win, __func__);

	return co_mpi_win_error(win, __func__, with_request(r, win, target_rank, request));
}

/* ---- Accumulates: one at a time on a target ---- */

/* Elements that lie as an array of the predefined type, to be combined with a target's. */
struct combiner {
	struct co_mpi_walk walk;
	co_mpi_op_function *function;
	const char *elements;
	MPI_Count left;
};

static bool combine_run(struct co_mpi_walk *w, const struct co_mpi_run *run)
{
	struct combiner *c = (struct combiner *)w;

	for (MPI_Count i = 0; i < run->blocks && c->left > 0; i++) {
		MPI_Count n = run->bytes / run->type->size;

		n = n < c->left ? n : c->left;
		c->function(c->elements, run->at + i * run->stride, n);
		c->elements += n * run->type->extent;
		c->left -= n;
	}
	return c->left > 0;
}

static int combine(const struct data *out, const struct place *in, MPI_Op op)
{
	MPI_Datatype only = co_mpi_type_only(in->type);
	struct combiner c = { { combine_run, CO_MPI_TO_NAMED },
			      co_mpi_op_for(op->code, only),
			      NULL,
			      out->n * out->type->size / only->size };
	void *array = NULL;
	int r = MPI_SUCCESS;

	if (out->type == only && in->type == only) {
		c.function(out->buf, in->buf, out->n);
		return MPI_SUCCESS;
	}
	if (out->type == only || (out->type->plain && only->plain)) {
		c.elements = co_mpi_type_data(out->type, out->buf);
	} else {
		c.elements = array = malloc((size_t)(c.left * only->extent));
		if (!array)
			return MPI_ERR_NO_MEM;
		r = co_mpi_copy(out->buf, out->n, out->type, array, c.left, only);
	}
	if (!r)
		co_mpi_walk(&c.walk, in->type, in->n, in->buf);
	free(array);
	return r;
}

/* Apply an operation to the target's memory; the caller holds the target's mutex. */
static int apply(const struct data *out, const struct place *in, MPI_Op op)
{
	MPI_Count bytes = out->n * out->type->size, room = in->n * in->type->size;

	if (op->code == CO_MPI_REPLACE)
		return co_mpi_copy(out->buf, out->n, out->type, in->buf, in->n, in->type);
	if (bytes > room)
		return co_mpi_say(MPI_ERR_TRUNCATE, "%lld bytes, room for %lld", bytes, room);
	return bytes == 0 ? MPI_SUCCESS : combine(out, in, op);
}

/* The common case: the function for predefined elements, all of one type; NULL: look closer. */
static inline co_mpi_op_function *quick_function(const struct data *out, const struct place *in,
						 MPI_Op op, const struct data *result)
{
	if (!co_mpi_is(op, CO_MPI_IS_OP) || !op->predefined || op->code >= CO_MPI_REPLACE ||
	    !in->type->predefined)
		return NULL;
	if (result && (result->type != out->type || result->n != out->n || !result->buf ||
		       result->buf == MPI_IN_PLACE))
		return NULL;
	return co_mpi_op_for(op->code, in->type);
}

static int accumulate_quick(const struct data *out, void *there, const struct data *result,
			    struct co_mpi_target *target, co_mpi_op_function *function)
{
	int r = co_mpi_lock(&target->atomic);

	if (r)
		return r;
	if (result)
		co_mpi_copy_bytes((void *)result->buf, there, (size_t)(out->n * out->type->size));
	function(out->buf, there, out->n);
	co_mutex_unlock(&target->atomic);
	return MPI_SUCCESS;
}

static int accumulate_checked(const struct data *out, struct place in, MPI_Op op,
			      const struct data *result, MPI_Win win, const char *call)
{
	CO_MPI_SLICE(call, co_mpi_tell(in.rank, -1, co_mpi_bytes(in.n, in.type)));
	bool silent = op == MPI_NO_OP, far = false;
	int r = silent ? MPI_SUCCESS : co_mpi_check_buffer(out->buf, out->n, out->type);

	if (!r && result)
		r = co_mpi_check_buffer(result->buf, result->n, result->type);
	if (!r)
		r = co_mpi_check_type(in.type);
	if (!r)
		r = co_mpi_check_accumulate(op, in.type);
	if (!r)
		r = find_place(win, &in, &far);
	if (r || !in.target)
		return r;
	if (far)
		return co_mpi_far_combine(win, in.rank, &AT_ORIGIN(out), &AT_TARGET(&in), op,
					  result ? &AT_ORIGIN(result) : NULL);
	r = co_mpi_lock(&in.target->atomic);
	if (r)
		return r;
	if (result)
		r = co_mpi_copy(in.buf, in.n, in.type, (void *)result->buf, result->n,
				result->type);
	if (!r && !silent)
		r = apply(out, &in, op);
	co_mutex_unlock(&in.target->atomic);
	return r;
}

static int accumulate(const struct data *out, struct place in, MPI_Op op, const struct data *result,
		      MPI_Win win, const char *call)
{
	void *there = quick(out, &in, win);
	co_mpi_op_function *function = there ? quick_function(out, &in, op, result) : NULL;

	if (!function)
		return accumulate_checked(out, in, op, result, win, call);
	return accumulate_quick(out, there, result, &win->targets[in.rank], function);
}

CO_MPI_DEFINE(Accumulate, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	      int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	      MPI_Op op, MPI_Win win)
{
	return co_mpi_win_error(win, __func__,
				accumulate(&ORIGIN, TARGET, op, NULL, win, __func__));
}

CO_MPI_DEFINE(Raccumulate, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	      int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	      MPI_Op op, MPI_Win win, MPI_Request *request)
{
	int r = accumulate(&ORIGIN, TARGET, op, NULL, win, __func__);

	return co_mpi_win_error(win, __func__, with_request(r, win, target_rank, request));
}

CO_MPI_DEFINE(Get_accumulate, const void *origin_addr, int origin_count,
	      MPI_Datatype origin_datatype, void *result_addr, int result_count,
	      MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
	      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	return co_mpi_win_error(win, __func__,
				accumulate(&ORIGIN, TARGET, op, &RESULT, win, __func__));
}

CO_MPI_DEFINE(Rget_accumulate, const void *origin_addr, int origin_count,
	      MPI_Datatype origin_datatype, void *result_addr, int result_count,
	      MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
	      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	int r = accumulate(&ORIGIN, TARGET, op, &RESULT, win, __func__);

	return co_mpi_win_error(win, __func__, with_request(r, win, target_rank, request));
}

/* ---- Of one element ---- */

static int check_single(MPI_Datatype type)
{
	int r = co_mpi_check_type(type);

	if (!r && !type->predefined)
		r = co_mpi_say(MPI_ERR_TYPE, "it is not predefined");
	return r;
}

CO_MPI_DEFINE(Fetch_and_op, const void *origin_addr, void *result_addr, MPI_Datatype datatype,
	      int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	struct data from = { origin_addr, 1, datatype }, to = { result_addr, 1, datatype };
	struct place in = { .rank = target_rank, .at = target_disp, .n = 1, .type = datatype };
	int r = check_single(datatype);

	return co_mpi_win_error(win, __func__,
				r ? r : accumulate(&from, in, op, &to, win, __func__));
}

/* Do equal values of the type have equal bytes? */
static bool is_exact(MPI_Datatype type)
{
	return (type->basic >= CO_MPI_INT8 && type->basic <= CO_MPI_UINT64) ||
	       type->basic == CO_MPI_BOOL || type->basic == CO_MPI_RAW;
}

static int swap(const void *out, const void *expected, void *result, struct place in, MPI_Win win)
{
	const void *const parts[] = { out, expected, result };
	bool far = false;
	size_t size;
	int r = check_single(in.type);

	if (!r && !is_exact(in.type))
		r = co_mpi_say(MPI_ERR_TYPE, "%s is not compared", co_mpi_type_name(in.type));
	for (int i = 0; !r && i < 3; i++)
		r = co_mpi_check_buffer(parts[i], 1, in.type);
	if (!r)
		r = find_place(win, &in, &far);
	if (r || !in.target)
		return r;
	if (far)
		return co_mpi_far_swap(win, in.rank, out, expected, result, &AT_TARGET(&in));
	r = co_mpi_lock(&in.target->atomic);
	if (r)
		return r;
	size = (size_t)in.type->size;
	co_mpi_copy_bytes(result, in.buf, size);
	if (memcmp(result, expected, size) == 0)
		co_mpi_copy_bytes(in.buf, out, size);
	co_mutex_unlock(&in.target->atomic);
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Compare_and_swap, const void *origin_addr, const void *compare_addr,
	      void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
	      MPI_Win win)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(target_rank, -1, co_mpi_bytes(1, datatype)));
	struct place in = { .rank = target_rank, .at = target_disp, .n = 1, .type = datatype };

	return co_mpi_win_error(win, __func__,
				swap(origin_addr, compare_addr, result_addr, in, win));
}
