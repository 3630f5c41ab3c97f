/*
 * program.c - what a rank has for itself, and how it ends. The first word of the command line names
 * the case; tests/process/run judges what is said and the exit code.
 */
#include <ctype.h>
#include <getopt.h>
#include <unistd.h>

#include "case.h"

#pragma GCC diagnostic ignored "-Wframe-larger-than="

static int begun = 7, zero, table[1000];
static int *const to_begun = &begun;
static char text[] = "text";
static CO_NODE_LOCAL(int, of_the_node) = 100;
static _Thread_local int of_the_hart = 3;
static int constructed;
extern int elsewhere, elsewhere_zero, *nowhere; /* files.c */

__attribute__((constructor)) static void construct(void)
{
	constructed += 1 + (int)co_process_rank();
}

int static_data(void)
{
	int rank = (int)co_process_rank();

	for (int round = 0; round < 3; round++) {
		CHECK(begun == 7 + round * rank && *to_begun == begun && zero == round * rank);
		CHECK(of_the_hart == 3 + round * rank && elsewhere == 11 + round * rank);
		CHECK(elsewhere_zero == round * rank && table[999] == round * rank);
		CHECK(text[0] == (round ? 'A' + rank % 26 : 't'));
		meet();
		begun += rank;
		zero += rank;
		of_the_hart += rank;
		elsewhere += rank;
		elsewhere_zero += rank;
		table[999] += rank;
		text[0] = (char)('A' + rank % 26);
		meet();
	}
	CHECK(constructed == 1 + rank);
	CHECK(co_process_private(&begun, sizeof(begun)) && co_process_private(&zero, 1));
	CHECK(!co_process_private(&rank, sizeof(rank)) && !co_process_private("constant", 1));
	CHECK(!co_process_private(&of_the_node, sizeof(of_the_node)));
	CHECK(!co_process_private(&of_the_hart, sizeof(of_the_hart)));
	CHECK(!co_spm_shared(&begun, sizeof(begun)));
	CHECK(co_spm_shared(co_process_public(&begun), sizeof(begun)));
	CHECK(*(int *)co_process_public(&begun) == begun && co_process_public(&rank) == &rank);
	CHECK(co_process_hart(co_process_rank()) == co_hart());
	CHECK(of_the_node == 100);
	meet();
	for (unsigned i = 0; i < co_process_ranks(); i++)
		CHECK(*(int *)co_process_at(&zero, i) == (int)(3 * i));
	meet();
	return 0;
}

int library_state(void)
{
	int rank = (int)co_process_rank(), option;
	const char *value;
	char words[] = "a,b,c", line[] = "-x 5";
	char *arguments[] = { words, line, strchr(line, '5'), NULL };
	int mine;

	line[2] = '\0';
	CHECK(strcmp(strtok(words, ","), "a") == 0);
	srand((unsigned)rank);
	mine = rand();
	for (int i = 0; i < rank % 3; i++)
		(void)rand();
	meet();
	option = getopt(3, arguments, "x:");
	meet();
	CHECK(option == 'x' && strcmp(optarg, "5") == 0 && optind == 3);
	CHECK(strcmp(strtok(NULL, ","), "b") == 0);
	srand((unsigned)rank);
	CHECK(rand() == mine);
	setenv("RANK", rank % 2 ? "odd" : "even", 1);
	meet();
	value = getenv("RANK");
	CHECK(value && strcmp(value, rank % 2 ? "odd" : "even") == 0);
	CHECK(getpid() == rank + 1);
	meet();
	return 0;
}

static void say_first(void)
{
	printf("rank %u: handler of %d\n", co_process_rank(), begun);
}

static void say_second(void)
{
	printf("rank %u: last, %d\n", co_process_rank(), zero);
}

int handlers(void)
{
	CHECK(atexit(say_second) == 0 && atexit(say_first) == 0);
	begun = 40 + (int)co_process_rank();
	zero = 20 + (int)co_process_rank();
	if (co_process_rank() % 2)
		exit(0);
	return 0;
}

/* ---- Ends ---- */

static int returns(void)
{
	return co_process_rank() == 2 ? 5 : 0;
}

