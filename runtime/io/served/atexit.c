/*
 * atexit.c - functions for the end of the run by exit(), or by main()'s return: handlers of
 * atexit() and on_exit(), and C++'s destructors of static objects. The newest is run first; a
 * function that a handler registers is the next. Their number is limited by memory alone, which the
 * C libraries' own are not. A rank has a list of its own.
 */
#include <stdlib.h>

#include "../../core/boot/process.h"
#include "atexit.h"
#include "library.h"

struct handler {
	struct co_exit_entry entry;
	enum { PLAIN, WITH_ARG, WITH_CODE } kind;
	union {
		void (*plain)(void);
		void (*with_arg)(void *arg);
		void (*with_code)(int code, void *arg);
	} fn;
	void *arg;
};

static CO_PER_RANK struct co_exit_entry *handlers;
static struct co_mutex lock; /* of all lists */

/*
 * Boot and handlers of messages have no coroutine, and cannot wait. Where nothing is spawned there
 * is one coroutine.
 */
static bool is_shared(void)
{
	return co_io_mutex_lock && co_self();
}

static void take_lock(void)
{
	if (is_shared())
		co_io_mutex_lock(&lock);
}

static void release_lock(void)
{
	if (is_shared())
		co_mutex_unlock(&lock);
}

int co_exit_add(struct co_exit_entry **list, struct co_exit_entry *e)
{
	if (!e)
		return -1;
	e->hart = co_hart();
	take_lock();
	e->next = *list;
	*list = e;
	release_lock();
	return 0;
}

struct co_exit_entry *co_exit_take(struct co_exit_entry **list, int hart)
{
	struct co_exit_entry *e;

	take_lock();
	for (e = *list; e && hart >= 0 && e->hart != (unsigned)hart; e = *list)
		list = &e->next;
	if (e)
		*list = e->next;
	release_lock();
	return e;
}

bool co_exit_has(struct co_exit_entry **list, unsigned hart)
{
	const struct co_exit_entry *e;

	take_lock();
	for (e = *list; e && e->hart != hart;)
		e = e->next;
	release_lock();
	return e;
}

static struct handler *handler(int kind, void *arg)
{
	struct handler *h = malloc(sizeof(*h));

	if (h)
		*h = (struct handler){ .kind = kind, .arg = arg };
	return h;
}

extern __typeof__(atexit) IO_WEAK atexit;

int atexit(void (*fn)(void))
{
	struct handler *h = handler(PLAIN, NULL);

	if (h)
		h->fn.plain = fn;
	return co_exit_add(&handlers, h ? &h->entry : NULL);
}

int IO_WEAK on_exit(void (*fn)(int code, void *arg), void *arg);

int on_exit(void (*fn)(int code, void *arg), void *arg)
{
	struct handler *h = handler(WITH_CODE, arg);

	if (h)
		h->fn.with_code = fn;
	return co_exit_add(&handlers, h ? &h->entry : NULL);
}

/* The C++ ABI's. An image is one module, which __dso_handle stands for. */
extern void *__dso_handle;
void *__dso_handle;

int __cxa_atexit(void (*fn)(void *arg), void *arg, void *module);
int __aeabi_atexit(void *arg, void (*fn)(void *arg), void *module);
void __call_exitprocs(int code, void *unused);

int __cxa_atexit(void (*fn)(void *arg), void *arg, void *module)
{
	struct handler *h = handler(WITH_ARG, arg);

	(void)module;
	if (h)
		h->fn.with_arg = fn;
	return co_exit_add(&handlers, h ? &h->entry : NULL);
}

/* The ABI of 32-bit Arm has another order of arguments. */
int __aeabi_atexit(void *arg, void (*fn)(void *arg), void *module)
{
	return __cxa_atexit(fn, arg, module);
}

void __call_exitprocs(int code, void *unused)
{
	struct handler *h;

	(void)unused;
	if (co_exit_thread_locals)
		co_exit_thread_locals();
	while ((h = (struct handler *)co_exit_take(&handlers, -1))) {
		if (h->kind == PLAIN)
			h->fn.plain();
		else if (h->kind == WITH_ARG)
			h->fn.with_arg(h->arg);
		else
			h->fn.with_code(code, h->arg);
		free(h);
	}
}
