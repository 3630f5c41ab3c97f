/* library.h - the streams on a host: stdout and stderr are ours, others the C library's own. */
#ifndef COHART_IO_LIBRARY_H
#define COHART_IO_LIBRARY_H

#include "../served/served.h"

static inline bool co_io_is_console(const FILE *f)
{
	return f == stdout || f == stderr;
}

static inline bool co_io_is_writable(const FILE *f)
{
	return co_io_is_console(f);
}

/* The library's own knows harts. */
static inline bool co_io_is_file(const FILE *f)
{
	(void)f;
	return false;
}

#endif
