/*
 * team.h - OpenMP: teams, their threads and work-shares; declarations that the files of this folder
 * share.
 *
 * A thread is a coroutine with a record, which it has as a co_local. It is a member of a team; the
 * master of a nested team is a member of that for as long. A team's members meet at one co_barrier:
 * there the master starts a region, and there it ends.
 */
#ifndef COHART_OMP_TEAM_H
#define COHART_OMP_TEAM_H

#include <errno.h>

#include <omp.h>

#include <cohart/barrier.h>
#include <cohart/coroutine.h>
#include <cohart/sync.h>

/* A function that compilers call. */
#define GOMP(type, name, ...)          \
	type GOMP_##name(__VA_ARGS__); \
	type GOMP_##name(__VA_ARGS__)

/* A function that clang calls. */
#define KMPC(type, name, ...)                                                 \
	type __kmpc_##name(const void *place, int32_t thread, ##__VA_ARGS__); \
	type __kmpc_##name(const void *place, int32_t thread, ##__VA_ARGS__)

/* Work-shares that the threads of a team are in at a time: the first is this far ahead at most. */
#define CO_OMP_SHARES 4

/* The most threads of a team. */
#define CO_OMP_THREADS CO_BARRIER_MAX

/* The standard's internal control variables: a task inherits them, and may change its own. */
struct co_omp_icv {
	unsigned threads; /* of a team that it starts */
	unsigned levels;  /* of active teams, one in another, at most */
	int kind;         /* of a loop with schedule(runtime): omp_sched_t */
	int chunk;
	int device;      /* of target regions */
	unsigned limit;  /* of threads, from here on */
	uintptr_t alloc; /* omp_allocator_handle_t: of allocations that name none */
	bool dynamic;
};

/* The program's, from its environment: environment.c. */
struct co_omp_env {
	struct co_omp_icv icv;
	unsigned nested[8];          /* of teams at levels 0, 1, ...; 0: as the level before */
	unsigned teams, teams_limit; /* of a league; of threads of each of its teams; 0: none */
	unsigned stack_bytes;
	int bind;
	int priority; /* the highest of a task; tasks have none here */
	bool cancels;
};
extern struct co_omp_env co_omp_env;

/* Threads of all teams but their masters, if their number has a limit. */
extern struct co_a32 co_omp_busy;

/* The words that threads share in a loop, sections or a single; a later one uses them again. */
struct co_omp_share {
	alignas(CO_LINE) struct co_aword next; /* the block to be taken */
	struct co_aword turn;                  /* the block whose ordered regions may be executed */
	struct co_a32 left;                    /* threads that are done */
	struct co_aword round;                 /* how often all of them were */
	struct co_waitq queue;                 /* of threads that wait for one of the words */
	void *copy;                            /* copyprivate */
	struct co_a32 come;                    /* threads, to things in common */
	struct co_aword made;                  /* 1: it has */
	uintptr_t *reductions;                 /* its */
	void *memory;                          /* of all; freed when the last has left */
};

/* A thread's way through a loop. Its iterations are numbered from 0, and dealt in blocks. */
struct co_omp_loop {
	struct co_omp_share *share;
	unsigned long long start, end, step;
	unsigned long long count, chunk, blocks;
	unsigned long long stride; /* of `chunk` steps */
	unsigned long long at;     /* guided: where block `seen` begins */
	unsigned long long block;  /* under way */
	unsigned long long seen;
	int kind;               /* omp_sched_t */
	unsigned dims;          /* doacross: loops */
	struct co_aword *posts; /* doacross, of each block: iterations of it that are posted */
	bool ordered, begun;
	bool dispatched; /* by clang's calls: the thread leaves it after its last block */
};

/* A taskgroup: the tasks that are created in it, by its task or by tasks of it. */
struct co_omp_group {
	struct co_omp_group *around;
	struct co_a32 tasks;     /* that have not ended */
	struct co_a32 cancelled; /* 1: its tasks begin no more */
	uintptr_t *reductions;   /* of its tasks: reduce.c */
	bool shared;             /* it is a work-share's, for its reductions alone */
};

/* A task. An implicit one, a thread's in its region, uses the first fields alone. */
struct co_omp_task {
	struct co_omp_task *parent;
	struct co_omp_team *team;
	struct co_omp_icv icv;
	struct co_omp_group *group; /* the innermost around its code */
	struct co_a32 children;     /* that have not ended */
	struct co_omp_order *order; /* of children with depend clauses: depend.c */
	bool final;
	struct co_omp_group *member_of;
	struct co_a32 users; /* of the record: the task, and its children */
	void (*fn)(void *data);
	void *data;
	struct co_omp_task *newer, *older; /* in a queue */
	struct co_omp_dependence *depends;
	unsigned depend_n;
	struct co_a32 waits_for; /* tasks that must end first, and 1 while the task is made */
	struct co_a32 ends;      /* of one with an event: that, its code; both are to come */
	struct co_a32 event;     /* 1: has been fulfilled */
	bool detaches;
};

