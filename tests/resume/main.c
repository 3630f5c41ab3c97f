/* main.c - tasks that take some time and are written down: tests/resume/run kills it meanwhile. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

static struct co_tasks t;
static struct co_a32 *times;
static uint64_t task_us = 1000;

static int work(void *arg, long task)
{
	co_atomic_add(&times[task], 1, CO_RELAXED);
	return co_sleep_us(task_us * (1 + (uint64_t)task % 7) / 4);
}

static bool option(const char *arg, const char *name, const char **value)
{
	size_t n = strlen(name);

	if (strncmp(arg, name, n) != 0)
		return false;
	*value = arg + n;
	return true;
}

/* @return how many were done now, -1: one of them more than once, or one of an earlier run */
static long done_now(void)
{
	long n = 0;

	for (long i = 0; i < t.total; i++) {
		uint32_t k = co_atomic_load(&times[i], CO_RELAXED);

		if (k > 1)
			return -1;
		n += k;
	}
	return n;
}

int main(int argc, char **argv)
{
	long now;
	int r;

	t.total = 1000;
	t.interval_us = 3000;
	for (int i = 1; i < argc; i++) {
		const char *v;

		if (option(argv[i], "--file=", &v))
			t.file = v;
		else if (option(argv[i], "--tasks=", &v))
			t.total = atol(v);
		else if (option(argv[i], "--us=", &v))
			task_us = (uint64_t)atol(v);
		else if (option(argv[i], "--interval=", &v))
			t.interval_us = (uint64_t)atol(v);
		else if (option(argv[i], "--progress=", &v))
			t.progress_us = (uint64_t)atol(v);
		else if (option(argv[i], "--tag=", &v))
			t.tag = (uint32_t)atol(v);
		else
			return 2;
	}
	t.memory = malloc(co_tasks_bytes(t.total));
	times = calloc((size_t)t.total, sizeof(*times));
	r = t.memory && times ? co_tasks_open(&t) : -ENOMEM;
	if (r) {
		printf("resume: cannot begin: error %d\n", r);
		return 3;
	}
	printf("resume: %ld were finished\n", t.resumed);
	r = co_tasks_run(&t, work, NULL);
	now = done_now();
	if (co_tasks_close(&t) || r || now + t.resumed != t.total)
		printf("resume: FAILED: run %d, close %d, %ld now\n", r, t.error, now);
	else
		printf("resume: all done, %ld of them now\n", now);
	return r || t.error || now + t.resumed != t.total;
}
