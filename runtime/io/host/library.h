/*
 * library.h - the streams on a host's terms: stdout and stderr are ours to serve, all others the C
 * library's own, which knows threads.
 */
#ifndef COHART_IO_LIBRARY_H
#define COHART_IO_LIBRARY_H

#include "../served/served.h"

static inline bool io_is_served(const FILE *f)
{
	return f == stdout || f == stderr;
}

static inline bool io_is_writable(const FILE *f)
{
	return io_is_served(f);
}

/* True if what is written to f here needs no answer (print_ring.h). */
static inline bool io_is_posted(const FILE *f)
{
	return io_is_served(f) && !io_is_server();
}

#endif