/* The tasks of a thread that have not begun: it takes the newest, others the oldest. */
struct co_omp_queue {
	alignas(CO_LINE) struct co_mutex mutex;
	struct co_omp_task *newest, *oldest;
	struct co_a32 n;
};

/* A barrier at which threads execute tasks: task.c. */
struct co_omp_meeting {
	struct co_a32 come;  /* threads, in all rounds */
	struct co_a32 round; /* how often all have come, and all tasks ended */
};

/* A thread, in a team. */
struct co_omp_member {
	struct co_omp_team *team;
	unsigned num;
	uintptr_t shares; /* work-shares that it has come to */
	struct co_omp_loop loop;
	struct co_omp_task implicit;
	struct co_omp_team *workers; /* the team that it was master of last: its threads wait */
	unsigned width;              /* a master's, outside of its region */
};

struct co_omp_thread {
	alignas(CO_LINE) struct co_local local;
	struct co *co;
	struct co_omp_member *member; /* of the innermost team */
	struct co_omp_task *task;
	unsigned place;  /* its hart, as a number among the compute harts */
	unsigned width;  /* harts from there on, for teams that it is the master of */
	unsigned wanted; /* threads of its next region, by clang's calls; 0: no number */
	unsigned teams, teams_limit; /* of its next league, by clang's calls */
	struct co_omp_task *unused;  /* records, in a list by `older` */
	unsigned unused_n;
	struct co_omp_member own;
};

struct co_omp_team {
	struct co_omp_share shares[CO_OMP_SHARES];
	struct co_barrier meet;
	struct co_omp_member master;  /* in this team */
	struct co_omp_member *around; /* the master, outside of it */
	struct co_omp_member *outer;  /* that, or NULL: no team is around */
	bool gathered;                /* all threads but the master wait to be released */
	unsigned n, level, active;    /* `active`: how many of the levels have several threads */
	void (*fn)(void *data);       /* the region; NULL: the threads are to end */
	void *data;
	struct co_omp_icv icv;   /* the region's threads begin with it */
	struct co_omp_loop loop; /* that the region begins with, if it is `looped` */
	bool looped;
	unsigned league, league_num; /* of level 0: teams of its league, but one; which it is */
	struct co_omp_group *group;  /* its tasks are in, or NULL */
	unsigned width;              /* of harts, for each thread's own teams; 0: as the master's */
	uintptr_t come;              /* work-shares that its threads have come to, in all regions */
	struct co_omp_team *workers; /* the master's in this team, between its regions */
	struct co_batch batch;       /* the threads but the master */
	struct co_a32 tasks;         /* explicit ones that have not ended */
	struct co_a32 ready;         /* of them, in queues */
	struct co_omp_queue *queues; /* a thread's each, if the program has tasks */
	struct co_waitq idle;        /* of threads at a meeting */
	struct co_waitq bound;       /* of threads in the middle of a task */
	struct co_a32 changes;       /* how often a task came into a queue */
	struct co_a32 cancelled;     /* 1: the region is */
	struct co_a32 lost;          /* 1: a thread has ended with its hart */
	struct co_a32 loop_cancelled; /* the barrier's round + 1, of its last loop: that is */
	struct co_omp_meeting barrier, end;
	struct co_omp_thread *threads;
	struct co_barrier_member *members;
};

/* The coroutine of the hart that asked last, and its record. */
struct co_omp_last {
	struct co *co;
	struct co_omp_thread *thread;
};
extern _Thread_local struct co_omp_last co_omp_last;

/* team.c: find or make the record of the calling coroutine. */
struct co_omp_thread *co_omp_find(void);

static inline struct co_omp_thread *co_omp_self(void)
{
	struct co *c = co_self();

	return __builtin_expect(co_omp_last.co == c, 1) ? co_omp_last.thread : co_omp_find();
}

static inline struct co_omp_member *co_omp_me(void)
{
	return co_omp_self()->member;
}

/* team.c: end the threads of a team that waits, and free it. */
void co_omp_dismiss(struct co_omp_team *team);

/* team.c: how many threads a team gets that is asked for with n, 0: with no number. */
unsigned co_omp_threads_of(const struct co_omp_thread *t, unsigned n);

/* A region: execute fn(data) by a team. */
struct co_omp_region {
	void (*fn)(void *data);
	void *data;
	unsigned n;                     /* threads; 0: no number is given */
	const struct co_omp_loop *loop; /* that it begins with; NULL: none */
	struct co_omp_group *group;     /* that its tasks are in; NULL: none */
};

/* team.c. Returns the threads. Or: begin the region; GOMP_parallel_end() ends it. */
unsigned co_omp_parallel(const struct co_omp_region *r);
void co_omp_parallel_start(const struct co_omp_region *r);

/* team.c: execute fn(data) by the caller, as if no region were around. @param limit  of threads */
void co_omp_apart(void (*fn)(void *data), void *data, unsigned limit);

/* Zeroed, and aligned to a line; ends the run if there is no memory. `what`: a word of its line. */
void *co_omp_table(size_t n, size_t bytes, const char *what);

