/*
 * overflow.c - overflow main: coroutines overflow stacks of every class that has a guard page, then
 * main() its own. overflow 1K, overflow 2K: one of a class without: by hart 0, for it
 * overwrites what other harts would stumble over.
 */
#include <errno.h>
#include <string.h>

#include <cohart/cohart.h>

static int deep(int n)
{
	volatile char x[600];

	memset((void *)x, n, sizeof(x));
	return n ? deep(n - 1) + x[3] : x[0];
}

static intptr_t digs(void *arg)
{
	(void)arg;
	return deep(1000000);
}

static int overflow(unsigned hart, enum co_stack class)
{
	const struct co_attr attr = { .name = "digger", .on = CO_ON_HART(hart), .stack = class };
	struct co *c;
	int r = co_spawn(&c, &attr, digs, NULL);

	return r ? r : co_join(c, NULL);
}

int main(int argc, char **argv)
{
	static const enum co_stack class[] = { CO_STACK_ANY, CO_STACK_SPM,  CO_STACK_4K,
					       CO_STACK_8K,  CO_STACK_MAIN, CO_STACK_BIG };
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "main") != 0)
		return overflow(0, strcmp(what, "1K") ? CO_STACK_2K : CO_STACK_1K);
	for (unsigned i = 0; i < sizeof(class) / sizeof(*class); i++) {
		for (unsigned hart = 0; hart < co_harts(); hart += co_harts() - 1) {
			if (overflow(hart, class[i]) != -EFAULT)
				return 2;
		}
	}
	return deep(1000000);
}
