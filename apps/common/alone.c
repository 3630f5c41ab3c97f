/* alone.c - see alone.h. */
#include <cohart/hart.h>

#include "alone.h"

int app_alone(const char *name, co_fn *fn, void *arg)
{
#ifdef CO_NO_FP
	int on = CO_ON_HART(co_group(0)->compute);
#else
	int on = CO_ON_HART(0);
#endif
	const struct co_attr attr = { .name = name, .on = on, .stack = CO_STACK_BIG };
	intptr_t result;
	struct co *c;
	int r = co_spawn(&c, &attr, fn, arg);

	if (r == 0)
		r = co_join(c, &result);
	return r ? r : (int)result;
}
