/*
 * model.h - how a model of a few threads is written; relacy.cpp runs it.
 *
 * Example
 *	static struct co_a32 flag;
 *	static int payload;
 *
 *	static void before(unsigned threads) { memset(&flag, 0, sizeof(flag)); }
 *	static void thread(unsigned i)
 *	{
 *		if (i == 0) {
 *			co_plain_store(&payload, 42);
 *			co_atomic_store(&flag, 1, CO_RELEASE);
 *		} else if (co_atomic_load(&flag, CO_ACQUIRE)) {
 *			MODEL_CHECK(co_plain_load(&payload) == 42);
 *		}
 *	}
 *	const struct model models[] = { { "hand over", 2, before, thread, .bound = 2 }, { 0 } };
 *
 * Each schedule runs before(), then thread(0..threads-1) side by side, then after(). What may end a
 * thread's turn is an atomic access and what is named so below. A schedule fails by MODEL_CHECK, by
 * two plain accesses that no order keeps apart, by a sleep that nobody ends, and by an endless run.
 * Memory must have its first contents by the end of before(), by plain assignments.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_THREADS 5 /* at most */

struct model {
	const char *name;
	unsigned threads;
	void (*before)(unsigned threads);
	void (*thread)(unsigned i);
	void (*after)(void); /* may be NULL */
	unsigned bound;      /* preemptions in the exhaustive search; 0: no such search */
};
extern const struct model models[]; /* up to one without a name */

#define MODEL_CHECK(x) ((x) ? (void)0 : model_fail(#x, __FILE__, __LINE__))

/* A before() that is one call; `threads` is how many there are. */
#define BEFORE(name, call)                 \
	static void name(unsigned threads) \
	{                                  \
		call;                      \
	}

#ifdef __cplusplus
extern "C" {
#endif
void model_fail(const char *what, const char *file, int line);

/* Before and after each thread, where there is a machine. */
void machine_enter(void) __attribute__((weak));
void machine_leave(void) __attribute__((weak));

/* The thread that runs. */
unsigned model_thread(void);
/* One of 0..n-1, all of them in turn in an exhaustive search. */
unsigned model_choose(unsigned n);
/* Others first; words are seen as they are now by the time it returns. */
void model_yield(void);
/* A point where others may run. */
void model_step(void);
/* Sleep until model_wake(); true: a timed sleep ended by itself. Hands over nothing. */
bool model_sleep(bool timed);
/* End the sleep of a thread that is in one. */
void model_wake(unsigned thread);
/* Memory goes to another use: all accesses to it must have come before, in every thread's eyes. */
void model_retire(void *p, size_t bytes);
#ifdef __cplusplus
}
#endif

#endif
