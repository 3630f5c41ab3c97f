/* trace.c - calls as spans of a timeline (cohart/debug.h), with peer, tag and bytes. */
#include <cohart/debug.h>

#include "objects.h"

static void choose(void)
{
	co_mpi.quick = co_mpi.traced || co_mpi.busy ? NULL : co_mpi.me;
}

void co_mpi_trace(bool on)
{
	co_mpi.traced = on;
	choose();
}

void co_mpi_busy(bool on)
{
	co_mpi.busy = on;
	choose();
}

void co_mpi_enter(const char *call)
{
	co_mpi_trace(false);
	co_mpi.inside = call;
	co_trace_begin(call + 1); /* without the P */
}

void co_mpi_left(const char *call)
{
	if (co_mpi.inside != call)
		return;
	co_trace_end(call + 1);
	co_mpi.inside = NULL;
	co_mpi_trace(true);
}

void co_mpi_tell(int peer, int tag, MPI_Count bytes)
{
	if (peer >= 0)
		co_trace_value("peer", peer);
	if (tag >= 0)
		co_trace_value("tag", tag);
	if (bytes >= 0)
		co_trace_value("bytes", (intptr_t)bytes);
}

void co_mpi_tell_from(int source)
{
	if (source >= 0)
		co_trace_value("from", source);
}
