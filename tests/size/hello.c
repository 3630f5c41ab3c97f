/* hello.c - what printf() adds. */
#include <stdio.h>

int main(void)
{
	printf("hello, %d\n", 5);
	return 0;
}
