/*
 * files.c - open, read, write and their kin over the host's files, or files in memory.
 *
 * The host keeps a position for each handle and can only set it; the table here remembers the
 * position. By the table file_read() tells apart results that are equal from the host.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hal/host.h>

#include "library.h"
#include "memory_files.h"

extern __typeof__(open) IO_WEAK IO_SYSCALL(open);
extern __typeof__(close) IO_WEAK IO_SYSCALL(close), IO_SYSCALL(isatty);
extern __typeof__(read) IO_WEAK IO_SYSCALL(read);
extern __typeof__(write) IO_WEAK IO_SYSCALL(write);
extern __typeof__(lseek) IO_WEAK IO_SYSCALL(lseek);
extern __typeof__(fstat) IO_WEAK IO_SYSCALL(fstat);
extern __typeof__(unlink) IO_WEAK IO_SYSCALL(unlink);

/* Modes of SYS_OPEN, all binary. */
enum { MODE_R = 1, MODE_RW = 3, MODE_W = 5, MODE_W_PLUS = 7, MODE_A = 9, MODE_A_PLUS = 11 };

/* A function for the host's files, or without a host for files in memory. */
#define FILES(what) (hal_host_answers() ? hal_host_##what : co_io_memory_##what)

static struct file {
	int handle;
	uint8_t used;
	uint8_t access; /* O_RDONLY, O_WRONLY, O_RDWR */
	bool append;
	struct co_aword stream; /* FILE * that stands on it, to be flushed at the end */
	off_t pos;              /* the host's */
} files[IO_FILES];

static int fail(int err)
{
	errno = err;
	return -1;
}

/* The file of descriptor fd, one of this table; NULL and EBADF: no open file. */
static struct file *file_of(intptr_t fd)
{
	if (fd > STDERR_FILENO && fd < IO_FILES && files[fd].used)
		return &files[fd];
	errno = EBADF;
	return NULL;
}

static bool is_console(intptr_t fd)
{
	return fd >= STDIN_FILENO && fd <= STDERR_FILENO;
}

void co_io_file_set_stream(int fd, FILE *f)
{
	if (fd > STDERR_FILENO && fd < IO_FILES)
		/* release: pairs with co_io_file_stream(). */
		co_atomic_store(&files[fd].stream, (uintptr_t)f, CO_RELEASE);
}

bool co_io_file_appends(int fd)
{
	return fd >= 0 && fd < IO_FILES && files[fd].append;
}

FILE *co_io_file_stream(int fd)
{
	/* acquire: the stream as its opener wrote it; pairs with co_io_file_set_stream(). */
	return (FILE *)co_atomic_load(&files[fd].stream, CO_ACQUIRE);
}

static bool exists(const char *path)
{
	int handle = FILES(open)(path, MODE_R);

	if (handle >= 0)
		FILES(close)(handle);
	return handle >= 0;
}

/* SYS_OPEN knows fopen()'s modes only; open()'s flags are made from them. */
static int host_open(const char *path, int flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	bool reads = (flags & O_ACCMODE) != O_WRONLY;
	int handle;

	if ((flags & O_CREAT) && (flags & O_EXCL) && exists(path))
		return -EEXIST;
	if (!writes && !(flags & O_CREAT))
		return FILES(open)(path, MODE_R);
	if (flags & O_TRUNC) {
		if (!(flags & O_CREAT) && !exists(path))
			return -ENOENT;
		return FILES(open)(path, reads ? MODE_W_PLUS : MODE_W);
	}
	if ((flags & O_APPEND) && (flags & O_CREAT))
		return FILES(open)(path, reads ? MODE_A_PLUS : MODE_A);
	if (flags & O_APPEND)
		return exists(path) ? FILES(open)(path, reads ? MODE_A_PLUS : MODE_A) : -ENOENT;
	handle = FILES(open)(path, writes ? MODE_RW : MODE_R);
	if (handle == -ENOENT && (flags & O_CREAT))
		handle = FILES(open)(path, MODE_W_PLUS);
	return handle;
}

