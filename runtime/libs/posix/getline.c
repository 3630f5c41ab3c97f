/* getline.c - whole lines, however long. Calls of several coroutines for one stream may mix. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "posix.h"

static bool has_room(char **line, size_t *size, size_t wanted)
{
	size_t bytes = *line && *size > 64 ? 2 * *size : 128;
	char *p;

	if (*line && wanted <= *size)
		return true;
	if (bytes > SIZE_MAX / 2) {
		errno = EOVERFLOW;
		return false;
	}
	p = realloc(*line, bytes);
	if (!p)
		return false;
	*line = p;
	*size = bytes;
	return true;
}

POSIX ssize_t getdelim(char **restrict line, size_t *restrict size, int end, FILE *restrict f)
{
	size_t n = 0;
	int c;

	if (!line || !size || !f)
		return co_posix_fail(EINVAL);
	do {
		if (!has_room(line, size, n + 2))
			return -1;
		c = getc(f);
		if (c == EOF)
			break;
		(*line)[n++] = (char)c;
	} while (c != end);
	(*line)[n] = '\0';
	return n && !(c == EOF && ferror(f)) ? (ssize_t)n : -1;
}

POSIX ssize_t getline(char **restrict line, size_t *restrict size, FILE *restrict f)
{
	return getdelim(line, size, '\n', f);
}
