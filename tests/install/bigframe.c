/* bigframe.c - a frame that is larger than a stack with its guard page, and hardly touched. */
#include <errno.h>
#include <string.h>

#include <cohart/cohart.h>

static intptr_t culprit(void *arg)
{
	volatile unsigned char big[15000];

	(void)arg;
	big[0] = 0x5a;
	return big[0];
}

int main(void)
{
	const struct co_attr attr = { .name = "culprit",
				      .on = CO_ON_HART(1),
				      .stack = CO_STACK_8K };
	struct co *c;

	return co_spawn(&c, &attr, culprit, NULL) || co_join(c, NULL) != -EFAULT;
}
