/*
 * plan.c - what belongs in a scratchpad: which arrays whole, which through two buffers of what
 * size. A program for the build machine: make plan ARRAYS=file BUDGET=bytes
 *
 * Standard input has a line for each array; empty lines, and what follows a #, are left out:
 *	array NAME BYTES ACCESSES PASSES [BUFFER...]
 * PASSES says how often the array is gone through from end to end; 0: accesses jump, so buffers do
 * not help. BUFFER are the bytes of a buffer that may be chosen; none: 512 to 16384, each twice
 * the last. `tools/locality --arrays` prints such lines of a run.
 *
 * Each array stays in main memory, is copied into the scratchpad whole, or passes through two
 * buffers. The choices saved are the best that fit (a multiple-choice knapsack, solved for every
 * number of bytes up to the budget). Exit codes: 0, 1: bad input, 2: bad usage.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAYS 32
#define BUFFERS 6
#define OPTIONS (BUFFERS + 2)
#define NAME 32
#define BUDGET_MAX (16u << 20)
/* Limits of what is read, so that cycles saved by all arrays have a sum of 64 bits. */
#define ACCESSES_MAX ((uint64_t)1 << 48)
#define PRICE_MAX 1000

__extension__ typedef unsigned __int128 wide;

/* Where an array may lie. */
struct option {
	uint64_t taken;  /* bytes of the scratchpad */
	uint64_t buffer; /* of which each buffer has so many; 0: it is there whole, or not at all */
	uint64_t saved;  /* cycles */
};

struct array {
	char name[NAME];
	uint64_t bytes, accesses, passes;
	uint64_t buffer[BUFFERS];
	struct option option[OPTIONS]; /* the first is main memory */
	unsigned options, chosen;
};

/*
 * Cycles of an access to main memory and to the scratchpad, of a transfer's start and of each 1024
 * bytes of it: SW26010's.
 */
static uint64_t price[4] = { 278, 4, 435, 66 };
enum { FAR, NEAR, START, KIB };

static struct array array[ARRAYS];
static unsigned arrays;

/* ---- Reading ---- */

/* A word as a number, or an error. */
static bool number(const char *word, uint64_t most, uint64_t *n)
{
	char *end;

	if (!word || !isdigit((unsigned char)*word))
		return false;
	errno = 0;
	*n = strtoull(word, &end, 10);
	return !errno && !*end && *n <= most;
}

/* Read one line. Returns what is wrong with it, or NULL. */
static const char *read_line(char *line)
{
	static const char blanks[] = " \t\r\n";
	struct array a = { .options = 0 };
	unsigned buffers = 0;
	char *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok(line, blanks);
	if (!word)
		return NULL;
	if (strcmp(word, "array") != 0)
		return "it does not begin with 'array'";
	word = strtok(NULL, blanks);
	if (!word || strlen(word) >= NAME)
		return "an array's name has 1 to 31 characters";
	strcpy(a.name, word);
	if (!number(strtok(NULL, blanks), UINT32_MAX, &a.bytes) || !a.bytes)
		return "BYTES is a number from 1 to 2^32 - 1";
	if (!number(strtok(NULL, blanks), ACCESSES_MAX, &a.accesses))
		return "ACCESSES is a number up to 2^48";
	if (!number(strtok(NULL, blanks), UINT32_MAX, &a.passes))
		return "PASSES is a number up to 2^32 - 1";
	while ((word = strtok(NULL, blanks))) {
		if (buffers == BUFFERS || !number(word, BUDGET_MAX, &a.buffer[buffers]) ||
		    !a.buffer[buffers++])
			return "BUFFER is up to 6 numbers from 1 to 2^24";
	}
	for (unsigned i = 0; !buffers && i < BUFFERS; i++)
		a.buffer[i] = (uint64_t)512 << i;
	if (arrays == ARRAYS)
		return "there are more than 32 arrays";
	array[arrays++] = a;
	return NULL;
}

static bool read_arrays(FILE *in)
{
	char line[512];

	for (unsigned n = 1; fgets(line, sizeof(line), in); n++) {
		const char *wrong = strchr(line, '\n') || feof(in) ? read_line(line) : "too long";

		if (wrong) {
			fprintf(stderr, "plan: line %u: %s\n", n, wrong);
			return false;
		}
	}
	return true;
}

/* ---- Choosing ---- */

/* Add an option whose transfers, `starts` of them, move so many bytes; if it saves anything. */
static void add_option(struct array *a, struct option o, wide starts, wide bytes)
{
	uint64_t nearer = price[FAR] > price[NEAR] ? price[FAR] - price[NEAR] : 0;
	wide gain = (wide)a->accesses * nearer;
	wide cost = starts * price[START] + bytes * price[KIB] / 1024;

	if (gain <= cost)
		return;
	o.saved = (uint64_t)(gain - cost);
	a->option[a->options++] = o;
}

static void find_options(struct array *a)
{
	a->options = 1;
	/* In once, and out again, for nobody says what is only read. */
	add_option(a, (struct option){ .taken = a->bytes }, 2, (wide)2 * a->bytes);
	for (unsigned i = 0; i < BUFFERS && a->passes; i++) {
		uint64_t b = a->buffer[i];

		if (b && b < a->bytes)
			add_option(a, (struct option){ .taken = 2 * b, .buffer = b },
				   (wide)a->passes * ((a->bytes - 1) / b + 1),
				   (wide)a->passes * a->bytes);
	}
}

