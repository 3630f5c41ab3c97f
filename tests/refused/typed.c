/*
 * typed.c - what a channel that knows its type refuses: tools/check-headers compiles each WRONG,
 * which must fail with "of another type", but 0.
 */
#include <cohart/typed.h>

CO_CHANNEL_OF(ints, int, 4);

int use(double d, long l, short s);
int use(double d, long l, short s)
{
	float f = 0;
	int n = 0;

	(void)d, (void)l, (void)s, (void)f, (void)n;
#if WRONG == 1
	return co_send(&ints, d);
#elif WRONG == 2
	return co_send(&ints, 4.2);
#elif WRONG == 3
	return co_send(&ints, &n);
#elif WRONG == 4
	return sizeof(l) > sizeof(n) ? co_send(&ints, l) : co_try_send(&ints, d);
#elif WRONG == 5
	return co_recv(&ints, &d);
#elif WRONG == 6
	return co_recv(&ints, &f);
#elif WRONG == 7
	return co_recv(&ints, &s);
#else
	return co_send(&ints, s) ?: co_send(&ints, 1l) ?: co_recv(&ints, &n);
#endif
}