static intptr_t file_open(intptr_t *w)
{
	const char *path = (const char *)w[0];
	int flags = (int)w[2];
	int fd = STDERR_FILENO + 1;
	int handle;

	if (!path)
		return fail(EFAULT);
	/* Names that begin so are the host's magic, not files. */
	if (path[0] == ':')
		return fail(ENOENT);
	while (fd < IO_FILES && files[fd].used)
		fd++;
	if (fd == IO_FILES)
		return fail(EMFILE);
	handle = co_io_injected() ?: host_open(path, flags);
	if (handle < 0)
		return fail(-handle);
	files[fd].handle = handle;
	files[fd].used = true;
	files[fd].access = flags & O_ACCMODE;
	files[fd].append = flags & O_APPEND;
	files[fd].pos = 0;
	return fd;
}

static intptr_t file_close(intptr_t *w)
{
	struct file *f;
	int failed, err;

	if (is_console(w[0]))
		return 0;
	f = file_of(w[0]);
	if (!f)
		return -1;
	failed = co_io_injected();
	err = FILES(close)(f->handle);
	f->used = false;
	/* relaxed: the closer has locked the stream. */
	co_atomic_store(&f->stream, 0, CO_RELAXED);
	if (failed)
		err = failed;
	return err < 0 ? fail(-err) : 0;
}

/* Its bytes at the host, or a negative errno number. */
static intptr_t length_of(const struct file *f)
{
	return co_io_injected() ?: FILES(length)(f->handle);
}

/* How much of a transfer ends where an off_t can say: it has 31 bits on 32-bit boards. */
static size_t in_reach(const struct file *f, intptr_t bytes)
{
	const off_t max = (off_t)(((uint64_t)1 << (8 * sizeof(off_t) - 1)) - 1);

	return (off_t)bytes > max - f->pos ? (size_t)(max - f->pos) : (size_t)bytes;
}

/*
 * QEMU answers a failed read as it does the end of a file: nothing moved, no errno. Short of the
 * file's end it is an error then; at its very start it most likely is a directory, which opens
 * well.
 */
static intptr_t file_read(intptr_t *w)
{
	struct file *f;
	size_t bytes;
	intptr_t n;

	f = file_of(w[0]);
	if (!f)
		return -1;
	if (f->access == O_WRONLY)
		return fail(EBADF);
	bytes = in_reach(f, w[2]);
	if (w[2] && !bytes)
		return fail(EOVERFLOW);
	n = co_io_injected() ?: FILES(read)(f->handle, (void *)w[1], bytes);
	if (n < 0)
		return fail((int)-n);
	if (n == 0 && w[2]) {
		intptr_t end = length_of(f);

		if (end < 0)
			return fail((int)-end);
		if (f->pos < end)
			return fail(f->pos ? EIO : EISDIR);
	}
	f->pos += n;
	return n;
}

static int go_to(struct file *f, off_t target)
{
	int err = co_io_injected() ?: FILES(seek)(f->handle, (size_t)target);

	if (err < 0)
		return err;
	f->pos = target;
	return 0;
}

/* Each write of a file that is appended to is at its end, which QEMU does not ensure. */
static intptr_t go_to_end(struct file *f)
{
	intptr_t end = length_of(f);

	if (end < 0)
		return end;
	return end == f->pos ? 0 : go_to(f, end);
}

static intptr_t file_write(intptr_t *w)
{
	struct file *f;
	size_t bytes;
	intptr_t n;

	if (w[0] == STDOUT_FILENO || w[0] == STDERR_FILENO) {
		co_io_console_write((const char *)w[1], (size_t)w[2]);
		return w[2];
	}
	f = file_of(w[0]);
	if (!f)
		return -1;
	if (f->access == O_RDONLY)
		return fail(EBADF);
	n = f->append ? go_to_end(f) : 0;
	if (n < 0)
		return fail((int)-n);
	bytes = in_reach(f, w[2]);
	if (w[2] && !bytes)
		return fail(EFBIG);
	n = co_io_injected() ?: FILES(write)(f->handle, (const void *)w[1], bytes);
	if (n < 0)
		return fail((int)-n);
	/* The host does not say why; nearly always the device is full. */
	if (n == 0 && w[2])
		return fail(ENOSPC);
	f->pos += n;
	return n;
}