/*
 * best[room] is the most that the arrays so far save in that room, and took[i][room] what array i
 * is in that case. Returns false if there is no memory for the tables.
 */
static bool choose(size_t budget)
{
	uint64_t *best = calloc(budget + 1, sizeof(*best));
	uint8_t *took = calloc(ARRAYS, budget + 1);
	bool ready = best && took;
	size_t room = budget;

	for (unsigned i = 0; i < arrays && ready; i++) {
		struct array *a = &array[i];

		find_options(a);
		/* Downwards: less room still has what the arrays before save. */
		for (size_t r = budget + 1; r-- > 0;) {
			uint64_t most = best[r];

			for (unsigned k = 1; k < a->options; k++) {
				const struct option *o = &a->option[k];

				if (o->taken <= r && best[r - o->taken] + o->saved > most) {
					most = best[r - o->taken] + o->saved;
					took[i * (budget + 1) + r] = (uint8_t)k;
				}
			}
			best[r] = most;
		}
	}
	for (unsigned i = arrays; i-- > 0 && ready;) {
		array[i].chosen = took[i * (budget + 1) + room];
		room -= array[i].option[array[i].chosen].taken;
	}
	free(took);
	free(best);
	return ready;
}

/* ---- Writing ---- */

static void print_report(size_t budget)
{
	uint64_t taken = 0, saved = 0;

	for (unsigned i = 0; i < arrays; i++) {
		const struct array *a = &array[i];
		const struct option *o = &a->option[a->chosen];
		char where[64] = "main memory";

		if (o->buffer)
			snprintf(where, sizeof(where), "scratchpad, 2 buffers of %ju",
				 (uintmax_t)o->buffer);
		else if (o->taken)
			strcpy(where, "scratchpad, whole");
		printf("%-16s %9ju bytes  %-29s %7ju bytes  %12ju cycles saved\n", a->name,
		       (uintmax_t)a->bytes, where, (uintmax_t)o->taken, (uintmax_t)o->saved);
		taken += o->taken;
		saved += o->saved;
	}
	printf("in all: %ju of %zu bytes, %ju cycles saved; nothing saves more\n", (uintmax_t)taken,
	       budget, (uintmax_t)saved);
}

/* Two macros for each array, so that a program can act on the plan. */
static void print_header(void)
{
	printf("/* Made by tools/plan: bytes of the scratchpad for arrays that lie there whole, and\n"
	       " * bytes of each of the two buffers of those that pass through. */\n");
	for (unsigned i = 0; i < arrays; i++) {
		const struct option *o = &array[i].option[array[i].chosen];
		char *name = array[i].name;

		for (char *c = name; *c; c++) {
			if (!isalnum((unsigned char)*c))
				*c = '_';
		}
		printf("#define PLAN_%s_WHOLE %ju\n", name, (uintmax_t)(o->buffer ? 0 : o->taken));
		printf("#define PLAN_%s_BUFFER %ju\n", name, (uintmax_t)o->buffer);
	}
}

/* Lines that a program reads at run time (cohart/spm_plan.h). */
static void print_table(void)
{
	printf("# Made by tools/plan: bytes in the scratchpad of arrays that lie there whole, and of\n"
	       "# each of the two buffers of those that pass through.\n");
	for (unsigned i = 0; i < arrays; i++) {
		const struct option *o = &array[i].option[array[i].chosen];

		printf("%s %ju %ju\n", array[i].name, (uintmax_t)(o->buffer ? 0 : o->taken),
		       (uintmax_t)o->buffer);
	}
}

/* FAR,NEAR,START,KIB */
static bool read_prices(char *text)
{
	for (unsigned i = 0; i < 4; i++) {
		if (!number(strtok(i ? NULL : text, ","), PRICE_MAX, &price[i]))
			return false;
	}
	return !strtok(NULL, ",");
}

int main(int argc, char **argv)
{
	void (*print)(void) = NULL;
	bool good = true;
	uint64_t budget;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && good; i++) {
		if (strcmp(argv[i], "--header") == 0)
			print = print_header;
		else if (strcmp(argv[i], "--table") == 0)
			print = print_table;
		else
			good = strncmp(argv[i], "--prices=", 9) == 0 && read_prices(argv[i] + 9);
	}
	if (!good || i != argc - 1 || !number(argv[i], BUDGET_MAX, &budget)) {
		fprintf(stderr,
			"usage: plan [--header|--table] [--prices=FAR,NEAR,START,KIB] BYTES <ARRAYS\n"
			"BYTES of the scratchpad: up to 2^24; prices: cycles, up to 1000\n");
		return 2;
	}
	if (!read_arrays(stdin))
		return 1;
	if (!choose((size_t)budget)) {
		fprintf(stderr, "plan: no memory for a budget of %ju bytes\n", (uintmax_t)budget);
		return 1;
	}
	if (print)
		print();
	else
		print_report((size_t)budget);
	return 0;
}
