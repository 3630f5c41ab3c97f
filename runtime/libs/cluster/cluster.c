/*
 * cluster.c - a board of a job: it attaches to its uplink at boot, and a service on hart 0 moves
 * messages between ranks here and other boards.
 */
#include <cohart/cluster.h>
#include <hal/host.h>
#include <hal/uplink.h>

#include "../../core/boot/process.h"
#include "../../core/hook.h"
#include "../../core/option.h"
#include "../../core/report.h"
#include "../../fault/fault.h"
#include "../../group/message/port.h"
#include "frame.h"

struct cluster co_cluster = { .boards = 1 };

static unsigned is_in_job; /* the carrier says so: cohart-rank adds the word */
CO_OPTION = { "--uplink", &is_in_job, 1, "" };

static struct co_team_beyond span;
static bool fails; /* the run ends by a failure */

unsigned co_cluster_boards(void)
{
	return co_cluster.boards;
}

unsigned co_cluster_board(void)
{
	return co_cluster.board;
}

void co_cluster_fail(const char *format, ...)
{
	char buf[192];
	struct co_text text = { buf, sizeof(buf), 0 };
	va_list args;

	fails = true;
	va_start(args, format);
	co_text_addv(&text, format, args);
	va_end(args);
	co_hooks_call(report, NULL);
	co_report("cohart: board %u: %s", co_cluster.board, buf);
	co_hooks_call(run_ends);
	hal_host_exit(1);
}

/* ---- Moving on ---- */

static void take_completion(const struct hal_uplink_completion *c)
{
	uint32_t number = (uint32_t)c->request;

	switch ((enum request_kind)(c->request >> 32)) {
	case REQUEST_FRAME_OUT:
		co_outgoing_gone(number, c->error);
		break;
	case REQUEST_FRAME_IN:
		co_incoming_frame(number, c->peer, c->bytes, c->error);
		break;
	case REQUEST_DATA_OUT:
		co_outgoing_data_gone(number, c->error);
		break;
	case REQUEST_DATA_IN:
		co_incoming_data(number, c->bytes, c->error);
		break;
	}
}

static bool progress(void)
{
	struct hal_uplink_completion c;
	bool any = false;

	while (hal_uplink_completed(&c)) {
		take_completion(&c);
		any = true;
	}
	any |= co_incoming_progress();
	return co_outgoing_progress() || any;
}

static bool is_broken(void)
{
	/* relaxed: the next look sees it. */
	return co_atomic_load(&co_cluster.me->broken, CO_RELAXED);
}

/* ---- The service ---- */

/* Looks that find nothing: the first gives way, then each sleeps, at last for longer and longer. */
#define LOOKS 1
#define SLEEPS 500
#define SHORTEST_US 40
#define LONGEST_US 500

static const char wait_boards[] = "other boards";

static bool ask(void *unused, uint32_t how)
{
	(void)unused;
	return co_member_ask(co_cluster.me, how) || co_port_has_news_now(co_cluster.me);
}

static void rest(unsigned looks)
{
	unsigned us = SHORTEST_US + (looks > SLEEPS ? looks - SLEEPS : 0);

	if (looks < LOOKS) {
		co_pause();
		return;
	}
	(void)co_lane_wait_queued(&co_cluster.me->queue, &co_cluster, wait_boards,
				  co_after_us(us < LONGEST_US ? us : LONGEST_US), ask, NULL);
}

/* List the waits of ranks of this board: a debugger asks, or --timeout is over. */
static void list_waits(void)
{
	for (uint32_t i = 0; i < co_cluster.here; i++) {
		const struct co_member *m = co_member_at(co_cluster.me, span.first + i);
		const struct co_awaited w = co_awaited(m->self);
		char buf[128];
		struct co_text text = { buf, sizeof(buf), 0 };
		const struct co_stuck why = { .kind = w.kind, .object = w.object, .text = &text };

		if (w.kind == co_wait_message && co_hooks_ask(explain, &why))
			co_report("cohart: board %u: %s", co_cluster.board, buf);
	}
}

static void look_at_debugger(void)
{
	/* relaxed: the next look sees it. */
	if (!co_atomic_load(&co_dump_wanted, CO_RELAXED))
		return;
	co_dump_look();
	if (co_team_stand_in_ready(co_cluster.me) && co_member_reach(co_cluster.me)) {
		list_waits();
		co_member_let_go(co_cluster.me);
	}
}

static intptr_t serve(void *unused)
{
	unsigned looks = 0;

	(void)unused;
	if (co_cluster.boards == 1)
		return 0;
	co_cluster.me->self = co_self();
	co_cluster.me->waiter = co_lane_waiter(&co_cluster.me->queue);
	while (!is_broken()) {
		looks = progress() ? 0 : looks + 1;
		look_at_debugger();
		rest(looks);
	}
	return 0;
}

static void start_service(unsigned hart)
{
	const struct co_attr attr = { .name = "uplink",
				      .on = CO_ON_HART(0),
				      .stack = CO_STACK_MAIN };

	if (hart == 0 && is_in_job && co_spawn(NULL, &attr, serve, NULL))
		co_die("no room for the coroutine of the uplink");
}

/* ---- Beginning and end ---- */

#define ATTACH_US 8000000

static void attach(void)
{
	uint64_t deadline = co_after_us(ATTACH_US);
	struct hal_uplink_job job;
	unsigned spins = 0;

	if (!is_in_job)
		return;
	if (!hal_uplink_open)
		co_die("--uplink: this board has none");
	while (hal_uplink_open(&job)) {
		if (co_now() > deadline)
			co_die("--uplink: nobody answers: cohart-rank starts boards of a job");
		co_spin(&spins);
	}
	co_cluster.board = job.board;
	co_cluster.boards = job.boards;
	if (job.boards == 1)
		return;
	if (!co_machine.ranks)
		co_die("%u boards: this image has no ranks", job.boards);
	co_cluster.here = co_machine.ranks;
	span.first = job.board * co_cluster.here;
	span.ranks = job.boards * co_cluster.here;
	co_cluster.span = &span;
	if (!co_team_of_ranks_spans(&span))
		co_die("%u boards: no room in hart 0's scratchpad for %u ranks", job.boards,
		       (unsigned)span.ranks);
	co_cluster.me = span.stand_in;
	if (!co_outgoing_begin() || !co_incoming_begin())
		co_die("%u boards: no memory for their frames", job.boards);
}

/* All ranks have ended: their messages, and answers to other boards, still go. */
static void finish(void)
{
	uint64_t deadline = co_after_us(1000000);

	while (co_cluster.boards > 1 && !fails && !is_broken() && co_now() < deadline &&
	       (progress() || !co_outgoing_is_done() || !co_incoming_is_done()))
		;
}

CO_HOOKS = { .hart_boot = start_service, .machine_up = attach, .run_ends = finish };
