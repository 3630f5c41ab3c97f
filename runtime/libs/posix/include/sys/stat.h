/* sys/stat.h - the C library's, and what of POSIX it does not declare. */
#pragma GCC system_header
#include_next <sys/stat.h>

#ifndef COHART_SYS_STAT_H
#define COHART_SYS_STAT_H
#ifdef __cplusplus
extern "C" {
#endif
int lstat(const char *__restrict path, struct stat *__restrict st);
#ifdef __cplusplus
}
#endif
#endif
