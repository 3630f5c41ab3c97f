/*
 * stream.c - the console's streams, and bytes in and out of streams of the console and of files.
 *
 * picolibc's buffered streams move byte by byte, and take a failed read for the end of the file.
 * These functions work on picolibc's struct, move as many bytes as they can at a time, hand large
 * transfers straight to the host, and tell a failed read from the end of the file.
 */
#include <stdlib.h>

#include "library.h"
#include "../wrapped.h"

static struct __file_bufio *bufio_of(FILE *f)
{
	return (struct __file_bufio *)f;
}

/* Set the stream's direction; flush it if that changes. False: its output could not be written. */
static bool set_direction(struct __file_bufio *b, uint8_t direction)
{
	bool ok = b->dir == direction || __bufio_flush((FILE *)b) == 0;

	b->dir = direction;
	return ok;
}

static size_t write_straight(struct __file_bufio *b, const char *p, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = b->write(b->fd, p + done, bytes - done);

		if (n <= 0)
			break;
		b->pos += n;
		done += (size_t)n;
	}
	return done;
}

static size_t file_write(struct __file_bufio *b, const char *p, size_t bytes)
{
	size_t done = 0;

	if (!set_direction(b, __SWR))
		return 0;
	while (done < bytes) {
		size_t room = (size_t)(b->size - b->len);
		size_t n = bytes - done;

		if (!b->len && n >= room)
			return done + write_straight(b, p + done, n);
		if (n > room)
			n = room;
		memcpy(b->buf + b->len, p + done, n);
		b->len += (int)n;
		if (b->len >= b->size && __bufio_flush((FILE *)b) < 0)
			return done;
		done += n;
	}
	if ((b->bflags & __BLBF) && memchr(p, '\n', bytes) && __bufio_flush((FILE *)b) < 0)
		return 0;
	return done;
}

size_t co_io_stream_write(FILE *f, const void *p, size_t bytes)
{
	size_t done;

	if (!(f->flags & __SWR)) {
		errno = EBADF;
		f->flags |= __SERR;
		return 0;
	}
	if (co_io_is_console(f)) {
		co_io_console_write(p, bytes);
		return bytes;
	}
	done = file_write(bufio_of(f), p, bytes);
	if (done < bytes)
		f->flags |= __SERR;
	return done;
}

/* As b->read(), from the host: the end and errors are noted. */
static size_t read_straight(struct __file_bufio *b, char *p, size_t bytes)
{
	ssize_t n = b->read(b->fd, p, bytes);

	b->off = b->len = 0;
	if (n > 0)
		b->pos += n;
	else
		b->xfile.cfile.file.flags |= n < 0 ? __SERR : __SEOF;
	return n > 0 ? (size_t)n : 0;
}

static size_t file_read(struct __file_bufio *b, char *p, size_t bytes)
{
	FILE *f = &b->xfile.cfile.file;
	size_t done = 0;

	if (!set_direction(b, __SRD)) {
		f->flags |= __SERR;
		return 0;
	}
	while (done < bytes) {
		size_t have = (size_t)(b->len - b->off);
		size_t n = bytes - done;

		if (have) {
			n = n < have ? n : have;
			memcpy(p + done, b->buf + b->off, n);
			b->off += (int)n;
		} else if (n >= (size_t)b->size) {
			n = read_straight(b, p + done, n);
			if (!n)
				break;
		} else {
			b->len = (int)read_straight(b, b->buf, (size_t)b->size);
			if (!b->len)
				break;
			continue;
		}
		done += n;
	}
	return done;
}

size_t co_io_stream_read(FILE *f, void *p, size_t bytes)
{
	char *to = p;
	size_t done = 0;

	if (!(f->flags & __SRD)) {
		errno = EBADF;
		f->flags |= __SERR;
		return 0;
	}
	if (f->unget) /* first */
		to[done++] = (char)__real_fgetc(f);
	return done + file_read(bufio_of(f), to + done, bytes - done);
}

int co_io_stream_getc(FILE *f)
{
	unsigned char c;

	return co_io_stream_read(f, &c, 1) == 1 ? c : EOF;
}

int co_io_stream_flush(FILE *f)
{
	int r = __real_fflush(f);

	if (r)
		f->flags |= __SERR;
	return r;
}

/*
 * Appended output goes to the file's end, wherever the library takes its position to be. The stream
 * is flushed.
 */
static void find_position(FILE *f)
{
	struct __file_bufio *b = bufio_of(f);

	if (co_io_is_file(f) && b->dir == __SWR && co_io_file_appends(b->fd))
		b->pos = b->lseek(b->fd, 0, SEEK_CUR);
}

/* A byte that was pushed back is one less, but at the start. */
off_t co_io_stream_tell(FILE *f)
{
	off_t at;

	find_position(f);
	at = __real_ftello(f);
	return at > 0 && f->unget ? at - 1 : at;
}

int co_io_stream_seek(FILE *f, off_t offset, int whence)
{
	find_position(f);
	if (whence == SEEK_CUR && f->unget && __real_ftello(f) > 0)
		offset--;
	return __real_fseeko(f, offset, whence);
}

/* ---- stdin, stdout and stderr ---- */

static int console_put(char c, FILE *f)
{
	(void)f;
	co_io_console_write(&c, 1);
	return (unsigned char)c;
}

static int flush(FILE *f)
{
	(void)f;
	co_io_console_flush();
	return 0;
}

/* stdin has no function: all that reads does so by fgetc() or fread(), which are wrapped. */
struct __file co_io_console[3] = {
	FDEV_SETUP_STREAM(NULL, NULL, NULL, _FDEV_SETUP_READ),
	FDEV_SETUP_STREAM(console_put, NULL, flush, _FDEV_SETUP_WRITE),
	FDEV_SETUP_STREAM(console_put, NULL, flush, _FDEV_SETUP_WRITE),
};

FILE *const stdin = &co_io_console[0];
FILE *const stdout = &co_io_console[1];
FILE *const stderr = &co_io_console[2];
