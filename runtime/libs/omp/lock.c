/* lock.c - critical sections, atomic regions, and the locks of omp.h: each a co_mutex. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "team.h"

/* ---- Critical ---- */

static struct co_mutex critical, atomic, names;

/* co_omp_lock() for a program. `call`, `state`: words of the line if the caller has m already. */
static inline void lock(struct co_mutex *m, const char *call, const char *state)
{
	int r = co_mutex_lock(m);

	if (__builtin_expect(r == -EDEADLK, 0))
		co_omp_die("%sthread %u %s already", call, co_omp_me()->num, state);
	if (r && r != -EOWNERDEAD)
		co_omp_give_up(r);
}

static void enter(struct co_mutex *m)
{
	lock(m, "", "is in a critical section of that name");
}

GOMP(void, critical_start, void)
{
	enter(&critical);
}

GOMP(void, critical_end, void)
{
	co_mutex_unlock(&critical);
}

GOMP(void, atomic_start, void)
{
	enter(&atomic);
}

GOMP(void, atomic_end, void)
{
	co_mutex_unlock(&atomic);
}

/* The compiler's word for a name, which becomes the address of a mutex. */
static struct co_mutex *mutex_of(void **word)
{
	struct co_aword *at = (struct co_aword *)word;
	/* acquire: the mutex; pairs with the release below. */
	struct co_mutex *m = (struct co_mutex *)co_atomic_load(at, CO_ACQUIRE);

	if (m)
		return m;
	co_omp_lock(&names);
	m = (struct co_mutex *)co_atomic_load(at, CO_ACQUIRE);
	if (!m && (m = calloc(1, sizeof(*m)))) /* release: pairs with the acquire above. */
		co_atomic_store(at, (uintptr_t)m, CO_RELEASE);
	co_mutex_unlock(&names);
	if (!m)
		co_omp_die("there is no memory for the mutex of a critical section");
	return m;
}

GOMP(void, critical_name_start, void **word)
{
	enter(mutex_of(word));
}

GOMP(void, critical_name_end, void **word)
{
	co_mutex_unlock(mutex_of(word));
}

/* ---- Locks ---- */

struct nest {
	struct co_mutex mutex;
	const struct co_omp_task *owner;
	int depth;
};

_Static_assert(sizeof(struct co_mutex) <= sizeof(omp_lock_t), "");
_Static_assert(sizeof(struct nest) <= sizeof(omp_nest_lock_t), "");

static struct co_mutex *of(omp_lock_t *l)
{
	return (struct co_mutex *)l;
}

void omp_init_lock(omp_lock_t *l)
{
	memset(l, 0, sizeof(*l));
}

void omp_init_lock_with_hint(omp_lock_t *l, omp_sync_hint_t hint)
{
	(void)hint;
	omp_init_lock(l);
}

/* A mutex that is locked is in a list of its owner's: its memory may not go. */
static void end(const struct co_mutex *m, const char *call)
{
	if (co_mutex_owner(m))
		co_omp_die("%s: a thread has set this lock, and has not unset it", call);
}

void omp_destroy_lock(omp_lock_t *l)
{
	end(of(l), "omp_destroy_lock");
}

static void set(struct co_mutex *m)
{
	lock(m, "omp_set_lock: ", "has set this lock");
}

void omp_set_lock(omp_lock_t *l)
{
	set(of(l));
}

int omp_test_lock(omp_lock_t *l)
{
	int r = co_mutex_try_lock(of(l));

	if (r) /* a program may poll; the owner may be of this hart */
		co_pause();
	return r == 0;
}

static void must_have(const struct co_mutex *m, const char *call)
{
	if (co_mutex_owner(m) != co_self())
		co_omp_die("%s: thread %u has not set this lock", call, co_omp_me()->num);
}

void omp_unset_lock(omp_lock_t *l)
{
	must_have(of(l), "omp_unset_lock");
	co_mutex_unlock(of(l));
}

/* A lock that its task may set again. */
static struct nest *nest_of(omp_nest_lock_t *l)
{
	return (struct nest *)l;
}

void omp_init_nest_lock(omp_nest_lock_t *l)
{
	memset(l, 0, sizeof(*l));
}

void omp_init_nest_lock_with_hint(omp_nest_lock_t *l, omp_sync_hint_t hint)
{
	(void)hint;
	omp_init_nest_lock(l);
}

void omp_destroy_nest_lock(omp_nest_lock_t *l)
{
	end(&nest_of(l)->mutex, "omp_destroy_nest_lock");
}

static bool has(const struct nest *n)
{
	return co_mutex_owner(&n->mutex) == co_self() && n->owner == co_omp_self()->task;
}

void omp_set_nest_lock(omp_nest_lock_t *l)
{
	struct nest *n = nest_of(l);

	if (!has(n)) {
		set(&n->mutex);
		n->owner = co_omp_self()->task;
	}
	n->depth++;
}

int omp_test_nest_lock(omp_nest_lock_t *l)
{
	struct nest *n = nest_of(l);

	if (!has(n)) {
		if (!omp_test_lock((omp_lock_t *)l))
			return 0;
		n->owner = co_omp_self()->task;
	}
	return ++n->depth;
}

void omp_unset_nest_lock(omp_nest_lock_t *l)
{
	struct nest *n = nest_of(l);

	must_have(&n->mutex, "omp_unset_nest_lock");
	if (--n->depth == 0)
		co_mutex_unlock(&n->mutex);
}
