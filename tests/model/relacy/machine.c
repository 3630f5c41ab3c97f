/* machine.c - what the runtime's files need of a board, assembly, and parts not modelled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/detail/cleanup.h>
#include <hal/ipi.h>
#include <hal/irq.h>
#include <hal/time.h>

#include "comm/barrier/barrier.h"
#include "core/memory/block.h"
#include "core/memory/main_heap.h"
#include "core/memory/slab.h"
#include "fault/fault.h"
#include "machine.h"

#define HARTS (MODEL_THREADS + 1)
#define BLOCKS 2           /* of a hart that models use */
#define STACK_BYTES 0x8000 /* the model checker's own code runs there, too */

/* What a spawn brings into an image. */
const char co_spawn_brings[1];

static alignas(HAL_PAGE_BYTES) unsigned char window[HARTS][BOARD_SPM_BYTES];
static alignas(16) unsigned char second_stack[HARTS][STACK_BYTES];
static alignas(16) unsigned char executor_stack[HARTS][STACK_BYTES];
static struct {
	struct co_a32 rung; /* the doorbell */
	bool asleep;
	bool hasty;
	uint64_t now;
	uint64_t alarm;
} hart[HARTS];

static size_t heap_used[HARTS];
static struct co_counter through; /* threads that have not come to machine_leave() */
static unsigned expected;         /* there, if any */

/* What a hart has tables for: no slabs. */
static alignas(CO_LINE) struct co_aword tables[HARTS][2 * CO_PER_HART];

struct co_machine co_machine;
struct co_options co_options;

/* Stocks of main memory that are empty: all blocks come the slow way, from the hart's window. */
static struct co_main_kept kept[HARTS];
_Thread_local struct co_main_mine co_main_mine;

/* Of a timeline, which models do not have. */
unsigned co_hart_group(unsigned h)
{
	return 0;
}

/* The rings of a machine that notes. */
static struct {
	struct co_trace_ring ring;
	struct co_aword event[2][CO_TRACE_WORDS];
} rings[HARTS];
static bool notes;

void machine_note(void)
{
	notes = true;
}

static unsigned me(void)
{
	return model_thread() + 1;
}

void machine_reset(unsigned threads)
{
	memset(hart, 0, sizeof(hart));
	memset(heap_used, 0, sizeof(heap_used));
	memset(kept, 0, sizeof(kept));
	memset(&through, 0, sizeof(through));
	expected = 0;
	notes = false;
	co_machine.harts = threads + 1;
	co_machine.per_hart = CO_PER_HART;
	co_machine.tables = (uintptr_t)tables;
	memset(tables, 0, sizeof(tables));
	MODEL_CHECK(HARTS * co_slab_tables_bytes() <= sizeof(tables));
	co_machine.spm = (uintptr_t)window;
	co_machine.spm_end = (uintptr_t)window + sizeof(window);
	co_machine.spm_public = BOARD_SPM_PUBLIC_BYTES;
	co_machine.spm_stack0 = BOARD_SPM_PUBLIC_BYTES + CO_PRIVATE_BYTES;
	co_machine.spm_stacks = (unsigned)CO_SPM_FIT(BOARD_SPM_PUBLIC_BYTES);
	co_machine.with_stack = ((uintptr_t)1 << co_machine.spm_stacks) - 1;
	co_machine.open = threads + 1;
	for (unsigned i = 1; i <= threads; i++) {
		struct co_hart *h = co_hart_at(i);
		struct co *co = co_area_of(h, i)->co;

		/* What more there is of a window no model touches. */
		memset(h, 0,
		       CO_SPM_AREA + offsetof(struct co_area, co) + BLOCKS * sizeof(struct co));
		memset((char *)h + CO_SPM_VARS, 0, CO_HART_VARS_BYTES);
		co_inbox_init(&h->inbox);
		h->doorbell = hal_ipi_doorbell(i);
		co[0].hart = co[1].hart = (uint16_t)i;
		co[0].doorbell = co[1].doorbell = hal_ipi_doorbell(i);
		co[1].index = 1;
		co[1].stack_top = (uintptr_t)second_stack[i + 1];
		co[0].waiter.token = &co[0].token;
		co[1].waiter.token = &co[1].token;
		co_waiter_init(&co[0].waiter);
		co_waiter_init(&co[1].waiter);
		co_atomic_store(&co[0].refs, CO_RUNNING, CO_RELAXED);
		hart[i].alarm = CO_FOREVER;
	}
}

struct co *machine_co(unsigned thread)
{
	return co_area_at(thread + 1)->co;
}

