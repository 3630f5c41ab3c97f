/*
 * semihost.c - hal/semihost.h's trap for a program on the host: it is its own debugger.
 *
 * Source: Arm "Semihosting for AArch32 and AArch64" 2.0, section 6.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <hal/semihost.h>

#include "host.h"

static int last_errno;

/* Return a result as a semihosting host would, and keep errno for SYS_ERRNO. */
static intptr_t note(intptr_t r)
{
	if (r < 0)
		last_errno = errno;
	return r;
}

/* ":tt" is the console. Modes count r, r+, w, w+, a, a+, each plain and binary. */
static intptr_t open_file(const char *path, unsigned mode)
{
	static const int flags[] = { O_RDONLY,
				     O_RDWR,
				     O_WRONLY | O_CREAT | O_TRUNC,
				     O_RDWR | O_CREAT | O_TRUNC,
				     O_WRONLY | O_CREAT | O_APPEND,
				     O_RDWR | O_CREAT | O_APPEND };

	if (strcmp(path, ":tt") == 0)
		return note(dup(mode < 4 ? STDIN_FILENO : STDOUT_FILENO));
	return note(open(path, flags[mode / 2], 0666));
}

/*
 * Append a word; blanks and backslashes in it have a backslash before them, so that it stays one.
 */
static char *add_word(char *to, const char *end, const char *word, size_t bytes)
{
	for (; bytes; bytes--, word++) {
		if ((*word == ' ' || *word == '\\') && to < end)
			*to++ = '\\';
		if (to < end)
			*to++ = *word;
	}
	if (to < end)
		*to++ = ' ';
	return to;
}

/* The image's name without its folder and ".elf", then the words. */
static intptr_t command_line(char *to, size_t bytes)
{
	const char *end = to + bytes - 1;
	const char *slash = strrchr(hal_host_words[0], '/');
	const char *name = slash ? slash + 1 : hal_host_words[0];
	const char *dot = strrchr(name, '.');

	to = add_word(to, end, name, dot ? (size_t)(dot - name) : strlen(name));
	for (char **w = hal_host_words + 1; *w; w++)
		to = add_word(to, end, *w, strlen(*w));
	*to = '\0';
	return to < end ? 0 : -1;
}

static intptr_t length(int fd)
{
	struct stat st;

	return note(fstat(fd, &st)) ? -1 : (intptr_t)st.st_size;
}

/* Both answer with the bytes that were not moved. */
static intptr_t left(size_t bytes, ssize_t moved)
{
	return note(moved) < 0 ? -1 : (intptr_t)bytes - moved;
}

/* It never does. */
bool hal_semihost_trapped(struct hal_trap *t)
{
	(void)t;
	return false;
}

intptr_t hal_semihost(uintptr_t op, void *arg)
{
	const uintptr_t *w = arg;

	switch (op) {
	case HAL_SYS_OPEN:
		return open_file((const char *)w[0], (unsigned)w[1]);
	case HAL_SYS_CLOSE:
		return note(close((int)w[0]));
	case HAL_SYS_READ:
		/* As in console.c, no read(). */
		return left(w[2], readv((int)w[0], &(struct iovec){ (void *)w[1], w[2] }, 1));
	case HAL_SYS_WRITE:
		return left(w[2], write((int)w[0], (const void *)w[1], w[2]));
	case HAL_SYS_SEEK:
		return note(lseek((int)w[0], (off_t)w[1], SEEK_SET)) < 0 ? -1 : 0;
	case HAL_SYS_FLEN:
		return length((int)w[0]);
	case HAL_SYS_REMOVE:
		return note(remove((const char *)w[0]));
	case HAL_SYS_RENAME:
		return note(rename((const char *)w[0], (const char *)w[2]));
	case HAL_SYS_TIME:
		return (intptr_t)time(NULL);
	case HAL_SYS_ERRNO:
		return last_errno;
	case HAL_SYS_GET_CMDLINE:
		return command_line((char *)w[0], w[1]);
	case HAL_SYS_EXIT_EXTENDED:
		_exit((int)w[1]);
	}
	last_errno = ENOSYS;
	return -1;
}
