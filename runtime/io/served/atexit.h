/* atexit.h - lists of functions for the end of the run: atexit.c, thread_locals.c. */
#ifndef COHART_IO_ATEXIT_H
#define COHART_IO_ATEXIT_H

#include <stdbool.h>

struct co_exit_entry {
	struct co_exit_entry *next;
	unsigned hart; /* that registered it */
};

/* Put e first into a list. @return 0; -1: e is NULL, since there is no memory. Any hart. */
int co_exit_add(struct co_exit_entry **list, struct co_exit_entry *e);

/* Take the newest entry out, or the newest of `hart` if that is not -1; NULL: no entry. */
struct co_exit_entry *co_exit_take(struct co_exit_entry **list, int hart);

/* Is there an entry of that hart? */
bool co_exit_has(struct co_exit_entry **list, unsigned hart);

/* thread_locals.c: destroy the C++ thread-locals of all harts, on each hart its own. */
void co_exit_thread_locals(void) __attribute__((weak));

#endif