void machine_enter(void)
{
	struct co *c = machine_co(model_thread());

	if (me() >= co_machine.harts)
		return;
	memset(&co_executor, 0, sizeof(co_executor));
	co_executor_init(me());
	if (notes) {
		rings[me()].ring = (struct co_trace_ring){ .mask = 1 };
		co_executor.trace = &rings[me()].ring;
		co_executor.devices++;
		co_executor.ringing++;
		co_attend(&co_executor);
	}
	co_main_mine.kept = &kept[me()];
	co_executor.stack_top = (uintptr_t)executor_stack[me() + 1];
	co_ready_push(c);
	co_executor.current = c;
}

static void (*second_part)(unsigned);

static intptr_t play_second(void *i)
{
	second_part((unsigned)(uintptr_t)i);
	return 0;
}

void machine_share(void (*part)(unsigned), unsigned i, unsigned a, unsigned b)
{
	const struct co_attr here = { .on = (int)me() + 1 };
	struct co *c;
	unsigned p = 0;
	int r;

	if (i) {
		while (p == a || p == b || --i)
			p++;
		part(p);
		return;
	}
	second_part = part;
	co_block_give(co_executor.self, machine_co(0) + 1);
	MODEL_CHECK(co_spawn(&c, &here, play_second, (void *)(uintptr_t)b) == 0);
	part(a);
	/* It may have been cancelled as a part of the model. */
	while ((r = co_join(c, NULL)) == -ECANCELED)
		co_atomic_store(&co_executor.current->cancel, 0, CO_RELAXED);
	MODEL_CHECK(r == 0);
}

void machine_expect(void)
{
	expected = co_machine.harts - 1;
	co_counter_add(&through, expected);
}

void machine_leave(void)
{
	if (!expected)
		return;
	co_counter_done(&through);
	MODEL_CHECK(co_counter_wait(&through) == 0);
}

void machine_hasten(void)
{
	hart[me()].hasty = true;
}

/* hal: doorbell, clock, sleep */
uintptr_t hal_ipi_doorbell(unsigned i)
{
	return i;
}

void hal_ipi_ring(uintptr_t doorbell)
{
	unsigned to = (unsigned)doorbell;

	/* acq_rel: a doorbell hands over what its ringers wrote before, to all that clear it. */
	co_atomic_swap(&hart[to].rung, 1, CO_ACQ_REL);
	if (hart[to].asleep) {
		hart[to].asleep = false;
		model_wake(to - 1);
	}
}

void hal_ipi_clear(void)
{
	/* acquire: pairs with hal_ipi_ring(). */
	co_atomic_swap(&hart[me()].rung, 0, CO_ACQUIRE);
}

void hal_irq_wait(void)
{
	unsigned i = me();

	/* An add of 0 reads the newest value, as an interrupt controller does. */
	if (co_atomic_add(&hart[i].rung, 0, CO_RELAXED))
		return;
	hart[i].asleep = true;
	if (model_sleep(hart[i].alarm != CO_FOREVER) && hart[i].now < hart[i].alarm)
		hart[i].now = hart[i].alarm;
	hart[i].asleep = false;
}

uint64_t hal_time_now(void)
{
	unsigned i = me();

	if (hart[i].hasty && hart[i].now <= MACHINE_DEADLINE && model_choose(2))
		hart[i].now = MACHINE_DEADLINE + 1;
	return hart[i].now;
}

void hal_time_wake_at(uint64_t t)
{
	hart[me()].alarm = t;
}

void hal_time_wake_never(void)
{
	hart[me()].alarm = CO_FOREVER;
}

void hal_cpu_relax(void)
{
	model_yield();
}

void hal_cpu_halt(void)
{
	MODEL_CHECK(!"no hart is lost here");
	abort();
}

uint64_t hal_cpu_instret(void)
{
	return 0;
}

/* Parts of the runtime that are not modelled. */
struct co_a32 co_lost;

bool co_lost_queue(struct co_waitq *q)
{
	return true; /* no hart is lost in a model */
}

bool co_lost_usable(const void *p, size_t bytes)
{
	return p != NULL;
}

void co_lost_done(struct co_counter *c)
{
	MODEL_CHECK(!"no hart is lost here");
}

void co_lost_each(unsigned hart, void (*release)(struct co *c))
{
	abort();
}

void co_hart_stop(void)
{
	MODEL_CHECK(!"no hart is lost here");
	abort();
}

size_t co_readable(const void *p, size_t most)
{
	(void)p;
	return most;
}

__attribute__((weak)) void co_report(const char *format, ...)
{
}

void co_cleanup_add(struct co_cleanup *c,
		    void (*run)(struct co_cleanup *, struct co *, enum co_cleanup_why))
{
	c->run = run;
}

bool co_cleanup_remove(struct co_cleanup *c)
{
	return true;
}

