/*
 * deferred.c - output that nobody waits for, for the selftest to look at.
 *
 * formats: each line is there twice, as printf() has it printed and as snprintf() makes it on the
 * same hart. relay: numbers that the harts print in turn. fault_after_lines: a fault, right after
 * lines that nobody can have printed yet. handlers: a mailbox's function prints, on every hart,
 * until there is no room. handler_waits, handler_opens, handler_...: what it may not do.
 */
#include <math.h>
#include <stddef.h>

#include <hal/board.h>

#include "../../runtime/io/print_ring.h"
#include "../harness/test.h"

#define EACH 3
#define ROUNDS 12
#define TEXT 480
#define WORD 60
#define TURNS 300

struct worker {
	unsigned who;
	unsigned line;
	const struct co_io_record *next; /* to be deferred by the next line */
	struct test_random random;
	char text[TEXT];
};

/* A line in two ways. */
#define SHOW(f, ...)                                                      \
	shown(w, printf("# %u.%u " f "\n", w->who, w->line, __VA_ARGS__), \
	      snprintf(w->text, TEXT, "# %u.%u " f "\n", w->who, w->line, __VA_ARGS__))
/* One that hart 0 is to format. */
#define SHOW_DEFERRED(f, ...) (w->next = next_record(), SHOW(f, __VA_ARGS__))

/* Hart 0 and a PC have none. */
static const struct co_io_record *next_record(void)
{
	return co_hart() && !hal_board.is_process ? co_io_record_open() : NULL;
}

static void shown(struct worker *w, int printed, int expected)
{
	CHECK_EQ(printed, expected);
	CHECK(expected < TEXT);
	/* There is a format in it, not a text's length. */
	CHECK(!w->next || (uintptr_t)w->next->format > IO_TEXT_BYTES);
	w->next = NULL;
	fputs(w->text, stdout);
	w->line++;
}

/* Of all sizes. */
static int64_t whole(struct worker *w)
{
	uint64_t v = test_next(&w->random) >> test_below(&w->random, 64);

	return test_below(&w->random, 2) ? (int64_t)v : -(int64_t)(v >> 1);
}

static double real(struct worker *w)
{
	static const double special[] = { 0.0,  -0.0,    0.5,    9.9999996, 99.995, 999.5,
					  1e15, 1.5e100, -1e-95, INFINITY,  NAN,    -9.5 };
	unsigned i = test_below(&w->random, 2 * sizeof(special) / sizeof(special[0]));

	if (i < sizeof(special) / sizeof(special[0]))
		return special[i];
	return (double)whole(w) / (double)((uint64_t)1 << test_below(&w->random, 64));
}

static void numbers(struct worker *w)
{
	int i = (int)whole(w), j = (int)whole(w);
	long k = (long)whole(w), l = (long)whole(w);
	long long m = whole(w), n = whole(w);

	SHOW_DEFERRED("%d", i);
	SHOW_DEFERRED("%d and %i and %u", i, j, (unsigned)i);
	SHOW_DEFERRED("|%5d|%-7d|%05d|%12u|", i, j, i, (unsigned)j);
	SHOW_DEFERRED("%x %X %o %08x %3x", (unsigned)i, (unsigned)j, (unsigned)i, (unsigned)j, 9u);
	SHOW_DEFERRED("%ld %lu |%20ld|%lx %lo", k, (unsigned long)l, l, (unsigned long)k,
		      (unsigned long)l);
	SHOW_DEFERRED("%lld %llu |%-22lld|%llx", m, (unsigned long long)n, n,
		      (unsigned long long)m);
	SHOW_DEFERRED("%zu %td %jd %ju", (size_t)k, (ptrdiff_t)l, (intmax_t)m, (uintmax_t)n);
	SHOW_DEFERRED("%p %20p", (void *)((uintptr_t)k | 1), (void *)w);
	SHOW_DEFERRED("%c%c|%3c|%-3c|%%", 'a' + (i & 15), 'b', 'c', 'd');
	SHOW("%+d % d %#x %.3d |%*d|%-*d|", i, j, (unsigned)i, j & 7, j & 31, i, i & 31, j);
	SHOW("%hhd %hhu %hd %hu", (signed char)i, (unsigned char)i, (short)j, (unsigned short)j);
}

