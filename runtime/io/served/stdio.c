/*
 * stdio.c - the C library's streams from any hart: the library works on them where the caller is,
 * under a lock, and its requests to the host go to hart 0 (files.c). Writing: output.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../core/hook.h"
#include "../../core/memory/stack.h"
#include "../wrapped.h"
#include "library.h"
#include "scan.h"

#undef clearerr

/* A call's lock of its stream, so that it is alone with a stream that coroutines share. */
struct claim {
	struct co_io_lock *lock;
	bool shared;
	bool failed; /* errno: as for co_io_stream_check(), co_io_input_lock() or co_io_lock() */
};

static struct claim claim_stream(FILE *f)
{
	struct claim c = { .failed = !co_io_stream_check(f) };

	if (c.failed)
		return c;
	c.lock = co_io_is_input(f) ? NULL : co_io_lock_of(f);
	c.shared = co_io_is_served(f);
	c.failed = c.shared && !(c.lock ? co_io_lock(c.lock) : co_io_input_lock());
	return c;
}

/* The stream may be closed by now. */
static void release_stream(struct claim c)
{
	if (!c.shared || c.failed)
		return;
	if (c.lock)
		co_io_unlock(c.lock);
	else
		co_io_input_unlock();
}

/* Make a call alone with its stream; `error` if it cannot be alone, or f is not a stream. */
#define ALONE(f, error, call)                                           \
	({                                                              \
		struct claim claim_ = claim_stream(f);                  \
		__typeof__(call) r_ = claim_.failed ? (error) : (call); \
		release_stream(claim_), r_;                             \
	})

bool co_io_input_pushed_back(void)
{
	return co_io_has_byte(stdin);
}

/* A byte of stdin. A cancel is neither its end nor an error of the stream. */
static int input_getc(FILE *f)
{
	int c = co_io_has_byte(f) ? __real_fgetc(f) : co_io_console_get();

	if (c == IO_CONSOLE_END)
		IO_FLAGS(f) |= __SEOF;
	if (c == IO_CONSOLE_FAILED)
		IO_FLAGS(f) |= __SERR;
	return c < 0 ? EOF : c;
}

int co_io_getc(FILE *f)
{
	int c;

	if (co_io_is_input(f))
		return input_getc(f);
	c = co_io_is_file(f) && co_io_stream_ready(f) == IO_GETS ? co_io_get_fast(f) : EOF;
	return c != EOF ? c : co_io_stream_getc(f);
}

/* Note that the stream f is ready. The caller has locked it. */
static void set_ready(FILE *f)
{
	unsigned ready = co_io_stream_ready(f);

	co_io_lock_of(f)->ready = ready == IO_NOT_READY ? ready : (uintptr_t)f + ready;
}

static size_t write_file(FILE *f, const void *p, size_t bytes)
{
	size_t n = co_io_stream_write(f, p, bytes);

	set_ready(f);
	return n;
}

static size_t write_alone(FILE *f, const void *p, size_t bytes)
{
	return ALONE(f, 0, write_file(f, p, bytes));
}

static int get_file(FILE *f)
{
	int c = co_io_getc(f);

	if (co_io_is_file(f))
		set_ready(f);
	return c;
}

/*
 * Bytes that only go into a buffer, or come out of it. All further work is done by tail calls, so
 * that the short way needs no frame. The lock is in no end list meanwhile: nothing waits here, and
 * only a stream that is overwritten faults, and stays locked.
 */

static NOINLINE int wake_one(struct co_io_lock *l, int c)
{
	co_wake_one(&l->queue);
	return c;
}

static NOINLINE int put_slowly(int c, FILE *f, bool wakes)
{
	if (wakes)
		co_wake_one(&co_io_lock_of(f)->queue);
	return co_io_putc(c, f);
}

int __wrap_fputc(int c, FILE *f)
{
	struct co_io_lock *l = co_io_lock_of(f);
	unsigned char byte = (unsigned char)c;
	bool wakes = false, done;

	if (co_executor.current && co_io_lock_try(l)) {
		done = l->ready == (uintptr_t)f + IO_PUTS && co_io_put_fast(f, byte);
		wakes = co_io_lock_free(l);
		if (done)
			return wakes ? wake_one(l, byte) : byte;
	}
	return put_slowly(c, f, wakes);
}

