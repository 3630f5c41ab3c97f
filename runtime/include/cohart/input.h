/*
 * input.h - the console's input, besides what <stdio.h> has: waiting for it no longer than until a
 * deadline.
 *
 * Example
 *	printf("a word within a minute, please: ");
 *	r = co_input_wait_until(co_after_us(60000000));
 *	if (r == 0)
 *		fgets(word, sizeof(word), stdin);
 */
#ifndef COHART_INPUT_H
#define COHART_INPUT_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/*
 * Wait until there is something to read from the console, or its end. What the caller has printed
 * is out then. Another reader may be faster: then a read waits after all.
 * @return 0; -ETIMEDOUT; -ECANCELED.
 * Context: coroutine, any hart; not in a function that co_proxy_call() runs.
 */
CO_MUST_CHECK int co_input_wait_until(uint64_t deadline);
CO_END_C
#endif
