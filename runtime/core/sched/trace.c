/* trace.c - the last events of each hart, and a program's marks (cohart/debug.h, hal/mark.h). */
#include <cohart/detail/mark.h>
#include <hal/mark.h>
#include <hal/time.h>

#include "../core.h"
#include "../memory/slab.h"
#include "../timeline.h"

void co_trace_note(enum co_trace_kind kind, uintptr_t value)
{
	if (co_executor.self)
		co_timeline_put(co_timeline_ring(co_executor.hart), kind, value,
				co_executor.current);
}

/* Fault now, in the caller, if not all harts can read text: reports print it later. */
static void touch_text(const char *text)
{
	CO_ASSERT_THAT((uintptr_t)text >= HAL_PAGE_BYTES && co_spm_shared(text, 1),
		       "the text of a way-point or an event is a string literal");
	(void)*(const volatile char *)text; /* a wild pointer faults here */
}

void co_waypoint(const char *text)
{
	struct co *c = co_executor.current;

	if (!c)
		return;
	touch_text(text);
	co_trace_note(CO_TRACE_WAYPOINT, (uintptr_t)text);
	/* relaxed, all: for reports. */
	co_note_as(c, co_atomic_load(&c->generation, CO_RELAXED));
	co_atomic_store(&c->waypoint, (uintptr_t)text, CO_RELAXED);
	co_atomic_store(&c->waypoint_at, co_coarse(hal_time_now()), CO_RELAXED);
}

void co_trace(const char *what, uintptr_t value)
{
	if (!co_executor.self)
		return;
	touch_text(what);
	co_timeline_put(co_timeline_ring(co_executor.hart), (uintptr_t)what, value,
			co_executor.current);
}

static void mark(const char *name, uintptr_t value, uintptr_t mark)
{
	const struct co_executor *e = &co_executor;

	if (!e->trace)
		return;
	touch_text(name);
	co_timeline_mark(e->trace, (uintptr_t)name, value, e->current, mark);
}

void co_trace_begin(const char *name)
{
	mark(name, 0, CO_EVENT_IS_BEGIN);
}

void co_trace_end(const char *name)
{
	mark(name, 0, CO_EVENT_IS_END);
}

void co_trace_value(const char *name, intptr_t n)
{
	mark(name, (uintptr_t)n, CO_EVENT_IS_VALUE);
}

bool co_trace_on(void)
{
	return co_executor.trace != NULL;
}

void co_trace_count(const char *name, intptr_t n)
{
	mark(name, (uintptr_t)n, CO_EVENT_IS_COUNT);
}

/* c's name, if that generation still lives. relaxed: for reports. */
static const char *name_of(const struct co *c, uint16_t generation)
{
	return c && co_is_live(c) &&
			       (uint16_t)co_atomic_load(&c->generation, CO_RELAXED) == generation
		       ? co_name(c)
		       : NULL;
}

/* How long ago it was: 0 if another hart has noted it since the look at the clock. */
static uint64_t ago(uint64_t now, uint64_t stamp)
{
	uint64_t span = ((now << CO_GENERATION_BITS) - stamp + UINT16_MAX) >> CO_GENERATION_BITS;

	return span >> (64 - CO_GENERATION_BITS - 1) ? 0 : span;
}

unsigned co_trace_read(unsigned hart, struct co_trace_event *events, unsigned most)
{
	struct co_trace_ring *r;
	uint64_t now = hal_time_now();
	uintptr_t count, n;
	unsigned got = 0;

	CO_ASSERT_THAT(hart < co_machine.harts,
		       "there is a hart of that number (co_harts() of them)");
	r = co_timeline_ring(hart);
	count = co_trace_noted(r);
	most = (unsigned)co_least(most, r->mask);
	for (n = count < most ? 0 : count - most; n != count; n++) {
		uintptr_t event[CO_TRACE_WORDS];
		uint64_t stamp;
		uintptr_t mark;
		bool is_wait, is_text;

		if (!co_trace_get(r, n, event))
			continue;
		stamp = event[CO_EVENT_STAMP];
		if (CO_EVENT_WHAT > 1)
			stamp |= (uint64_t)event[CO_EVENT_WHAT - 1] << 32;
		mark = event[CO_EVENT_WHO] & CO_EVENT_MARKS;
		is_wait = mark == CO_EVENT_IS_WAIT;
		is_text = !is_wait && (mark || event[CO_EVENT_WHAT] >= CO_TRACE_KINDS);
		events[got++] = (struct co_trace_event){
			.what = is_text ? (const char *)event[CO_EVENT_WHAT] : NULL,
			.kind = is_text   ? 0
				: is_wait ? CO_TRACE_WAIT
					  : (enum co_trace_kind)event[CO_EVENT_WHAT],
			.value = event[is_wait ? CO_EVENT_WHAT : CO_EVENT_VALUE],
			.ago = ago(now, stamp),
			.who = mark >= CO_EVENT_IS_SENT
				       ? NULL
				       : name_of(co_block_at(event[CO_EVENT_WHO] &
							     ~(uintptr_t)CO_EVENT_MARKS),
						 (uint16_t)stamp),
		};
	}
	return got;
}