static NOINLINE int get_slowly(FILE *f, bool wakes)
{
	if (wakes)
		co_wake_one(&co_io_lock_of(f)->queue);
	return ALONE(f, EOF, claim_.shared ? get_file(f) : __real_fgetc(f));
}

int __wrap_fgetc(FILE *f)
{
	struct co_io_lock *l = co_io_lock_of(f);
	bool wakes = false;
	int c;

	if (co_executor.current && co_io_lock_try(l)) {
		c = l->ready == (uintptr_t)f + IO_GETS ? co_io_get_fast(f) : EOF;
		wakes = co_io_lock_free(l);
		if (c >= 0)
			return wakes ? wake_one(l, c) : c;
	}
	return get_slowly(f, wakes);
}

int __wrap_getc(FILE *f)
{
	return __wrap_fgetc(f);
}

int __wrap_getchar(void)
{
	return __wrap_fgetc(stdin);
}

int __wrap_ungetc(int c, FILE *f)
{
	return ALONE(f, EOF, __real_ungetc(c, f));
}

/*
 * Read up to `bytes`, and no further than a newline if `line`. Returns the number read; 0, and
 * errno.
 */
static size_t get_bytes(FILE *f, char *s, size_t bytes, bool line)
{
	int err = errno;
	size_t n = 0;
	int c;

	while (n < bytes && (c = co_io_getc(f)) != EOF) {
		s[n++] = (char)c;
		if (line && c == '\n')
			break;
	}
	if (n)
		errno = err;
	return n;
}

static size_t read_bytes(FILE *f, void *p, size_t bytes)
{
	return co_io_is_input(f) ? get_bytes(f, p, bytes, false) : co_io_stream_read(f, p, bytes);
}

size_t __wrap_fread(void *p, size_t size, size_t n, FILE *f)
{
	size_t bytes;

	if (!co_io_stream_check(f))
		return 0;
	if (!co_io_is_served(f))
		return __real_fread(p, size, n, f);
	if (__builtin_mul_overflow(size, n, &bytes)) {
		errno = EOVERFLOW;
		return 0;
	}
	return bytes ? ALONE(f, 0, read_bytes(f, p, bytes)) / size : 0;
}

/* picolibc's fgets() loses a last line without a newline. */
static size_t get_own_line(FILE *f, char *s, size_t bytes)
{
	size_t n = 0;
	int c = 0;

	while (n < bytes && c != '\n' && (c = __real_fgetc(f)) != EOF)
		s[n++] = (char)c;
	return c == EOF && ferror(f) ? 0 : n;
}

char *__wrap_fgets(char *s, int size, FILE *f)
{
	size_t n, bytes = (size_t)size - 1;

	if (!co_io_stream_check(f) || size <= 0)
		return NULL;
	n = co_io_is_served(f) ? ALONE(f, 0, get_bytes(f, s, bytes, true))
			       : get_own_line(f, s, bytes);
	if (!n && size > 1)
		return NULL;
	s[n] = '\0';
	return s;
}

static int scan_getc(void *stream)
{
	FILE *f = stream;

	return co_io_is_served(f) ? co_io_getc(f) : __real_fgetc(f);
}

static int scan_stream(FILE *f, const char *format, va_list ap)
{
	struct co_io_source s = co_io_source_stream(f, scan_getc);
	int n = co_io_scan(&s, format, ap);

	if (s.next >= 0)
		__real_ungetc(s.next, f);
	return n;
}

int __wrap_vfscanf(FILE *f, const char *format, va_list ap)
{
	return ALONE(f, EOF, scan_stream(f, format, ap));
}

/* f is a file's new stream, or NULL. */
static FILE *opened(FILE *f)
{
	co_hooks_needed(files);
	/* relaxed: a coroutine that uses the stream got it after this store. */
	co_atomic_store(&co_io_file_write, (uintptr_t)write_alone, CO_RELAXED);
	if (f)
		co_io_file_set_stream(__wrap_fileno(f), f);
	return f;
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
	struct stat st;

	if (!mode) {
		errno = EINVAL;
		return NULL;
	}
	/* The library would make a stream on any number, and the next file of it would be its. */
	return fstat(fd, &st) ? NULL : opened(__real_fdopen(fd, mode));
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	if (!path || !mode) {
		errno = EINVAL;
		return NULL;
	}
	/* C11's exclusive mode, which picolibc passes over and newlib leaves to open(). */
	if (mode[0] == 'w' && strchr(mode, 'x')) {
		int fd = open(path, O_RDONLY);

		if (fd >= 0) {
			close(fd);
			errno = EEXIST;
			return NULL;
		}
	}
	return opened(__real_fopen(path, mode));
}

