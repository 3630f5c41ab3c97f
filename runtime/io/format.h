/*
 * format.h - a printf format, as both who packs its arguments and who prints them read it.
 */
#ifndef COHART_IO_FORMAT_H
#define COHART_IO_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* What a conversion's letter asks for: the kind of its argument, or none. */
enum io_kind {
	IO_SIGNED,
	IO_UNSIGNED,
	IO_CHAR,
	IO_STRING,
	IO_POINTER,
	IO_DOUBLE,
	IO_PERCENT,
	IO_UNKNOWN,
};
enum io_kind io_kind_of(char conv);

/* A conversion, taken apart. */
struct io_spec {
	const char *flags;
	unsigned flag_count;
	int width;
	int precision; /* -1: none */
	bool star_width;
	bool star_precision;
	char size; /* h, l, j, z, t, L as written; H for hh, q for ll; 0 for none */
	char conv; /* 0 at the end of the format */
};

/* Take apart what follows a %. Returns the character behind it. */
const char *io_spec_parse(const char *p, struct io_spec *s);

/*
 * Print the format up to `end` with these arguments: for each conversion its * width, its *
 * precision, its value, 8 bytes each.
 * @return the characters written; -1 if the stream failed.
 * Context: hart 0.
 */
intptr_t io_format_print(void *stream, const char *format, const char *end, const uint64_t *word);

#endif
