/*
 * file.h - a file of the command line and what is known about it.
 */
#ifndef WORDCOUNT_FILE_H
#define WORDCOUNT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "crc.h"
#include "text.h"

struct file {
	const char *name;
	uint64_t size;  /* bytes, for the progress bar; 0: not known */
	bool opened;    /* wc has a line for it, be it of zeros */
	bool directory; /* crc32 has none for these */
	struct text text;
	struct crc crc;
};

#endif
