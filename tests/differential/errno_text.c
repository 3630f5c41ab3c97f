/* errno_text.c - POSIX's strerror_r(), where GNU's has the name otherwise. */
#undef _GNU_SOURCE
#undef _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "beside.h"

int errno_text(int e, char *s, size_t size)
{
	return strerror_r(e, s, size);
}
