/*
 * wordcount - counts lines, words, bytes and CRC-32 of real files, on all compute harts.
 *
 * main() runs on management hart 0: it opens files and hands them to the pipeline (pipeline.h),
 * which reads blocks here and counts them there. What a block adds up to is in text.h and crc.h,
 * what is printed in report.h.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cohart/cohart.h>

#include "pipeline.h"
#include "report.h"

static const char usage[] =
	"usage: wordcount [OPTION]... FILE...\n"
	"Print what `wc FILE...` and `crc32 FILE...` print, counted by all compute harts.\n"
	"\n"
	"  -w, --wc        only what wc prints\n"
	"  -c, --crc       only what crc32 prints\n"
	"  -a, --ascii     words as in the C locale: bytes beyond ASCII are no characters\n"
	"  -b, --block=N   blocks of N bytes, 8 to 16384 (default 16384)\n"
	"  -v, --verbose   say at the end how the work was spread\n"
	"      --help      print this\n";

struct options {
	bool wc;
	bool crc;
	bool verbose;
	struct pipeline_options pipeline;
};

static bool parse_block(const char *text, size_t *bytes)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n < PIPELINE_BLOCK_MIN || n > PIPELINE_BLOCK_MAX)
		return false;
	*bytes = n;
	return true;
}

/* Returns -1 to go on with the files from optind on, else the exit code. */
static int parse(struct options *o, int argc, char **argv)
{
	static const struct option names[] = {
		{ "wc", no_argument, NULL, 'w' },
		{ "crc", no_argument, NULL, 'c' },
		{ "ascii", no_argument, NULL, 'a' },
		{ "block", required_argument, NULL, 'b' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "wcab:v", names, NULL)) != -1) {
		switch (option) {
		case 'w':
			o->wc = true;
			break;
		case 'c':
			o->crc = true;
			break;
		case 'a':
			o->pipeline.ascii = true;
			break;
		case 'b':
			if (parse_block(optarg, &o->pipeline.block_bytes))
				break;
			fprintf(stderr, "wordcount: a block has %d to %d bytes, not '%s'\n",
				PIPELINE_BLOCK_MIN, PIPELINE_BLOCK_MAX, optarg);
			return 2;
		case 'v':
			o->verbose = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default: /* getopt_long() has said what is wrong */
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind == argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (!o->wc && !o->crc)
		o->wc = o->crc = true;
	return -1;
}

/* Bytes of a file just opened, 0 if they are unknown. */
static uint64_t size_of(FILE *f)
{
	long end = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : 0;

	rewind(f);
	return end > 0 ? (uint64_t)end : 0;
}

/* Hand one file to the pipeline. Returns 0 or a negative errno number. */
static int count_file(struct file *file)
{
	FILE *f = fopen(file->name, "rb");

	if (!f)
		return errno ? -errno : -EIO;
	file->opened = true;
	if (isatty(STDOUT_FILENO))
		file->size = size_of(f);
	int r = pipeline_read(f, file);

	file->directory = r == -EISDIR; /* it can be opened, but not read */
	fclose(f);
	return r;
}

static void tell_use(const struct pipeline_use *use, uint64_t bytes, uint64_t us)
{
	fprintf(stderr,
		"wordcount: %u blocks, %u to %u on each compute hart (%u);"
		" %" PRIu64 " bytes in %" PRIu64 " us, %" PRIu64 " MB/s\n",
		use->blocks, use->least, use->most, use->counters, bytes, us, us ? bytes / us : 0);
}

int main(int argc, char **argv)
{
	struct options o = { .pipeline.block_bytes = PIPELINE_BLOCK_MAX };
	int code = parse(&o, argc, argv);

	if (code >= 0)
		return code;
	size_t count = (size_t)(argc - optind);
	struct file *files = calloc(count, sizeof(*files));
	uint64_t start = co_now();
	uint64_t bytes = 0;
	struct pipeline_use use;
	int r = files ? pipeline_start(&o.pipeline) : -ENOMEM;

	if (r) {
		report_error("start", r);
		free(files);
		return 1;
	}
	code = 0;
	for (size_t i = 0; i < count; i++) {
		files[i] = (struct file){ .name = argv[(size_t)optind + i], .crc = CRC_EMPTY };
		r = count_file(&files[i]);
		if (r) {
			report_error(files[i].name, r);
			code = 1;
		}
	}
	r = pipeline_finish(&use);
	if (r) {
		report_error("counting", r);
		free(files);
		return 1;
	}
	if (o.wc)
		report_wc(files, count);
	if (o.crc)
		report_crc(files, count);
	for (size_t i = 0; i < count; i++)
		bytes += files[i].text.bytes;
	if (o.verbose)
		tell_use(&use, bytes, co_us(co_now() - start));
	free(files);
	return code;
}
