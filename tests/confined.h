/* confined.h - what the tests of confined coroutines share: a domain, and memory handed over. */
#ifndef TESTS_CONFINED_H
#define TESTS_CONFINED_H

#include <cohart/sandbox.h>

#include "harness/test.h"

#define STACK 8192
#define PLACES 8

/* What is handed over: whole pages. */
struct shared {
	alignas(CO_PAGE_BYTES) uintptr_t what;
	uintptr_t address;
	uintptr_t word;
	intptr_t answer[24];
	unsigned char text[64];
};

static alignas(CO_PAGE_BYTES) unsigned char memory[CO_DOMAIN_BYTES(PLACES, STACK)];
static struct shared block[2]; /* the second is not shared */
static alignas(CO_PAGE_BYTES) unsigned char read_only[CO_PAGE_BYTES];
static struct co_domain domain;

/* A domain that has `shared` and `read_only`; the case ends where none can be had. */
static inline void begin(void)
{
	int r = co_domain_init(&domain, memory, sizeof(memory), PLACES, STACK);

	if (r == -ENOTSUP)
		SKIP("no hart here runs code without privilege");
	REQUIRE_EQ(r, 0);
	memset(&block[0], 0, sizeof(block[0]));
	REQUIRE_EQ(co_domain_share(&domain, &block[0], sizeof(block[0]), CO_READ | CO_WRITE), 0);
	REQUIRE_EQ(co_domain_share(&domain, read_only, sizeof(read_only), CO_READ), 0);
}

static inline void end(void)
{
	CHECK_EQ(co_domain_end(&domain), 0);
}

/* The last hart can on every board, unless none can. */
static inline struct co_attr there(void)
{
	return (struct co_attr){ .name = "confined", .on = CO_ON_HART(co_harts() - 1) };
}

static inline struct co *start(co_fn *fn, void *arg)
{
	struct co_attr attr = there();
	struct co *c = NULL;

	REQUIRE_EQ(co_domain_spawn(&domain, &c, &attr, fn, arg), 0);
	return c;
}

static inline int confined(co_fn *fn, void *arg, intptr_t *result)
{
	return co_join(start(fn, arg), result);
}

static inline void run_in_domain(void (*fn)(void))
{
	begin();
	fn();
	end();
}

/* A case with that domain, made before it and ended behind it. */
#define TEST_IN_DOMAIN(id) TEST_AROUND(id, run_in_domain)
#define TEST_IN_DOMAIN_FAULTY(id) CO_TEST(id, .around = run_in_domain, .faulty = 1)

static inline intptr_t adds(void *arg)
{
	return (intptr_t)arg + 1;
}

#endif
