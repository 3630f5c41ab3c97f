/* test_lost_print.c - harts lost in the C library: in a handler, with a lock of its or a stream. */
#include <stdlib.h>
#include <sys/lock.h>

#include "../runtime/io/served/lock.h"
#include "files.h"
#include "loss.h"

static void open_there(struct co_msg *m)
{
	(void)fopen("nowhere", "r");
}

static void remove_there(struct co_msg *m)
{
	(void)remove("nowhere");
}

TEST_FAULTY(a_handler_that_waits_for_hart_0_costs_its_hart_and_no_other)
{
	static struct co_msg bad[2] = { { .run = open_there }, { .run = remove_there } };

	for (unsigned i = 0; i < 2; i++) {
		unsigned hart = hart_to_lose();

		co_post(hart, &bad[i]);
		CHECK(comes_to_be_gone(hart));
		CHECK_EQ(printf("# others print\n"), 15);
	}
}

#ifdef __LIBC_LOCK /* a library without locks has nothing that one would keep */
static intptr_t fault_with_it(void *arg)
{
	__LIBC_LOCK();
	fault_here();
}

TEST_FAULTY(a_lock_of_the_library_is_let_go_of_with_its_coroutine)
{
	void *p;

	for (unsigned i = 0; i < 2; i++) {
		unsigned hart = i ? co_harts() - 1 : 0;

		if (!co_hart_gone(hart))
			CHECK_EQ(co_join(test_spawn_on(hart, fault_with_it, NULL), NULL), -EFAULT);
		p = malloc(100);
		CHECK(p);
		free(p);
	}
}

static intptr_t keep_it(void *arg)
{
	__LIBC_LOCK();
	return sleep_on();
}

static intptr_t want_it(void *arg)
{
	is_ready();
	__LIBC_LOCK();
	__LIBC_UNLOCK();
	return (intptr_t)arg;
}

TEST_FAULTY(a_lock_of_the_library_is_let_go_of_with_its_hart)
{
	unsigned hart = hart_to_lose();
	struct co *c[2];
	void *p;

	c[0] = test_spawn_on(hart, keep_it, NULL);
	test_await(&ready, 1);
	c[1] = test_spawn_on(1, want_it, (void *)5);
	lose(hart, 2);
	CHECK_EQ(test_join(c[1]), 5);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	p = malloc(100);
	CHECK(p);
	free(p);
}
#endif

static FILE *shared;

static intptr_t keep_stream(void *arg)
{
	CHECK(fputs("of the lost\n", shared) >= 0);
	CHECK(co_io_lock(co_io_lock_of(shared)));
	CHECK(fputs("and more\n", shared) >= 0); /* the owner may */
	return sleep_on();
}

static intptr_t want_stream(void *arg)
{
	is_ready();
	CHECK(fputs("of a waiter\n", shared) >= 0);
	return (intptr_t)arg;
}

static void put_here(struct co_msg *m)
{
	FAILS(fputc('x', shared), EOF, EAGAIN);
	is_ready();
}

TEST_FAULTY(a_stream_is_let_go_of_with_its_hart)
{
	static struct co_msg handler = { .run = put_here };
	unsigned hart = hart_to_lose();
	char got[80] = "";
	struct co *c[2];

	shared = open_own("w+");
	c[0] = test_spawn_on(hart, keep_stream, NULL);
	test_await(&ready, 1);
	c[1] = test_spawn_on(1, want_stream, (void *)5);
	test_await(&ready, 2);
	co_post(0, &handler); /* one that cannot wait is refused */
	lose(hart, 3);
	CHECK_EQ(test_join(c[1]), 5);
	CHECK_EQ(co_join(c[0], NULL), -EHOSTDOWN);
	rewind(shared);
	CHECK_EQ(fread(got, 1, sizeof(got) - 1, shared), 33);
	CHECK_STR(got, "of the lost\nand more\nof a waiter\n");
	close_own(shared);
}
