/*
 * report.c - text for people, straight to the console: no libc stream, no proxy, no waiting; and
 * how reports of faults get there.
 *
 * A compute hart does no I/O: its report is in its public scratchpad, and a message asks hart 0 to
 * print it. If hart 0 does not answer in time, the hart takes the report back and prints it itself.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <hal/console.h>
#include <hal/semihost.h>
#include <hal/time.h>

#include "hook.h"
#include "lost.h"

static void add(struct co_text *t, const char *format, va_list args)
{
	int n = vsnprintf(t->buf + t->used, t->bytes - t->used, format, args);

	if (n < 0)
		return;
	t->used += (size_t)n;
	if (t->used >= t->bytes)
		t->used = t->bytes - 1;
}

void co_text_add(struct co_text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(t, format, args);
	va_end(args);
}

void co_text_who(struct co_text *t, unsigned hart, const struct co *c)
{
	if (hart < co_machine.harts)
		co_text_add(t, "hart %u (%s)", hart, co_role_name(co_hart_role(hart)));
	else
		co_text_add(t, "hart %u (booting)", hart);
	if (c)
		co_text_add(t, ", coroutine '%s'", co_name(c));
}

static void line(const char *start, const char *format, va_list args)
{
	char buf[512];
	struct co_text t = { buf, sizeof(buf) - 1, 0 };

	co_text_add(&t, "%s", start);
	add(&t, format, args);
	buf[t.used++] = '\n';
	hal_console_write(buf, t.used);
}

void co_report(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line("", format, args);
	va_end(args);
}

void co_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line("cohart: ", format, args);
	va_end(args);
	hal_semihost_exit(1);
}

/* ---- Reports of faults ---- */

#define LOOK_US 100

/* Of a hart's report: whose the buffer and the message are. */
enum report {
	ASKED = 1,     /* the hart that takes this away prints it: hart 0, or its hart after all */
	PRINTS = 2,    /* hart 0 does, or looks whether it is to */
	UNDER_WAY = 4, /* the message is hart 0's */
};

/* Before there is a window. */
static char early[CO_REPORT_BYTES];

static _Thread_local bool written; /* a report, that nobody has sent */

static char *buffer(void)
{
	return co_executor.self ? co_area()->report : early;
}

static void print(const char *report)
{
	size_t bytes = strlen(report);

	hal_console_write(report, bytes);
	if (bytes == CO_REPORT_BYTES - 1) /* there was more to say */
		hal_console_write(" ...\n", 5);
}

/* relaxed, all but where it says: of one word there is one order. */
static bool under_way(struct co_hart *h)
{
	/* acquire: hart 0 has read it; pairs with print_report(). */
	return co_atomic_load(&h->report_state, CO_ACQUIRE) & (ASKED | PRINTS);
}

/* Hart 0 does not answer: print it here, unless it has just begun to. */
static void take_back(struct co_hart *h)
{
	if (co_atomic_and(&h->report_state, ~(uint32_t)ASKED, CO_RELAXED) & ASKED)
		print(buffer());
}

/* On hart 0. */
static struct co_hart *print_report(struct co_msg *m)
{
	struct co_hart *h = co_container_of(m, struct co_hart, report_msg);

	/* First: its hart sees one of the two for as long as its report is read. */
	co_atomic_or(&h->report_state, PRINTS, CO_RELAXED);
	if (co_atomic_and(&h->report_state, ~(uint32_t)ASKED, CO_RELAXED) & ASKED) {
		co_hooks_call(report_begins, h->report_of); /* what it has printed comes before */
		print(co_area_of(h, (unsigned)h->boot.hart)->report);
	}
	/*
	 * release: the buffer is its hart's again; pairs with under_way(). acquire: pairs with
	 * post(), where one that stops may have found the message under way.
	 */
	co_atomic_and(&h->report_state, ~(uint32_t)(PRINTS | UNDER_WAY), CO_ACQ_REL);
	return h;
}

static void print_and_go_on(struct co_msg *m)
{
	struct co_hart *h = print_report(m);

	/* acquire: as co_hart_lose() would. It found this under way, and so could not say it. */
	if (co_atomic_load(&h->stopped, CO_ACQUIRE))
		co_hart_lose((unsigned)h->boot.hart);
}

static void print_and_lose(struct co_msg *m)
{
	co_hart_lose((unsigned)print_report(m)->boot.hart);
}

static void print_and_exit(struct co_msg *m)
{
	print_report(m);
	co_hooks_call(run_ends); /* after: it may not survive what has happened */
	hal_semihost_exit(1);
}

/* Ask hart 0. False: it has not even handled the last one. */
static bool post(struct co_hart *h, void (*run)(struct co_msg *))
{
	/* acq_rel: hart 0 comes later then, and sees that it has stopped, if so. */
	if (co_atomic_add(&h->report_state, 0, CO_ACQ_REL) & UNDER_WAY)
		return false;
	h->report_msg.run = run;
	/* The message publishes it; until then nobody else writes it. */
	co_atomic_store(&h->report_state, ASKED | UNDER_WAY, CO_RELAXED);
	co_post(0, &h->report_msg);
	return true;
}

/* Where nothing else can be done meanwhile. */
static void sleep_until_printed(struct co_hart *h)
{
	uint64_t deadline = co_after_us(CO_ANSWER_US);
	unsigned spins = 0;

	while (under_way(h) && hal_time_now() < deadline)
		co_spin(&spins);
	if (under_way(h))
		take_back(h);
}

struct co_text co_report_open(void)
{
	struct co_hart *h = co_executor.self;

	if (h) {
		sleep_until_printed(h);
		h->report_of = co_executor.current;
	}
	written = true;
	return (struct co_text){ buffer(), CO_REPORT_BYTES, 0 };
}

void co_report_send(void)
{
	struct co_hart *h = co_executor.self;
	uint64_t deadline = co_after_us(CO_ANSWER_US);

	if (!written)
		return;
	if (co_executor.hart == 0)
		co_hooks_call(report_begins, co_executor.current);
	co_report_post();
	while (under_way(h) && hal_time_now() < deadline)
		co_sleep_shielded(h, "its report", LOOK_US);
	if (under_way(h))
		take_back(h);
}

void co_report_post(void)
{
	written = false;
	if (co_executor.hart == 0 || !post(co_executor.self, print_and_go_on))
		print(buffer());
}

/* To hart 0, which may be asleep for good: no waiting for what is to come then. */
static void send_from_trap(void (*run)(struct co_msg *))
{
	struct co_hart *h = co_executor.self;

	if (post(h, run))
		sleep_until_printed(h);
	else
		print(buffer());
}

void co_report_last(void)
{
	co_hart_stopping();
	send_from_trap(print_and_lose);
	hal_cpu_halt();
}

void co_report_exit(void)
{
	if (co_executor.self && co_executor.hart) {
		send_from_trap(print_and_exit);
		hal_semihost_exit(1);
	}
	if (co_executor.self)
		co_hooks_call(run_ends);
	print(buffer());
	hal_semihost_exit(1);
}

void co_fault_summary(void)
{
	unsigned faults = 0, reports = 0;

	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		/* relaxed, both: figures for people. */
		faults += co_atomic_load(&co_hart_at(hart)->faults, CO_RELAXED);
		reports += co_atomic_load(&co_hart_at(hart)->reports, CO_RELAXED);
	}
	if (faults > reports)
		co_report("cohart: faults have ended %u coroutines, %u of them without a report",
			  faults, faults - reports);
	if (co_harts_lost())
		co_report("cohart: %u harts were lost", co_harts_lost());
}
