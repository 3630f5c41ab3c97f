/*
 * bench_stdio.c - what a compute hart's use of the C library's streams costs all harts together: a
 * character of a file, and a line on the console, until it is out.
 */
#include "bench/bench.h"

static FILE *open_device(const char *name, const char *mode)
{
	FILE *f = fopen(name, mode);

	BENCH_REQUIRE(f);
	return f;
}

BENCH(stdio, "5")
{
	struct bench_span put = { .turns = bench_turns(4096) };
	struct bench_span get = { .turns = bench_turns(4096) };
	FILE *f = open_device("/dev/null", "w");

	BENCH_TIMES(&put, BENCH_CALL(fputc('x', f)));
	BENCH_REQUIRE(fclose(f) == 0);
	bench_row("fputc", 0, bench_per_turn(&put, 1), NULL);
	f = open_device("/dev/zero", "r");
	BENCH_TIMES(&get, BENCH_CALL(fgetc(f)));
	BENCH_REQUIRE(fclose(f) == 0);
	bench_row("fgetc", 0, bench_per_turn(&get, 1), NULL);
}

static intptr_t nothing(void *arg)
{
	return (intptr_t)arg;
}

BENCH(proxy, "5")
{
	struct bench_span call = { .turns = bench_turns(256) };

	BENCH_TIMES(&call, BENCH_CALL(co_proxy_call(nothing, NULL)));
	bench_row("proxy_call", 0, bench_per_turn(&call, 1), NULL);
}

/* Lines that begin with # are no rows (tests/bench/bench). */
BENCH(print, "5")
{
	struct bench_span simple = { .turns = bench_turns(256) };
	struct bench_span word = { .turns = bench_turns(256) };
	struct bench_span precise = { .turns = bench_turns(256) };
	struct bench_span direct = { .turns = bench_turns(256) };
	char text[32];

	BENCH_TIMES(&simple, printf("# %d %d\n", 1234, 5678));
	fflush(stdout);
	BENCH_TIMES(&word, printf("# hart %u squares %ld\n", 3, 7l));
	fflush(stdout);
	BENCH_TIMES(&precise, printf("# %.4d %.4d\n", 1234, 5678));
	fflush(stdout);
	BENCH_TIMES(&direct, snprintf(text, sizeof(text), "# %d %d\n", 1234, 5678);
		    fputs(text, stdout));
	fflush(stdout);
	bench_row("printf_2_all", 0, bench_per_turn(&simple, 1), NULL);
	bench_row("printf_long_all", 0, bench_per_turn(&word, 1), NULL);
	bench_row("printf_2_waited_all", 0, bench_per_turn(&precise, 1), NULL);
	bench_row("printf_2_direct_all", 0, bench_per_turn(&direct, 1), NULL);
}
