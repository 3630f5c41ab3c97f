/* ledger.c - messages, and the record of what arrived. */
#include <stdarg.h>

#include "stress.h"

/* Failures that are printed of a run; one is often followed by many. */
#define SHOWN 10

static struct co_a32 failures;

unsigned stress_size(struct test_random *r, unsigned n)
{
	unsigned bits = 32 - (unsigned)__builtin_clz(n);
	unsigned most = 2u << test_below(r, bits);

	return 1 + test_below(r, most < n ? most : n);
}

void stress_fail(const char *format, ...)
{
	char text[160];
	va_list args;

	/* relaxed: only counted; main looks at it after the joins. */
	if (co_atomic_add(&failures, 1, CO_RELAXED) >= SHOWN)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("stress: FAILED: %s (hart %u, '%s')\n", text, co_hart(), co_name(co_self()));
}

void stress_plan(struct stress_exchange *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(l->plan, sizeof(l->plan), format, args);
	va_end(args);
}

bool stress_failed(void)
{
	/* relaxed: sooner or later is enough. */
	return co_atomic_load(&failures, CO_RELAXED) != 0;
}

static unsigned char ballast(uint32_t id, unsigned at)
{
	return (unsigned char)((id >> at % 3 * 8) + at);
}

void stress_fill(void *message, unsigned bytes, uint32_t id)
{
	unsigned char *p = message;

	memcpy(p, &id, sizeof(id));
	for (unsigned i = sizeof(id); i < bytes; i++)
		p[i] = ballast(id, i);
}

bool stress_whole(const void *message, unsigned bytes, uint32_t *id)
{
	const unsigned char *p = message;

	memcpy(id, p, sizeof(*id));
	for (unsigned i = sizeof(*id); i < bytes; i++) {
		if (p[i] != ballast(*id, i))
			return false;
	}
	return true;
}

void stress_view_open(struct stress_view *v, struct stress_worker *w)
{
	memset(v, 0, sizeof(*v));
	v->exchange = w->exchange;
	v->order = w->number + 1;
}

void stress_arrived(struct stress_view *v, const void *message, unsigned bytes)
{
	uint32_t id, bit, before;
	unsigned sender, number;

	if (!stress_whole(message, bytes, &id)) {
		stress_fail("a message of %u bytes is torn: 0x%lx", bytes, (unsigned long)id);
		return;
	}
	sender = id / STRESS_EACH;
	number = id % STRESS_EACH;
	if (sender >= STRESS_SENDERS) {
		stress_fail("a message of nobody: 0x%lx", (unsigned long)id);
		return;
	}
	bit = 1u << number % 32;
	/* relaxed: settled after the joins. */
	before = co_atomic_or(&v->exchange->ledger.seen[sender][number / 32], bit, CO_RELAXED);
	if (before & bit)
		stress_fail("message %u of sender %u came twice", number, sender);
	else if (number < v->next[sender])
		stress_fail("message %u of sender %u came after its message %u", number, sender,
			    v->next[sender] - 1u);
	v->next[sender] = (uint16_t)(number + 1);
	v->order = (v->order ^ id) * 0x01000193u;
	/* relaxed: looked at, and settled after the joins. */
	co_atomic_add(&v->exchange->ledger.received, 1, CO_RELAXED);
}

void stress_view_close(struct stress_view *v)
{
	/* relaxed: read after the joins. */
	co_atomic_add(&v->exchange->ledger.order, v->order, CO_RELAXED);
}

void stress_sent(struct stress_exchange *l, unsigned sender, unsigned count)
{
	/* relaxed: read after the joins. */
	co_atomic_store(&l->ledger.sent[sender], count, CO_RELAXED);
}

void stress_await_all(struct stress_exchange *l)
{
	uint32_t sent = 0;

	for (unsigned s = 0; s < STRESS_SENDERS; s++)
		sent += co_atomic_load(&l->ledger.sent[s], CO_RELAXED);
	while (co_atomic_load(&l->ledger.received, CO_RELAXED) < sent && !stress_failed())
		(void)!co_sleep_us(100);
}

static uint32_t expected(unsigned sent, unsigned word)
{
	if (sent >= 32 * (word + 1))
		return UINT32_MAX;
	return sent <= 32 * word ? 0 : (1u << (sent - 32 * word)) - 1;
}

void stress_settle(struct stress_exchange *l)
{
	for (unsigned s = 0; s < STRESS_SENDERS; s++) {
		unsigned sent = co_atomic_load(&l->ledger.sent[s], CO_RELAXED);

		for (unsigned w = 0; w < STRESS_EACH / 32; w++) {
			uint32_t wrong = co_atomic_load(&l->ledger.seen[s][w], CO_RELAXED) ^
					 expected(sent, w);
			unsigned number = wrong ? 32 * w + (unsigned)__builtin_ctz(wrong) : 0;

			if (wrong)
				stress_fail("message %u of sender %u, who sent %u, %s", number, s,
					    sent, number < sent ? "never came" : "came");
		}
	}
}
