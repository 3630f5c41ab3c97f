/* alone.c - a program that starts no coroutine, and has nothing linked that does. */
#include <stdio.h>

int main(void)
{
	volatile double x = 1.5;
	FILE *f = tmpfile();
	char text[40];

	snprintf(text, sizeof(text), "%f %g", x, x);
	printf("%s %e\n", text, x);
	if (f)
		fclose(f);
	return 42;
}
