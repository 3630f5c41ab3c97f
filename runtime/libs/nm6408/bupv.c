/* bupv.c - level 3: transfers, paths, events, and transfers that hang (bupv.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bupv.h>
#include <cohart/dma.h>

#include "load.h"

#define me bfskn_me

int MP_load(int argc, char **argv, unsigned n, int (*process)(int id))
{
	return bfskn_run(argc, argv, n, process, true);
}

int MP_init(void)
{
	if (!me.program || !me.program->pairs)
		return -EPERM;
	me.begun = true;
	return 0;
}

int MP_my_ID(void)
{
	return bfskn_id();
}

/* ---- Transfers ---- */

static inline int partner(unsigned process, enum co_net_way way, struct co_net_end **e)
{
	if (!me.begun)
		return -EPERM;
	if (process >= me.n || (int)process == me.id)
		return -EINVAL;
	*e = &me.block->ends[way][me.core_of[process]];
	return 0;
}

/* Bind the event to the transfer that is about to begin at `e`. */
static inline void bind(MP_event *v, struct co_net_end *e, int *v2)
{
	if (!v)
		return;
	v->end = e;
	v->number = co_net_next(e);
	v->engine = 0;
	v->errors = v2;
}

/* Check whether a transfer may begin at `e`, and reset V1 and V2. Returns V1. */
static inline int look_at(int r, struct co_net_end *e, const void *at, uint32_t words, int *v1,
			  int *v2)
{
	/* co_net_refuse() has accepted the buffer of the last transfer: it is not asked again. */
	if (!r && (!words || (uintptr_t)at != e->mine.at || words != e->mine.words))
		r = co_net_refuse(e, at, words);
	if (!r) {
		int before = co_net_is_over(e) ? co_net_status(e) : co_net_check(e);

		if (before == -EINPROGRESS)
			r = -EBUSY;
		else
			e->before = before;
	}
	if (v1)
		*v1 = r;
	if (v2)
		*v2 = 0;
	return r;
}

int MP_send(unsigned process, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3,
	    MP_event *v4)
{
	struct co_net_end *e = NULL;
	int r = partner(process, CO_NET_SEND, &e);

	r = look_at(r, e, from, words, v1, v2);
	if (r)
		return r;
	bind(v3, e, v2);
	bind(v4, e, v2);
	co_net_start(e, from, words);
	return 0;
}

int MP_recv(unsigned process, void *to, uint32_t words, int *v1, int *v2, MP_event *v3)
{
	struct co_net_end *e = NULL;
	int r = partner(process, CO_NET_RECV, &e);

	r = look_at(r, e, to, words, v1, v2);
	if (r)
		return r;
	bind(v3, e, v2);
	co_net_start(e, to, words);
	return 0;
}

/* ---- Paths ---- */

static int path_on(enum co_net_way way, unsigned process, int how, uint32_t row, uint32_t gap)
{
	struct co_net_end *e = NULL;
	int r = partner(process, way, &e);

	if (!r && !bfskn_is_shape(how, row))
		r = -EINVAL;
	if (!r && me.on[way] >> me.core_of[process] & 1)
		r = -EALREADY;
	if (!r && co_net_check(e) == -EINPROGRESS)
		r = -EBUSY;
	if (r)
		return r;
	co_net_shape(e, row, how == _2D ? gap : 0);
	me.on[way] |= 1u << me.core_of[process];
	return 0;
}

static int path_off(enum co_net_way way, unsigned process)
{
	struct co_net_end *e = NULL;
	int r = partner(process, way, &e);

	if (r)
		return r;
	if (!(me.on[way] >> me.core_of[process] & 1))
		return -ENOTCONN;
	if (co_net_check(e) == -EINPROGRESS)
		return -EBUSY;
	co_net_shape(e, 0, 0);
	me.on[way] &= ~(1u << me.core_of[process]);
	return 0;
}

static int path_check(enum co_net_way way, unsigned process)
{
	struct co_net_end *e;
	int r = partner(process, way, &e);

	return r ? r : (int)(me.on[way] >> me.core_of[process] & 1);
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

/* The status of the event's transfer, which later transfers of this end may have followed. */
static inline int status_of(const MP_event *e)
{
	uint32_t later = e->end->mine.number - e->number;

	return !later ? co_net_check(e->end) : later == 1 ? e->end->before : -ESTALE;
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
	int r = e->end                       ? status_of(e)
		: e->engine                  ? bfskn_check_mdmac((unsigned)e->engine - 1)
		: co_event_is_set(&e->event) ? 0
					     : -EINPROGRESS;

	if (r != -EINPROGRESS && e->engine)
		return MP_wait_event(e); /* which frees the engine */
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
	r = e->end->mine.number == e->number ? co_net_wait(e->end) : status_of(e);
	/* A cancelled wait leaves the transfer under way. */
	return r == -ECANCELED && status_of(e) == -EINPROGRESS ? r : over(e, r);
}

void MP_set_event(MP_event *e)
{
	co_event_set(&e->event);
}

void MP_drop_event(MP_event *e)
{
	if (e->engine)
		(void)bfskn_free_mdmac((unsigned)e->engine - 1);
	e->end = NULL;
	e->engine = 0;
	co_event_clear(&e->event);
}

int MP_move(void *to, const void *from, uint32_t words, int *v1, int *v2, MP_event *v3)
{
	int r = !me.begun ? -EPERM : !words ? -EINVAL : bfskn_seize_mdmac(from, to, words);

	if (v1)
		*v1 = r < 0 ? r : 0;
	if (v2)
		*v2 = 0;
	if (r < 0)
		return r;
	if (!v3) { /* nobody is to wait for it later */
		r = bfskn_free_mdmac((unsigned)r);
		if (v2)
			*v2 = r;
		return 0;
	}
	v3->end = NULL;
	v3->engine = r + 1;
	v3->errors = v2;
	return 0;
}

/* ---- Transfers that hang ---- */

static unsigned pending(enum co_net_way way, bool say)
{
	unsigned n = 0;

	for (unsigned i = 0; me.begun && i < me.n; i++) {
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
			while (co_net_wait(e) == -ECANCELED && co_net_check(e) == -EINPROGRESS)
				co_pause(); /* both sides have begun: it ends */
	}
	return n;
}

/* How many processes have begun a transfer with this process, which has not begun its side. */
static int from_others(enum co_net_way way)
{
	int n = 0;

	for (unsigned i = 0; me.begun && i < me.n; i++) {
		struct co_net_end *e = &me.block->ends[way][me.core_of[i]];

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

static int drop_signals(enum co_net_way way, unsigned process)
{
	struct co_net_end *e = NULL;
	int r = partner(process, way, &e);

	return r ? r : co_net_withdraw(e);
}

int MP_drop_send_wait(unsigned process)
{
	return drop_signals(CO_NET_SEND, process);
}

int MP_drop_recv_wait(unsigned process)
{
	return drop_signals(CO_NET_RECV, process);
}

int MP_finalize(void)
{
	unsigned n;

	if (!me.begun)
		return -EPERM;
	n = pending(CO_NET_SEND, true) + pending(CO_NET_RECV, true);
	for (unsigned i = 0; i < me.n; i++) {
		(void)path_off(CO_NET_SEND, i);
		(void)path_off(CO_NET_RECV, i);
	}
	me.begun = false;
	return (int)n;
}

void bfskn_pairs_leave(void)
{
	if (!me.begun)
		return;
	fprintf(stderr, "bupv: process %d returns without MP_finalize()\n", me.id);
	(void)MP_finalize();
}
