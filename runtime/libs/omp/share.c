/* share.c - work-shares: loops, sections and singles, to which all threads of a team come. */
#include <stdlib.h>
#include <string.h>

#include "team.h"

static bool has_come(const struct co_aword *word, uintptr_t v)
{
	/* seq_cst: after the entry in the queue, or before the wake's look there (waitq.h). */
	return (intptr_t)(co_atomic_load(word, CO_SEQ_CST) - v) >= 0;
}

void co_omp_await(struct co_omp_share *s, struct co_aword *word, uintptr_t v)
{
	while (!has_come(word, v)) {
		struct co_waiter *w = co_wait_prepare(&s->queue, s, "work-share");
		int r = has_come(word, v) ? co_wait_abandon(w) : co_wait_commit(w, CO_FOREVER);

		if (r)
			co_omp_give_up(r);
	}
}

void co_omp_pass(struct co_omp_share *s, struct co_aword *word, uintptr_t v)
{
	/* seq_cst: before the look for waiters; pairs with has_come(). */
	co_atomic_store(word, v, CO_SEQ_CST);
	co_wake_all(&s->queue);
}

struct co_omp_share *co_omp_enter(struct co_omp_member *m)
{
	uintptr_t number = m->shares++;
	struct co_omp_share *s = &m->team->shares[number % CO_OMP_SHARES];

	co_omp_await(s, &s->round, number / CO_OMP_SHARES);
	return s;
}

void co_omp_leave(struct co_omp_member *m, struct co_omp_share *s)
{
	/* acq_rel: all uses of the words come before they are reset. */
	if (co_atomic_add(&s->left, 1, CO_ACQ_REL) != m->team->n - 1)
		return;
	/* relaxed: co_omp_pass() publishes them to the threads that come next. */
	co_atomic_store(&s->left, 0, CO_RELAXED);
	co_atomic_store(&s->next, 0, CO_RELAXED);
	co_atomic_store(&s->turn, 0, CO_RELAXED);
	if (co_atomic_load(&s->come, CO_RELAXED)) {
		free(s->memory);
		s->memory = NULL;
		co_atomic_store(&s->come, 0, CO_RELAXED);
		co_atomic_store(&s->made, 0, CO_RELAXED);
	}
	co_omp_pass(s, &s->round, co_atomic_load(&s->round, CO_RELAXED) + 1);
}

static void make(struct co_omp_share *s, const struct co_omp_common *c, size_t bytes)
{
	if (bytes) {
		s->memory = co_omp_table(1, bytes + (c->memory ? (size_t)*c->memory : 0), "a loop");
		if (c->head_bytes)
			memcpy(s->memory, c->head, c->head_bytes);
	}
	s->reductions = c->reductions;
}

struct co_aword *co_omp_share_common(struct co_omp_share *s, const struct co_omp_common *c)
{
	size_t words_at = (c->head_bytes + CO_LINE - 1) / CO_LINE * CO_LINE;
	size_t bytes = words_at + (c->words * sizeof(uintptr_t) / CO_LINE + 1) * CO_LINE;
	/* relaxed: a number alone; `made` publishes the rest. */
	bool first = co_atomic_add(&s->come, 1, CO_RELAXED) == 0;

	if (!first)
		co_omp_await(s, &s->made, 1);
	else
		make(s, c, c->memory || c->words ? bytes : 0);
	if (c->reductions)
		co_omp_reduce(c->reductions, first ? NULL : s->reductions);
	if (first)
		co_omp_pass(s, &s->made, 1);
	if (c->memory)
		*c->memory = (char *)s->memory + bytes;
	return (struct co_aword *)((char *)s->memory + words_at);
}

/* ---- Single ---- */

GOMP(bool, single_start, void)
{
	struct co_omp_member *m = co_omp_me();
	struct co_omp_share *s = co_omp_enter(m);
	/* relaxed: a number alone. */
	bool first = co_atomic_add(&s->next, 1, CO_RELAXED) == 0;

	co_omp_leave(m, s);
	return first;
}

/* NULL: the caller executes it, and hands over a copy. Else the copy; the caller of both leaves. */
GOMP(void *, single_copy_start, void)
{
	struct co_omp_member *m = co_omp_me();
	struct co_omp_share *s = co_omp_enter(m);
	void *copy;

	m->loop.share = s;
	if (co_atomic_add(&s->next, 1, CO_RELAXED) == 0)
		return NULL;
	co_omp_barrier(m);
	copy = s->copy;
	co_omp_leave(m, s);
	return copy;
}

GOMP(void, single_copy_end, void *data)
{
	struct co_omp_member *m = co_omp_me();
	struct co_omp_share *s = m->loop.share;

	s->copy = data;
	co_omp_barrier(m);
	co_omp_leave(m, s);
}
