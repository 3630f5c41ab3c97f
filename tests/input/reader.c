/*
 * reader.c - reads the console's input in a way that its command line names, and says what it got.
 * tests/input/run feeds it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cohart/cohart.h>
#include <cohart/input.h>

static struct co_a32 ticks, over;

static void wait_a_moment(void)
{
	if (co_sleep_us(50000))
		exit(1);
}

/* What runs meanwhile. */
static intptr_t tick(void *arg)
{
	while (!co_atomic_load(&over, CO_RELAXED) && co_sleep_us(1000) == 0)
		co_atomic_add(&ticks, 1, CO_RELAXED);
	return 0;
}

static struct co *start(unsigned hart, co_fn *fn, void *arg)
{
	const struct co_attr attr = { .on = CO_ON_HART(hart), .stack = CO_STACK_MAIN };
	struct co *c;
	int r = co_spawn(&c, &attr, fn, arg);

	if (r) {
		printf("no coroutine: %d\n", r);
		exit(1);
	}
	return c;
}

static intptr_t wait_for(struct co *c)
{
	intptr_t result = 0;
	int r = co_join(c, &result);

	return r ? r : result;
}

static void print_end(void)
{
	printf("end %d error %d again %d\n", feof(stdin) != 0, ferror(stdin) != 0, fgetc(stdin));
}

/* Lines. */
static intptr_t lines(void *arg)
{
	char line[100];

	printf("say: ");
	while (fgets(line, sizeof(line), stdin))
		printf("got %s", line);
	print_end();
	return 0;
}

static uint32_t sum, count;

static void add(const unsigned char *p, size_t bytes)
{
	count += (uint32_t)bytes;
	for (size_t i = 0; i < bytes; i++)
		sum = (sum << 1 | sum >> 31) + p[i];
}

static void print_sum(void)
{
	printf("%u bytes, sum %08x\n", (unsigned)count, (unsigned)sum);
}

/* Bytes, as many as there are: by fread(). */
static intptr_t block(void *arg)
{
	static unsigned char data[3000];
	size_t n;

	while ((n = fread(data, 1, sizeof(data), stdin)) > 0)
		add(data, n);
	print_sum();
	print_end();
	return 0;
}

/* The same by read(). */
static intptr_t some(void *arg)
{
	unsigned char data[100];
	ssize_t n;

	while ((n = read(STDIN_FILENO, data, sizeof(data))) > 0)
		add(data, (size_t)n);
	print_sum();
	printf("then %d\n", (int)n);
	return 0;
}

/* The same by getchar(). */
static intptr_t bytes(void *arg)
{
	int c;

	while ((c = getchar()) != EOF)
		add(&(unsigned char){ (unsigned char)c }, 1);
	print_sum();
	print_end();
	return 0;
}

/* Words and numbers. */
static intptr_t words(void *arg)
{
	char word[20];
	int n, r;

	while ((r = scanf("%19s %d", word, &n)) == 2)
		printf("%s is %d\n", word, n);
	printf("then %d, and '%c'\n", r, getchar());
	return 0;
}

static intptr_t fetch_one(void *arg)
{
	char line[100];
	int err;

	errno = 0;
	if (fgets(line, sizeof(line), stdin))
		return atoi(line);
	err = errno;
	return -err;
}

/* Two that read lines of digits, from different harts: each line is one's, whole. */
static void two(unsigned hart)
{
	intptr_t all = 0;

	for (int i = 0; i < 20; i++) {
		struct co *a = start(hart, fetch_one, NULL), *b = start(0, fetch_one, NULL);

		all += wait_for(a) + wait_for(b);
	}
	printf("together %ld\n", (long)all);
}

/* One that is cancelled while it waits; the next gets what comes then. */
static void cancelled(unsigned hart)
{
	struct co *c = start(hart, fetch_one, NULL);
	intptr_t r;

	wait_a_moment();
	co_cancel(c);
	r = wait_for(c);
	printf("cancelled: %s\n", r == -ECANCELED ? "ECANCELED" : "no");
	fflush(stdout);
	printf("then %ld\n", (long)wait_for(start(hart, fetch_one, NULL)));
}

static intptr_t wait_a_while(void *arg)
{
	return co_input_wait_until(co_after_us(50000));
}

static void deadline(unsigned hart)
{
	intptr_t r = wait_for(start(hart, wait_a_while, NULL));

	printf("deadline: %s\n", r == -ETIMEDOUT ? "ETIMEDOUT" : "no");
	fflush(stdout);
	while ((r = wait_for(start(hart, wait_a_while, NULL))) == -ETIMEDOUT)
		;
	printf("then %ld: %ld\n", (long)r, (long)wait_for(start(hart, fetch_one, NULL)));
}

/* A byte that was pushed back is there to be read: nothing else comes. */
static intptr_t pushed_back(void *arg)
{
	int n = 0, r = scanf("%d", &n);

	printf("%d: %d, wait %d, ", r, n, co_input_wait_until(co_after_us(50000)));
	printf("then %d\n", getchar());
	return 0;
}

/* Every byte, and what is like the sign that input may begin; nothing is read. */
static void print_all(void)
{
	for (int i = 0; i < 256; i++)
		putchar(i);
	fputs("\x11\x10"
	      "a\x11",
	      stdout);
}

/* Nobody wakes the one; but input may come to the other, then its end. */
static void stuck(unsigned hart)
{
	static struct co_event never;
	char line[100];

	while (fgets(line, sizeof(line), stdin))
		printf("got %s", line);
	fflush(stdout);
	printf("waited %d\n", co_event_wait(&never));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		co_fn *fn;
	} ways[] = { { "lines", lines },    { "block", block }, { "some", some },
		     { "bytes", bytes },    { "words", words }, { "pushed", pushed_back },
		     { "leave", fetch_one } };
	const char *way = argc > 1 ? argv[1] : "";
	unsigned hart = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	struct co *ticker = NULL;

	if (argc > 3) { /* meanwhile others run, on hart 0 and where it reads */
		start(0, tick, NULL);
		ticker = start(hart, tick, NULL);
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(way, ways[i].name) != 0)
			continue;
		struct co *c = start(hart, ways[i].fn, NULL);

		if (strcmp(way, "leave") != 0)
			wait_for(c);
		else
			wait_a_moment();
	}
	if (strcmp(way, "two") == 0)
		two(hart);
	else if (strcmp(way, "cancelled") == 0)
		cancelled(hart);
	else if (strcmp(way, "deadline") == 0)
		deadline(hart);
	else if (strcmp(way, "stuck") == 0)
		stuck(hart);
	else if (strcmp(way, "print") == 0)
		print_all();
	else if (strcmp(way, "tty") == 0)
		printf("terminal %d\n", isatty(STDIN_FILENO));
	if (ticker) {
		co_atomic_store(&over, 1, CO_RELAXED);
		wait_for(ticker);
		printf("ticks: %s\n", co_atomic_load(&ticks, CO_RELAXED) > 20 ? "many" : "few");
	}
	return 0;
}
