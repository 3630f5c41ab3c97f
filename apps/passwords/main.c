/*
 * passwords - search the word of a hash among all words of an alphabet, in blocks that are tasks.
 *
 * A block is handed to the hart that is free next. The tasks' file says which blocks have been
 * searched, so that a run that was killed goes on; the hart that finds the word ends the work of
 * all others. A worker has the hash and the algorithm's constants on its stack, in its scratchpad.
 *
 * Source: seeds E6, E14.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/options.h"
#include "hash.h"
#include "space.h"

static const char usage[] =
	"usage: passwords --hash=HASH [OPTION]...\n"
	"Search the word that has a hash: MD5's 32 hexadecimal digits, or $5$SALT$HASH, as\n"
	"md5sum and openssl passwd -5 print them.\n"
	"\n"
	"  -a, --alphabet=TEXT   the word's letters, a-z are all between (default a-z)\n"
	"  -l, --least=N         letters, 0 to 16 (default 1)\n"
	"  -m, --most=N          letters, 0 to 16 (default 4)\n"
	"  -b, --block=N         words of a task, 1 to 16777216 (default: 16384 for MD5, 4 for $5$)\n"
	"  -f, --file=FILE       where it is written down which blocks have been searched: a run\n"
	"                        with the same search goes on from there\n"
	"  -p, --progress=N      say each N seconds how far it is, 1 to 3600 (default: not)\n"
	"      --check           hash published vectors on each hart instead\n"
	"      --help            print this\n";

/* Words between two looks whether another hart has found it: of MD5; crypt's takes longer. */
#define LOOK_MD5 64
#define LOOK_CRYPT 1

static struct {
	const char *hash, *alphabet, *file;
	unsigned least, most, block, progress;
	bool check;
} options = { .alphabet = "a-z", .least = 1, .most = 4 };

static struct target target;
static struct space space;
static struct co_tasks tasks;
static unsigned members;

/* The word; written by the first hart that finds one. */
static struct co_a32 found, written;
static struct word the_word;

/* Of each member, in a line of its own. */
static struct {
	_Alignas(CO_LINE) uint64_t words;
} * searched;

/* ---- A worker ---- */

static bool is_over(void)
{
	/* relaxed: nothing is read by it; a hart that hears of it late searches a little longer. */
	return co_atomic_load(&found, CO_RELAXED);
}

static void tell(const struct word *w)
{
	/* relaxed: the first; the loop's end orders the word for main(). */
	if (co_atomic_swap(&found, 1, CO_RELAXED) == 0) {
		the_word = *w;
		co_atomic_store(&written, 1, CO_RELAXED);
	}
}

/* Search the words from `from` to `to`, or until another hart has found it. */
static uint64_t search(const struct hasher *h, uint64_t from, uint64_t to)
{
	const unsigned look = target.kind == MD5 ? LOOK_MD5 : LOOK_CRYPT;
	const struct space near = space;
	uint64_t at = from;
	struct word w;

	space_word(&near, from, &w);
	for (;;) {
		if (hasher_is(h, w.text, w.bytes))
			tell(&w);
		if (++at == to)
			break;
		if (at % look == 0) {
			if (is_over())
				break;
			co_pause();
		}
		space_next(&near, &w);
	}
	return at - from;
}

static int work(void *arg, struct co_part *part)
{
	struct hasher h;
	uint64_t words = 0;
	long task;

	(void)arg;
	hasher_init(&h, &target);
	while (!is_over() && (task = co_task_next(&tasks)) >= 0) {
		uint64_t from = (uint64_t)task * options.block;
		uint64_t to = space.words - from < options.block ? space.words
								 : from + options.block;

		words += search(&h, from, to);
		/* Not the block with the word, so that it is found again: nor one that was left. */
		if (!is_over())
			co_task_done(&tasks, task);
	}
	searched[part->member].words = words;
	return 0;
}

static int on_each(const char *name, int (*body)(void *arg, struct co_part *part))
{
	static struct co_parallel loop;

	loop = (struct co_parallel){
		.name = name, .body = body, .dims = 1, .range = { { 0, members, 1 } }
	};
	return co_parallel_for(&loop);
}

/* ---- The search ---- */

/* A file of another search is refused. Source: FNV-1a. */
static uint32_t tag(void)
{
	uint32_t sum = 2166136261u;

	for (const char *c = options.hash; *c; c++)
		sum = (sum ^ (uint8_t)*c) * 16777619u;
	for (unsigned i = 0; i < space.n; i++)
		sum = (sum ^ (uint8_t)space.letters[i]) * 16777619u;
	return (sum ^ space.least << 16 ^ space.most << 8 ^ options.block) * 16777619u;
}

static int open_tasks(void)
{
	uint64_t total;

	if (!options.block)
		options.block = target.kind == MD5 ? 16384 : 4;
	total = (space.words - 1) / options.block + 1;
	if (total > CO_TASKS_MAX) {
		options.block = (unsigned)((space.words - 1) / CO_TASKS_MAX + 1);
		total = (space.words - 1) / options.block + 1;
	}
	tasks = (struct co_tasks){ .total = (long)total,
				   .file = options.file,
				   .tag = tag(),
				   .interval_us = 200000,
				   .progress_us = options.progress * 1000000ull };
	tasks.memory = malloc(co_tasks_bytes(tasks.total));
	return tasks.memory ? co_tasks_open(&tasks) : -ENOMEM;
}