/* team.c: a wait has failed. The run ends, or is about to. */
_Noreturn void co_omp_give_up(int r);

/* Report a mistake of the program's, as printf() does, and end the run with exit code 1. */
_Noreturn void co_omp_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The threads meet: where a region begins; and ends, and at barriers, in programs without tasks. */
static inline void co_omp_meet(struct co_omp_member *m)
{
	int r = m->team->n > 1 ? co_barrier_wait(&m->team->meet, m->num) : 0;

	if (__builtin_expect(r != 0, 0))
		co_omp_give_up(r);
}

/*
 * task.c: wait until all threads have come and all tasks have ended, and execute tasks meanwhile.
 * @param by_cancel  a cancel of the region ends the wait
 * @return whether it did
 */
bool co_omp_attend(struct co_omp_member *m, struct co_omp_meeting *g, bool by_cancel);

/* task.c: the caller begins a task that it executes itself; ends it. */
void co_omp_task_begin(bool final);
void co_omp_task_end(void);

/* task.c is linked into programs that create or cancel tasks. */
extern __typeof__(co_omp_attend) co_omp_attend __attribute__((weak));

static inline void co_omp_barrier(struct co_omp_member *m)
{
	if (!co_omp_attend)
		co_omp_meet(m);
	else if (m->team->n > 1 || m->team->queues)
		(void)co_omp_attend(m, &m->team->barrier, false);
	else /* no round tells its next loop from one that is cancelled */
		co_atomic_store(&m->team->loop_cancelled, 0, CO_RELAXED);
}

static inline void co_omp_lock(struct co_mutex *m)
{
	int r = co_mutex_lock(m);

	if (__builtin_expect(r != 0, 0) && r != -EOWNERDEAD)
		co_omp_give_up(r);
}

/* share.c: come to the next work-share; leave it. */
struct co_omp_share *co_omp_enter(struct co_omp_member *m);
void co_omp_leave(struct co_omp_member *m, struct co_omp_share *s);

/* Things that the threads of a work-share have in common beyond its words. */
struct co_omp_common {
	const void *head; /* copied to the beginning of the work-share's memory */
	size_t head_bytes;
	size_t words;          /* zeroed, behind them */
	void **memory;         /* the program's part of it: bytes in, address out; NULL: none */
	uintptr_t *reductions; /* the program's; NULL: none */
};

/* share.c: the first thread to come makes it; the last that leaves frees it. Returns the words. */
struct co_aword *co_omp_share_common(struct co_omp_share *s, const struct co_omp_common *common);

/* reduce.c: a taskgroup begins for a work-share's tasks; its reductions. `first`: another thread's.
 */
void co_omp_reduce_group(void);
void co_omp_reduce(uintptr_t *reductions, const uintptr_t *first);

/* reduce.c is linked into programs that have reductions of tasks. */
extern __typeof__(co_omp_reduce_group) co_omp_reduce_group __attribute__((weak));
extern __typeof__(co_omp_reduce) co_omp_reduce __attribute__((weak));

/* share.c: wait until a word of the work-share has become at least v; make it so. */
void co_omp_await(struct co_omp_share *s, struct co_aword *word, uintptr_t v);
void co_omp_pass(struct co_omp_share *s, struct co_aword *word, uintptr_t v);

/* The schedule that a compiler names: automatic means here what runtime does, 0. */
#define CO_OMP_KIND(kind) (((kind)&7) == omp_sched_auto ? 0 : (int)((kind)&7))

/* loop.c: give a loop with schedule(runtime) the schedule that this means. */
void co_omp_loop_choose(struct co_omp_loop *l);

/* loop.c: come to a loop. @param described  it; copied */
void co_omp_loop_begin(struct co_omp_member *m, const struct co_omp_loop *described);

/* loop.c: leave a loop of clang's before its end, if the caller is in one. */
struct co_omp_member *co_omp_loop_abandon(void);

/* loop.c: the caller's next block. False: nothing is left for it. */
bool co_omp_loop_next(unsigned long long *start, unsigned long long *end);

/* Functions that compilers call, and others of this folder, too. */
void GOMP_parallel_end(void);
void GOMP_ordered_start(void);
bool GOMP_single_start(void);
void GOMP_critical_name_start(void **word);
void GOMP_critical_name_end(void **word);
void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned n, unsigned limit, unsigned flags);
void *GOMP_alloc(size_t align, size_t bytes, uintptr_t h);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);

/* depend.c: note on which tasks a task depends; their ends release it. */
void co_omp_depend(struct co_omp_task *t, void **depend);

/* depend.c: the task has ended. Call release() for each task that may begin now. */
void co_omp_depend_end(struct co_omp_task *t, void (*release)(struct co_omp_task *t));

/* environment.c: read it, once. */
void co_omp_environment(void);

/*
 * words.c: put words NAME=value into the environment, and read it; argv[words] is argv[0] then.
 * Returns how many there were.
 */
int co_omp_words(int argc, char **argv);

/* place.c */
unsigned co_omp_places(void); /* compute harts */
unsigned co_omp_place_hart(unsigned place);

#endif
