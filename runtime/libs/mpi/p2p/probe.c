/* probe.c - looking for messages before they are received, and matched receives. */
#include <errno.h>
#include <stdlib.h>

#include "p2p.h"

/* A message that MPI_Mprobe() has found. */
struct co_mpi_matched {
	enum co_mpi_magic magic;
	MPI_Comm comm;
	struct co_message_claim claim;
};

struct co_mpi_matched co_mpi_no_proc = { .magic = CO_MPI_IS_MATCHED };

/* Look for a message once, and claim it unless `claim` is NULL. -EAGAIN: no message has come. */
static int try_probe(int from, int tag, MPI_Comm comm, struct co_mpi_matched *claim,
		     struct co_message_info *got)
{
	unsigned world = co_mpi_world_of(comm, from);
	int r;

	if (claim) {
		r = co_message_try_claim(co_mpi.me, world, (uint32_t)tag, comm->context,
					 &claim->claim);
		*got = claim->claim.info;
		return r;
	}
	return co_message_try_probe(co_mpi.me, world, (uint32_t)tag, comm->context, got);
}

/* Wait for a message, and claim it unless `claim` is NULL; collectives go on meanwhile. */
static int wait_probe(int from, int tag, MPI_Comm comm, struct co_mpi_matched *claim,
		      struct co_message_info *got)
{
	unsigned world = co_mpi_world_of(comm, from);
	int r;

	while (co_mpi_schedules_busy()) {
		r = co_mpi_progress();
		if (r)
			return -EOWNERDEAD;
		r = try_probe(from, tag, comm, claim, got);
		if (r != -EAGAIN)
			return r;
		r = co_mpi_wait_probe(world, (uint32_t)tag, comm->context);
		if (r)
			return r;
	}
	if (claim) {
		r = co_message_claim(co_mpi.me, world, (uint32_t)tag, comm->context, &claim->claim);
		*got = claim->claim.info;
		return r;
	}
	return co_message_probe(co_mpi.me, world, (uint32_t)tag, comm->context, got);
}

/* Run any of the four calls. `flag` is NULL if it waits, `message` if it does not claim. */
static int probe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
		 MPI_Status *status)
{
	struct co_mpi_matched *claim = NULL;
	struct co_message_info got;
	int r = co_mpi_check_from(from, tag, comm);

	if (r)
		return r;
	if (from == MPI_PROC_NULL) {
		co_mpi_set_no_proc(status);
		if (flag)
			*flag = 1;
		if (message)
			*message = MPI_MESSAGE_NO_PROC;
		return MPI_SUCCESS;
	}
	if (message) {
		claim = malloc(sizeof(*claim));
		if (!claim)
			return MPI_ERR_NO_MEM;
		*claim = (struct co_mpi_matched){ .magic = CO_MPI_IS_MATCHED, .comm = comm };
	}
	if (flag && co_mpi_schedules_busy())
		(void)co_mpi_progress(); /* the probe below returns an error of the team, too */
	r = (flag ? try_probe : wait_probe)(from, tag, comm, claim, &got);
	if (r) {
		free(claim);
	} else {
		co_mpi_set_status(status, comm, &got);
		if (message) {
			comm->references++;
			*message = claim;
		}
	}
	if (flag)
		*flag = r == 0;
	return flag && r == -EAGAIN ? MPI_SUCCESS : co_mpi_class(r);
}

CO_MPI_DEFINE(Probe, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(source, tag, -1));

	return co_mpi_error(comm, __func__, probe(source, tag, comm, NULL, NULL, status));
}

CO_MPI_DEFINE(Iprobe, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(source, tag, -1));

	return co_mpi_error(comm, __func__, probe(source, tag, comm, flag, NULL, status));
}

CO_MPI_DEFINE(Mprobe, int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(source, tag, -1));

	return co_mpi_error(comm, __func__, probe(source, tag, comm, NULL, message, status));
}

CO_MPI_DEFINE(Improbe, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
	      MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(source, tag, -1));

	return co_mpi_error(comm, __func__, probe(source, tag, comm, flag, message, status));
}

/* ---- Receiving it ---- */

static int receive(void *buf, int count, MPI_Datatype type, MPI_Message m, MPI_Status *status)
{
	MPI_Count room = count * type->size;
	struct co_message_info got = m->claim.info;
	void *data = co_mpi_type_data(type, buf), *packed = NULL;
	int r;

	if (!type->plain && room) {
		data = packed = malloc((size_t)room);
		if (!packed)
			return MPI_ERR_NO_MEM;
	}
	r = co_message_recv_claimed(co_mpi.me, &m->claim, data, (size_t)room);
	got.bytes = (MPI_Count)got.bytes < room ? got.bytes : (size_t)room;
	if (packed && (!r || r == -EMSGSIZE))
		co_mpi_unpack(packed, (MPI_Count)got.bytes, buf, count, type);
	free(packed);
	co_mpi_set_status(status, m->comm, &got);
	return co_mpi_class(r);
}

static int check_matched(void *buf, int count, MPI_Datatype type, const MPI_Message *message)
{
	int r = co_mpi_check_buffer(buf, count, type);

	if (!r && !co_mpi_is(*message, CO_MPI_IS_MATCHED))
		r = co_mpi_say(MPI_ERR_REQUEST, "no matched message");
	return r;
}

CO_MPI_DEFINE(Mrecv, void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
	      MPI_Status *status)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(-1, -1, co_mpi_bytes(count, datatype)));
	int r = check_matched(buf, count, datatype, message);
	MPI_Comm comm = r ? NULL : (*message)->comm;
	MPI_Message m = *message;

	if (r)
		return co_mpi_error(NULL, __func__, r);
	*message = MPI_MESSAGE_NULL;
	if (m == MPI_MESSAGE_NO_PROC) {
		co_mpi_set_no_proc(status);
		return MPI_SUCCESS;
	}
	r = co_mpi_error(comm, __func__, receive(buf, count, datatype, m, status));
	co_mpi_unmark(&m->magic);
	free(m);
	co_mpi_comm_put(comm);
	return r;
}

/* The message has come: it is received at once. */
CO_MPI_DEFINE(Imrecv, void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
	      MPI_Request *request)
{
	CO_MPI_SLICE(__func__, co_mpi_tell(-1, -1, co_mpi_bytes(count, datatype)));
	MPI_Status status;
	int r = check_matched(buf, count, datatype, message);

	if (r)
		return co_mpi_error(NULL, __func__, r);
	r = PMPI_Mrecv(buf, count, datatype, message, &status);
	if (!r)
		r = co_mpi_error(NULL, __func__, co_mpi_request_ready(request));
	if (!r)
		(*request)->status = status;
	return r;
}
