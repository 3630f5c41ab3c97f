/*
 * main.c - the program's main() runs on the first compute hart, as thread 0; hart 0 looks after the
 * console and files. The linker has the name (cohart-cc).
 */
#include <stdlib.h>
#include <string.h>

#include "team.h"

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

struct program {
	int argc;
	char **argv;
};

/* What of the environment the program may be given by words. */
static const char *const names[] = {
	"OMP_NUM_THREADS", "OMP_SCHEDULE",           "OMP_DYNAMIC",
	"OMP_NESTED",      "OMP_PROC_BIND",          "OMP_PLACES",
	"OMP_STACKSIZE",   "OMP_MAX_ACTIVE_LEVELS",  "OMP_MAX_TASK_PRIORITY",
	"OMP_WAIT_POLICY", "OMP_THREAD_LIMIT",       "OMP_CANCELLATION",
	"OMP_DISPLAY_ENV", "OMP_DEFAULT_DEVICE",     "OMP_TARGET_OFFLOAD",
	"OMP_NUM_TEAMS",   "OMP_TEAMS_THREAD_LIMIT", "OMP_ALLOCATOR",
};

static void put(char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strlen(names[i]) != length || strncmp(word, names[i], length) != 0)
			continue;
		if (setenv(names[i], word + length + 1, 1))
			co_omp_die("%s: there is no memory for it", names[i]);
		return;
	}
	co_omp_die("%s: there is no such variable: OMP_NUM_THREADS, OMP_SCHEDULE, ... "
		   "(docs/openmp.md)",
		   word);
}

/* Put words NAME=value into the environment. Returns how many. */
static int take_words(int argc, char **argv)
{
	int n = 1;

	while (n < argc && strncmp(argv[n], "OMP_", 4) == 0 && strchr(argv[n], '=')) {
		put(argv[n], (size_t)(strchr(argv[n], '=') - argv[n]));
		n++;
	}
	return n - 1;
}

static intptr_t program(void *arg)
{
	const struct program *p = arg;

	return __real_main(p->argc, p->argv);
}

int __wrap_main(int argc, char **argv)
{
	int words = take_words(argc, argv);
	struct program p = { argc - words, argv + words };
	struct co_attr attr = { .name = "main", .stack = CO_STACK_BIG };
	intptr_t code;
	struct co *c;
	int r;

	argv[words] = argv[0];
	co_omp_environment();
	attr.on = CO_ON_HART(co_omp_place_hart(0));
	r = co_spawn(&c, &attr, program, &p);
	if (r)
		co_omp_die("main() could not be started: %s", strerror(-r));
	r = co_join(c, &code);
	return r ? 1 : (int)code;
}
