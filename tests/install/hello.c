/* hello.c - a program outside of the tree, built by make and by CMake. */
#include <stdio.h>

#include <cohart/cohart.h>

#include "greeting.h"

static int number[2] = { 1, 2 };

static intptr_t greet(void *arg)
{
	char text[3000]; /* a frame as programs have them */

	snprintf(text, sizeof(text), GREETING, co_hart(), number[1]);
	puts(text);
	return *(int *)arg;
}

int main()
{
	static int unused_is_no_error = 40;
	struct co *c;
	intptr_t result;

	if (co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(co_harts() - 1) }, greet,
		     &unused_is_no_error) ||
	    co_join(c, &result))
		return 1;
	return (int)result + number[1];
}
