/* bupv.c - level 3: transfers, paths, events, and what hangs (bupv.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bupv.h>
#include <cohart/debug.h>
#include <cohart/dma.h>
#include <cohart/spm.h>

#include "carry.h"
#include "load.h"

#define me bfskn_me

/* Level 3's events of the trace: with EVENTS=1. */
#ifdef CO_EVENTS
#define trace(what, value) co_trace(what, value)
#else
#define trace(what, value) ((void)0)
#endif

static _Thread_local bool begun;     /* MP_init() */
static _Thread_local uint32_t on[2]; /* paths, by the other's core */

int MP_load(int argc, char **argv, unsigned n, int (*process)(int id))
{
	return bfskn_run(argc, argv, n, process, true);
}

int MP_init(void)
{
	if (!me.program || !me.program->pairs)
		return -EPERM;
	begun = true;
	on[CO_NET_SEND] = on[CO_NET_RECV] = 0;
	return 0;
}

int MP_my_ID(void)
{
	return bfskn_id();
}

/* ---- Transfers ---- */

static inline int partner(unsigned process, enum co_net_way way, struct co_net_end **e)
{
	if (!begun)
		return -EPERM;
	if (process >= me.n || (int)process == me.id)
		return -EINVAL;
	*e = &me.block->ends[way][me.core_of[process]];
	return 0;
}

static inline void bind(MP_event *v, struct co_net_end *e, int *v2)
{
	if (!v)
		return;
	v->end = e;
	v->number = e->mine.number;
	v->engine = 0;
	v->errors = v2;
}

/* Does a path that this process keeps, and not to that one, have a part of that route? */
static bool kept_in_the_way(const struct co_net_end *e)
{
	for (unsigned i = 0; on[CO_NET_SEND] >> i; i++) {
		const struct co_net_end *kept = &me.block->ends[CO_NET_SEND][i];

		if (on[CO_NET_SEND] >> i & 1 && kept != e && co_net_overlaps(kept, e))
			return true;
	}
	return false;
}

/* Begin, if all is right. Returns V1. */
static inline int begin(int r, struct co_net_end *e, const void *at, uint32_t words, int *v1,
			int *v2)
{
	if (!r)
		r = co_net_refuse(e, at, words);
	if (!r && co_net_check(e) == -EINPROGRESS)
		r = -EBUSY;
	if (!r && on[CO_NET_SEND] && e->way == CO_NET_SEND && kept_in_the_way(e))
		r = -EDEADLK;
	if (v1)
		*v1 = r;
	if (v2)
		*v2 = 0;
	if (!r)
		co_net_start(e, at, words);
	return r;
}

int MP_send(unsigned process, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3,
	    MP_event *v4)
{
	struct co_net_end *e = NULL;
	int r = partner(process, CO_NET_SEND, &e);

	trace("MP_send to", process);
	r = begin(r, e, from, words, v1, v2);
	if (r)
		return r;
	bind(v3, e, v2);
	bind(v4, e, v2);
	return 0;
}

int MP_recv(unsigned process, void *to, uint32_t words, int *v1, int *v2, MP_event *v3)
{
	struct co_net_end *e = NULL;
	int r = partner(process, CO_NET_RECV, &e);

	trace("MP_recv from", process);
	r = begin(r, e, to, words, v1, v2);
	if (r)
		return r;
	bind(v3, e, v2);
	return 0;
}

/* ---- Paths ---- */

static int path_on(enum co_net_way way, unsigned process, int how, uint32_t row, uint32_t gap)
{
	struct co_net_end *e = NULL;
	int r = partner(process, way, &e);

	if (r)
		return r;
	if (on[way] >> me.core_of[process] & 1)
		return -EALREADY;
	if (way == CO_NET_SEND && kept_in_the_way(e))
		return -EDEADLK;
	if (way == CO_NET_SEND && e->route.channel)
		r = co_net_hold(e);
	if (r)
		return r;
	co_net_shape(e, row, how == _2D ? gap : 0);
	on[way] |= 1u << me.core_of[process];
	return 0;
}

static int path_off(enum co_net_way way, unsigned process)
{
	struct co_net_end *e = NULL;
	int r = partner(process, way, &e);

	if (r)
		return r;
	if (!(on[way] >> me.core_of[process] & 1))
		return -ENOTCONN;
	if (co_net_check(e) == -EINPROGRESS)
		return -EBUSY;
	if (way == CO_NET_SEND && e->route.channel)
		co_net_release(e);
	co_net_shape(e, 0, 0);
	on[way] &= ~(1u << me.core_of[process]);
	return 0;
}

static int path_check(enum co_net_way way, unsigned process)
{
	struct co_net_end *e;
	int r = partner(process, way, &e);

	return r ? r : (int)(on[way] >> me.core_of[process] & 1);
}

int MP_send_path_on(unsigned process, int how, uint32_t row, uint32_t gap)
{
	return path_on(CO_NET_SEND, process, how, row, gap);
}

int MP_recv_path_on(unsigned process, int how, uint32_t row, uint32_t gap)
{
	return path_on(CO_NET_RECV, process, how, row, gap);
}

int MP_send_path_off(unsigned process)
{
	return path_off(CO_NET_SEND, process);
}

int MP_recv_path_off(unsigned process)
{
	return path_off(CO_NET_RECV, process);
}

int MP_send_path_check(unsigned process)
{
	return path_check(CO_NET_SEND, process);
}

int MP_recv_path_check(unsigned process)
{
	return path_check(CO_NET_RECV, process);
}

