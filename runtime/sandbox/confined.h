/*
 * confined.h - the interface between domain.c (memory and page tables), confined.c (the runtime's
 * part of confined coroutines and their channels), and confined_user.c (their unprivileged part).
 */
#ifndef COHART_SANDBOX_CONFINED_H
#define COHART_SANDBOX_CONFINED_H

#include <cohart/detail/cleanup.h>
#include <cohart/sandbox.h>
#include <hal/user.h>

/* Calls of confined code. The first number is hal/user.h's. */
enum co_user_call {
	CO_USER_RETURN = HAL_USER_RETURN,
	CO_USER_PAUSE,
	CO_USER_SLEEP,
	CO_USER_AFTER, /* how long, where the answer goes */
	CO_USER_HART,
	CO_USER_PRINT,
	/* These begin with the number of an end. */
	CO_USER_AWAIT, /* slot, its stamp at the caller's turn, until when: an address or 0 */
	CO_USER_WAKE,
	CO_USER_CLOSE,
};

/* A coroutine's page in its domain's memory, which confined code cannot access. */
struct co_confined {
	alignas(16) unsigned char user[HAL_USER_BYTES];
	struct co_cleanup cleanup;
	struct co_domain *domain;
	co_fn *fn;
	void *arg;
	unsigned slot;
	uint32_t slice;     /* ticks */
	uint64_t slice_end; /* when it is preempted */
	uint64_t end;       /* when a cancelled one is ended; 0: not cancelled */
};

_Static_assert(sizeof(struct co_confined) <= CO_PAGE_BYTES, "it has a page");

/* Words of bits for n slots. */
#define CO_DOMAIN_WORDS(n) (((n) + CO_WORD_BITS - 1) / CO_WORD_BITS)

/* domain.c: the page of a coroutine; its stack, from there to the next one's page. */
static inline struct co_confined *co_confined_at(const struct co_domain *d, unsigned slot)
{
	return (struct co_confined *)(d->slots + slot * d->slot_bytes);
}

static inline uintptr_t co_confined_stack_top(const struct co_domain *d, unsigned slot)
{
	return d->slots + (slot + 1) * d->slot_bytes;
}

/* May the domain's code do that? `rights`: a set of enum co_right. */
bool co_domain_allows(const struct co_domain *d, uintptr_t p, size_t bytes, unsigned rights);

/*
 * domain.c: take `bytes` out of the domain's print budget. Returns 0: the caller has them;
 * CO_FOREVER: the domain may not print at all; else the time to ask again.
 */
uint64_t co_domain_may_print(struct co_domain *d, uint32_t bytes);

/* domain.c: free its place. Returns true if no coroutine is left in the domain. */
bool co_confined_leave(struct co_confined *page);

/* confined.c: the function of a confined coroutine; its argument is the page. */
intptr_t co_confined_run(void *arg);

#endif
