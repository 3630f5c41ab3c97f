/*
 * main.c - the program's main() runs on the first compute hart, as thread 0; hart 0 looks after the
 * console and files. The linker has the name (cohart-cc).
 */
#include <string.h>

#include "team.h"

int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

struct program {
	int argc;
	char **argv;
};

static intptr_t program(void *arg)
{
	const struct program *p = arg;

	return __real_main(p->argc, p->argv);
}

int __wrap_main(int argc, char **argv)
{
	int words = co_omp_words(argc, argv);
	struct program p = { argc - words, argv + words };
	struct co_attr attr = { .name = "main", .stack = CO_STACK_BIG };
	intptr_t code;
	struct co *c;
	int r;

	attr.on = CO_ON_HART(co_omp_place_hart(0));
	r = co_spawn(&c, &attr, program, &p);
	if (r)
		co_omp_die("main() could not be started: %s", strerror(-r));
	r = co_join(c, &code);
	return r ? 1 : (int)code;
}
