/*
 * real.h - the C library's own functions behind those that the linker wraps (libc_wraps).
 */
#ifndef COHART_IO_REAL_H
#define COHART_IO_REAL_H

#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>

int __real_vfprintf(FILE *f, const char *format, va_list ap);
int __real_vfscanf(FILE *f, const char *format, va_list ap);
int __real_fgetc(FILE *f);
int __real_ungetc(int c, FILE *f);
int __real_fputc(int c, FILE *f);
int __real_fputs(const char *s, FILE *f);
char *__real_fgets(char *s, int size, FILE *f);
size_t __real_fread(void *p, size_t size, size_t n, FILE *f);
size_t __real_fwrite(const void *p, size_t size, size_t n, FILE *f);
int __real_fflush(FILE *f);
int __real_fclose(FILE *f);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__real_fdopen(int fd, const char *mode);
FILE *__real_freopen(const char *path, const char *mode, FILE *f);
int __real_fseek(FILE *f, long offset, int whence);
int __real_fseeko(FILE *f, off_t offset, int whence);
long __real_ftell(FILE *f);
off_t __real_ftello(FILE *f);
void __real_clearerr(FILE *f);
int __real_fileno(FILE *f);
int __real_setvbuf(FILE *f, char *buf, int mode, size_t size);

#endif
