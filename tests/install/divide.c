/* divide.c - a coroutine divides by zero: with DEBUG=1 that ends it on all machines. */
#include <errno.h>

#include <cohart/cohart.h>

static volatile int zero;

static intptr_t divides(void *arg)
{
	(void)arg;
	return 1000 / zero;
}

int main(void)
{
	struct co *c;

	return co_spawn(&c, &(struct co_attr){ .name = "divides" }, divides, NULL) ||
	       co_join(c, NULL) != -EFAULT;
}