static void add_event(struct co_text *t, const struct co_trace_event *e)
{
	static const char *const format[CO_TRACE_KINDS] = {
		[CO_TRACE_FAULT] = "faults at pc 0x%lx",
		[CO_TRACE_SPAWN] = "is spawned",
		[CO_TRACE_END] = "ends",
		[CO_TRACE_SWITCH] = "goes on",
		[CO_TRACE_WAKE] = "is woken, on hart %lu",
		[CO_TRACE_READY] = "is ready",
	};
	unsigned long us = (unsigned long)co_us(e->ago);

	co_text_add(t, "    %6lu %s ago, ", us < 1000000 ? us : us / 1000,
		    us < 1000000 ? "us" : "ms");
	if (e->who)
		co_text_add(t, "'%.64s': ", e->who);
	if (e->what)
		co_text_add(t, "%.64s %lu", e->what, (unsigned long)e->value);
	else if (e->kind == CO_TRACE_WAYPOINT)
		co_text_add(t, "way-point '%.64s'", (const char *)e->value);
	else if (e->kind == CO_TRACE_WAIT)
		co_text_add(t, "waits for %.64s", (const char *)e->value);
	else if (e->kind == CO_TRACE_FAULT && !e->value)
		co_text_add(t, "fails");
	else
		co_text_add(t, format[e->kind], (unsigned long)e->value);
}

void co_trace_add(struct co_text *t)
{
	struct co_trace_event e[CO_TRACE_REPORTED];
	unsigned n = co_trace_read(co_executor.hart, e, CO_TRACE_REPORTED);

	if (n)
		co_text_add(t, "  last events of this hart:\n");
	for (unsigned i = 0; i < n; i++) {
		add_event(t, &e[i]);
		co_text_add(t, "\n");
	}
}

void co_trace_list(unsigned hart, unsigned most)
{
	static struct co_trace_event e[CO_TRACE_EVENTS];
	unsigned n = co_trace_read(hart, e, (unsigned)co_least(most, CO_TRACE_EVENTS));

	if (n)
		co_report("  last events of hart %u:", hart);
	for (unsigned i = 0; i < n; i++) {
		char buf[256];
		struct co_text t = { buf, sizeof(buf), 0 };

		add_event(&t, &e[i]);
		co_report("%s", buf);
	}
}

void co_trace_print(unsigned hart)
{
	CO_ASSERT_THAT(co_executor.hart == 0, "co_trace_print() is called on hart 0");
	co_trace_list(hart, CO_TRACE_EVENTS);
}

/* ---- Marks for the locality plug-in ---- */

/* Marks are addresses: a number is marked by one address for each digit. */
static void mark_number(uint32_t n)
{
	static const unsigned char digits[16];
	unsigned shift = 0;

	hal_mark_at(HAL_MARK_NUMBER, digits);
	while (shift < 28 && n >> shift >> 4)
		shift += 4;
	for (;; shift -= 4) {
		hal_mark_at(HAL_MARK_DIGIT, &digits[n >> shift & 15]);
		if (!shift)
			break;
	}
}

void co_mark_begin(const char *name)
{
	co_waypoint(name);
	mark(name, 0, CO_EVENT_IS_BEGIN);
	hal_mark_at(HAL_MARK_BEGIN, name);
}

void co_mark_end(const char *name, uint32_t messages)
{
	mark_number(messages);
	hal_mark_at(HAL_MARK_END, name);
	mark(name, 0, CO_EVENT_IS_END);
	co_waypoint(name);
}

void co_mark_dma_start(const void *dma, uint32_t bytes, uint32_t rows)
{
	if (rows > 1) {
		mark_number(rows);
		hal_mark_at(HAL_MARK_DMA_ROWS, dma);
	}
	mark_number(bytes);
	hal_mark_at(HAL_MARK_DMA_START, dma);
}

void co_mark_port_start(const void *dma, uint32_t port, uint32_t bytes)
{
	mark_number(port);
	hal_mark_at(HAL_MARK_PORT, dma);
	co_mark_dma_start(dma, bytes, 1);
}

void co_mark_dma_move(const void *dma)
{
	hal_mark_at(HAL_MARK_DMA_MOVE, dma);
}

void co_mark_dma_moved(const void *dma)
{
	hal_mark_at(HAL_MARK_DMA_MOVED, dma);
}

void co_mark_dma_wait(const void *dma)
{
	hal_mark_at(HAL_MARK_DMA_WAIT, dma);
}
