/*
 * console.c - lines of many coroutines, kept whole.
 *
 * Each coroutine with unfinished output has a line of its own; a line goes out when it ends or is
 * full, when its coroutine flushes it, or when the run ends. If the last output does not end a line
 * (a prompt, a progress bar, a piece of an overlong line) and another coroutine's text comes next,
 * a newline goes between.
 *
 * If more coroutines have unfinished output than there are lines, the output of a coroutine without
 * a line goes out in pieces, as does all output of handlers, which are no coroutines.
 */
#include <string.h>

#include <hal/console.h>
#include <hal/host.h>

#include "../core/hook.h"
#include "../core/memory/slab.h"
#include "io.h"

/* Lines up to this long never mix with others; longer ones go out in pieces of this length. */
#define LINE_BYTES 512
#define LINES 256 /* and some for each hart */

struct line {
	struct line *next; /* in the free list */
	struct co *owner;
	size_t length; /* 0: it is free */
	char text[LINE_BYTES];
};

static struct co_io_client serving;
static struct line *lines;
static size_t line_count;
static struct line *free_lines;
int co_io_tty_in = -1;
static int tty_out = -1;        /* handle of the host's console, if output goes there */
static const void *mid_line_of; /* a coroutine, or the hart of a handler: whose text is last */

struct co_io_client co_io_client_set(struct co_io_client now)
{
	struct co_io_client before = serving;

	serving = now;
	return before;
}

/* The coroutine whose output this is. */
static struct co *client(void)
{
	struct co *self = co_self();

	return serving.client && serving.worker == self ? serving.client : self;
}

/* relaxed, both: hart 0 writes it; a coroutine reads its own after a call. */
static struct line *line_of(struct co *c)
{
	return c ? (struct line *)co_atomic_load(&c->req.line, CO_RELAXED) : NULL;
}

static void set_line(struct co *c, struct line *l)
{
	co_atomic_store(&c->req.line, (uintptr_t)l, CO_RELAXED);
	if (c->hart == 0) /* which has called no other hart */
		co_io_note_line(c, l);
}

static void device_write(const char *s, size_t bytes)
{
	if (co_options.console_none)
		return;
	if (tty_out < 0) {
		hal_console_write(s, bytes);
		return;
	}
	while (bytes) {
		intptr_t n = hal_host_write(tty_out, s, bytes);

		if (n <= 0)
			return;
		s += n;
		bytes -= (size_t)n;
	}
}

/* At least one byte. */
static void put_out(const void *owner, const char *s, size_t bytes)
{
	/* relaxed, both: this hart's own, and a stopping one's. */
	if (co_atomic_load(&co_console_mid_line, CO_RELAXED) && mid_line_of != owner)
		device_write("\n", 1);
	device_write(s, bytes);
	co_atomic_store(&co_console_mid_line, s[bytes - 1] != '\n', CO_RELAXED);
	mid_line_of = owner;
}

void co_io_console_put(struct co_hart *outside, const char *s, size_t bytes)
{
	put_out(outside, s, bytes);
}

/* Put a line out and give its buffer back. */
static void release_line(struct line *l)
{
	put_out(l->owner, l->text, l->length);
	l->length = 0;
	set_line(l->owner, NULL);
	l->next = free_lines;
	free_lines = l;
}

/* A new line for c; NULL: there are none, or c is nobody. */
static struct line *take_line(struct co *c)
{
	struct line *l = free_lines;

	if (!l || !c)
		return NULL;
	free_lines = l->next;
	l->owner = c;
	set_line(c, l);
	return l;
}

/* Append text whose only newline, if any, is at its end. */
static void append(struct co *c, const char *s, size_t bytes)
{
	struct line *l = line_of(c);

	while (bytes) {
		size_t n;

		if (!l)
			l = take_line(c);
		if (!l) { /* no line is free: write it in pieces */
			put_out(c, s, bytes);
			return;
		}
		n = LINE_BYTES - l->length;
		if (n > bytes)
			n = bytes;
		memcpy(l->text + l->length, s, n);
		l->length += n;
		s += n;
		bytes -= n;
		if (s[-1] == '\n' || l->length == LINE_BYTES) {
			release_line(l);
			l = NULL;
		}
	}
}

void co_io_console_write(const char *s, size_t bytes)
{
	struct co *c = client();
	const char *end = s + bytes;
	const char *last = end;

	while (last > s && last[-1] != '\n')
		last--;
	if (last == s) {
		append(c, s, bytes);
		return;
	}
	if (line_of(c)) {
		/* The first newline ends the line in progress. */
		const char *first = (const char *)memchr(s, '\n', bytes) + 1;

		append(c, s, (size_t)(first - s));
		s = first;
	}
	if (last > s)
		put_out(c, s, (size_t)(last - s));
	append(c, last, (size_t)(end - last));
}

void co_io_console_flush_of(struct co *c)
{
	struct line *l = line_of(c);

	if (l)
		release_line(l);
}

void co_io_console_flush(void)
{
	co_io_console_flush_of(client());
}

void co_io_console_flush_all(void)
{
	for (size_t i = 0; i < line_count; i++) {
		if (lines[i].length)
			release_line(&lines[i]);
	}
}

static void start_console(unsigned hart)
{
	size_t n = LINES + (size_t)co_machine.harts * CO_PER_HART / 4;
	size_t bytes = co_round_up(n * sizeof(struct line), CO_LINE);

	if (hart)
		return;
	lines = (struct line *)co_main_cut(bytes);
	if (!lines)
		co_die("no room in main memory for %zu lines of output", n);
	line_count = n;
	while (n--) {
		lines[n].length = 0;
		lines[n].next = free_lines;
		free_lines = &lines[n];
	}
	if (co_options.console_semihost) {
		if (!hal_host_answers())
			co_die("--console=semihost: there is no host");
		/* ":tt" opened for reading is the host's standard input, for writing its output. */
		co_io_tty_in = hal_host_open(":tt", 0);
		tty_out = hal_host_open(":tt", 4);
		if (tty_out < 0)
			co_die("--console=semihost: the host has no console");
	}
}

CO_HOOKS_OF(proxy) = { .hart_boot = start_console };
