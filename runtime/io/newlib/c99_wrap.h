/*
 * c99_wrap.h - what stands before the C library's formatting to memory; see c99.c.
 */
#ifndef COHART_IO_C99_WRAP_H
#define COHART_IO_C99_WRAP_H

#include <stdarg.h>
#include <stddef.h>

#define IO_PRINTF(text, first) __attribute__((format(printf, text, first)))

int __wrap_vsnprintf(char *to, size_t room, const char *format, va_list ap) IO_PRINTF(3, 0);
int __wrap_vsprintf(char *to, const char *format, va_list ap) IO_PRINTF(2, 0);
int __wrap_snprintf(char *to, size_t room, const char *format, ...) IO_PRINTF(3, 4);
int __wrap_sprintf(char *to, const char *format, ...) IO_PRINTF(2, 3);
int __wrap_vasprintf(char **to, const char *format, va_list ap) IO_PRINTF(2, 0);
int __wrap_asprintf(char **to, const char *format, ...) IO_PRINTF(2, 3);

int __real_vsnprintf(char *to, size_t room, const char *format, va_list ap);

#endif
