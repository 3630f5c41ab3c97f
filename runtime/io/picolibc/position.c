/* position.c - fgetpos() and fsetpos(), which the library declares and does not have. */
#include <stdio.h>
#include <sys/types.h>

__attribute__((weak)) int fgetpos(FILE *f, fpos_t *position)
{
	off_t at = ftello(f);

	if (at < 0)
		return -1;
	*position = at;
	return 0;
}

__attribute__((weak)) int fsetpos(FILE *f, fpos_t *position)
{
	return fseeko(f, (off_t)*position, SEEK_SET);
}
