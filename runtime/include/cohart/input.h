/*
 * input.h - waiting for the console's input until a deadline, which <stdio.h> cannot do.
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
 * Wait until the console has input to read, or has come to its end. Flushes the caller's earlier
 * output. Another reader may take the input first: then a later read waits after all.
 * @return 0; -ETIMEDOUT; -ECANCELED.
 * Context: coroutine, any hart; not in a function that co_proxy_call() runs.
 */
CO_MUST_CHECK int co_input_wait_until(uint64_t deadline);
CO_END_C
#endif
