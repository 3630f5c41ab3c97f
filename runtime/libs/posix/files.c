/*
 * files.c - properties of the host's files that opening them shows; and the calls that semihosting
 * cannot make: they fail with ENOSYS, without effect.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library.h"
#include "posix.h"

extern __typeof__(stat) IO_SYSCALL(stat);
extern __typeof__(link) IO_SYSCALL(link);

/* A directory opens, and has a size, but cannot be read. */
static bool is_directory(int fd)
{
	char byte;

	return read(fd, &byte, 1) < 0 && errno == EISDIR;
}

/* Newlib's stat(), which its mkstemp() needs, is made of this. */
POSIX int IO_SYSCALL(stat)(const char *path, struct stat *st)
{
	int before = errno, fd = open(path, O_RDONLY);
	int r = fd < 0 ? -1 : fstat(fd, st);

	if (r == 0 && is_directory(fd))
		st->st_mode = S_IFDIR | 0755;
	if (r == 0)
		errno = before;
	if (fd >= 0)
		close(fd);
	return r;
}

POSIX int lstat(const char *path, struct stat *st)
{
	return stat(path, st);
}

POSIX int access(const char *path, int how)
{
	struct stat st;
	int fd;

	if (how & ~(R_OK | W_OK | X_OK))
		return co_posix_fail(EINVAL);
	if (stat(path, &st))
		return -1;
	if (how & X_OK || (how & W_OK && S_ISDIR(st.st_mode)))
		return co_posix_fail(ENOSYS);
	if (!(how & W_OK))
		return 0;
	fd = open(path, O_RDWR);
	return fd < 0 ? -1 : close(fd);
}

/* The host reads and writes at a descriptor's position alone: it is kept and put back. */
static off_t go_to(int fd, off_t at)
{
	off_t before = lseek(fd, 0, SEEK_CUR);

	if (before < 0)
		return -1;
	if (at < 0)
		return co_posix_fail(EINVAL);
	return lseek(fd, at, SEEK_SET) < 0 ? -1 : before;
}

static ssize_t come_back(int fd, off_t before, ssize_t done)
{
	int why = errno;

	if (lseek(fd, before, SEEK_SET) < 0 && done >= 0)
		return -1;
	errno = why;
	return done;
}

POSIX ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	off_t before = go_to(fd, at);

	return before < 0 ? -1 : come_back(fd, before, read(fd, to, bytes));
}

POSIX ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
	off_t before = go_to(fd, at);

	return before < 0 ? -1 : come_back(fd, before, write(fd, from, bytes));
}

/* Nobody else creates files here. */
POSIX mode_t umask(mode_t mask)
{
	(void)mask;
	return 022;
}

#define NONE_OF(what, ...)                    \
	POSIX int what(__VA_ARGS__)           \
	{                                     \
		return co_posix_fail(ENOSYS); \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"
NONE_OF(mkdir, const char *path, mode_t mode)
NONE_OF(rmdir, const char *path)
NONE_OF(chmod, const char *path, mode_t mode)
NONE_OF(fchmod, int fd, mode_t mode)
NONE_OF(chown, const char *path, uid_t owner, gid_t group)
NONE_OF(IO_SYSCALL(link), const char *path, const char *other)
NONE_OF(symlink, const char *path, const char *other)
NONE_OF(truncate, const char *path, off_t bytes)
NONE_OF(ftruncate, int fd, off_t bytes)
NONE_OF(fsync, int fd)
NONE_OF(chdir, const char *path)

POSIX ssize_t readlink(const char *path, char *to, size_t bytes)
{
	return co_posix_fail(ENOSYS);
}

POSIX char *getcwd(char *to, size_t bytes)
{
	errno = ENOSYS;
	return NULL;
}
