/*
 * input.c - the console's input: hart 0 takes it, and the coroutine that reads waits for it.
 *
 * What nobody reads stays where it is, in the UART and with its sender. A read that finds nothing
 * clears the event and is a device at work: the executor looks when the UART's interrupt has ended
 * a sleep, and in scheduling points. So the event is set, or hart 0 looks.
 *
 * The end is final. The executor looks only while a coroutine waits for input that is still open,
 * and a machine that waits so is not stuck.
 */
#include <cohart/input.h>
#include <hal/console.h>
#include <hal/host.h>
#include <hal/time.h>

#include "../core/hook.h"
#include "../core/lost.h"
#include "io.h"

/* XON, DLE, XON to the sender: from now on there is a reader. A program does not print that. */
#define BEGIN "\x11\x10\x11"

#define ROOM 512
/* Between two looks while hart 0 has other work: a UART's FIFO lasts so long. */
#define LOOK_US 1000

static struct {
	unsigned char data[ROOM]; /* the last that have come */
	uint32_t first;           /* the number of the first of them; hart 0 writes */
	struct co_a32 taken;      /* bytes in all; the owner of the input's lock writes */
	struct co_a32 filled;     /* that have come in all; hart 0 writes, and all from here on */
	bool begun;
	bool literal; /* the byte before was a DLE */
	bool ended;
	bool failed;
	bool listening;
	struct co_event arrived;
	struct co_mutex reader;
	unsigned depth; /* the owner's: how often it has it besides once */
} input;

/* Bytes that have come and have not been taken. */
static uint32_t untaken(void)
{
	/* acquire. Of the reader: bytes that have come, pairs with take_more(). Of hart 0: their
	 * copy, pairs with the reader's store of `taken`. */
	return co_atomic_load(&input.filled, CO_ACQUIRE) - co_atomic_load(&input.taken, CO_ACQUIRE);
}

/* Is there a byte, the end, or an error? */
static bool has_some(void)
{
	return untaken() || input.ended || input.failed;
}

/* From the host, which lets all of hart 0 wait. */
static size_t take_from_host(unsigned char *to, size_t bytes)
{
	intptr_t n = hal_host_read(co_io_tty_in, to, bytes);

	input.failed = n < 0;
	input.ended = n == 0;
	return n > 0 ? (size_t)n : 0;
}

/* From the UART, without the DLE and EOT that its sender has put in. */
static size_t take_from_uart(unsigned char *to, size_t bytes)
{
	size_t n = hal_console_read((char *)to, bytes);
	size_t kept = 0;

	for (size_t i = 0; i < n && !input.ended; i++) {
		if (!input.literal && to[i] == HAL_CONSOLE_DLE) {
			input.literal = true;
			continue;
		}
		if (!input.literal && to[i] == HAL_CONSOLE_EOT)
			input.ended = true;
		else
			to[kept++] = to[i];
		input.literal = false;
	}
	return kept;
}

/*
 * Take the bytes that have arrived, after all earlier bytes have been taken. So the buffer begins
 * anew each time, and there is always room for the two bytes that hal_console_read() is promised.
 */
static void take_more(void)
{
	size_t n = 0;

	if (co_options.console_none)
		input.ended = true;
	else if (co_options.console_semihost)
		n = take_from_host(input.data, ROOM);
	else
		n = take_from_uart(input.data, ROOM);
	input.first = co_atomic_load(&input.filled, CO_RELAXED); /* relaxed: hart 0's own */
	/* release: the bytes, and `first`; pairs with untaken(). */
	co_atomic_store(&input.filled, input.first + (uint32_t)n, CO_RELEASE);
}

static void begin_input(void)
{
	input.begun = true;
	/* A process has its input to itself. */
	if (!hal_board.is_process && !co_options.console_semihost && !co_options.console_none)
		hal_console_write(BEGIN, sizeof(BEGIN) - 1);
}

static void listen(bool on)
{
	struct co_executor *e = &co_executor;

	if (on != input.listening) {
		e->devices += on ? 1 : -1;
		e->ringing += on ? 1 : -1;
		co_attend(e);
	}
	e->input = input.listening = on;
	hal_console_listen(on);
}

/* Readers that wait look again. */
static void stop_listening(void)
{
	listen(false);
	co_event_set(&input.arrived);
}