/* An error of the file; of its content, the library has spoken. */
static int of_file(int r)
{
	if (r != -EINVAL && r != -EBADMSG)
		fprintf(stderr, "passwords: %s: %s\n", options.file ? options.file : "tasks",
			strerror(-r));
	return 1;
}

/* 0: it was found; 1: there is none, or why has been said; or an error. */
static int search_all(void)
{
	uint64_t began, took, words = 0;
	int r = open_tasks(), closed;

	if (r)
		return r == -ENOMEM ? r : of_file(r);
	printf("%" PRIu64
	       " words of %u to %u letters, %ld blocks, %ld of them searched before; on %s, "
	       "%u harts\n",
	       space.words, space.least, space.most, tasks.total, co_tasks_done(&tasks), co_board(),
	       members);
	began = co_now();
	co_mark_begin("search");
	r = on_each("search", work);
	co_mark_end("search", 0);
	took = co_us(co_now() - began);
	closed = co_tasks_close(&tasks);
	if (r || closed)
		return r ? r : of_file(closed);
	for (unsigned m = 0; m < members; m++)
		words += searched[m].words;
	printf("%" PRIu64 " words in %" PRIu64 " ms: %" PRIu64 " a second\n", words, took / 1000,
	       words * 1000000 / (took ? took : 1));
	if (!co_atomic_load(&written, CO_RELAXED)) {
		printf("no word has this hash\n");
		return 1;
	}
	printf("the word is '%s'\n", the_word.text);
	return 0;
}

/* ---- --check ---- */

/* Of RFC 1321, and of crypt() in glibc for the words of Drepper's text. */
static const struct vector {
	const char *word, *hash;
} vectors[] = {
	{ "", "d41d8cd98f00b204e9800998ecf8427e" },
	{ "abc", "900150983cd24fb0d6963f7d28e17f72" },
	{ "message digest", "f96b697d7cb7938d525a2f31aaf161d0" },
	{ "abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b" },
	{ "Hello world!", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5" },
	{ "a very much longer text to encrypt.  This one even stretches over morethan one line.",
	  "$5$rounds=1400$anotherlongsaltstring$Rx.j8H.h8HjEDGomFU8bDkXm3XIUnzyxf12oP84Bnq1" },
};

#define VECTORS (sizeof(vectors) / sizeof(*vectors))

static int check_one(void *arg, struct co_part *part)
{
	(void)arg;
	for (unsigned i = 0; i < VECTORS; i++) {
		const struct vector *v = &vectors[i];
		struct target t;
		struct hasher h;

		if (target_parse(&t, v->hash))
			continue;
		hasher_init(&h, &t);
		searched[part->member].words += hasher_is(&h, v->word, strlen(v->word));
		co_pause();
		h.target.hash[3] ^= 0x10;
		searched[part->member].words -= hasher_is(&h, v->word, strlen(v->word));
		co_pause();
	}
	return 0;
}

static int check(void)
{
	uint64_t right = 0;
	int r = on_each("check", check_one);

	for (unsigned m = 0; m < members; m++)
		right += searched[m].words;
	printf("%" PRIu64 " of %zu vectors are right on %u harts\n", right, VECTORS * members,
	       members);
	return r ? r : right != VECTORS * members;
}

/* ---- The whole ---- */

/* Returns -1 to go on, else the exit code. */
static int parse(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "hash", .text = &options.hash },
		{ "alphabet", 'a', .text = &options.alphabet },
		{ "least", 'l', .number = &options.least, .most = LENGTH_MOST },
		{ "most", 'm', .number = &options.most, .most = LENGTH_MOST },
		{ "block", 'b', .number = &options.block, .least = 1, .most = 1 << 24 },
		{ "file", 'f', .text = &options.file },
		{ "progress", 'p', .number = &options.progress, .least = 1, .most = 3600 },
		{ "check", .on = &options.check },
		{ 0 },
	};
	int code = app_options("passwords", usage, known, argc, argv);
	const char *wrong = NULL;

	if (code >= 0 || options.check)
		return code;
	if (!options.hash)
		wrong = "--hash=HASH says what is searched; --help has more";
	if (!wrong)
		wrong = target_parse(&target, options.hash);
	if (!wrong)
		wrong = space_init(&space, options.alphabet, options.least, options.most);
	if (!wrong)
		return -1;
	fprintf(stderr, "passwords: %s\n", wrong);
	return 2;
}

int main(int argc, char **argv)
{
	int r = parse(argc, argv);

	if (r >= 0)
		return r;
	for (unsigned g = 0; g < co_groups(); g++)
		members += co_group(g)->computes;
	searched = aligned_alloc(CO_LINE, members * sizeof(*searched));
	if (!searched)
		r = -ENOMEM;
	else
		memset(searched, 0, members * sizeof(*searched));
	if (searched)
		r = options.check ? check() : search_all();
	if (r < 0)
		fprintf(stderr, "passwords: %s\n", strerror(-r));
	return r ? 1 : 0;
}
