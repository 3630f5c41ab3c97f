/* beside.h - functions that one of the libraries does not declare, or not so. */
#ifndef TESTS_DIFFERENTIAL_BESIDE_H
#define TESTS_DIFFERENTIAL_BESIDE_H

#include <stddef.h>

/* What glibc does not have: beside.c has it, for the program of this PC, by the manual pages. */
size_t strlcpy(char *to, const char *from, size_t size);
size_t strlcat(char *to, const char *from, size_t size);
char *strnstr(const char *s, const char *find, size_t n);
char *strlwr(char *s);
char *strupr(char *s);
int timingsafe_bcmp(const void *a, const void *b, size_t n);
int timingsafe_memcmp(const void *a, const void *b, size_t n);
int fls(int n);
int flsl(long n);
int flsll(long long n);
char *itoa(int n, char *s, int base);
char *utoa(unsigned n, char *s, int base);

/* GNU's strerror_r() returns the text, POSIX's a number: 0 if s has the text of e. */
int errno_text(int e, char *s, size_t size);

#endif
