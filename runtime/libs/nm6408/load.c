/* load.c - processes on their cores, and level 2: paths between them (bfskn.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cohart/detail/cleanup.h>

#include "load.h"

_Thread_local struct bfskn_me bfskn_me;
_Thread_local struct co_net_end *bfskn_paths[2][CO_NET_CORES];
#define me bfskn_me

static struct bfskn_program program;
static struct co_batch processes;
static struct co_cleanup ended_early[CO_NET_CORES]; /* of the process on each core */
static struct co_child results[CO_NET_CORES];

/* A fault ends the process: nobody is to wait for it. The network itself detects a lost hart. */
static void leave_core(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
	(void)of;
	if (why != CO_CLEANUP_FAULT)
		return;
	me.program = NULL;
	co_net_leave((unsigned)(c - ended_early));
}

static intptr_t run_process(void *arg)
{
	unsigned id = (unsigned)(uintptr_t)arg, core = co_hart();
	int r;

	memset(bfskn_paths, 0, sizeof(bfskn_paths));
	me = (struct bfskn_me){ .id = (int)id, .core = core, .n = program.n };
	me.program = &program;
	me.block = program.pairs ? bfskn_block_of(core) : NULL;
	memcpy(me.core_of, program.core_of, sizeof(me.core_of));
	co_cleanup_add(&ended_early[core], leave_core);
	bfskn_barriers_join(core);
	r = program.process((int)id);
	bfskn_pairs_leave();
	bfskn_mdmacs_leave();
	bfskn_barriers_leave(core);
	co_cleanup_remove(&ended_early[core]);
	me.program = NULL;
	return r;
}

/* Run fn on the core of each process. Returns 0, or the first error. */
static int on_each(const char *name, co_fn *fn)
{
	int r = 0, failed = 0;

	for (unsigned i = 0; i < program.n && !r; i++) {
		const struct co_attr there = { .name = name,
					       .on = CO_ON_HART(program.core_of[i]),
					       .stack = CO_STACK_ANY };

		results[i].status = -EINPROGRESS;
		r = co_batch_spawn_child(&processes, &there, fn, (void *)(uintptr_t)i, &results[i]);
	}
	failed = co_batch_join(&processes);
	for (unsigned i = 0; i < program.n && !r; i++) {
		r = results[i].status ? results[i].status : (int)results[i].result;
	}
	return r ? r : failed;
}

int bfskn_run(int argc, char **argv, unsigned n, bfskn_process *process, bool pairs)
{
	int r;

	if (!n || n > CO_NET_CORES || !process)
		return -EINVAL;
	memset(&program, 0, sizeof(program));
	program.n = n;
	program.process = process;
	program.pairs = pairs;
	r = bfskn_place(&program, argc, argv);
	if (r)
		return r;
	for (unsigned i = 0; i < n; i++)
		co_net_return(program.core_of[i]);
	bfskn_barriers_make(&program);
	r = pairs ? bfskn_pairs_begin(&program) : 0;
	if (r)
		return r;
	r = on_each("process", run_process);
	if (pairs)
		bfskn_pairs_end();
	/* Wait until nothing moves the processes' memory any more. */
	for (unsigned i = 0; i < n; i++)
		co_net_settle(program.core_of[i]);
	return r;
}

int bfskn_load(int argc, char **argv, unsigned n, bfskn_process *process)
{
	return bfskn_run(argc, argv, n, process, false);
}

int bfskn_id(void)
{
	return me.program ? me.id : -1;
}

unsigned bfskn_processes(void)
{
	return program.n;
}

int bfskn_core(unsigned process)
{
	return process < program.n ? program.core_of[process] : -1;
}

bool bfskn_is_whole(const struct bfskn_program *p)
{
	return p->n == CO_NET_CORES && co_harts() == CO_NET_CORES;
}

/* ---- Paths ---- */

static int find_route(unsigned process, bool sends, struct co_net_route *r)
{
	unsigned there;

	if (!me.program || process >= me.n || (int)process == me.id)
		return -EINVAL;
	there = me.core_of[process];
	return sends ? co_net_route(me.core, there, r) : co_net_route(there, me.core, r);
}

int send_path_on(unsigned process, enum bfskn_addressing how, uint32_t row, uint32_t gap)
{
	struct co_net_route r;
	int failed = bfskn_is_shape((int)how, row) ? find_route(process, true, &r) : -EINVAL;

	if (failed)
		return failed;
	set_send_cp(r.send_cp, how, row, gap);
	if (r.hops)
		set_lc(r.at[0].number, r.at[0].in, r.at[0].out);
	bfskn_paths[CO_NET_SEND][process] = co_net_port(CO_NET_SEND, r.send_cp);
	return 0;
}

int rcv_path_on(unsigned process, enum bfskn_addressing how, uint32_t row, uint32_t gap)
{
	struct co_net_route r;
	int failed = bfskn_is_shape((int)how, row) ? find_route(process, false, &r) : -EINVAL;

	if (failed)
		return failed;
	set_recv_cp(r.recv_cp, how, row, gap);
	if (r.hops)
		set_lc(r.at[r.hops - 1].number, r.at[r.hops - 1].in, r.at[r.hops - 1].out);
	bfskn_paths[CO_NET_RECV][process] = co_net_port(CO_NET_RECV, r.recv_cp);
	return 0;
}

int lock(struct co_tlock *mutex)
{
	return co_tlock_lock(mutex, co_hart());
}

void unlock(struct co_tlock *mutex)
{
	co_tlock_unlock(mutex, co_hart());
}
