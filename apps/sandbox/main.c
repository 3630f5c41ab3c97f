/*
 * sandbox - one confined coroutine works, on what it was handed; others in the same machine try
 * what they must not, one after the other, and are ended. The work goes on and comes out right.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <cohart/cohart.h>

#define STACK_BYTES 8192
#define SLOTS 16

/* What the worker is handed: whole pages. */
struct bench {
	alignas(CO_PAGE_BYTES) unsigned char jobs_buffer[CO_CHAN_BYTES(8, SLOTS)];
	unsigned char results_buffer[CO_CHAN_BYTES(8, SLOTS)];
	struct co_user_end jobs, results;
};

static alignas(CO_PAGE_BYTES) unsigned char work_memory[CO_DOMAIN_BYTES(1, STACK_BYTES)];
static alignas(CO_PAGE_BYTES) unsigned char rogue_memory[CO_DOMAIN_BYTES(1, STACK_BYTES)];
static alignas(CO_PAGE_BYTES) struct bench bench;
static struct co_domain work, rogues;
static struct co_chan jobs, results;
static int secret = 42;
static struct co_a32 rogues_over;

/* ---- Confined ---- */

/* Numbers in, what the Collatz rule makes of them in so many steps out. */
static intptr_t counts_steps(void *arg)
{
	struct bench *b = arg;
	uint64_t n;
	int r;

	while ((r = co_user_recv(&b->jobs, &n)) == 0) {
		uint64_t steps = 0;

		for (; n > 1; steps++)
			n = n % 2 ? 3 * n + 1 : n / 2;
		r = co_user_send(&b->results, &steps);
		if (r)
			return r;
	}
	return r == -EPIPE ? co_user_close(&b->results) : r;
}

static intptr_t reads(void *arg)
{
	return (intptr_t)co_atomic_load((struct co_a32 *)arg, CO_RELAXED);
}

static intptr_t writes(void *arg)
{
	co_atomic_store((struct co_a32 *)arg, 1, CO_RELAXED);
	return 0;
}

static intptr_t calls(void *arg)
{
	(void)arg;
	co_pause(); /* the runtime's, not co_user_pause() */
	return 0;
}

static unsigned down(unsigned n)
{
	unsigned char block[256] = { 0 };

	__asm__ volatile("" : : "r"(block) : "memory"); /* it is there, whatever comes of it */
	return n ? down(n - 1) + block[n % sizeof(block)] : 0;
}

static intptr_t overflows(void *arg)
{
	(void)arg;
	return (intptr_t)down(1000000);
}

static intptr_t loops(void *arg)
{
	while (arg)
		__asm__ volatile("");
	return 0;
}

/* ---- Trusted ---- */

static bool find_out(const char *what, co_fn *fn, void *arg)
{
	const struct co_attr attr = { .name = "rogue" };
	intptr_t result = 0;
	struct co *c;
	int r = co_domain_spawn(&rogues, &c, &attr, fn, arg);

	if (!r && fn == loops) {
		r = co_sleep_us(5000);
		co_cancel(c);
	}
	if (!r)
		r = co_join(c, &result);
	printf("%-40s %s\n", what,
	       r == -EFAULT                 ? "ended by its fault"
	       : !r && result == -ECANCELED ? "did not end when asked to, and was ended"
					    : "went through");
	return r == -EFAULT || (!r && result == -ECANCELED);
}

static intptr_t try_rogues(void *arg)
{
	intptr_t *mine = arg;
	unsigned ended = 0;

	ended += find_out("reads the program's data", reads, &secret);
	ended += find_out("writes the program's data", writes, &secret);
	ended += find_out("writes what the worker was handed", writes, &bench);
	ended += find_out("writes code", writes, (void *)((uintptr_t)counts_steps & ~(uintptr_t)3));
	ended += find_out("writes to somebody's stack", writes, mine);
	ended += find_out("writes to a hart's public scratchpad", writes, co_spm_base(0));
	ended += find_out("follows a null pointer", reads, NULL);
	ended += find_out("calls the runtime", calls, NULL);
	ended += find_out("runs out of stack", overflows, NULL);
	ended += find_out("never gives way", loops, mine);
	/* release: pairs with main()'s look. */
	co_atomic_store(&rogues_over, 1, CO_RELEASE);
	return (intptr_t)ended;
}

static uint64_t steps_of(uint64_t n)
{
	uint64_t steps = 0;

	for (; n > 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

/* Jobs go in and results come out as long as there are rogues. Returns how many were right. */
static unsigned long feed(unsigned long *sent)
{
	unsigned long right = 0, received = 0;
	uint64_t steps;

	/* acquire: pairs with try_rogues(). */
	for (*sent = 0; !co_atomic_load(&rogues_over, CO_ACQUIRE); ++*sent) {
		if (co_chan_send(&jobs, &(uint64_t){ *sent + 1 }))
			return right;
		if (*sent - received < SLOTS)
			continue;
		if (co_chan_recv(&results, &steps))
			return right;
		right += steps == steps_of(++received);
	}
	co_chan_close(&jobs);
	while (co_chan_recv(&results, &steps) == 0)
		right += steps == steps_of(++received);
	return right;
}

static int set_up(void)
{
	int r = co_domain_init(&rogues, rogue_memory, sizeof(rogue_memory), 1, STACK_BYTES);

	if (!r)
		r = co_domain_init(&work, work_memory, sizeof(work_memory), 1, STACK_BYTES);
	if (!r)
		r = co_domain_share(&work, &bench, sizeof(bench), CO_READ | CO_WRITE);
	if (!r)
		r = co_chan_init_as(&jobs, bench.jobs_buffer, sizeof(bench.jobs_buffer), 8, CO_SPSC,
				    CO_CLAIM_DEFAULT);
	if (!r)
		r = co_chan_init_as(&results, bench.results_buffer, sizeof(bench.results_buffer), 8,
				    CO_SPSC, CO_CLAIM_DEFAULT);
	if (!r)
		r = co_domain_channel(&work, &jobs, CO_CHAN_RECEIVES, &bench.jobs);
	return r ? r : co_domain_channel(&work, &results, CO_CHAN_SENDS, &bench.results);
}

int main(void)
{
	struct co *worker, *trier;
	unsigned long sent = 0, right;
	intptr_t ended = 0, result = 0;
	int r = set_up();

	if (r == -ENOTSUP) {
		printf("no hart of %s runs code without privilege\n", co_board());
		return 0;
	}
	r = r ? r
	      : co_domain_spawn(&work, &worker, &(struct co_attr){ .name = "worker" }, counts_steps,
				&bench);
	r = r ? r
	      : co_spawn(&trier, &(struct co_attr){ .name = "trier", .on = CO_ON_HART(0) },
			 try_rogues, &result);
	if (r) {
		fprintf(stderr, "sandbox: %s\n", strerror(-r));
		return 1;
	}
	right = feed(&sent);
	if (co_join(trier, &ended) || co_join(worker, &result))
		return 1;
	printf("%ld of 10 were ended, none of the others; %lu jobs, %lu results right\n",
	       (long)ended, sent, right);
	return ended == 10 && right == sent && !result && secret == 42 ? 0 : 1;
}
