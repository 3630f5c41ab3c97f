/* quick_exit.c - the end by quick_exit(): its handlers alone run, the newest first, on its hart. */
#include <stdlib.h>
#include <unistd.h>

#include "../../core/boot/process.h"
#include "atexit.h"

struct handler {
	struct co_exit_entry entry; /* first: the list has a pointer to it */
	void (*fn)(void);
};

static CO_PER_RANK struct co_exit_entry *handlers;

__attribute__((weak)) int at_quick_exit(void (*fn)(void))
{
	struct handler *h = malloc(sizeof(*h));

	if (h)
		h->fn = fn;
	return co_exit_add(&handlers, h ? &h->entry : NULL);
}

__attribute__((weak)) _Noreturn void quick_exit(int code)
{
	struct co_exit_entry *e;

	while ((e = co_exit_take(&handlers, -1)))
		((struct handler *)e)->fn();
	_exit(code);
}
