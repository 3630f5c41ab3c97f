/*
 * memory_stream.c - fmemopen(). The library's own takes the end of its text for an error, so that a
 * last line without a newline is lost, and ends at the first zero byte.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory_stream {
	struct __file_ext file; /* first: the library has a pointer to it */
	char *text;
	size_t room;  /* bytes of text */
	size_t bytes; /* of these in use */
	size_t at;    /* the position: at most room */
	bool appends;
	bool is_update; /* reads and writes */
	bool is_ours;   /* text is memory of malloc()'s, for this stream */
};

static int memory_get(FILE *f)
{
	struct memory_stream *m = (struct memory_stream *)f;

	return m->at < m->bytes ? (unsigned char)m->text[m->at++] : _FDEV_EOF;
}

/* A text that has grown ends with a zero byte, in place of its last byte in mode w. */
static void end_text(struct memory_stream *m)
{
	if (m->bytes < m->room)
		m->text[m->bytes] = '\0';
	else if (!m->is_update && !m->appends)
		m->text[m->room - 1] = '\0';
}

static int memory_put(char c, FILE *f)
{
	struct memory_stream *m = (struct memory_stream *)f;

	if (m->appends)
		m->at = m->bytes;
	if (m->at >= m->room) {
		f->flags |= __SERR;
		errno = ENOSPC;
		return _FDEV_ERR;
	}
	m->text[m->at++] = c;
	if (m->at > m->bytes) {
		m->bytes = m->at;
		end_text(m);
	}
	return (unsigned char)c;
}

static int memory_flush(FILE *f)
{
	(void)f;
	return 0;
}

static off_t memory_seek(FILE *f, off_t offset, int whence)
{
	struct memory_stream *m = (struct memory_stream *)f;
	size_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? m->at : m->bytes;

	if (whence != SEEK_SET && whence != SEEK_CUR && whence != SEEK_END) {
		errno = EINVAL;
		return -1;
	}
	if (offset < -(off_t)from || offset > (off_t)(m->room - from)) {
		errno = EINVAL;
		return -1;
	}
	m->at = from + (size_t)offset;
	return (off_t)m->at;
}

/* No buffer is between the stream and its text. */
static int memory_setvbuf(FILE *f, char *buf, int mode, size_t bytes)
{
	(void)f;
	(void)buf;
	(void)mode;
	(void)bytes;
	return 0;
}

static int memory_close(FILE *f)
{
	struct memory_stream *m = (struct memory_stream *)f;

	if (m->is_ours)
		free(m->text);
	free(m);
	return 0;
}

/* The flags of a mode: r, w or a, then + or b or both. 0 for anything else. */
static uint8_t flags_of(const char *mode)
{
	const char *rest = mode + 1;

	if (*mode != 'r' && *mode != 'w' && *mode != 'a')
		return 0;
	if (strspn(rest, "+b") != strlen(rest))
		return 0;
	return strchr(rest, '+') ? __SRD | __SWR : *mode == 'r' ? __SRD : __SWR;
}

__attribute__((weak)) FILE *fmemopen(void *text, size_t bytes, const char *mode)
{
	uint8_t flags = flags_of(mode);
	struct memory_stream *m;

	if (!flags) {
		errno = EINVAL;
		return NULL;
	}
	m = malloc(sizeof(*m));
	if (!m)
		return NULL;
	*m = (struct memory_stream){
		.file = FDEV_SETUP_EXT(memory_put, memory_get, memory_flush, memory_close,
				       memory_seek, memory_setvbuf, flags),
		.text = text ? text : calloc(1, bytes ? bytes : 1),
		.room = bytes,
		.appends = *mode == 'a',
		.is_update = flags == (__SRD | __SWR),
		.is_ours = !text,
	};
	if (!m->text) {
		free(m);
		return NULL;
	}
	m->bytes = *mode == 'r' ? bytes : *mode == 'a' ? strnlen(m->text, bytes) : 0;
	m->at = m->appends ? m->bytes : 0;
	if (*mode == 'w' && bytes)
		m->text[0] = '\0';
	return &m->file.cfile.file;
}
