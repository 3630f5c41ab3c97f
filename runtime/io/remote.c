/*
 * remote.c - calls of other harts: the server on hart 0, and requests to it.
 *
 * A request is a message in the caller's control block. It goes to hart 0's inbox and joins the
 * server's list. The answer is this message, sent back to the caller's own hart, which wakes the
 * caller: so after hart 0 has sent a request back, only its owner refers to it, and the control
 * block may be reused.
 *
 * Deferred output (print_ring.h) takes another way, and always comes first: it was written before
 * any request that is served now.
 *
 * A spawn brings this file into the link; its functions that are used stay in the image. Where
 * nothing is spawned, all calls are hart 0's own.
 */
#include <cohart/debug.h>

#include "../core/compiler.h"
#include "../core/hook.h"
#include "../core/lost.h"
#include "../core/hart_var.h"
#include "../core/sched/cleanup.h"
#include "../core/timeline.h"
#include "../fault/fault.h"
#include "print_ring.h"

const char co_spawn_brings[1];
/* And libc's recursive locks, if it has them. */
extern const char __retarget_lock_acquire_recursive[];
co_brings(__retarget_lock_acquire_recursive);

/* A hart's bounce buffer: a call, and data with it. */
struct bounce {
	alignas(CO_LINE) struct co_waitq wait; /* for the buffer */
	struct co_cleanup taken;               /* of the coroutine that uses it */
	bool is_taken;
	co_io_fn *fn;
	intptr_t w[IO_WORDS];
	unsigned char data[CO_BOUNCE_BYTES - (1 + IO_WORDS) * sizeof(intptr_t)];
};
CO_HART_BUFFER(struct bounce, bounce);

static struct {
	struct co_msg *head; /* requests, oldest first; all of this is for hart 0 alone */
	struct co_msg *tail;
	struct co *serving; /* newest first, if one waits for others: linked by msg.next */
	struct co *co;
} server;

/* Runs on hart 0: append a request to the list. */
static void arrive(struct co_msg *m)
{
	/* relaxed, here and below: the inbox uses the link no more. */
	co_atomic_store(&m->next, 0, CO_RELAXED);
	if (server.head)
		co_atomic_store(&server.tail->next, (uintptr_t)m, CO_RELAXED);
	else
		server.head = m;
	server.tail = m;
	co_wake_one(&co_io_work);
}

/* Runs on the caller's hart: the answer has arrived. */
static void answer(struct co_msg *m)
{
	struct co *c = co_of_msg(m);

	c->req.fn = NULL;
	co_wait_end(c, 0);
}

static void reply(struct co *c)
{
	/* release: data written to the caller's memory, like a transfer's end. */
	co_atomic_add(&c->transfers, (uint32_t)-1, CO_RELEASE);
	c->msg.run = answer;
	co_post(c->hart, &c->msg);
}

/* Answer the newest request that is being served. */
static void end_service(struct co *c)
{
	server.serving = (struct co *)co_atomic_load(&c->msg.next, CO_RELAXED);
	reply(c);
}

static void serve_request(struct co *c)
{
	struct co_request *r = &c->req;
	struct co_io_client before;

	/* The memory that it would write may be in other use by now. */
	if (co_hart_lost(c->hart))
		return;
	/* relaxed: only hart 0 reads it before the end, if the caller's hart is lost. */
	co_atomic_add(&c->transfers, 1, CO_RELAXED);
	co_atomic_store(&c->msg.next, (uintptr_t)server.serving, CO_RELAXED);
	server.serving = c;
	before = co_io_client_set(co_io_client_of(c));
	errno = c->call_err;
	r->arg = r->fn((void *)r->arg);
	c->call_err = errno;
	(void)co_io_client_set(before);
	end_service(c);
}

/* Serve the oldest request, if there is any. */
static bool serve_next(void)
{
	struct co_msg *m = server.head;

	if (!m)
		return false;
	server.head = (struct co_msg *)co_atomic_load(&m->next, CO_RELAXED);
	serve_request(co_of_msg(m));
	return true;
}

bool co_io_serve_meanwhile(void)
{
	int err = errno;

	if (co_executor.current != server.co)
		return false;
	co_io_catch_up();
	if (!serve_next())
		co_pause();
	errno = err;
	return true;
}

void co_io_mutex_lock(struct co_mutex *m)
{
	if (co_executor.current != server.co && co_mutex_lock(m) != -ECANCELED)
		return;
	while (co_mutex_try_lock(m)) {
		if (!co_io_serve_meanwhile())
			co_pause();
	}
}

static void wait_for_work(void)
{
	struct co_waiter *w = co_wait_prepare(&co_io_work, NULL, "calls by proxy");
	/* Requests arrive by messages, so none since the look; records arrive at any time. */
	int err = co_io_records_wait() ? co_wait_abandon(w)
				       : co_wait_commit_shielded(w, CO_FOREVER);

	CO_ASSERT_OWN(!err);
}

