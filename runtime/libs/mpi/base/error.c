/* error.c - error classes, codes and their texts, and reports of errors. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cohart/debug.h>

#include "objects.h"

/* ---- Classes and codes ---- */

static const char *const texts[] = {
	[MPI_SUCCESS] = "MPI_SUCCESS: no error",
	[MPI_ERR_BUFFER] = "MPI_ERR_BUFFER: invalid buffer",
	[MPI_ERR_COUNT] = "MPI_ERR_COUNT: invalid count",
	[MPI_ERR_TYPE] = "MPI_ERR_TYPE: invalid datatype",
	[MPI_ERR_TAG] = "MPI_ERR_TAG: invalid tag",
	[MPI_ERR_COMM] = "MPI_ERR_COMM: invalid communicator",
	[MPI_ERR_RANK] = "MPI_ERR_RANK: invalid rank",
	[MPI_ERR_REQUEST] = "MPI_ERR_REQUEST: invalid request",
	[MPI_ERR_ROOT] = "MPI_ERR_ROOT: invalid root",
	[MPI_ERR_GROUP] = "MPI_ERR_GROUP: invalid group",
	[MPI_ERR_OP] = "MPI_ERR_OP: invalid operation, or not for this datatype",
	[MPI_ERR_TOPOLOGY] = "MPI_ERR_TOPOLOGY: invalid topology",
	[MPI_ERR_DIMS] = "MPI_ERR_DIMS: invalid dimensions",
	[MPI_ERR_ARG] = "MPI_ERR_ARG: invalid argument",
	[MPI_ERR_UNKNOWN] = "MPI_ERR_UNKNOWN: unknown error",
	[MPI_ERR_TRUNCATE] = "MPI_ERR_TRUNCATE: the message is longer than the buffer",
	[MPI_ERR_OTHER] = "MPI_ERR_OTHER: another error",
	[MPI_ERR_INTERN] = "MPI_ERR_INTERN: an error inside of the library",
	[MPI_ERR_PENDING] = "MPI_ERR_PENDING: has not ended",
	[MPI_ERR_IN_STATUS] = "MPI_ERR_IN_STATUS: see the statuses",
	[MPI_ERR_ACCESS] = "MPI_ERR_ACCESS: permission denied",
	[MPI_ERR_AMODE] = "MPI_ERR_AMODE: invalid mode",
	[MPI_ERR_ASSERT] = "MPI_ERR_ASSERT: invalid assertion",
	[MPI_ERR_BAD_FILE] = "MPI_ERR_BAD_FILE: invalid file name",
	[MPI_ERR_BASE] = "MPI_ERR_BASE: invalid base",
	[MPI_ERR_CONVERSION] = "MPI_ERR_CONVERSION: conversion failed",
	[MPI_ERR_DISP] = "MPI_ERR_DISP: invalid displacement",
	[MPI_ERR_DUP_DATAREP] = "MPI_ERR_DUP_DATAREP: this representation exists",
	[MPI_ERR_FILE_EXISTS] = "MPI_ERR_FILE_EXISTS: file exists",
	[MPI_ERR_FILE_IN_USE] = "MPI_ERR_FILE_IN_USE: file is in use",
	[MPI_ERR_FILE] = "MPI_ERR_FILE: invalid file",
	[MPI_ERR_INFO_KEY] = "MPI_ERR_INFO_KEY: key empty or too long",
	[MPI_ERR_INFO_NOKEY] = "MPI_ERR_INFO_NOKEY: no such key",
	[MPI_ERR_INFO_VALUE] = "MPI_ERR_INFO_VALUE: value empty or too long",
	[MPI_ERR_INFO] = "MPI_ERR_INFO: invalid info",
	[MPI_ERR_IO] = "MPI_ERR_IO: input or output failed",
	[MPI_ERR_KEYVAL] = "MPI_ERR_KEYVAL: invalid key value",
	[MPI_ERR_LOCKTYPE] = "MPI_ERR_LOCKTYPE: invalid kind of lock",
	[MPI_ERR_NAME] = "MPI_ERR_NAME: no such name",
	[MPI_ERR_NO_MEM] = "MPI_ERR_NO_MEM: out of memory",
	[MPI_ERR_NOT_SAME] = "MPI_ERR_NOT_SAME: ranks disagree",
	[MPI_ERR_NO_SPACE] = "MPI_ERR_NO_SPACE: no space left",
	[MPI_ERR_NO_SUCH_FILE] = "MPI_ERR_NO_SUCH_FILE: no such file",
	[MPI_ERR_PORT] = "MPI_ERR_PORT: invalid port",
	[MPI_ERR_QUOTA] = "MPI_ERR_QUOTA: quota exceeded",
	[MPI_ERR_READ_ONLY] = "MPI_ERR_READ_ONLY: read-only",
	[MPI_ERR_RMA_ATTACH] = "MPI_ERR_RMA_ATTACH: memory cannot be attached",
	[MPI_ERR_RMA_CONFLICT] = "MPI_ERR_RMA_CONFLICT: conflicting accesses",
	[MPI_ERR_RMA_RANGE] = "MPI_ERR_RMA_RANGE: outside of the window",
	[MPI_ERR_RMA_SHARED] = "MPI_ERR_RMA_SHARED: memory cannot be shared",
	[MPI_ERR_RMA_SYNC] = "MPI_ERR_RMA_SYNC: outside of an epoch, or epochs mixed",
	[MPI_ERR_RMA_FLAVOR] = "MPI_ERR_RMA_FLAVOR: the window is of another flavor",
	[MPI_ERR_SERVICE] = "MPI_ERR_SERVICE: no such service",
	[MPI_ERR_SIZE] = "MPI_ERR_SIZE: invalid size",
	[MPI_ERR_SPAWN] = "MPI_ERR_SPAWN: processes cannot be started",
	[MPI_ERR_UNSUPPORTED_DATAREP] = "MPI_ERR_UNSUPPORTED_DATAREP: unknown representation",
	[MPI_ERR_UNSUPPORTED_OPERATION] = "MPI_ERR_UNSUPPORTED_OPERATION: not supported",
	[MPI_ERR_WIN] = "MPI_ERR_WIN: invalid window",
};
#define CLASSES ((int)(sizeof(texts) / sizeof(texts[0])))

