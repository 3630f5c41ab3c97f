/*
 * thread_locals.c - C++'s thread_local objects with destructors. A thread_local is a hart's, as C's
 * _Thread_local is, made by the first coroutine that uses it there. The run's end destroys them:
 * each on its own hart, which alone can reach it, and before static objects; hart 0's are the
 * first.
 */
#include <stdlib.h>

#include "../../core/boot/process.h"
#include "atexit.h"
#include "library.h"

#define WAIT_US 2000000 /* a PC that is busy may have stopped a hart for long */

struct local {
	struct co_exit_entry entry;
	void (*fn)(void *object);
	void *object;
};

static CO_PER_RANK struct co_exit_entry *locals;

/* The C++ ABI's: called when an object has been made. */
int __cxa_thread_atexit(void (*fn)(void *object), void *object, void *module);
int __cxa_thread_atexit(void (*fn)(void *object), void *object, void *module)
{
	struct local *l = malloc(sizeof(*l));

	(void)module;
	if (l)
		*l = (struct local){ .fn = fn, .object = object };
	return co_exit_add(&locals, l ? &l->entry : NULL);
}

static intptr_t destroy_here(void *unused)
{
	struct local *l;

	(void)unused;
	while ((l = (struct local *)co_exit_take(&locals, (int)co_hart()))) {
		l->fn(l->object);
		free(l);
	}
	return 0;
}

/*
 * Destroy the objects of all other harts. A hart that is lost, or does not give way, keeps its
 * objects. -EFAULT: a destructor has faulted, and there are more.
 */
static int destroy_elsewhere(void)
{
	static struct co_batch batch; /* used by coroutines that do not end, to the run's end */
	struct co_attr attr = { .name = "destructors", .stack = CO_STACK_MAIN };

	for (unsigned hart = 0; hart < co_harts(); hart++) {
		attr.on = CO_ON_HART(hart);
		if (co_exit_has(&locals, hart))
			(void)!co_batch_spawn(&batch, &attr, destroy_here, NULL, NULL);
	}
	return co_batch_join_until(&batch, co_after_us(WAIT_US));
}

void co_exit_thread_locals(void)
{
	destroy_here(NULL);
	while (destroy_elsewhere() == -EFAULT)
		;
}
