/* output.h - where the lines go: main.c opens and closes it. */
#ifndef TESTS_DIFFERENTIAL_OUTPUT_H
#define TESTS_DIFFERENTIAL_OUTPUT_H

#include <stdbool.h>

bool output_open(const char *name);
void output_flush(void);
bool output_close(void);

#endif
