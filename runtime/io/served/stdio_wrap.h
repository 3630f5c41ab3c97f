/*
 * stdio_wrap.h - what stands before the C library's streams; see stdio.c, file_stream.c, printf.c.
 */
#ifndef COHART_IO_STDIO_WRAP_H
#define COHART_IO_STDIO_WRAP_H

#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>

int __wrap_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int __wrap_vprintf(const char *format, va_list ap) __attribute__((format(printf, 1, 0)));
int __wrap_fprintf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_vfprintf(FILE *f, const char *format, va_list ap) __attribute__((format(printf, 2, 0)));
int __wrap_vfscanf(FILE *f, const char *format, va_list ap);
int __wrap_puts(const char *s);
int __wrap_fputs(const char *s, FILE *f);
int __wrap_fputc(int c, FILE *f);
int __wrap_putc(int c, FILE *f);
int __wrap_putchar(int c);
int __wrap_fgetc(FILE *f);
int __wrap_getc(FILE *f);
int __wrap_getchar(void);
int __wrap_ungetc(int c, FILE *f);
char *__wrap_fgets(char *s, int size, FILE *f);
size_t __wrap_fread(void *p, size_t size, size_t n, FILE *f);
size_t __wrap_fwrite(const void *p, size_t size, size_t n, FILE *f);
int __wrap_fflush(FILE *f);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
FILE *__wrap_freopen(const char *path, const char *mode, FILE *f);
int __wrap_fclose(FILE *f);
int __wrap_fseek(FILE *f, long offset, int whence);
int __wrap_fseeko(FILE *f, off_t offset, int whence);
long __wrap_ftell(FILE *f);
off_t __wrap_ftello(FILE *f);
void __wrap_clearerr(FILE *f);
int __wrap_fileno(FILE *f);
int __wrap_setvbuf(FILE *f, char *buf, int mode, size_t size);

#endif
