/*
 * pipeline.h - one coroutine reads, one on each compute hart counts, one adds up.
 *
 *	reader (hart 0)            counters              collector (hart 0)
 *	  fread --- filled channel ---> count --- counted channel ---> add up
 *	    ^-------------------------- idle channel -----------------------'
 *
 *	r = pipeline_start(&(struct pipeline_options){ .block_bytes = 16384 });
 *	r = pipeline_read(stream, &file);     // for each file
 *	r = pipeline_finish(&use);            // now file.text and file.crc are good
 *
 * The blocks are a fixed pool, handed round. When all are under way the idle channel is empty and
 * the reader waits, so a file of any size needs the same memory.
 */
#ifndef WORDCOUNT_PIPELINE_H
#define WORDCOUNT_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "file.h"

/* A block holds a character, at least, and the unfinished one of the block before. */
#define PIPELINE_BLOCK_MIN 8
#define PIPELINE_BLOCK_MAX 16384

struct pipeline_options {
	size_t block_bytes; /* PIPELINE_BLOCK_MIN to _MAX */
	bool ascii;         /* see text_scan() */
};

/* Who did what, for reports. */
struct pipeline_use {
	unsigned blocks;   /* counted */
	unsigned counters; /* compute harts that could */
	unsigned least;    /* blocks that one of them counted */
	unsigned most;
};

/*
 * Start the counters and the collector.
 * @return 0, or a negative errno number, with nothing started.
 */
int pipeline_start(const struct pipeline_options *wanted);

/*
 * Read a stream to its end and hand it to the counters, in blocks.
 * @param file  its counts grow until pipeline_finish(); shared memory, not on a scratchpad stack
 * @return 0; the error that reading met. What was read before counts.
 */
int pipeline_read(FILE *stream, struct file *file);

/* Wait until all is counted, and end the coroutines. Returns 0 or a negative errno number. */
int pipeline_finish(struct pipeline_use *use);

#endif
