/*
 * more_wrap.h - functions that newlib does not make of those in served/stdio_wrap.h, as picolibc
 * does: see more.c, scan.c.
 */
#ifndef COHART_IO_MORE_WRAP_H
#define COHART_IO_MORE_WRAP_H

#include <stdarg.h>
#include <stdio.h>

int __wrap_vscanf(const char *format, va_list ap);
int __wrap_fscanf(FILE *f, const char *format, ...);
int __wrap_scanf(const char *format, ...);
int __wrap_vfiprintf(FILE *f, const char *format, va_list ap) __attribute__((format(printf, 2, 0)));
int __wrap_viprintf(const char *format, va_list ap) __attribute__((format(printf, 1, 0)));
int __wrap_fiprintf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_iprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void __wrap_rewind(FILE *f);
void __wrap_setbuf(FILE *f, char *buf);
int __wrap_setlinebuf(FILE *f);
int __wrap_fgetpos(FILE *f, fpos_t *pos);
int __wrap_fsetpos(FILE *f, const fpos_t *pos);
void __wrap_perror(const char *s);

#endif