static void strings(struct worker *w)
{
	char s[WORD + 1], format[] = "# %u.%u %d %s\n";
	size_t n = test_below(&w->random, WORD + 1);

	memset(s, 'a' + (int)(w->line % 26), n);
	s[n] = '\0';
	SHOW_DEFERRED("%s", s);
	memset(s, '!', n); /* nobody has read it yet, perhaps */
	SHOW_DEFERRED("%s %d %s %c", s, (int)n, "constant", 'c');
	memset(s, '+', n);
	SHOW("|%10s|%-70s|%.5s|%.0s|%20.3s|", s, s, s, s, s);
	shown(w, printf(format, w->who, w->line, (int)n, s),
	      snprintf(w->text, TEXT, format, w->who, w->line, (int)n, s));
	memset(format, '-', sizeof(format) - 1);
}

static void long_ones(struct worker *w)
{
	char s[TEXT - 20];

	memset(s, 'l', sizeof(s) - 1);
	s[sizeof(s) - 1] = '\0';
	SHOW("%s", s);
	SHOW("%.400s %d", s, 7);
	SHOW_DEFERRED("%400d", 7);
	SHOW_DEFERRED("%200d%200u", 7, 8u);
	memset(s, 'x', sizeof(s) - 1);
}

static void reals(struct worker *w)
{
	double x = real(w), y = real(w);
	double z = (double)(int)whole(w) / (1 << test_below(&w->random, 31));

	SHOW("%f", z);
	SHOW("%.2f |%12.3f|%-12.1f|%.0f %5.9f", z, z, z, z, z);
	SHOW("%e %.3e %E |%20.0e|", x, y, z, x);
	SHOW("%f %s %F %d", x, "between", y, 5);
	SHOW("%g %a %.12f", x, y, z);
}

static intptr_t formats(void *arg)
{
	struct worker w = { .who = (unsigned)(uintptr_t)arg };

	w.random = test_random(w.who);
	for (unsigned i = 0; i < ROUNDS; i++) {
		numbers(&w);
		strings(&w);
		long_ones(&w);
		reals(&w);
	}
	return 0;
}

TEST(formats)
{
	test_spread(formats, EACH * co_harts(), 0);
}

/* Whose turn it is goes by memory alone: no message tells hart 0 of what was printed before. */
static struct co_a32 turn;

static intptr_t runner(void *arg)
{
	for (unsigned i = (unsigned)(uintptr_t)arg; i < TURNS; i += co_harts()) {
		while (co_atomic_load(&turn, CO_ACQUIRE) != i) /* pairs with the store below */
			co_pause();
		if (i % 7 == 3)
			printf("# number %g\n", (double)i);
		else if (i % 7 == 5)
			fputs((char[]){ '#', ' ', 'n', 'u', 'm', 'b', 'e', 'r', ' ', '\0' },
			      stdout);
		else
			printf("# number %u\n", i);
		if (i % 7 == 5)
			printf("%u\n", i);
		co_atomic_store(&turn, i + 1, CO_RELEASE);
	}
	return 0;
}

TEST(relay)
{
	test_spread(runner, co_harts(), 0);
	printf("# number %d\n", TURNS);
}

static intptr_t doomed(void *arg)
{
	for (int i = 0; i < 20; i++)
		printf("# word %d\n", i);
	printf("# the last%s", "");
	*(volatile int *)arg = 1;
	return 0;
}

TEST(fault_after_lines)
{
	test_join(test_spawn_on(co_harts() - 1, doomed, (void *)8));
}

#define MAIL 7
#define LONG 1200 /* several records */

static struct co_event handled;

