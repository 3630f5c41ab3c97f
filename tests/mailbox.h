/* mailbox.h - what the tests of mailboxes share: tags, words to send, coroutines that wait. */
#ifndef TESTS_MAILBOX_H
#define TESTS_MAILBOX_H

#include "../runtime/core/core.h"
#include "harness/test.h"

/* A tag as a coroutine's argument. */
#define TAG(t) ((void *)(intptr_t)(t))

enum { RED = 7, BLUE = 8, GREEN = 9, GREY = 10, STRANGE = 99 };

static uintptr_t got[CO_MAIL_WORDS + 1];

/* A message of n words that says what it is. */
static inline void fill(uintptr_t *w, unsigned n, uintptr_t seed)
{
	for (unsigned i = 0; i < n; i++)
		w[i] = seed * 1000003 + i;
}

static inline bool filled(const uintptr_t *w, unsigned n, uintptr_t seed)
{
	for (unsigned i = 0; i < n; i++)
		if (w[i] != seed * 1000003 + i)
			return false;
	return true;
}

/* Nothing is left in this hart's queues, and all room is back. */
static inline void check_empty(void)
{
	static uintptr_t all[CO_MAIL_WORDS];

	CHECK_EQ(co_mail_try_recv(CO_MAIL_ANY, got, CO_MAIL_WORDS, NULL), -EAGAIN);
	CHECK_EQ(co_mail_try_send(co_hart(), STRANGE, all, CO_MAIL_WORDS), 0);
	CHECK_EQ(co_mail_try_recv(CO_MAIL_OTHER, got, CO_MAIL_WORDS, NULL), CO_MAIL_WORDS);
}

static struct co_a32 at_work;

/* Start fn(arg) on a hart, and wait until it does so itself, or has ended. */
static inline struct co *start_on(unsigned hart, co_fn *fn, void *arg)
{
	struct co *co;

	co_atomic_store(&at_work, 0, CO_RELAXED); /* spawning publishes it */
	co = test_spawn_on(hart, fn, arg);
	test_await(&at_work, 1);
	test_await_sleep(co);
	return co;
}

/* Send as many words as the argument says, all alike, to RED on hart 0. */
static inline intptr_t send_red(void *arg)
{
	unsigned n = (unsigned)(uintptr_t)arg;
	uintptr_t w[CO_MAIL_WORDS];

	for (unsigned i = 0; i < n; i++)
		w[i] = n;
	co_atomic_add(&at_work, 1, CO_RELEASE); /* paired with test_await() */
	return co_mail_send_until(0, RED, w, n, LONG_ENOUGH);
}

#endif
