/*
 * states.c - coroutines in every state, for a debugger to look at: tests/debug/run.
 *
 * usage: states [stop|spin|deadlock|fault|many N]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/atomic.h>
#include <cohart/barrier.h>
#include <cohart/channel.h>
#include <cohart/coroutine.h>
#include <cohart/hart.h>
#include <cohart/mailbox.h>
#include <cohart/sync.h>
#include <cohart/time.h>

CO_CHANNEL(silent, int, 4);
CO_CHANNEL(full, int, 2);
CO_BARRIER(step, 3);
static struct co_mutex left, right;
static struct co_event go;
static struct co_a32 have_one; /* mutex each, and wait for the other */
static struct co_a32 spinning;

void all_are_there(void);

/* A debugger stops here. */
__attribute__((noinline)) void all_are_there(void)
{
	__asm__ volatile("" : : : "memory");
}

/* A caller that has something to do afterwards keeps its frame. */
static intptr_t stays(int r)
{
	__asm__ volatile("" : "+r"(r));
	return r;
}

static intptr_t receives(void *arg)
{
	volatile int wanted = 4711 + (int)(intptr_t)arg;
	int x;

	if (co_chan_recv(&silent, &x))
		return -1;
	return wanted;
}

static intptr_t sends(void *arg)
{
	int r = 0;

	for (int i = 1; !r; i++)
		r = co_chan_send(&full, &(int){ i * 100 });
	return r;
}

static intptr_t comes(void *arg)
{
	int r = co_barrier_wait(&step, (unsigned)(uintptr_t)arg);

	return stays(r);
}

static intptr_t reads_mail(void *arg)
{
	uintptr_t word;

	return co_mail_recv(CO_MAIL_OTHER, &word, 1, NULL);
}

static intptr_t locks_both(void *arg)
{
	struct co_mutex *first = arg, *second = arg == &left ? &right : &left;
	int r = co_mutex_lock(first);

	co_atomic_add(&have_one, 1, CO_RELAXED);
	(void)!co_event_wait(&go);
	return stays(r ? r : co_mutex_lock(second));
}

static intptr_t joins(void *arg)
{
	return stays(co_join(arg, NULL));
}

static intptr_t sleeps(void *arg)
{
	return stays(co_sleep_us(3600000000u));
}

/* Its hart takes no message and no interrupt while it is here. */
static intptr_t spins(void *arg)
{
	volatile unsigned long turns = 0;

	co_atomic_store(&spinning, 1, CO_RELAXED);
	for (;;)
		turns++;
	return 0;
}

static intptr_t never_begins(void *arg)
{
	return (intptr_t)arg;
}

static intptr_t faults(void *arg)
{
	volatile int *at = arg;

	return *at;
}

static struct co *start(const char *name, unsigned hart, co_fn *fn, void *arg)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(hart) };
	struct co *c;

	if (co_spawn(&c, &attr, fn, arg)) {
		printf("%s: no room\n", name);
		exit(2);
	}
	return c;
}

static void start_waiters(void)
{
	const unsigned last = co_harts() - 1;
	struct co *alice;

	start("receiver", 1, receives, (void *)1);
	start("sender", 1, sends, NULL);
	start("comer", 2, comes, (void *)0);
	start("comer", 2, comes, (void *)1);
	start("reader", last, reads_mail, NULL);
	alice = start("alice", 1, locks_both, &left);
	start("bob", 2, locks_both, &right);
	start("joiner", last, joins, alice);
	while (co_atomic_load(&have_one, CO_RELAXED) < 2)
		(void)!co_sleep_us(1000);
	co_event_set(&go);
	(void)!co_sleep_us(20000);
}

static int start_many(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		const struct co_attr attr = { .name = "one", .stack = CO_STACK_1K };

		if (co_spawn(NULL, &attr, receives, (void *)i)) {
			printf("no room for more than %lu\n", i);
			return 2;
		}
	}
	(void)!co_sleep_us(20000);
	all_are_there();
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "stop";
	const unsigned last = co_harts() - 1;

	if (strcmp(what, "many") == 0)
		return start_many(argc > 2 ? strtoul(argv[2], NULL, 10) : 10000);
	start_waiters();
	if (strcmp(what, "fault") == 0)
		return (int)co_join(start("wild", last, faults, (void *)16), NULL) == -14 ? 0 : 3;
	if (strcmp(what, "deadlock") == 0)
		return co_event_wait(&(struct co_event){ 0 });
	start("sleeper", last, sleeps, NULL);
	start("spinner", last, spins, NULL);
	while (!co_atomic_load(&spinning, CO_RELAXED))
		(void)!co_sleep_us(1000);
	start("newcomer", last, never_begins, NULL);
	(void)!co_sleep_us(2000);
	all_are_there();
	if (strcmp(what, "spin") == 0)
		return co_event_wait(&(struct co_event){ 0 });
	return 0;
}
