/* constructor.c - a fault before main(). */
#include "../harness/test.h"

static volatile int *volatile nowhere;

__attribute__((constructor)) static void before_main(void)
{
	printf("# a constructor begins\n");
	*nowhere = 1;
}

TEST(never_reached)
{
}