static int waits_for_all(void)
{
	static struct co_event never;

	if (co_process_rank() == 1)
		return 0;
	return co_event_wait_until(&never, co_after_us(20000)) == -ETIMEDOUT ? 0 : 1;
}

static int hang(void)
{
	struct co_event never = { 0 };

	printf("rank %u waits\n", co_process_rank());
	return co_event_wait(&never);
}

static int exits(void)
{
	return co_process_rank() == 1 ? (exit(3), 0) : hang();
}

static int aborts(void)
{
	return co_process_rank() == 1 ? (abort(), 0) : hang();
}

static int faults(void)
{
	return co_process_rank() == 1 ? *nowhere : hang();
}

static intptr_t fail(void *arg)
{
	(void)arg;
	abort();
}

static int a_coroutine_faults(void)
{
	struct co *c;

	if (co_process_rank() == 1)
		CHECK(co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(co_hart()) }, fail, NULL) ==
		      0);
	return hang();
}

static int leaves_too_early(void)
{
	co_process_need(true);
	return co_process_rank() == 1 ? 0 : hang();
}

static int leaves_in_time(void)
{
	co_process_need(true);
	co_process_need(false);
	return 0;
}

static int own_channel(void)
{
	static struct co_chan c;
	static int room[100];

	return co_chan_init(&c, room, sizeof(room), sizeof(int));
}

static intptr_t end_at_once(void *arg)
{
	return (intptr_t)arg;
}

static int own_batch(void)
{
	const struct co_attr here = { .on = CO_ON_HART(co_hart()) };
	static struct co_batch own;
	struct co_batch *shared = calloc(1, sizeof(*shared));

	CHECK(co_batch_spawn(shared, &here, end_at_once, NULL, NULL) == 0);
	CHECK(co_batch_join(shared) == 0);
	return co_batch_spawn(&own, &here, end_at_once, NULL, NULL);
}

/* On hart 0: what it is given is the caller's, what it names itself is nobody's. */
static intptr_t touch_given(void *arg)
{
	return ++*(int *)arg;
}

static intptr_t touch(void *unused)
{
	(void)unused;
	return ++begun;
}

static int wrong_hart(void)
{
	CHECK(co_proxy_call(touch_given, &begun) == 8 && begun == 8);
	return co_process_rank() == 1 ? (int)co_proxy_call(touch, NULL) : hang();
}

/* 800,000 bytes. */
static __attribute__((noinline)) int recurse(int depth)
{
	char room[2000];

	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	return depth ? recurse(depth - 1) * room[0] : 0;
}

static int deep(void)
{
	return recurse(400);
}

static int arguments(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		argv[i][0] = (char)toupper(argv[i][0]);
	meet();
	printf("rank %u of %u: %d %s %s\n", co_process_rank(), co_process_ranks(), argc,
	       argv[argc - 1], argv[argc] ? "?" : ".");
	return 0;
}

/* The case of that name, or NULL. */
static int (*case_of(const char *name))(void)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
		{ "static_data", static_data },
		{ "library_state", library_state },
		{ "handlers", handlers },
		{ "files", files },
		{ "prints", prints },
		{ "stacks", stacks },
		{ "channels", channels },
		{ "teams", teams },
		{ "messages", messages },
		{ "transfers", transfers },
		{ "links_and_mail", links_and_mail },
		{ "returns", returns },
		{ "waits_for_all", waits_for_all },
		{ "hang", hang },
		{ "exits", exits },
		{ "aborts", aborts },
		{ "faults", faults },
		{ "a_coroutine_faults", a_coroutine_faults },
		{ "leaves_too_early", leaves_too_early },
		{ "leaves_in_time", leaves_in_time },
		{ "own_channel", own_channel },
		{ "own_batch", own_batch },
		{ "wrong_hart", wrong_hart },
		{ "deep", deep },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (strcmp(name, cases[i].name) == 0)
			return cases[i].run;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "arguments") == 0)
		return arguments(argc, argv);
	for (int i = 1; i < argc; i++) {
		int (*run)(void) = case_of(argv[i]);
		int r = run ? run() : 98;

		if (r || argc == 2)
			return r;
		meet();
		if (co_process_rank() == 0)
			printf("%s is over\n", argv[i]);
	}
	return argc > 1 ? 0 : 98;
}