static _Noreturn void serve_forever(void)
{
	for (;;) {
		bool printed = co_io_catch_up();
		bool served = serve_next();

		/* Harts that print without end must not block this hart's other coroutines. */
		if (printed)
			co_pause();
		else if (!served)
			wait_for_work();
	}
}

/* The coroutine that calls hart 0. */
static struct co *caller(void)
{
	struct co *self = co_executor.current;

	CO_ASSERT_THAT(
		self,
		"what calls hart 0 is a coroutine: a mailbox's function, or another handler, may print, and no more");
	return self;
}

static intptr_t serve_bounced(void *arg);

static intptr_t call(intptr_t (*fn)(void *arg), void *arg)
{
	struct co *self;
	struct co_request *r;

	co_hooks_needed(proxy);
	self = caller();
	arg = co_public(arg, 1);
	CO_ASSERT_THAT(
		!arg || co_io_reachable(arg, 1),
		"the argument of co_proxy_call() is in memory that hart 0 may use (not on a stack of class CO_STACK_SPM)");
	r = &self->req;
	r->fn = fn;
	r->arg = (intptr_t)arg;
	self->call_err = errno;
	self->msg.run = arrive;
	co_post(0, &self->msg);
	while (r->fn) {
		/* No queue: answer() knows the waiter, and runs on this hart, after this. */
		struct co_waiter *w =
			co_wait_prepare(NULL, NULL, "hart 0's answer to a call by proxy");
		int err = co_wait_commit_shielded(w, CO_FOREVER);

		CO_ASSERT_OWN(!err);
	}
	/* relaxed: the answer has published it. */
	co_io_note_line(self, co_atomic_load(&r->line, CO_RELAXED));
	errno = self->call_err;
	if (errno < 0)
		co_fail("what hart 0 was to do for it has faulted there");
	return r->arg;
}

/* call() with a timeline: a span, named after the function that hart 0 executes. */
static NOINLINE intptr_t call_noting(intptr_t (*fn)(void *arg), void *arg)
{
	uintptr_t does = fn == serve_bounced && arg ? (uintptr_t)((const struct bounce *)arg)->fn
						    : (uintptr_t)fn;
	intptr_t result;

	co_timeline_enter("hart 0 does", does);
	result = call(fn, arg);
	co_timeline_leave("hart 0 does", does);
	return result;
}

intptr_t co_remote_call(intptr_t (*fn)(void *arg), void *arg)
{
	return __builtin_expect(co_executor.trace != NULL, 0) ? call_noting(fn, arg)
							      : call(fn, arg);
}

/* Free this hart's bounce buffer. */
static void bounce_free(struct bounce *b)
{
	b->is_taken = false;
	/* relaxed: only coroutines of this hart ever wait for it. */
	if (co_waitq_known(&b->wait))
		co_wake_one(&b->wait);
}

/* The coroutine that uses it ends early. A lost hart needs it no more. */
static void bounce_drop(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	(void)of;
	if (why == CO_CLEANUP_FAULT)
		bounce_free(co_container_of(c, struct bounce, taken));
}

/* Take this hart's bounce buffer, waiting for it. Context: coroutine. */
static struct bounce *bounce_take(void)
{
	struct bounce *b = co_hart_buffer(bounce, co_executor.hart);
	struct co *self = caller();

	/* There is no scheduling point between look and wait, and all takers are on this hart. */
	while (b->is_taken) {
		struct co_waiter *w =
			co_wait_prepare(&b->wait, NULL, "its hart's buffer for calls by proxy");
		int err = co_wait_commit_shielded(w, CO_FOREVER);

		CO_ASSERT_OWN(!err);
	}
	b->is_taken = true;
	co_cleanup_push(self, &b->taken, bounce_drop);
	return b;
}

static void bounce_give(struct bounce *b)
{
	struct co *self = co_executor.current;

	/* Its line may be newer. */
	CO_ASSERT_OWN(co_cleanup_pop(self, &b->taken) || co_cleanup_search(self, &b->taken));
	bounce_free(b);
}

static intptr_t serve_nothing(void *unused)
{
	(void)unused;
	return 0;
}

struct co_io_record *co_io_record_open(void)
{
	struct co_io_record *r = co_io_record_next() ?: co_io_record_look();

	while (!r && co_executor.current) {
		/* All that is deferred is printed before a call is served. */
		co_remote_call(serve_nothing, NULL);
		r = co_io_record_look();
	}
	return r;
}

static void print_record_text(struct co_msg *m)
{
	const struct co_io_record *r = (const struct co_io_record *)m;

	co_io_console_write((const char *)r->word, r->length);
}

static void print_outside_text(struct co_msg *m)
{
	const struct co_io_record *r = (const struct co_io_record *)m;

	co_io_console_put(r->outside, (const char *)r->word, r->length);
}

unsigned co_io_record_hart(const struct co_io_record *r)
{
	return r->msg.run == print_outside_text ? (unsigned)r->outside->boot.hart : r->owner->hart;
}

