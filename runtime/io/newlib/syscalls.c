/*
 * syscalls.c - what newlib calls below itself: the functions of the program's names, which
 * served/files.c and served/process.c have.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "library.h"

/* The package declares them for those that it is built with. */
int _open(const char *path, int flags, int mode);
int _close(int fd);
_ssize_t _read(int fd, void *buf, size_t bytes);
_ssize_t _write(int fd, const void *buf, size_t bytes);
_off_t _lseek(int fd, _off_t offset, int whence);
int _fstat(int fd, struct stat *st);
int _isatty(int fd);
int _unlink(const char *path);
int _kill(pid_t pid, int signal);
pid_t _getpid(void);
clock_t _times(struct tms *t);
int _gettimeofday(struct timeval *tv, void *zone);

int _open(const char *path, int flags, int mode)
{
	return open(path, flags, mode);
}

int _close(int fd)
{
	return close(fd);
}

_ssize_t _read(int fd, void *buf, size_t bytes)
{
	return read(fd, buf, bytes);
}

_ssize_t _write(int fd, const void *buf, size_t bytes)
{
	return write(fd, buf, bytes);
}

_off_t _lseek(int fd, _off_t offset, int whence)
{
	return lseek(fd, offset, whence);
}

int _fstat(int fd, struct stat *st)
{
	return fstat(fd, st);
}

int _isatty(int fd)
{
	return isatty(fd);
}

int _unlink(const char *path)
{
	return unlink(path);
}

int _kill(pid_t pid, int signal)
{
	return kill(pid, signal);
}

pid_t _getpid(void)
{
	return getpid();
}

clock_t _times(struct tms *t)
{
	return times(t);
}

int _gettimeofday(struct timeval *tv, void *zone)
{
	return gettimeofday(tv, zone);
}
