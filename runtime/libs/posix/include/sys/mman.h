/*
 * sys/mman.h - for programs that include it: there are no mappings to make here, and a call of
 * these does not link.
 */
#ifndef COHART_SYS_MMAN_H
#define COHART_SYS_MMAN_H

#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_ANON MAP_ANONYMOUS
#define MAP_FAILED ((void *)-1)

#ifdef __cplusplus
extern "C" {
#endif
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from);
int munmap(void *at, size_t bytes);
int mprotect(void *at, size_t bytes, int protection);
#ifdef __cplusplus
}
#endif
#endif
