/* stdio.h - the C library's, and what of POSIX it does not declare. */
#pragma GCC system_header
#include_next <stdio.h>

#if !defined(COHART_STDIO_H) && __POSIX_VISIBLE >= 200809
#define COHART_STDIO_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
ssize_t getline(char **__restrict line, size_t *__restrict size, FILE *__restrict f);
ssize_t getdelim(char **__restrict line, size_t *__restrict size, int end, FILE *__restrict f);
#ifdef __cplusplus
}
#endif
#endif
