/*
 * wrapped.h - the functions of stdio that the linker wraps (libc_wraps): __wrap_x() is ours, and is
 * called in place of the C library's x(); __real_x() is the library's own.
 */
#ifndef COHART_IO_WRAPPED_H
#define COHART_IO_WRAPPED_H

#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>

/* Spelled out: the compiler knows of its own that no stream is NULL; here one is refused. */
int __wrap_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int __wrap_vprintf(const char *format, va_list ap) __attribute__((format(printf, 1, 0)));
int __wrap_fprintf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_vfprintf(FILE *f, const char *format, va_list ap) __attribute__((format(printf, 2, 0)));
int __wrap_vfscanf(FILE *f, const char *format, va_list ap);
int __wrap_puts(const char *s);
int __wrap_fputs(const char *s, FILE *f);
int __wrap_fputc(int c, FILE *f);
int __wrap_putchar(int c);
int __wrap_fgetc(FILE *f);
int __wrap_getchar(void);
char *__wrap_fgets(char *s, int size, FILE *f);
size_t __wrap_fread(void *p, size_t size, size_t n, FILE *f);
size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_freopen(const char *path, const char *mode, FILE *f);
int __wrap_fseek(FILE *f, long offset, int whence);
int __wrap_fseeko(FILE *f, off_t offset, int whence);
long __wrap_ftell(FILE *f);
off_t __wrap_ftello(FILE *f);
void __wrap_clearerr(FILE *f);
int __wrap_setvbuf(FILE *f, char *buf, int mode, size_t size);
extern __typeof__(__wrap_fputc) __wrap_putc, __wrap_ungetc;
extern __typeof__(__wrap_fgetc) __wrap_getc, __wrap_fflush, __wrap_fclose, __wrap_fileno;

extern __typeof__(__wrap_vfprintf) __real_vfprintf;
extern __typeof__(__wrap_fputs) __real_fputs;
extern __typeof__(__wrap_fputc) __real_fputc, __real_ungetc;
extern __typeof__(__wrap_fgetc) __real_fgetc, __real_fflush, __real_fclose, __real_fileno;
extern __typeof__(__wrap_fgets) __real_fgets;
extern __typeof__(__wrap_fread) __real_fread;
extern __typeof__(__wrap_fwrite) __real_fwrite;
extern __typeof__(__wrap_fopen) __real_fopen;
extern __typeof__(__wrap_fdopen) __real_fdopen;
extern __typeof__(__wrap_freopen) __real_freopen;
extern __typeof__(__wrap_fseeko) __real_fseeko;
extern __typeof__(__wrap_ftello) __real_ftello;
extern __typeof__(__wrap_clearerr) __real_clearerr;
extern __typeof__(__wrap_setvbuf) __real_setvbuf;

#endif