bool co_cleanup_search(struct co *self, struct co_cleanup *c)
{
	return true;
}

void co_locals_end(struct co *c)
{
}

void co_local_run(struct co_cleanup *c, struct co *of, enum co_cleanup_why why)
{
}

bool co_spm_shared(const void *p, size_t bytes)
{
	return p != NULL;
}

int co_spm_hart(const void *p)
{
	uintptr_t offset = (uintptr_t)p - (uintptr_t)window;

	return offset < sizeof(window) ? (int)(offset / BOARD_SPM_BYTES) : -1;
}

int co_hart_owning(const void *p)
{
	return co_spm_hart(p);
}

/* From the end of the window, which no model comes near; its size is before each block. */
void *co_spm_alloc(size_t bytes, size_t align)
{
	size_t *block;

	heap_used[me()] += (bytes + CO_LINE + align - 1) / align * align;
	block = (size_t *)(void *)&window[me()][BOARD_SPM_BYTES - heap_used[me()]];
	MODEL_CHECK(CO_SPM_HEAP < BOARD_SPM_BYTES - heap_used[me()]);
	*block = bytes;
	return (unsigned char *)block + CO_LINE;
}

void *co_spm_keep(size_t bytes, size_t align)
{
	return co_spm_alloc(bytes, align);
}

/* It is not given out again, but all who used it must be through with it. */
void co_spm_free(void *p)
{
	model_retire(p, *(size_t *)((uintptr_t)p - CO_LINE));
}

void *co_main_alloc_slowly(size_t bytes)
{
	return co_spm_alloc(bytes, CO_MAIN_ALIGN);
}

void co_main_free_to_span(void *p)
{
	co_spm_free(p);
}

void co_main_free_slowly(void *p)
{
	co_spm_free(p);
}

/* At once: it is not given out again. */
void co_spm_give_back(void *block)
{
	co_spm_free(block);
}

unsigned co_hart_role(unsigned h)
{
	return CO_ROLE_MANAGE | CO_ROLE_COMPUTE;
}

int co_stack_take(enum co_stack class, struct co *c)
{
	return 0;
}

void co_stack_own(struct co *c)
{
}

void co_stack_give(struct co *c)
{
}

uintptr_t co_stack_of(const struct co *c, size_t *bytes)
{
	*bytes = 0;
	return (uintptr_t)c;
}

bool co_stack_find(uintptr_t address, struct co_stack_place *place)
{
	return false;
}

bool co_spm_owns(const struct co *c, uintptr_t at)
{
	return false;
}

bool co_spm_owned(uintptr_t at)
{
	return false;
}

void co_stack_check(struct co *c)
{
}

/* There are no slabs. */
struct co *co_block_of(unsigned hart, unsigned index)
{
	return co_area_at(hart)->co + index;
}

struct co *co_block_next(unsigned hart, const struct co *c)
{
	struct co *first = co_area_at(hart)->co;
	struct co *next = c ? first + (c - first) + 1 : first;

	return next < first + BLOCKS ? next : NULL;
}

struct co *co_block_next_of_all(const struct co *c)
{
	unsigned hart = c ? c->hart : 1;
	struct co *next = co_block_next(hart, c);

	return next || hart + 1 >= co_machine.harts ? next : co_block_next(hart + 1, NULL);
}

const struct co *co_block_at(uintptr_t p)
{
	return (const struct co *)p;
}

struct co_seen *co_seen_of(const struct co *c)
{
	static struct co_seen seen;

	return &seen;
}

void co_slabs_init(unsigned hart)
{
}

struct co *co_slab_take(unsigned hart, enum co_stack class)
{
	return NULL;
}

void co_slabs_close(unsigned hart)
{
}

void co_slab_give(struct co *c)
{
	abort();
}

void co_shortage(unsigned first, unsigned n, enum co_stack wanted)
{
}

void co_stack_paint(struct co *c)
{
}

/* Nobody above has hooks here that are called. */
const struct co_hooks __hooks_start[1];
extern const struct co_hooks __hooks_end[1] __attribute__((alias("__hooks_start")));

void co_fail_at(void *frame, const char *format, ...)
{
	(void)frame;
	MODEL_CHECK(!format);
	abort();
}

void co_main_ended(int code)
{
	abort();
}

/* For reports, which few models make. */
__attribute__((weak)) struct co_awaited co_awaited(const struct co *c)
{
	return (struct co_awaited){ .kind = NULL };
}

__attribute__((weak)) void co_text_add(struct co_text *t, const char *format, ...)
{
}

__attribute__((weak)) bool co_barrier_of_member(uintptr_t member, struct co_barrier *b)
{
	return false;
}

__attribute__((weak)) bool co_barrier_has_lost(const struct co_barrier *b)
{
	return false;
}