/* False: there is nothing, and hart 0 waits for it on the readers' behalf. */
static bool is_ready(void)
{
	if (untaken())
		return true;
	input.failed = input.failed || co_inject(CO_INJECT_FILE);
	if (has_some())
		return true;
	co_hooks_needed(input);
	co_io_console_flush(); /* a prompt */
	if (!input.begun)
		begin_input();
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

static struct co_device device;

/* The executor's look: after a sleep, which the UART may have ended, and now and then. */
static bool look_for_input(struct co_executor *e)
{
	static uint64_t next;
	static uint32_t sleeps;
	/* relaxed: this hart's own. */
	uint32_t slept = co_atomic_load(&e->self->inbox.epoch, CO_RELAXED);

	if (!input.listening || (slept == sleeps && hal_time_now() < next))
		return false;
	sleeps = slept;
	next = co_after_us(LOOK_US);
	if (!has_some())
		take_more();
	if (has_some())
		stop_listening();
	return false;
}

static void add_device(unsigned hart)
{
	if (!hart)
		co_device_add(&device, look_for_input);
}

/* Whoever waited there waits no more: readers that are left look again. */
static void forget_reader(unsigned hart)
{
	static bool known[BOARD_MAX_HARTS];

	if (known[hart] || !co_hart_past(hart))
		return;
	known[hart] = true;
	if (input.listening)
		stop_listening();
}

CO_HOOKS_OF(input) = { .hart_boot = add_device, .hart_lost = forget_reader };

static intptr_t serve_stop(intptr_t *unused)
{
	(void)unused;
	stop_listening();
	return 0;
}

/* After is_ready() was false. */
static int wait_for_input(uint64_t deadline)
{
	int r = co_event_wait_until(&input.arrived, deadline);

	if (r)
		co_io_call(serve_stop, 0, 0, 0);
	return r;
}

static intptr_t serve_ready(intptr_t *unused)
{
	(void)unused;
	co_io_console_flush();
	return co_io_input_pushed_back() || is_ready();
}

int co_input_wait_until(uint64_t deadline)
{
	int r = 0;

	while (!r && !co_io_call(serve_ready, 0, 0, 0))
		r = wait_for_input(deadline);
	return r;
}

bool co_io_input_lock(void)
{
	int r = co_self() ? co_mutex_lock(&input.reader) : -EAGAIN;

	if (r == -EDEADLK) {
		input.depth++;
		return true;
	}
	if (r && r != -EOWNERDEAD) {
		errno = -r;
		return false;
	}
	input.depth = 0;
	return true;
}

void co_io_input_unlock(void)
{
	if (input.depth)
		input.depth--;
	else
		co_mutex_unlock(&input.reader);
}

/* Result of a look for bytes. NOTHING: the caller is to wait. */
enum { SOME, NOTHING, END, FAILED };

static intptr_t serve_look(intptr_t *unused)
{
	(void)unused;
	if (!is_ready())
		return NOTHING;
	if (untaken())
		return SOME;
	if (!input.failed)
		return END;
	input.failed = false;
	return FAILED;
}

/* Until there are bytes. Returns SOME, END or FAILED; -1, and errno. */
static int wait_for_bytes(void)
{
	int found, r;

	while ((found = (int)co_io_call(serve_look, 0, 0, 0)) == NOTHING) {
		r = wait_for_input(CO_FOREVER);
		if (r) {
			errno = -r;
			return -1;
		}
	}
	if (found == FAILED) {
		errno = EIO;
		return -1;
	}
	return found;
}

intptr_t co_io_input_take(void *to, size_t bytes)
{
	/* relaxed: the caller's own. */
	uint32_t taken = co_atomic_load(&input.taken, CO_RELAXED);
	size_t n = untaken();
	int found = n ? SOME : wait_for_bytes();

	if (found != SOME)
		return found == END ? 0 : -1;
	n = untaken();
	n = n < bytes ? n : bytes;
	memcpy(to, input.data + (taken - input.first), n);
	/* release: they have been copied; pairs with untaken(). */
	co_atomic_store(&input.taken, taken + (uint32_t)n, CO_RELEASE);
	return (intptr_t)n;
}

int co_io_input_next(void)
{
	/* relaxed: the caller's own. */
	return untaken() ? input.data[co_atomic_load(&input.taken, CO_RELAXED) - input.first] : -1;
}

int co_io_console_get(void)
{
	unsigned char c;
	intptr_t n = co_io_input_take(&c, 1);

	if (n > 0)
		return c;
	return !n ? IO_CONSOLE_END : errno == EIO ? IO_CONSOLE_FAILED : IO_CONSOLE_CANCELED;
}

intptr_t co_io_input_read(void *to, size_t bytes)
{
	intptr_t n;

	if (!bytes)
		return 0;
	if (!co_io_input_lock())
		return -1;
	n = co_io_input_take(to, bytes);
	co_io_input_unlock();
	return n;
}
