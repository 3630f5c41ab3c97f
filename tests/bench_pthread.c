/* bench_pthread.c - what calls of pthread.h and semaphore.h cost; the PC's own with BOARD=host. */
#include <pthread.h>
#include <semaphore.h>

#include "bench/bench.h"

BENCH(pthread_locks, "5 host")
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	static sem_t sem;
	struct bench_span a = { .turns = bench_turns(1000) }, b = a, c = a, d = a;

	BENCH_REQUIRE(sem_init(&sem, 0, 0) == 0);
	BENCH_TIMES(&a, pthread_mutex_lock(&m); pthread_mutex_unlock(&m));
	bench_row("pthread_mutex", 0, bench_per_turn(&a, 1), NULL);
	BENCH_TIMES(&b, pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l));
	bench_row("pthread_rwlock_read", 0, bench_per_turn(&b, 1), NULL);
	BENCH_TIMES(&c, pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l));
	bench_row("pthread_rwlock_write", 0, bench_per_turn(&c, 1), NULL);
	BENCH_TIMES(&d, sem_post(&sem); sem_wait(&sem));
	bench_row("pthread_sem", 0, bench_per_turn(&d, 1), NULL);
}

static void nothing(void)
{
}

BENCH(pthread_keys, "5 host")
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct bench_span a = { .turns = bench_turns(1000) }, b = a, c = a;
	pthread_key_t key;

	BENCH_REQUIRE(pthread_key_create(&key, NULL) == 0);
	BENCH_REQUIRE(pthread_setspecific(key, &key) == 0);
	BENCH_TIMES(&a, BENCH_CALL(pthread_getspecific(key)));
	bench_row("pthread_getspecific", 0, bench_per_turn(&a, 1), NULL);
	BENCH_TIMES(&b, pthread_setspecific(key, &key));
	bench_row("pthread_setspecific", 0, bench_per_turn(&b, 1), NULL);
	BENCH_TIMES(&c, pthread_once(&once, nothing));
	bench_row("pthread_once", 0, bench_per_turn(&c, 1), NULL);
	BENCH_REQUIRE(pthread_key_delete(key) == 0);
}

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed[2];
	unsigned turn, turns;
} table;

static void *takes_turns(void *arg)
{
	unsigned me = arg != NULL;

	pthread_mutex_lock(&table.mutex);
	for (unsigned i = 0; i < table.turns; i++) {
		while (table.turn != me)
			pthread_cond_wait(&table.changed[me], &table.mutex);
		table.turn = !me;
		pthread_cond_signal(&table.changed[!me]);
	}
	pthread_mutex_unlock(&table.mutex);
	return NULL;
}

static void *returns(void *arg)
{
	return arg;
}

/* A thread's start and join; a condition variable's round trip between two of them. */
BENCH(pthread_threads, "5 host")
{
	struct bench_span a = { .turns = bench_turns(100) }, b = { .turns = 1 };
	pthread_t t[2];

	BENCH_TIMES(&a, {
		BENCH_REQUIRE(pthread_create(&t[0], NULL, returns, NULL) == 0);
		pthread_join(t[0], NULL);
	});
	bench_row("pthread_create_join", 0, bench_per_turn(&a, 1), NULL);
	table.turns = bench_turns(1000);
	BENCH_TIMES(&b, {
		for (unsigned i = 0; i < 2; i++)
			BENCH_REQUIRE(pthread_create(&t[i], NULL, takes_turns, i ? &t : NULL) == 0);
		for (unsigned i = 0; i < 2; i++)
			pthread_join(t[i], NULL);
	});
	bench_row("pthread_cond_round", 0, bench_per_turn(&b, 1) / table.turns, NULL);
}