/* Returns the text's end. */
static uintptr_t *put_text(struct co_io_record *r, const char *s, size_t bytes)
{
	r->length = bytes;
	return co_io_record_end((char *)memcpy(r->word, s, bytes) + bytes);
}

/* Of a handler, in as many records as it takes. */
static size_t post_outside(const char *s, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		size_t piece = co_least(bytes - done, IO_TEXT_BYTES);
		struct co_io_record *r = co_io_record_open();

		if (!r) {
			errno = EAGAIN;
			break;
		}
		r->msg.run = print_outside_text;
		r->outside = co_executor.self;
		co_io_record_send(r, put_text(r, s + done, piece), 0);
		done += piece;
	}
	return done;
}

size_t co_io_record_text(const char *s, size_t bytes)
{
	struct co *self = co_executor.current;
	struct co_io_record *r;

	if (!self)
		return post_outside(s, bytes);
	r = co_io_record_open();
	r->msg.run = print_record_text;
	co_io_record_post(r, self, put_text(r, s, bytes), s[bytes - 1] != '\n', 0);
	return bytes;
}

/* Runs on hart 0. */
static intptr_t serve_bounced(void *arg)
{
	struct bounce *b = arg;

	return b->fn(b->w);
}

static intptr_t call_bounced(struct bounce *b, co_io_fn *fn, const intptr_t w[IO_WORDS])
{
	b->fn = fn;
	memcpy(b->w, w, sizeof(b->w));
	return co_remote_call(serve_bounced, b);
}

intptr_t co_remote_call_words(co_io_fn *fn, intptr_t w[IO_WORDS])
{
	struct bounce *b = bounce_take();
	intptr_t result = call_bounced(b, fn, w);

	memcpy(w, b->w, sizeof(b->w));
	bounce_give(b);
	return result;
}

/* Make *s readable for the server, by a copy in *room if needed; false if that does not fit. */
static bool share_string(const char **s, unsigned char **room, size_t *bytes)
{
	size_t length;

	if (!*s)
		return true;
	(void)*(const volatile char *)*s; /* as in touch() */
	*s = co_public(*s, 1);
	if (co_spm_shared(*s, 1))
		return true;
	length = strlen(*s) + 1;
	if (length > *bytes)
		return false;
	*s = memcpy(*room, *s, length);
	*room += length;
	*bytes -= length;
	return true;
}

intptr_t co_remote_call_strings(co_io_fn *fn, const char *a, const char *b, intptr_t c)
{
	struct bounce *bounce;
	unsigned char *room;
	size_t bytes = sizeof(bounce->data);
	intptr_t result = -1;

	bounce = bounce_take();
	room = bounce->data;
	if (share_string(&a, &room, &bytes) && share_string(&b, &room, &bytes))
		result = call_bounced(bounce, fn,
				      (intptr_t[IO_WORDS]){ (intptr_t)a, (intptr_t)b, c });
	else
		errno = ENAMETOOLONG;
	bounce_give(bounce);
	return result;
}

/* The bounce buffer is taken until the end. */
intptr_t co_remote_transfer(co_io_fn *fn, intptr_t x, enum co_io_direction d, unsigned char *p,
			    size_t bytes)
{
	struct bounce *bounce = bounce_take();
	size_t moved = 0;
	intptr_t n = 0;

	while (moved < bytes) {
		size_t piece = bytes - moved;

		if (piece > sizeof(bounce->data))
			piece = sizeof(bounce->data);
		if (d == IO_OUT)
			memcpy(bounce->data, p + moved, piece);
		n = call_bounced(
			bounce, fn,
			(intptr_t[IO_WORDS]){ x, (intptr_t)bounce->data, (intptr_t)piece });
		if (n > 0 && d != IO_OUT)
			memcpy(p + moved, bounce->data, (size_t)n);
		if (n > 0)
			moved += (size_t)n;
		if (n < 0 || (size_t)n < piece)
			break;
	}
	bounce_give(bounce);
	return moved || n >= 0 ? (intptr_t)moved : -1;
}

/* The server has faulted in a call: all requests being served are answered with an error. */
static void serve_again(void)
{
	(void)co_io_client_set((struct co_io_client){ 0 });
	while (server.serving) {
		server.serving->call_err = -1;
		end_service(server.serving);
	}
	serve_forever();
}

static intptr_t serve(void *arg)
{
	(void)arg;
	server.co = co_self();
	co_fault_restarts(server.co, serve_again);
	serve_forever();
}

static void start_server(unsigned hart)
{
	const struct co_attr attr = { .name = "proxy",
				      .on = CO_ON_HART(0),
				      .stack = CO_STACK_MAIN };
	int err;

	if (hart)
		return;
	err = co_spawn(NULL, &attr, serve, NULL); /* during the boot: a service */
	if (err)
		co_die("no proxy: error %d", -err);
}

CO_HOOKS_OF(proxy) = { .hart_boot = start_server };
