/*
 * user.h - what confined code (cohart/confined.h) can ask for.
 *
 * Example, whose argument is a struct co_end in memory that is shared with the domain:
 *	intptr_t doubler(void *arg)
 *	{
 *		struct co_end *numbers = arg;
 *		int n;
 *
 *		while (co_end_recv(numbers, &n, CO_NO_LIMIT) == 0)
 *			total += n;                // a trap only where it has to wait
 *		return 0;                          // ends the coroutine
 *	}
 *
 * Each call here is a trap unless it says otherwise. Pointers that reach the runtime are checked
 * against the domain's page tables first: what the domain could not touch itself is -EFAULT, and
 * nothing has happened then. Context of all: confined code; elsewhere they are a fault.
 */
#ifndef COHART_USER_H
#define COHART_USER_H

#include <stddef.h>
#include <stdint.h>

#include <cohart/confined.h>

/* As a time in microseconds: as long as it takes. */
#define CO_NO_LIMIT UINTPTR_MAX

/* Characters of a co_user_print(). */
#define CO_USER_PRINT_BYTES 256

/* End this coroutine with a result, as if its function had returned it. */
_Noreturn void co_user_exit(intptr_t result);

/* As co_yield(), but 0, or -ECANCELED once this coroutine has been asked to end. */
int co_user_yield(void);

/* As co_sleep_us(). */
int co_user_sleep_us(uintptr_t us);

/* As co_hart(). */
unsigned co_user_hart(void);

/*
 * Print text, as printf("%.*s") of the same coroutine would.
 * @return 0; -EFAULT; -E2BIG: more than CO_USER_PRINT_BYTES; nothing was printed then.
 */
int co_user_print(const char *text, size_t bytes);

/*
 * The confined side of a channel, for one coroutine at a time.
 *
 * _try_ does not trap, unless somebody waits for what it did and has to be woken. It learns nothing
 * of a close: that is heard where one would have to wait.
 * @param us  how long to wait at the most
 * @return 0; -EAGAIN (_try_): no room, no element; -EPIPE: closed (and drained); -ETIMEDOUT;
 *         -ECANCELED; -EINVAL: the end is for the other side, or has been tampered with.
 */
CO_MUST_CHECK int co_end_try_send(struct co_end *e, const void *elem);
CO_MUST_CHECK int co_end_send(struct co_end *e, const void *elem, uintptr_t us);
CO_MUST_CHECK int co_end_try_recv(struct co_end *e, void *elem);
CO_MUST_CHECK int co_end_recv(struct co_end *e, void *elem, uintptr_t us);

/* As co_chan_close(). Returns 0, or -EINVAL as above. */
int co_end_close(struct co_end *e);

#endif
