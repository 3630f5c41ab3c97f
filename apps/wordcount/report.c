/*
 * report.c - see report.h. Source: GNU coreutils 9.1 for the look of wc, Archive::Zip 1.68 for
 * crc32's.
 */
#include "report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A bar is worth it from here on, bytes. */
#define BAR_FROM (4u << 20)
#define BAR_CELLS 50u

/* Per cent that the bar shows; -1: there is no bar. */
static int shown = -1;

static void clear_bar(void)
{
	if (shown < 0)
		return;
	shown = -1;
	fputs("\r\033[K", stdout);
	fflush(stdout);
}

void report_error(const char *name, int error)
{
	clear_bar();
	fprintf(stderr, "wordcount: %s: %s\n", name, strerror(-error));
}

void report_progress(const struct file *file)
{
	static const char full[] = "##################################################";
	static const char rest[] = "..................................................";

	_Static_assert(sizeof(full) == BAR_CELLS + 1 && sizeof(rest) == sizeof(full), "a bar");
	/* Also where the output is no terminal: main() does not ask for sizes then. */
	if (file->size < BAR_FROM)
		return;
	if (file->text.bytes >= file->size) {
		clear_bar();
		return;
	}
	int percent = (int)(100 * file->text.bytes / file->size);
	int cells = percent * (int)BAR_CELLS / 100;

	if (percent == shown)
		return;
	shown = percent;
	printf("\r[%.*s%.*s] %3d%% %.20s", cells, full, (int)BAR_CELLS - cells, rest, percent,
	       file->name);
	fflush(stdout);
}

/*
 * wc makes its columns as wide as the sum of all sizes, and at least 7 when one is no plain file.
 */
static int column_width(const struct file *files, size_t count)
{
	uint64_t bytes = 0;
	int least = 1;
	int width = 1;

	for (size_t i = 0; i < count; i++) {
		bytes += files[i].text.bytes;
		if (files[i].directory)
			least = 7;
	}
	for (; bytes >= 10; bytes /= 10)
		width++;
	return width > least ? width : least;
}

static void wc_line(const struct text *t, int width, const char *name)
{
	printf("%*" PRIu64 " %*" PRIu64 " %*" PRIu64 " %s\n", width, t->lines, width, t->words,
	       width, t->bytes, name);
}

void report_wc(const struct file *files, size_t count)
{
	int width = column_width(files, count);
	struct text total = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (!files[i].opened)
			continue;
		wc_line(&files[i].text, width, files[i].name);
		total.bytes += files[i].text.bytes;
		total.lines += files[i].text.lines;
		total.words += files[i].text.words;
	}
	if (count > 1)
		wc_line(&total, width, "total");
}

/*
 * The first eight hexadecimal digits in a row, no more, inside a name: a sum it bears. NULL: none.
 */
static const char *sum_in_name(const char *name)
{
	const char *p = name;

	while (*p) {
		size_t digits = 0;

		while (isxdigit((unsigned char)p[digits]))
			digits++;
		if (digits == 8 && p != name && p[8])
			return p;
		p += digits ? digits : 1;
	}
	return NULL;
}

void report_crc(const struct file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct file *f = &files[i];

		if (!f->opened || f->directory)
			continue;
		printf("%08" PRIx32, f->crc.value);
		if (count > 1)
			printf("\t%s", f->name);
		const char *named = sum_in_name(f->name);

		if (named && strtoul(named, NULL, 16) == f->crc.value)
			printf("\tOK");
		else if (named)
			printf("\tBAD %08" PRIx32 " != %.8s", f->crc.value, named);
		putchar('\n');
	}
}
