/*
 * fault_report.c - the way of fault reports to the console.
 *
 * A compute hart does no I/O: it leaves its report in its public scratchpad and asks hart 0 by a
 * message to print it. If hart 0 does not answer in time, the hart prints the report itself.
 */
#include <hal/console.h>
#include <hal/host.h>
#include <hal/time.h>

#include "../core/hook.h"
#include "fault.h"
#include "give_up.h"

/* Not there where no other hart reports anything. */
extern __typeof__(co_hart_lose) co_hart_lose __attribute__((weak));

#define LOOK_US 100

/* The owner of a hart's report buffer and message. */
enum report {
	ASKED = 1,     /* the hart that clears this prints: hart 0, or in the end its own */
	PRINTS = 2,    /* hart 0 prints, or is about to see whether it should */
	UNDER_WAY = 4, /* hart 0 has the message */
};

/* The buffer before the hart has a window. */
static char early[CO_REPORT_BYTES];

static _Thread_local bool written; /* a report was written and not sent yet */

static char *buffer(void)
{
	return co_executor.self ? co_area()->report : early;
}

static void print(const char *report)
{
	size_t bytes = strlen(report);

	hal_console_write(report, bytes);
	if (bytes == CO_REPORT_BYTES - 1) /* it was cut */
		hal_console_write(" ...\n", 5);
	co_atomic_store(&co_console_mid_line, 0, CO_RELAXED); /* a report begins by a newline */
}

/* Accesses to report_state are relaxed unless they say why: one word has one order. */
static bool under_way(struct co_hart *h)
{
	/* acquire: hart 0 has read it; pairs with print_report(). */
	return co_atomic_load(&h->report_state, CO_ACQUIRE) & (ASKED | PRINTS);
}

/* Hart 0 does not answer: print the report here, unless hart 0 has just begun to. */
static void take_back(struct co_hart *h)
{
	if (co_atomic_and(&h->report_state, ~(uint32_t)ASKED, CO_RELAXED) & ASKED)
		print(buffer());
}

/* Runs on hart 0. */
static struct co_hart *print_report(struct co_msg *m)
{
	struct co_hart *h = co_container_of(m, struct co_hart, report_msg);

	/* First, so that the hart sees ASKED or PRINTS for as long as its buffer is read. */
	co_atomic_or(&h->report_state, PRINTS, CO_RELAXED);
	if (co_atomic_and(&h->report_state, ~(uint32_t)ASKED, CO_RELAXED) & ASKED) {
		co_hooks_call(report, h->report_of); /* prints deferred output first */
		print(co_area_of(h, (unsigned)h->boot.hart)->report);
	}
	/*
	 * release: gives the buffer back; pairs with under_way(). acquire: pairs with post_report()
	 * of a hart that stops and has found the message under way.
	 */
	co_atomic_and(&h->report_state, ~(uint32_t)(PRINTS | UNDER_WAY), CO_ACQ_REL);
	return h;
}

static void print_and_go_on(struct co_msg *m)
{
	struct co_hart *h = print_report(m);

	/*
	 * The hart may have stopped without sending a message, since the report's message was still
	 * under way. acquire: as in give_up.c.
	 */
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
	co_hooks_call(run_ends); /* after the report, since it may fail */
	hal_host_exit(1);
}

/* Ask hart 0 to print. False: it has not handled the last message yet. */
static bool post_report(struct co_hart *h, void (*run)(struct co_msg *))
{
	/* acq_rel: if UNDER_WAY, hart 0's next access sees `stopped`; pairs with print_report(). */
	if (co_atomic_add(&h->report_state, 0, CO_ACQ_REL) & UNDER_WAY)
		return false;
	h->report_msg.run = run;
	/* relaxed: the message publishes it. */
	co_atomic_store(&h->report_state, ASKED | UNDER_WAY, CO_RELAXED);
	co_post(0, &h->report_msg);
	return true;
}

/* For callers that cannot wait as coroutines. */
static void sleep_until_printed(struct co_hart *h)
{
	struct co_patience patience = co_patience_begin(CO_ANSWER_US);
	unsigned spins = 0;

	while (under_way(h) && co_patience_lasts(&patience))
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
	struct co_patience patience = co_patience_begin(CO_ANSWER_US);

	if (!written)
		return;
	if (co_executor.hart == 0)
		co_hooks_call(report, co_executor.current);
	co_report_post();
	while (under_way(h) && co_patience_lasts(&patience))
		co_sleep_shielded(h, "its report", LOOK_US);
	if (under_way(h))
		take_back(h);
}

void co_report_post(void)
{
	written = false;
	if (co_executor.hart == 0 || !post_report(co_executor.self, print_and_go_on))
		print(buffer());
}

/* Hand the report to hart 0; where the message is not free, print it here. */
static void send_from_trap(void (*run)(struct co_msg *))
{
	struct co_hart *h = co_executor.self;

	if (post_report(h, run))
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
	co_debug_end();
	if (co_executor.hart) {
		send_from_trap(print_and_exit);
		hal_host_exit(1);
	}
	if (co_executor.self)
		co_hooks_call(run_ends);
	co_report_die();
}

void co_report_die(void)
{
	co_debug_end();
	print(buffer());
	hal_host_exit(1);
}
