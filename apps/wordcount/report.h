/*
 * report.h - what people see: lines as wc and crc32 print them, errors, a bar for big files.
 */
#ifndef WORDCOUNT_REPORT_H
#define WORDCOUNT_REPORT_H

#include <stddef.h>

#include "file.h"

/* "wordcount: NAME: No such file or directory" on stderr. `error` is a negative errno number. */
void report_error(const char *name, int error);

/* On a terminal: how far a big file is. Called as it gets on, and last when it is all there. */
void report_progress(const struct file *file);

/* What `wc FILE...` prints. */
void report_wc(const struct file *files, size_t count);

/* What `crc32 FILE...` prints: the sum, the name if there are several, and how they agree. */
void report_crc(const struct file *files, size_t count);

#endif
