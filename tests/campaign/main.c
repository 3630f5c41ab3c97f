/*
 * main.c - one run of the campaign: a victim, whose code the host has damaged by a bit, among
 * witnesses, who must not notice.
 *
 * A witness lives on each hart, the victim's too. Witnesses hold memory of every kind (static, SPM,
 * their stacks), pass a number round in a ring of channels, and look whether all is as they left
 * it. The run's last line says what became of the victim and whether all witnesses are content;
 * what that amounts to, and what a run without that line is, tests/campaign/campaign says.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>
#include <cohart/sandbox.h>

#include "victim.h"

#define WITNESSES 8u
#define WORDS 96u /* of each kind of memory that a witness looks after */
#define VICTIM_HART 1
#define BUDGET_US 20000    /* the victim needs less than a hundredth of it */
#define PATIENCE_US 500000 /* a witness that waits so long has lost the number */

static struct witness {
	alignas(64) uint32_t still[WORDS]; /* nobody but this witness has any business here */
	struct co_chan to_me;
	alignas(64) unsigned char ring[CO_CHAN_BYTES(sizeof(uint32_t), 4)];
	unsigned number;
	unsigned laps;
} witness[WITNESSES];

/* What the victim works on, and all that a confined one sees. */
CO_GUARDED(struct job, job);
static unsigned witnesses;
static struct co_a32 over; /* the victim has ended: one lap more, and that is all */

static uint32_t word_of(unsigned number, unsigned i)
{
	return (number + 1) * 2654435761u ^ i * 40503u;
}

static bool as_left(const uint32_t *words, unsigned number)
{
	for (unsigned i = 0; i < WORDS; i++) {
		if (words[i] != word_of(number, i))
			return false;
	}
	return true;
}

static void leave(uint32_t *words, unsigned number)
{
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = word_of(number, i);
}

/* The number goes round; each lap every witness adds its own. 0: the ring ends. */
static const char *look_after(struct witness *w, uint32_t *spm)
{
	struct co_chan *next = &witness[(w->number + 1) % witnesses].to_me;
	uint32_t on_stack[WORDS];
	uint32_t n;

	leave(w->still, w->number);
	leave(spm, w->number);
	leave(on_stack, w->number);
	for (;;) {
		if (co_chan_recv_until(&w->to_me, &n, co_after_us(PATIENCE_US)))
			return "the number does not come";
		if (w->number == 0 && n && n != w->laps * witnesses + 1)
			return "the number is wrong";
		w->laps++;
		if (!as_left(w->still, w->number) || !as_left(spm, w->number) ||
		    !as_left(on_stack, w->number))
			return "memory is not as it was left";
		/* relaxed: when it is seen does not matter. */
		if (w->number == 0 && co_atomic_load(&over, CO_RELAXED))
			n = 0;
		if (w->number == witnesses - 1 && n == 0)
			return NULL;
		if (co_chan_send_until(next, &(uint32_t){ n ? n + 1 : 0 },
				       co_after_us(PATIENCE_US)))
			return "the number cannot be passed on";
		if (n == 0)
			return NULL;
	}
}

static intptr_t watch(void *arg)
{
	struct witness *w = arg;
	uint32_t *spm = co_spm_alloc(WORDS * sizeof(*spm), sizeof(*spm));
	const char *wrong;

	if (!spm)
		return (intptr_t) "there is no SPM to be had";
	wrong = look_after(w, spm);
	co_spm_free(spm);
	return (intptr_t)wrong;
}

static void start_witnesses(struct co **co)
{
	for (unsigned i = 0; i < witnesses; i++) {
		struct witness *w = &witness[i];
		const struct co_attr attr = { .name = "witness",
					      .on = CO_ON_HART(VICTIM_HART + i) };

		w->number = i;
		if (co_chan_init(&w->to_me, w->ring, sizeof(w->ring), sizeof(uint32_t)) ||
		    co_spawn(&co[i], &attr, watch, w))
			co_panic("witness %u could not be started", i);
	}
}

/* The victim gives way after a few thousand instructions, unless it is made to go on for ever. */
static intptr_t guarded(void *arg)
{
	int r = co_watch_budget(BUDGET_US);

	if (r && r != -ENOTSUP)
		co_panic("the watchdog could not be set: error %d", r);
	return victim_run(arg);
}

static void confined_pause(void)
{
	(void)!co_user_pause();
}

/* In a domain that has nothing but the job. */
static int start_confined(struct co **co, const struct co_attr *attr)
{
	static alignas(CO_PAGE_BYTES) unsigned char memory[CO_DOMAIN_BYTES(1, 8192)];
	static struct co_domain domain;
	int r = co_domain_init(&domain, memory, sizeof(memory), 1, 8192);

	job.it.pause = confined_pause;
	if (!r)
		r = co_domain_share(&domain, &job, CO_GUARDED_BYTES(job), CO_READ | CO_WRITE);
	return r ? r : co_domain_spawn(&domain, co, attr, victim_run, &job.it);
}

/* What became of the victim. */
static const char *run_victim(uint32_t digest, bool confined)
{
	static const struct co_attr attr = { .name = "victim", .on = CO_ON_HART(VICTIM_HART) };
	struct co *co;
	int r;

	job.it = (struct job){ .pause = co_pause, .seed = 20261121 };
	r = confined ? start_confined(&co, &attr) : co_spawn(&co, &attr, guarded, &job.it);
	if (r)
		co_panic("the victim could not be started: error %d", r);
	r = co_join_until(co, NULL, co_after_us(2 * (uint64_t)BUDGET_US));
	if (r == -ETIMEDOUT) {
		/* One that goes on for ever is ended by this if it is confined, or gives way. */
		co_cancel(co);
		(void)!co_join(co, NULL);
		return "ended";
	}
	if (r)
		return "ended";
	printf("digest 0x%08" PRIx32 "\n", job.it.digest);
	return job.it.digest == digest ? "right" : "wrong";
}

int main(int argc, char **argv)
{
	uint32_t digest = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 0;
	struct co *co[WITNESSES] = { NULL };
	const char *wrong = NULL;
	const char *victim_is;

	witnesses = co_harts() - VICTIM_HART;
	if (witnesses > WITNESSES)
		witnesses = WITNESSES;
	start_witnesses(co);
	if (co_chan_send(&witness[0].to_me, &(uint32_t){ 1 }))
		co_panic("the ring could not be started");
	victim_is = run_victim(digest, argc > 2 && strcmp(argv[2], "confined") == 0);
	co_atomic_store(&over, 1, CO_RELAXED);
	for (unsigned i = 0; i < witnesses; i++) {
		intptr_t said = 0;
		int r = co_join(co[i], &said);

		if (r || said)
			wrong = r ? "a witness has ended" : (const char *)said;
	}
	printf("campaign: victim %s, others %s\n", victim_is, wrong ? wrong : "right");
	return 0;
}
