/*
 * proxy.c - calls that hart 0 serves: its own are done at once, all others are remote.c's.
 *
 * Deferred output (print_ring.h) comes first: it was written before.
 */
#include <cohart/debug.h>
#include <cohart/proxy.h>

#include "../core/compiler.h"
#include "../core/hook.h"
#include "../core/sched/cleanup.h"
#include "print_ring.h"

intptr_t co_proxy_call(intptr_t (*fn)(void *arg), void *arg)
{
	co_hooks_needed(proxy);
	CO_ASSERT_THAT(fn, "co_proxy_call() is given a function");
	if (co_io_is_server()) {
		co_io_catch_up(); /* earlier records of other harts are printed first */
		return fn(arg);
	}
	return co_remote_call(fn, arg);
}

intptr_t co_io_call_words(co_io_fn *fn, intptr_t w[IO_WORDS])
{
	co_hooks_needed(proxy);
	/* Code on hart 0 may make calls inside a call, so it must not take the bounce buffer. */
	if (!co_io_is_server())
		return co_remote_call_words(fn, w);
	co_io_catch_up(); /* earlier records first */
	return fn(w);
}

intptr_t co_io_call(co_io_fn *fn, intptr_t a, intptr_t b, intptr_t c)
{
	return co_io_call_words(fn, (intptr_t[IO_WORDS]){ a, b, c });
}

intptr_t co_io_call_strings(co_io_fn *fn, const char *a, const char *b, intptr_t c)
{
	return co_io_is_server() ? co_io_call(fn, (intptr_t)a, (intptr_t)b, c)
				 : co_remote_call_strings(fn, a, b, c);
}

/* Wild or read-only memory faults here, in the caller, and not in the server. */
static void touch(unsigned char *p, size_t bytes, enum co_io_direction d)
{
	for (size_t i = 0; bytes && i < 2; i++) {
		unsigned char *end = p + i * (bytes - 1);

		if (d != IO_OUT)
			co_touch(end);
		else
			(void)*(const volatile unsigned char *)end;
	}
}

intptr_t co_io_transfer(co_io_fn *fn, intptr_t x, enum co_io_direction d, void *p, size_t bytes)
{
	if (!co_io_reachable(p, bytes))
		return co_remote_transfer(fn, x, d, p, bytes);
	touch(p, bytes, d);
	return co_io_call(fn, x, (intptr_t)co_public(p, bytes), (intptr_t)bytes);
}

static intptr_t serve_flush(void *unused)
{
	(void)unused;
	co_io_console_flush();
	return 0;
}

void co_io_flush_line(void)
{
	if (co_executor.current)
		co_proxy_call(serve_flush, NULL);
}

/* The line of main() may be the last of the run. */
static void end_line(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	c->run = NULL;
	if (why != CO_CLEANUP_HOST_DOWN && of != co_machine.main)
		co_io_flush_line();
}

void co_io_line_changes(struct co *c)
{
	if (!co_io_is_unended(c)) {
		co_cleanup_push_as(c, &c->req.unended, CO_CLEANUP_ALWAYS, end_line);
		return;
	}
	(void)co_cleanup_search(c, &c->req.unended);
	c->req.unended.run = NULL;
}

static void report_begins(struct co *c)
{
	co_io_catch_up_last();
	co_io_console_flush_of(c);
}

static void end_proxy(void)
{
	static bool finishing;

	/* A fault below calls this function again. */
	if (finishing)
		return;
	finishing = true;
	co_io_catch_up_last();
	co_io_console_flush_all();
	finishing = false;
}

CO_HOOKS_OF(proxy) = {
	.report = report_begins,
	.run_ends = end_proxy,
};
