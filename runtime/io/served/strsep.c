/*
 * strsep.c - strsep(), in place of the library's: those of picolibc 1.8 and newlib 3.3 leave out an
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