/* The program's own codes: their numbers follow MPI_ERR_LASTCODE, in the order they were added. */
struct added {
	int error_class;
	char text[MPI_MAX_ERROR_STRING];
};
static struct added **added;
static int n_added;
int co_mpi_last_code = MPI_ERR_LASTCODE;

static struct added *find_added(int code)
{
	int i = code - MPI_ERR_LASTCODE - 1;

	return i >= 0 && i < n_added ? added[i] : NULL;
}

static bool is_code(int code)
{
	return (code >= 0 && code < CLASSES) || code == MPI_ERR_LASTCODE || find_added(code);
}

static int class_of(int code)
{
	return find_added(code) ? find_added(code)->error_class : code;
}

static int add_code(const char *call, int error_class, int *code)
{
	struct added **more = realloc(added, sizeof(struct added *) * (size_t)(n_added + 1));
	struct added *a = calloc(1, sizeof(*a));

	added = more ? more : added;
	if (!more || !a) {
		free(a);
		return co_mpi_error(NULL, call, MPI_ERR_NO_MEM);
	}
	added[n_added++] = a;
	*code = ++co_mpi_last_code;
	a->error_class = error_class == MPI_SUCCESS ? *code : error_class;
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Add_error_class, int *errorclass)
{
	return add_code(__func__, MPI_SUCCESS, errorclass);
}

CO_MPI_DEFINE(Add_error_code, int errorclass, int *errorcode)
{
	if (!is_code(errorclass) || class_of(errorclass) != errorclass)
		return co_mpi_error(NULL, __func__,
				    co_mpi_say(MPI_ERR_ARG, "%d is no class", errorclass));
	return add_code(__func__, errorclass, errorcode);
}

CO_MPI_DEFINE(Add_error_string, int errorcode, const char *string)
{
	struct added *a = find_added(errorcode);

	if (!a)
		return co_mpi_error(
			NULL, __func__,
			co_mpi_say(MPI_ERR_ARG, "%d is no code of the program's", errorcode));
	snprintf(a->text, sizeof(a->text), "%s", string);
	return MPI_SUCCESS;
}

static const char *text_of(int code)
{
	if (find_added(code))
		return find_added(code)->text;
	return code >= 0 && code < CLASSES && texts[code] ? texts[code] : "an unknown error";
}

CO_MPI_DEFINE(Error_string, int errorcode, char *string, int *resultlen)
{
	if (!is_code(errorcode))
		return co_mpi_error(NULL, __func__,
				    co_mpi_say(MPI_ERR_ARG, "%d is no error", errorcode));
	*resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s", text_of(errorcode));
	return MPI_SUCCESS;
}

CO_MPI_DEFINE(Error_class, int errorcode, int *errorclass)
{
	if (!is_code(errorcode))
		return co_mpi_error(NULL, __func__,
				    co_mpi_say(MPI_ERR_ARG, "%d is no error", errorcode));
	*errorclass = class_of(errorcode);
	return MPI_SUCCESS;
}

int co_mpi_class_of(int error)
{
	switch (error) {
	case -EMSGSIZE:
		return MPI_ERR_TRUNCATE;
	case -EBADMSG:
		return co_mpi_say(MPI_ERR_OTHER,
				  "a part of a collective is shorter than its place");
	case -ENOMEM:
		return MPI_ERR_NO_MEM;
	case -EOWNERDEAD:
		return co_mpi_say(MPI_ERR_OTHER, "a rank has ended");
	case -ECANCELED:
		return co_mpi_say(MPI_ERR_OTHER, "this coroutine was cancelled");
	default:
		return co_mpi_say(MPI_ERR_INTERN, "error %d %s", -error, co_error_name(error));
	}
}

int co_mpi_lock(struct co_mutex *m)
{
	int r = co_mutex_lock(m);

	if (r == 0)
		return MPI_SUCCESS;
	if (r == -EOWNERDEAD)
		co_mutex_unlock(m);
	return co_mpi_class(r);
}

/* ---- Reports ---- */

static char said[128];

void co_mpi_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(said, sizeof(said), format, args);
	va_end(args);
}

_Noreturn static void end_all(const char *call, const char *where, int code)
{
	fflush(stdout);
	fprintf(stderr, "%s: rank %d, %s: %s%s%s%s\n", call, co_mpi.rank, where, text_of(code),
		said[0] ? " (" : "", said, said[0] ? ")" : "");
	_exit(class_of(code) & 0xff ? class_of(code) : 1);
}

int co_mpi_handle_error(MPI_Errhandler handler, void *handle, const char *name, const char *call,
			int code)
{
	call += call[0] == 'P'; /* the program says MPI_X */
	if (!handler || (!handler->call && !handler->returns))
		end_all(call, name, code);
	if (handler->call)
		handler->call(handle, &code);
	said[0] = '\0';
	return code;
}

int co_mpi_report(MPI_Comm comm, const char *call, int code)
{
	if (!co_mpi_is(comm, CO_MPI_IS_COMM))
		comm = MPI_COMM_WORLD;
	return co_mpi_handle_error(co_mpi.me ? comm->errhandler : NULL, &comm,
				   co_mpi_comm_name(comm), call, code);
}
