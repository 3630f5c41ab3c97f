/* load.h - the interface between the files of the message libraries for NM6408MP. */
#ifndef NM6408_LOAD_H
#define NM6408_LOAD_H

#include <bfskn.h>

/* The level-3 block of a process in its core's scratchpad: ends to and from each other core. */
#define BFSKN_SIGNALS 8
struct bfskn_block {
	struct co_net_end ends[2][CO_NET_CORES];
	struct co_signal signals[BFSKN_SIGNALS];
};

/* A loaded program. */
struct bfskn_program {
	unsigned n;
	bfskn_process *process;
	uint8_t core_of[CO_NET_CORES]; /* TFX */
	int process_on[CO_NET_CORES];  /* -1: none */
	bool pairs;                    /* level 3 */
};

/* The process on this core: all that its calls read. A load begins with every field zero. */
struct bfskn_me {
	int id;
	unsigned core;
	struct bfskn_program *program; /* NULL: no process */
	struct bfskn_block *block;
	uint8_t core_of[CO_NET_CORES];
	unsigned n;
	bool begun;     /* level 3: MP_init() */
	uint32_t on[2]; /* its paths: a bit for each peer's core */
};
extern _Thread_local struct bfskn_me bfskn_me;

/* bfskn_load(), for level 2 or 3. */
int bfskn_run(int argc, char **argv, unsigned n, bfskn_process *process, bool pairs);

/* Fill in p->core_of and p->process_on by the command line. Returns as bfskn_load(). */
int bfskn_place(struct bfskn_program *p, int argc, char **argv);

/* Level 3's part, before and after its processes. Returns as bfskn_load(). */
int bfskn_pairs_begin(struct bfskn_program *p);
void bfskn_pairs_end(void);

/* The process on this core returns: if it has not called MP_finalize(), report that and call it. */
void bfskn_pairs_leave(void);
/*
 * Wait for an engine that the process has seized, even if it is cancelled, and free the engine.
 * Returns as bfskn_wait_mdmac(). bfskn_mdmacs_leave(): all of them.
 */
int bfskn_free_mdmac(unsigned engine);
void bfskn_mdmacs_leave(void);

/* Is `how` a way to step through memory, with rows of `row` words? */
static inline bool bfskn_is_shape(int how, uint32_t row)
{
	return how == _1D || (how == _2D && row);
}

struct bfskn_block *bfskn_block_of(unsigned core);

/* Can the machine's own barriers be used: do all cores exist, and has each a process? */
bool bfskn_is_whole(const struct bfskn_program *p);

/* Make the barriers of the loaded processes. */
void bfskn_barriers_make(struct bfskn_program *p);

/* The process on this core is a member of its barriers until it leaves or ends early. */
void bfskn_barriers_join(unsigned core);
void bfskn_barriers_leave(unsigned core);

#endif