/* All kinds of output; the results are those of a coroutine. */
static void print_mail(struct co_mailbox *box, const struct co_mail *m)
{
	static char text[LONG + 1];
	uintptr_t word;

	co_mail_read(m, 0, &word, 1);
	memset(text, 'l', LONG);
	CHECK_EQ(printf("# hart %u handles %u, %s\n", co_hart(), (unsigned)word, "whole"), 27);
	printf("# in ");
	fflush(stdout);
	CHECK(fputs("pieces of ", stdout) >= 0);
	CHECK_EQ(putchar('0' + (int)co_hart()), '0' + (int)co_hart());
	CHECK(puts("") >= 0);
	CHECK_EQ(printf("# hart %u %.1f %s\n", co_hart(), 1.5, text), 14 + LONG);
	CHECK(malloc(1) != NULL);
	co_event_set(&handled);
}

static intptr_t receive(void *fn)
{
	static struct co_mailbox box[8];
	int r = co_mailbox_handle(&box[co_hart()], MAIL, (co_mail_fn *)(uintptr_t)fn, NULL);

	if (r == 0)
		r = co_mail_send(co_hart(), MAIL, (uintptr_t[]){ 42 }, 1);
	if (r == 0)
		r = co_event_wait(&handled);
	return r ?: co_mailbox_close(&box[co_hart()]);
}

TEST(handlers)
{
	for (unsigned hart = 0; hart < co_harts(); hart++) {
		co_event_clear(&handled);
		CHECK_EQ(test_join(test_spawn_on(hart, receive, (void *)(uintptr_t)print_mail)), 0);
	}
}

/* It cannot wait for room: what there is none for is not printed, and the call says so. */
static void print_much(struct co_mailbox *box, const struct co_mail *m)
{
	int n = 0;

	for (unsigned i = 0; n >= 0 && i < 100000; i++)
		n = printf("# line %u\n", i);
	CHECK(co_hart() == 0 || hal_board.is_process || (n == -1 && errno == EAGAIN));
	co_event_set(&handled);
}

TEST(handler_floods)
{
	co_event_clear(&handled);
	CHECK_EQ(test_join(test_spawn_on(co_harts() - 1, receive, (void *)(uintptr_t)print_much)),
		 0);
	printf("# a line after the flood\n");
}

static co_fn *call_on_mail;

static void make_call(struct co_mailbox *box, const struct co_mail *m)
{
	(void)call_on_mail(NULL);
}

static void call_in_a_handler(co_fn *call)
{
	call_on_mail = call;
	test_join(test_spawn_on(co_harts() - 1, receive, (void *)(uintptr_t)make_call));
}

/* A call that is a coroutine's alone. */
#define NO_HANDLERS(name, call)          \
	BODY(name, call)                 \
	TEST(handler_##name)             \
	{                                \
		call_in_a_handler(name); \
	}

static struct co_mutex mutex;
static struct co_rwlock rwlock;
static struct co_cleanup cleanup;
static alignas(CO_LINE) unsigned char nobody[256]; /* in place of a coroutine */

NO_HANDLERS(waits, co_sleep_us(1))
NO_HANDLERS(locks, co_mutex_lock(&mutex))
NO_HANDLERS(tries_to_lock, co_mutex_try_lock(&mutex))
NO_HANDLERS(reads, co_rwlock_try_read(&rwlock))
NO_HANDLERS(finds_a_local, co_local_find(&mutex) != NULL)
NO_HANDLERS(removes_a_cleanup, co_cleanup_remove(&cleanup))
NO_HANDLERS(asks_for_cancels, co_canceled())
NO_HANDLERS(asks_for_its_stack, co_stack_bytes())
NO_HANDLERS(asks_for_the_use_of_its_stack, co_stack_high_water())
NO_HANDLERS(joins, co_join((struct co *)(void *)nobody, NULL))
NO_HANDLERS(pauses, (co_pause(), 0))

static void open_on_mail(struct co_mailbox *box, const struct co_mail *m)
{
	(void)!fopen("nothing", "r");
}

TEST(handler_opens)
{
	test_join(test_spawn_on(co_harts() - 1, receive, (void *)(uintptr_t)open_on_mail));
}
