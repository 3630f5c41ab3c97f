/* known.c - a program with a known timeline: its waits, their objects, and its wake-ups. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/barrier.h>
#include <cohart/channel.h>
#include <cohart/coroutine.h>
#include <cohart/debug.h>
#include <cohart/hart.h>
#include <cohart/sync.h>

#define ROUNDS 5

CO_CHANNEL(requests, uint32_t, 4);
static struct co_mutex lock;
static struct co_event never;
static struct co_barrier step;
static struct co_barrier_member member[2];

static intptr_t serves(void *arg)
{
	uint32_t v, sum = 0;

	(void)arg;
	co_trace("served", 7);
	co_trace_begin("serving");
	co_mark_begin("a section");
	for (unsigned i = 0; i < ROUNDS; i++) {
		CO_ASSERT(co_chan_recv(&requests, &v) == 0);
		sum += v;
		co_trace_begin("one of them");
		co_trace_value("number", (intptr_t)i - 1);
		co_trace_count("served so far", (intptr_t)i - 2);
		co_trace_end("one of them");
	}
	co_mark_end("a section", ROUNDS);
	co_trace_end("no span");
	co_trace_end("serving");
	co_trace_begin("without end");
	return (intptr_t)sum;
}

static intptr_t asks(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		CO_ASSERT(co_sleep_us(100) == 0);
		CO_ASSERT(co_chan_send(&requests, &i) == 0);
	}
	return 0;
}

static intptr_t locks(void *arg)
{
	(void)arg;
	CO_ASSERT(co_mutex_lock(&lock) == 0);
	co_mutex_unlock(&lock);
	return 0;
}

static intptr_t pauses(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 20; i++)
		co_pause();
	return 0;
}

static intptr_t waits_for_ever(void *arg)
{
	(void)arg;
	return co_event_wait(&never);
}

static intptr_t computes(void *arg)
{
	uint64_t end = co_now() + co_ticks(200);

	(void)arg;
	while (co_now() < end)
		;
	return 0;
}

/* Member 0 comes first, member 1 last. */
static intptr_t meets(void *arg)
{
	for (unsigned i = 0; i < 3; i++) {
		CO_ASSERT(!arg || co_sleep_us(300) == 0);
		CO_ASSERT(co_barrier_wait(&step, arg != NULL) == 0);
	}
	return 0;
}

static intptr_t faults(void *arg)
{
	(void)arg;
	abort();
}

_Noreturn static intptr_t hogs(void *arg)
{
	(void)arg;
	for (;;)
		__asm__ volatile("");
}

static struct co *start_with(const char *name, unsigned hart, co_fn *fn, void *arg)
{
	const struct co_attr attr = { .name = name, .on = CO_ON_HART(hart % co_harts()) };
	struct co *c;

	CO_ASSERT(co_spawn(&c, &attr, fn, arg) == 0);
	return c;
}

static struct co *start(const char *name, unsigned hart, co_fn *fn)
{
	return start_with(name, hart, fn, NULL);
}

int main(int argc, char **argv)
{
	struct co *server, *client, *other, *one, *two;
	intptr_t sum = -1;

	CO_ASSERT(co_mutex_lock(&lock) == 0);
	server = start("server", 1, serves);
	client = start("client", 2, asks);
	other = start("other", 1, locks);
	one = start("one", 0, pauses);
	two = start("two", 0, pauses);
	CO_ASSERT(co_join(one, NULL) == 0 && co_join(two, NULL) == 0);
	CO_ASSERT(co_sleep_us(1000) == 0);
	co_mutex_unlock(&lock);
	CO_ASSERT(co_join(other, NULL) == 0 && co_join(client, NULL) == 0);
	CO_ASSERT(co_join(server, &sum) == 0 && sum == 10);
	/* Two of a busy hart that are woken, so that it finds both ready at once. */
	one = start("first", 1, waits_for_ever);
	two = start("second", 1, waits_for_ever);
	CO_ASSERT(co_sleep_us(100) == 0);
	other = start("busy", 1, computes);
	CO_ASSERT(co_sleep_us(50) == 0);
	co_event_set(&never);
	CO_ASSERT(co_join(one, NULL) == 0 && co_join(two, NULL) == 0 && co_join(other, NULL) == 0);
	co_event_clear(&never);
	CO_ASSERT(co_barrier_init(&step, 2, CO_BARRIER_CENTRAL, member) == 0);
	one = start("early", 1, meets);
	two = start_with("late", 2, meets, &step);
	CO_ASSERT(co_join(one, NULL) == 0 && co_join(two, NULL) == 0);
	if (argc > 1 && strcmp(argv[1], "deadlock") == 0)
		(void)!co_join(start("stuck", 1, waits_for_ever), NULL);
	if (argc > 1 && strcmp(argv[1], "fault") == 0)
		(void)!co_join(start("faulty", 1, faults), NULL);
	if (argc > 1 && strcmp(argv[1], "lost") == 0)
		CO_ASSERT(co_watch_give_up(200000) == 0 &&
			  co_join(start("hog", 1, hogs), NULL) == -EHOSTDOWN);
	if (argc > 1 && strcmp(argv[1], "spin") == 0)
		hogs(NULL);
	return 0;
}