FILE *__wrap_freopen(const char *path, const char *mode, FILE *f)
{
	if (!co_io_stream_check(f))
		return NULL;
	if (!path || !mode || co_io_is_console(f)) {
		errno = EINVAL;
		return NULL;
	}
	return ALONE(f, NULL, opened(__real_freopen(path, mode, f)));
}

static int close_stream(FILE *f)
{
	int flushed = co_io_stream_flush(f);

	return __real_fclose(f) || flushed ? EOF : 0;
}

int __wrap_fclose(FILE *f)
{
	return ALONE(f, EOF, claim_.shared ? close_stream(f) : __real_fclose(f));
}

/* `last`: the run ends; streams whose owners wait for it are flushed, too. */
static int flush_all(bool last)
{
	int r = 0;

	for (int fd = 0; fd < IO_FILES; fd++) {
		FILE *f = co_io_file_stream(fd);
		struct co_io_lock *l = co_io_lock_of(f);
		bool locked = f && (last ? co_io_lock_last(l) : co_io_lock(l));

		if (!f)
			continue;
		if (!locked && !last)
			r = EOF;
		else if (co_io_file_stream(fd) == f && co_io_is_being_written(f) &&
			 co_io_stream_flush(f))
			r = EOF;
		if (locked && last)
			co_io_unlock_last(l);
		else if (locked)
			co_io_unlock(l);
	}
	return r;
}

int __wrap_fflush(FILE *f)
{
	if (!f || (co_io_is_console(f) && !co_io_is_input(f)))
		co_io_flush_line();
	if (!f)
		return flush_all(false);
	return co_io_is_console(f)
		       ? 0
		       : ALONE(f, EOF, claim_.shared ? co_io_stream_flush(f) : __real_fflush(f));
}

static void flush_at_end(void)
{
	static bool flushing;

	/* A fault in here ends the run by way of here. */
	if (flushing)
		return;
	flushing = true;
	(void)flush_all(true);
	flushing = false;
}

CO_HOOKS_OF(files) = { .run_ends = flush_at_end };

static int seek(FILE *f, off_t offset, int whence)
{
	/* First, and apart: picolibc's seek keeps its lock for good if the flush in it fails. */
	if (co_io_stream_flush(f))
		return -1;
	return co_io_stream_seek(f, offset, whence);
}

int __wrap_fseeko(FILE *f, off_t offset, int whence)
{
	return ALONE(f, -1,
		     claim_.shared ? seek(f, offset, whence) : __real_fseeko(f, offset, whence));
}

int __wrap_fseek(FILE *f, long offset, int whence)
{
	return __wrap_fseeko(f, offset, whence);
}

static off_t tell_position(FILE *f)
{
	return co_io_stream_flush(f) ? -1 : co_io_stream_tell(f);
}

off_t __wrap_ftello(FILE *f)
{
	return ALONE(f, -1, claim_.shared ? tell_position(f) : __real_ftello(f));
}

long __wrap_ftell(FILE *f)
{
	return (long)__wrap_ftello(f);
}

void __wrap_clearerr(FILE *f)
{
	(void)ALONE(f, 0, (__real_clearerr(f), 0));
}

int __wrap_fileno(FILE *f)
{
	int fd;

	if (!co_io_stream_check(f))
		return -1;
	/* Constant once open: any hart may look. */
	fd = co_io_is_console(f) ? (int)(f - co_io_console) : __real_fileno(f);
	if (fd < 0)
		errno = EBADF;
	return fd;
}

int __wrap_setvbuf(FILE *f, char *buf, int mode, size_t size)
{
	struct co_stack_place place;

	if (!co_io_stream_check(f))
		return EOF;
	/* The console's lines are kept as they are. */
	if (co_io_is_console(f))
		return mode == _IOLBF ? 0 : EOF;
	/* A stream may outlive a frame. C leaves it to the library to use a buffer of its own. */
	if (buf && co_stack_find((uintptr_t)buf, &place))
		buf = NULL;
	buf = co_public(buf, size); /* hart 0 flushes it at the end */
	if (co_io_is_served(f) && buf && !co_spm_shared(buf, size)) {
		errno = EINVAL;
		return EOF;
	}
	return ALONE(f, EOF, __real_setvbuf(f, buf, mode, size));
}
