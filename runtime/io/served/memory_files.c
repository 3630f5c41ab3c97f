/*
 * memory_files.c - files without a host: linked into the image, or written by the program, until
 * the run ends.
 *
 * A name is a string without folders: a leading "./" or "/" is dropped. A file that is removed
 * while it is open lasts until it is closed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hal/host.h>

#include "library.h"
#include "memory_files.h"

struct memory_file {
	struct memory_file *next;
	char *name;
	char *bytes;
	size_t size;
	size_t room;   /* allocated at `bytes` */
	unsigned open; /* number of its handles */
	bool fixed;    /* linked into the image */
	bool removed;
};

/* By handle. */
static struct {
	struct memory_file *file;
	size_t at;
} handles[IO_FILES];

static struct memory_file *all;
static size_t room_of_all;

/* Say once where files are. */
static int say(int result)
{
	static bool said;

	if (!said)
		co_report("cohart: there is no host: files are those linked into the image, "
			  "and what is written is kept in memory until the run ends");
	said = true;
	return result;
}

static const char *plain(const char *path)
{
	while (*path == '/' || (path[0] == '.' && path[1] == '/'))
		path++;
	return path;
}

/* A new empty file; NULL: there is no memory. */
static struct memory_file *add(const char *name)
{
	struct memory_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->name = strdup(name);
	if (!f->name) {
		free(f);
		return NULL;
	}
	f->next = all;
	all = f;
	return f;
}

/* NULL and *err: -ENOENT, or -ENOMEM. */
static struct memory_file *find(const char *path, int *err)
{
	const char *name = plain(path);
	struct memory_file *f;

	for (f = all; f; f = f->next) {
		if (!f->removed && strcmp(f->name, name) == 0)
			return f;
	}
	*err = -ENOENT;
	for (const struct hal_host_file *l = __host_files_start; l < __host_files_end; l++) {
		if (strcmp(plain(l->name), name) != 0)
			continue;
		f = add(name);
		if (f) {
			f->bytes = (char *)(uintptr_t)l->start;
			f->size = (size_t)(l->end - l->start);
			f->fixed = true;
		}
		*err = -ENOMEM;
		break;
	}
	return f;
}

static void empty(struct memory_file *f)
{
	room_of_all -= f->room;
	free(f->bytes);
	f->bytes = NULL;
	f->size = f->room = 0;
}

/* Free it, if it is removed and nobody has it open. */
static void release(struct memory_file *f)
{
	struct memory_file **link = &all;

	if (!f->removed || f->open)
		return;
	while (*link != f)
		link = &(*link)->next;
	*link = f->next;
	empty(f);
	free(f->name);
	free(f);
}

static int make(const char *path, struct memory_file **f)
{
	const char *name = plain(path);
	size_t n = strlen(name);

	if (!n || name[n - 1] == '/')
		return say(-EISDIR);
	*f = add(name);
	return say(*f ? 0 : -ENOSPC);
}

int co_io_memory_open(const char *path, unsigned mode)
{
	bool writes = mode >= 2;
	bool creates = mode >= 4;
	bool truncates = creates && mode < 8;
	int handle = 0;
	int err = 0;
	struct memory_file *f;

	while (handle < IO_FILES && handles[handle].file)
		handle++;
	if (handle == IO_FILES)
		return -EMFILE;
	if (!*path)
		return -ENOENT;
	f = find(path, &err);
	if (!f && err == -ENOENT)
		err = creates ? make(path, &f) : say(err);
	if (!f)
		return err;
	if (writes && f->fixed)
		return -EROFS;
	if (truncates)
		empty(f);
	f->open++;
	handles[handle].file = f;
	handles[handle].at = 0;
	return handle;
}

int co_io_memory_close(int handle)
{
	struct memory_file *f = handles[handle].file;

	handles[handle].file = NULL;
	f->open--;
	release(f);
	return 0;
}

intptr_t co_io_memory_read(int handle, void *buf, size_t bytes)
{
	const struct memory_file *f = handles[handle].file;
	size_t at = handles[handle].at;
	size_t n = at < f->size ? f->size - at : 0;

	if (n > bytes)
		n = bytes;
	if (n)
		memcpy(buf, f->bytes + at, n);
	handles[handle].at += n;
	return (intptr_t)n;
}

/* Have `room` bytes for it. False: there is no memory, or it would exceed the limit of all. */
static bool resize(struct memory_file *f, size_t room)
{
	size_t most = (co_machine.heap_end - co_machine.heap_base) / 4 - room_of_all + f->room;
	char *bytes = room > most ? NULL : realloc(f->bytes, room);

	if (!bytes)
		return false;
	room_of_all += room - f->room;
	f->bytes = bytes;
	f->room = room;
	return true;
}

/* Have room for `end` bytes, and some more so that growing costs little. */
static bool grow(struct memory_file *f, size_t end)
{
	size_t more = end / 8 + 512;

	return (end + more > end && resize(f, end + more)) || resize(f, end);
}

/* The part of `bytes` from `at` on for which there is room. */
static size_t fit(struct memory_file *f, size_t at, size_t bytes)
{
	while (bytes && at + bytes > f->room && !grow(f, at + bytes))
		bytes /= 2;
	return bytes;
}

intptr_t co_io_memory_write(int handle, const void *buf, size_t bytes)
{
	struct memory_file *f = handles[handle].file;
	size_t at = handles[handle].at;
	size_t end;

	if (__builtin_add_overflow(at, bytes, &end))
		return 0;
	end = at + fit(f, at, bytes);
	if (end == at)
		return 0;
	if (at > f->size)
		memset(f->bytes + f->size, 0, at - f->size);
	memcpy(f->bytes + at, buf, end - at);
	if (end > f->size)
		f->size = end;
	handles[handle].at = end;
	return (intptr_t)(end - at);
}

int co_io_memory_seek(int handle, size_t offset)
{
	handles[handle].at = offset;
	return 0;
}

intptr_t co_io_memory_length(int handle)
{
	return (intptr_t)handles[handle].file->size;
}

int co_io_memory_remove(const char *path)
{
	int err = 0;
	struct memory_file *f = find(path, &err);

	if (!f)
		return say(err);
	if (f->fixed)
		return -EROFS;
	f->removed = true;
	release(f);
	return 0;
}

int co_io_memory_rename(const char *from, const char *to)
{
	int err = 0;
	struct memory_file *f = find(from, &err);
	struct memory_file *old;
	char *name;

	if (!f)
		return say(err);
	old = find(to, &err);
	if (old == f)
		return 0;
	if (f->fixed || (old && old->fixed))
		return -EROFS;
	to = plain(to);
	if (!*to || to[strlen(to) - 1] == '/')
		return -EISDIR;
	name = strdup(to);
	if (!name)
		return -ENOSPC;
	if (old) {
		old->removed = true;
		release(old);
	}
	free(f->name);
	f->name = name;
	return 0;
}
