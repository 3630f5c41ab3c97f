/*
 * launch.c - the main() of an image of ranks: it runs the program's on each of them, and ends the
 * run when all have ended, or when one has ended as it should not. The linker puts it before the
 * program's (--wrap=main): other images do not have this file.
 */
#include <hal/host.h>
#include <hal/user.h>

#include "../hook.h"
#include "../lost.h"
#include "process.h"

int __wrap_main(int argc, char **argv);
int __real_main(int argc, char **argv);

extern void (*const __rank_init_start[])(void); /* linker/image.ld.S: constructors of ranks */
extern void (*const __rank_init_end[])(void);   /* behind the last; destructors follow */
extern void (*const __rank_fini_end[])(void);

/* The C library's: runs what atexit() was given; not there if nothing was. */
void __call_exitprocs(int code, void *unused) __attribute__((weak));

#define US_PER_S 1000000

static int argument_count;
static struct co_a32 codes; /* other than 0, until now */
static int first_code;

/* ---- The end ---- */

/* Runs on hart 0. */
static void end_run(struct co_msg *m)
{
	const struct co_rank *r = co_container_of(m, struct co_rank, end);
	static const char *const text[] = {
		[CO_RANK_FAULTS] = "a fault has ended",
		[CO_RANK_LOST] = "a hart was lost, and with it",
		[CO_RANK_EXITS] = "exit() was called by",
		[CO_RANK_LEAVES] = "before the others were done with it, main() has returned in",
	};

	co_hooks_call(report, NULL);
	co_report("cohart: %s %s (hart %u, code %d): all ranks end", text[r->why], r->name,
		  co_process_hart((unsigned)(r - co_ranks)), r->code);
	co_machine.exits = r->why == CO_RANK_EXITS;
	co_hooks_call(run_ends);
	hal_host_exit(r->code ? r->code : 1);
}

/* Have all ranks ended. The caller may go on until then. */
static void end_all(struct co_rank *r, enum co_rank_end why, int code)
{
	r->why = why;
	r->code = code;
	r->end.run = end_run;
	co_post(0, &r->end);
}

void co_process_faulted(struct co *c)
{
	unsigned rank = co_process_rank();

	if (rank != CO_NO_RANK && co_is_live(c))
		end_all(&co_ranks[rank], CO_RANK_FAULTS, 1);
}

static void rank_lost(unsigned hart)
{
	for (unsigned i = 0; i < co_machine.ranks; i++) {
		/* `end.run`: it has ended the run already. */
		if (co_process_hart(i) == hart && co_ranks[i].main && !co_ranks[i].end.run)
			end_all(&co_ranks[i], CO_RANK_LOST, 1);
	}
}

CO_HOOKS = { .hart_lost = rank_lost };

static void run_handlers(int code)
{
	void (*const *fini)(void) = __rank_fini_end;

	if (__call_exitprocs)
		__call_exitprocs(code, NULL);
	while (fini > __rank_init_end)
		(*--fini)();
}

/* The rank's main coroutine has come to its end. */
static void note_end(struct co_rank *r, int code)
{
	if (r->at_end)
		r->at_end(r->group);
	/* relaxed: the join publishes it. */
	if (code && co_atomic_add(&codes, 1, CO_RELAXED) == 0)
		first_code = code;
	r->main = NULL;
}

/* end_all(), called by a rank's code, which waits for the end. */
_Noreturn static void end_all_here(struct co_rank *r, enum co_rank_end why, int code)
{
	end_all(r, why, code);
	for (;;)
		co_sleep_shielded(r, "the end", US_PER_S);
}

void co_process_exit(int code, bool handlers)
{
	struct co_rank *r = &co_ranks[co_process_rank()];

	if (handlers)
		run_handlers(code);
	if (code || r->needed || r->main != co_self())
		end_all_here(r, CO_RANK_EXITS, code);
	note_end(r, code);
	co_exit(code);
}

/* ---- The beginning ---- */

static intptr_t run_rank(void *arg)
{
	struct co_rank *r = arg;
	int code, argc = 0;

	r->main = co_self();
	for (void (*const *init)(void) = __rank_init_start; init < __rank_init_end; init++)
		((void (*)(int, char **)) * init)(argument_count, r->argv);
	/* As with glibc constructors have the arguments; a library may have taken some out. */
	while (r->argv[argc])
		argc++;
	code = __real_main(argc, r->argv);
	run_handlers(code);
	if (r->needed)
		end_all_here(r, CO_RANK_LEAVES, code);
	note_end(r, code);
	return 0;
}

static void check_hart(unsigned rank)
{
	unsigned hart = co_process_hart(rank);

	if (hart >= co_machine.harts || co_hart_lost(hart))
		co_die("rank %u has no hart: %u is lost", rank, hart);
	if (!hal_user_possible(hart))
		co_die("rank %u: hart %u has no page tables to give it static data of its own",
		       rank, hart);
}

int __wrap_main(int argc, char **argv)
{
	static struct co_batch all;
	int r = 0;

	(void)argv;
	argument_count = argc;
	for (unsigned i = 0; i < co_machine.ranks; i++)
		check_hart(i);
	for (unsigned i = 0; i < co_machine.ranks && !r; i++) {
		struct co_rank *rank = &co_ranks[i];
		struct co_text name = { rank->name, sizeof(rank->name), 0 };
		const struct co_attr attr = { .name = rank->name,
					      .on = CO_ON_HART(co_process_hart(i)),
					      .stack = (enum co_stack)CO_STACK_RANK };

		co_text_add(&name, "rank %u", i);
		r = co_batch_spawn(&all, &attr, run_rank, rank, NULL);
	}
	if (r)
		co_die("not all ranks could be started: error %d", -r);
	/* Faults and losses have ended the run by messages, or are about to. */
	return co_batch_join(&all) ? 1 : first_code;
}
