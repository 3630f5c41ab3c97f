/*
 * strsep.c - strsep(), in place of the library's: picolibc 1.8's and newlib 3.3's leave out an
 * empty field at the end.
 */
#include <string.h>

/* A program may have its own. */
__attribute__((weak)) char *strsep(char **at, const char *delimiters)
{
	char *field = *at;

	if (field) {
		char *end = field + strcspn(field, delimiters);

		*at = *end ? end + 1 : NULL;
		*end = '\0';
	}
	return field;
}