static intptr_t file_seek(intptr_t *w)
{
	struct file *f;
	off_t base = 0;
	off_t target;
	int err;

	if (is_console(w[0]))
		return fail(ESPIPE);
	f = file_of(w[0]);
	if (!f)
		return -1;
	if (w[2] == SEEK_CUR)
		base = f->pos;
	else if (w[2] == SEEK_END)
		base = length_of(f);
	else if (w[2] != SEEK_SET)
		return fail(EINVAL);
	if (base < 0)
		return fail((int)-base);
	if (__builtin_add_overflow(base, (off_t)w[1], &target))
		return fail(EOVERFLOW);
	if (target < 0)
		return fail(EINVAL);
	err = go_to(f, target);
	return err ? fail(-err) : (intptr_t)target;
}

/* The size in w[1], what kind of file in w[2]. */
static intptr_t file_stat(intptr_t *w)
{
	const struct file *f;

	w[1] = 0;
	w[2] = S_IFCHR | 0600;
	if (is_console(w[0]))
		return 0;
	f = file_of(w[0]);
	if (!f)
		return -1;
	w[1] = length_of(f);
	w[2] = S_IFREG | 0644;
	return w[1] < 0 ? fail((int)-w[1]) : 0;
}

static intptr_t file_remove(intptr_t *w)
{
	int err = w[0] ? FILES(remove)((const char *)w[0]) : -EFAULT;

	return err ? fail(-err) : 0;
}

static intptr_t file_rename(intptr_t *w)
{
	int err = w[0] && w[1] ? FILES(rename)((const char *)w[0], (const char *)w[1]) : -EFAULT;

	return err ? fail(-err) : 0;
}

int IO_SYSCALL(open)(const char *path, int flags, ...)
{
	return (int)co_io_call_strings(file_open, path, NULL, flags);
}

int IO_SYSCALL(close)(int fd)
{
	return (int)co_io_call(file_close, fd, 0, 0);
}

ssize_t IO_SYSCALL(read)(int fd, void *buf, size_t bytes)
{
	if (fd == STDIN_FILENO)
		return co_io_input_read(buf, bytes);
	return co_io_transfer(file_read, fd, IO_IN, buf, bytes);
}

ssize_t IO_SYSCALL(write)(int fd, const void *buf, size_t bytes)
{
	return co_io_transfer(file_write, fd, IO_OUT, (void *)(uintptr_t)buf, bytes);
}

off_t IO_SYSCALL(lseek)(int fd, off_t offset, int whence)
{
	return co_io_call(file_seek, fd, (intptr_t)offset, whence);
}

int IO_SYSCALL(fstat)(int fd, struct stat *st)
{
	intptr_t w[IO_WORDS] = { fd };

	if (co_io_call_words(file_stat, w))
		return -1;
	*st = (struct stat){ .st_size = w[1], .st_mode = (mode_t)w[2], .st_blksize = BUFSIZ };
	return 0;
}

int IO_SYSCALL(isatty)(int fd)
{
	/* co_options is constant, so any hart may look. */
	if (is_console(fd) && (fd == STDIN_FILENO ? co_options.tty_in : co_options.tty))
		return 1;
	errno = ENOTTY;
	return 0;
}

int IO_SYSCALL(unlink)(const char *path)
{
	return (int)co_io_call_strings(file_remove, path, NULL, 0);
}

int rename(const char *from, const char *to)
{
	return (int)co_io_call_strings(file_rename, from, to, 0);
}
