/* error_name.c - the names of the errors that calls return. */
#include <errno.h>

#include <cohart/debug.h>

/* NOLINTBEGIN(bugprone-macro-parentheses): the name is a text, too. */
#define NAME(error)           \
	{                     \
		error, #error \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct {
	int number;
	const char *name;
} names[] = {
	NAME(E2BIG),     NAME(EACCES),       NAME(EAGAIN),
	NAME(EALREADY),  NAME(EBADF),        NAME(EBADMSG),
	NAME(EBUSY),     NAME(ECANCELED),    NAME(ECHILD),
	NAME(EDEADLK),   NAME(EDOM),         NAME(EEXIST),
	NAME(EFAULT),    NAME(EFBIG),        NAME(EHOSTDOWN),
	NAME(EILSEQ),    NAME(EINPROGRESS),  NAME(EINTR),
	NAME(EINVAL),    NAME(EIO),          NAME(EISDIR),
	NAME(ELOOP),     NAME(EMFILE),       NAME(EMLINK),
	NAME(EMSGSIZE),  NAME(ENAMETOOLONG), NAME(ENETUNREACH),
	NAME(ENFILE),    NAME(ENOBUFS),      NAME(ENODEV),
	NAME(ENOENT),    NAME(ENOEXEC),      NAME(ENOMEM),
	NAME(ENOSPC),    NAME(ENOSYS),       NAME(ENOTCONN),
	NAME(ENOTDIR),   NAME(ENOTEMPTY),    NAME(ENOTRECOVERABLE),
	NAME(ENOTSUP),   NAME(ENOTTY),       NAME(ENXIO),
	NAME(EOVERFLOW), NAME(EOWNERDEAD),   NAME(EPERM),
	NAME(EPIPE),     NAME(EPROTO),       NAME(ERANGE),
	NAME(EROFS),     NAME(ESPIPE),       NAME(ESRCH),
	NAME(ESTALE),    NAME(ETIMEDOUT),    NAME(ETXTBSY),
	NAME(EXDEV),     NAME(EOPNOTSUPP),
};

const char *co_error_name(int error)
{
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (error == names[i].number || error == -names[i].number)
			return names[i].name;
	return "";
}