static int not_on(enum co_net_way way, unsigned process, int *v1)
{
	int r = path_check(way, process);

	if (r > 0)
		return 0;
	r = r ? r : -ENOTCONN;
	if (v1)
		*v1 = r;
	return r;
}

int MP_send_path(unsigned process, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3,
		 MP_event *v4)
{
	int r = not_on(CO_NET_SEND, process, v1);

	return r ? r : MP_send(process, from, words, v1, v2, v3, v4);
}

int MP_recv_path(unsigned process, void *to, uint32_t words, int *v1, int *v2, MP_event *v3)
{
	int r = not_on(CO_NET_RECV, process, v1);

	return r ? r : MP_recv(process, to, words, v1, v2, v3);
}

/* ---- Events ---- */

/* Has the transfer of an event been followed by another of the same pair? Then it is over. */
static inline bool is_past(const MP_event *e)
{
	return e->end->mine.number != e->number;
}

/* A transfer whose carrier was lost goes by another. True: it is under way again. */
static bool carried_anew(MP_event *e, int status)
{
	if (status != -ESTALE || is_past(e))
		return false;
	bfskn_carry_again(e->end);
	e->number = e->end->mine.number;
	return true;
}

static int over(MP_event *e, int status)
{
	e->end = NULL;
	e->engine = 0;
	if (e->errors && status)
		*e->errors = status;
	co_event_set(&e->event);
	return status;
}

int MP_check_event(MP_event *e)
{
	int r = e->end                       ? is_past(e) ? 0 : co_net_check(e->end)
				      : e->engine ? bfskn_check_mdmac((unsigned)e->engine - 1)
		: co_event_is_set(&e->event) ? 0
					     : -EINPROGRESS;

	if (e->end && carried_anew(e, r))
		return -EINPROGRESS;
	return r != -EINPROGRESS && e->end ? over(e, r) : r;
}

int MP_wait_event(MP_event *e)
{
	int r = 0;

	if (e->engine) {
		r = bfskn_wait_mdmac((unsigned)e->engine - 1);
		return r == -ECANCELED ? r : over(e, r);
	}
	if (!e->end)
		return co_event_wait(&e->event);
	do
		r = is_past(e) ? 0 : co_net_wait(e->end);
	while (carried_anew(e, r));
	trace(e->end->way == CO_NET_SEND ? "MP: sent from core" : "MP: received on core", me.core);
	/* A cancelled wait leaves the transfer under way. */
	return co_net_check(e->end) == -EINPROGRESS ? r : over(e, r);
}

void MP_set_event(MP_event *e)
{
	co_event_set(&e->event);
}

void MP_drop_event(MP_event *e)
{
	e->end = NULL;
	e->engine = 0;
	co_event_clear(&e->event);
}

int MP_move(void *to, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3)
{
	int r = !begun ? -EPERM : !words || !v3 ? -EINVAL : bfskn_seize_mdmac(from, to, words);

	if (v1)
		*v1 = r < 0 ? r : 0;
	if (v2)
		*v2 = 0;
	if (r < 0)
		return r;
	v3->end = NULL;
	v3->engine = r + 1;
	v3->errors = v2;
	return 0;
}

/* ---- What hangs ---- */

static unsigned pending(enum co_net_way way, bool say)
{
	unsigned n = 0;

	for (unsigned i = 0; begun && i < me.n; i++) {
		struct co_net_end *e = &me.block->ends[way][me.core_of[i]];
		char text[128];

		if ((int)i == me.id || co_net_check(e) != -EINPROGRESS)
			continue;
		n++;
		if (say)
			fprintf(stderr, "bupv: process %d: %s process %u hangs: %s\n", me.id,
				way == CO_NET_SEND ? "a send to" : "a receive from", i,
				co_net_explain(e, text, sizeof(text)));
		if (say && co_net_withdraw(e) == -EBUSY)
			(void)!co_net_wait(e);
	}
	return n;
}

/* What others have begun with this process. */
static int from_others(enum co_net_way way)
{
	int n = 0;

	for (unsigned i = 0; begun && i < me.n; i++) {
		const struct co_net_end *e = &me.block->ends[way][me.core_of[i]];

		/* relaxed: a moment ago. */
		n += (int)i != me.id && co_atomic_load(&e->offered, CO_RELAXED) &&
		     co_net_check(e) != -EINPROGRESS;
	}
	return n;
}

int MP_check_send_wait(void)
{
	return (int)pending(CO_NET_SEND, false);
}

int MP_check_recv_wait(void)
{
	return (int)pending(CO_NET_RECV, false);
}

int MP_check_extrn_send_wait(void)
{
	return from_others(CO_NET_RECV);
}

int MP_check_extrn_recv_wait(void)
{
	return from_others(CO_NET_SEND);
}

static int drop(enum co_net_way way, unsigned process)
{
	struct co_net_end *e = NULL;
	int r = partner(process, way, &e);

	return r ? r : co_net_withdraw(e);
}

int MP_drop_send_wait(unsigned process)
{
	return drop(CO_NET_SEND, process);
}

int MP_drop_recv_wait(unsigned process)
{
	return drop(CO_NET_RECV, process);
}

int MP_finalize(void)
{
	unsigned n;

	if (!begun)
		return -EPERM;
	n = pending(CO_NET_SEND, true) + pending(CO_NET_RECV, true);
	for (unsigned i = 0; i < me.n; i++) {
		(void)path_off(CO_NET_SEND, i);
		(void)path_off(CO_NET_RECV, i);
	}
	begun = false;
	return (int)n;
}
