/* memory_files.h - files without a host: the functions of hal/host.h that files.c calls then. */
#ifndef COHART_IO_MEMORY_FILES_H
#define COHART_IO_MEMORY_FILES_H

#include <stddef.h>
#include <stdint.h>

/*
 * As hal_host_open() and so on. A file that is linked into the image cannot be changed: -EROFS.
 * All files together take a quarter of libc's heap at most; a write beyond that moves fewer bytes
 * than asked.
 * Context: hart 0.
 */
int co_io_memory_open(const char *path, unsigned mode);
int co_io_memory_close(int handle);
intptr_t co_io_memory_read(int handle, void *buf, size_t bytes);
intptr_t co_io_memory_write(int handle, const void *buf, size_t bytes);
int co_io_memory_seek(int handle, size_t offset);
intptr_t co_io_memory_length(int handle);
int co_io_memory_remove(const char *path);
int co_io_memory_rename(const char *from, const char *to);

#endif
