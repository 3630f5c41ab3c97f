/*
 * input.c - the console's input: hart 0 takes it, and the coroutine that reads waits for it.
 *
 * What nobody reads stays where it is, in the UART and with its sender. A read that finds nothing
 * clears the event and lets the executor look: when the UART's interrupt has ended a sleep, and in
 * scheduling points. So the event is set, or hart 0 looks.
 *
 * The end is final. The executor looks only while a coroutine waits for input that is still open,
 * and a machine that waits so is not stuck.
 */
#include <errno.h>
#include <string.h>

#include <cohart/input.h>
#include <hal/console.h>
#include <hal/semihost.h>

#include "../core/hook.h"
#include "io.h"

/* XON, DLE, XON to the sender: from now on there is a reader. A program does not print that. */
#define BEGIN "\x11\x10\x11"

static struct {
	unsigned char data[512];
	size_t next, length;
	bool begun;
	bool literal; /* the byte before was a DLE */
	bool ended;
	bool failed;
	bool listening;
	struct co_event arrived;
	struct co_mutex reader;
} input;

int co_io_input_handle = -1;

/* Is there a byte, the end, or an error? */
static bool has_some(void)
{
	return input.next < input.length || input.ended || input.failed;
}

/* From the host, which lets all of hart 0 wait. */
static void take_from_host(void)
{
	intptr_t n = hal_semihost_read(co_io_input_handle, input.data, sizeof(input.data));

	input.failed = n < 0;
	input.ended = n == 0;
	input.length = n > 0 ? (size_t)n : 0;
}

/* What has arrived, after all before has been read. */
static void take_more(void)
{
	size_t n;

	input.next = input.length = 0;
	if (co_options.console_semihost) {
		take_from_host();
		return;
	}
	n = hal_console_read((char *)input.data, sizeof(input.data));
	for (size_t i = 0; i < n && !input.ended; i++) {
		unsigned char c = input.data[i];

		if (!input.literal && c == HAL_CONSOLE_DLE) {
			input.literal = true;
			continue;
		}
		if (!input.literal && c == HAL_CONSOLE_EOT)
			input.ended = true;
		else
			input.data[input.length++] = c;
		input.literal = false;
	}
}

static void begin(void)
{
	input.begun = true;
	/* A process has its input to itself. */
	if (!hal_board.is_process && !co_options.console_semihost)
		hal_console_write(BEGIN, sizeof(BEGIN) - 1);
}

static void listen(bool on)
{
	input.listening = on;
	hal_console_listen(on);
	co_input_listen(on);
}

/* Those that wait look again. */
static void stop_listening(void)
{
	listen(false);
	co_event_set(&input.arrived);
}

bool co_io_input_ready(void)
{
	if (input.next < input.length)
		return true;
	input.failed = input.failed || co_inject(CO_INJECT_FILE);
	if (has_some())
		return true;
	co_io_console_flush(); /* a prompt */
	if (!input.begun)
		begin();
	take_more();
	if (has_some()) {
		if (input.listening) /* for another reader, which looks again */
			stop_listening();
		return true;
	}
	co_event_clear(&input.arrived);
	listen(true);
	return false;
}

/* The executor's look. */
static void look(void)
{
	if (!has_some())
		take_more();
	if (has_some())
		stop_listening();
}

CO_HOOKS = { .input = look };

intptr_t co_io_input_take(void *to, size_t bytes)
{
	size_t n;

	if (!co_io_input_ready()) {
		errno = EAGAIN;
		return -1;
	}
	if (input.failed) {
		input.failed = false;
		errno = EIO;
		return -1;
	}
	n = input.length - input.next;
	n = n < bytes ? n : bytes;
	memcpy(to, input.data + input.next, n);
	input.next += n;
	return (intptr_t)n;
}

static intptr_t serve_take(intptr_t *w)
{
	return co_io_input_take((void *)w[1], (size_t)w[2]);
}

int co_io_console_get(void)
{
	unsigned char c;
	intptr_t n = co_io_input_transfer(serve_take, 0, IO_IN, &c, 1);

	return n == 1 ? c : n ? IO_CONSOLE_FAILED : IO_CONSOLE_END;
}

static intptr_t serve_stop(intptr_t *unused)
{
	(void)unused;
	stop_listening();
	return 0;
}

/* After co_io_input_ready() was false, on hart 0. */
static int wait_for_input(uint64_t deadline)
{
	int r = co_event_wait_until(&input.arrived, deadline);

	if (r)
		co_io_call(serve_stop, 0, 0, 0, 0);
	return r;
}

static intptr_t serve_ready(intptr_t *unused)
{
	(void)unused;
	co_io_console_flush();
	return co_io_input_pushed_back() || co_io_input_ready();
}

int co_input_wait_until(uint64_t deadline)
{
	int r = 0;

	while (!r && !co_io_call(serve_ready, 0, 0, 0, 0))
		r = wait_for_input(deadline);
	return r;
}

bool co_io_input_lock(void)
{
	int r = co_self() ? co_mutex_lock(&input.reader) : -EAGAIN;

	if (r && r != -EOWNERDEAD) {
		errno = -r;
		return false;
	}
	return true;
}

void co_io_input_unlock(void)
{
	co_mutex_unlock(&input.reader);
}

intptr_t co_io_input_transfer(co_io_fn *fn, intptr_t x, enum co_io_direction d, void *p,
			      size_t bytes)
{
	unsigned char *to = p;
	size_t done = 0;
	int err = errno;
	intptr_t n;

	do {
		n = co_io_transfer(fn, x, d, to + done, bytes - done);
		if (n > 0) {
			done += (size_t)n;
			if (d == IO_IN_SOME || (d == IO_IN_LINE && to[done - 1] == '\n'))
				break;
		} else if (n < 0 && errno == EAGAIN && co_self()) {
			errno = -wait_for_input(CO_FOREVER);
			n = errno ? -1 : 1;
		}
	} while (n > 0 && done < bytes);
	if (!done && n < 0)
		return -1;
	errno = err;
	return (intptr_t)done;
}

intptr_t co_io_input_read(co_io_fn *fn, intptr_t x, enum co_io_direction d, void *p, size_t bytes)
{
	intptr_t n;

	if (!co_io_input_lock())
		return -1;
	n = co_io_input_transfer(fn, x, d, p, bytes);
	co_io_input_unlock();
	return n;
}
