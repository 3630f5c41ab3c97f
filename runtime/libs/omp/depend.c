/*
 * depend.c - depend clauses: the order of a task's children by the addresses that they name.
 *
 * For each address that a child has named, the parent keeps the dependences of children that have
 * not ended. A new child waits for all of them if it writes there, else for the writers.
 */
#include <stdlib.h>

#include "team.h"

#define BUCKETS 64

/* An address in a depend clause. A child's are in one array. */
struct co_omp_dependence {
	struct co_omp_task *task;
	const void *address;
	bool writes;
	struct co_omp_dependence *next, **here; /* in its bucket; NULL: it is in none */
	struct edge *after;
};

/* A task that waits for another one's end. */
struct edge {
	struct edge *next;
	struct co_omp_task *task;
};

/* The children's dependences, newest first; the mutex guards all. */
struct co_omp_order {
	struct co_mutex mutex;
	struct co_omp_dependence *bucket[BUCKETS];
};

/* An omp_depend_t: an address, and its kind of dependence. */
struct depobj {
	void *address;
	uintptr_t kind;
};
#define DEPEND_IN 1

static void *memory(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p)
		co_omp_die("there is no memory for a depend clause");
	return p;
}

static struct co_omp_dependence **bucket_of(struct co_omp_order *o, const void *address)
{
	uintptr_t a = (uintptr_t)address;

	return &o->bucket[(a / 8 ^ a / 512 ^ a / 32768) % BUCKETS];
}

/* The new task waits for d's. */
static void add_edge(struct co_omp_dependence *d, struct co_omp_task *t)
{
	struct edge *e;

	if (d->task == t || (d->after && d->after->task == t))
		return;
	e = memory(sizeof(*e));
	*e = (struct edge){ d->after, t };
	d->after = e;
	co_atomic_add(&t->waits_for, 1, CO_RELAXED); /* with the mutex */
}

static void name(struct co_omp_order *o, struct co_omp_dependence *new)
{
	struct co_omp_dependence **bucket = bucket_of(o, new->address);

	for (struct co_omp_dependence *d = *bucket; d; d = d->next) {
		if (d->address != new->address || (!d->writes && !new->writes))
			continue;
		add_edge(d, new->task);
	}
	new->next = *bucket;
	new->here = bucket;
	if (new->next)
		new->next->here = &new->next;
	*bucket = new;
}

/* Entry i of GCC's array: its address, and whether it writes. */
static struct co_omp_dependence entry(void **depend, size_t i)
{
	size_t writes, all, first;
	struct co_omp_dependence d = { 0 };

	if (depend[0]) { /* out and inout first, then in */
		d.address = depend[2 + i];
		d.writes = i < (size_t)depend[1];
		return d;
	}
	/* out and inout, mutexinoutset, in; the rest are objects */
	writes = (size_t)depend[2] + (size_t)depend[3];
	all = writes + (size_t)depend[4];
	first = 5;
	d.address = depend[first + i];
	d.writes = i < writes;
	if (i >= all) {
		const struct depobj *object = depend[first + i];

		d.address = object->address;
		d.writes = object->kind != DEPEND_IN;
	}
	return d;
}

void co_omp_depend(struct co_omp_task *t, void **depend)
{
	struct co_omp_task *parent = t->parent;
	size_t n = (size_t)(depend[0] ? depend[0] : depend[1]);

	if (!parent->order)
		parent->order = memory(sizeof(*parent->order));
	t->depends = memory(n * sizeof(*t->depends));
	t->depend_n = (unsigned)n;
	co_omp_lock(&parent->order->mutex);
	for (size_t i = 0; i < n; i++) {
		t->depends[i] = entry(depend, i);
		t->depends[i].task = t;
		name(parent->order, &t->depends[i]);
	}
	co_mutex_unlock(&parent->order->mutex);
}

void co_omp_depend_end(struct co_omp_task *t, void (*release)(struct co_omp_task *t))
{
	struct edge *all = NULL, *e;

	co_omp_lock(&t->parent->order->mutex);
	for (unsigned i = 0; i < t->depend_n; i++) {
		struct co_omp_dependence *d = &t->depends[i];

		*d->here = d->next;
		if (d->next)
			d->next->here = d->here;
		while ((e = d->after)) {
			d->after = e->next;
			e->next = all;
			all = e;
		}
	}
	co_mutex_unlock(&t->parent->order->mutex);
	while ((e = all)) {
		all = e->next;
		/* seq_cst: this task's writes; pairs with GOMP_task(), and is_over(). */
		if (co_atomic_add(&e->task->waits_for, (uint32_t)-1, CO_SEQ_CST) == 1)
			release(e->task);
		free(e);
	}
}
