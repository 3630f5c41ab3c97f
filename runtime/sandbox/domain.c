/*
 * domain.c - the memory of a domain: page tables first, then for each coroutine a page for its
 * registers, a guard page and a stack.
 *
 * The tables are one tree for all harts, built of the domain's own memory and never changed while
 * coroutines live in it. They map what confined code sees, at the address that it has for all, and
 * the pages for registers, for the crossing alone (hal/user.h).
 */
#include <cohart/hart.h>
#include <hal/guard.h>
#include <hal/time.h>

#include "../core/core.h"
#include "../core/memory/image.h"
#include "../core/memory/place.h"
#include "confined.h"

_Static_assert(CO_PAGE_BYTES == HAL_PAGE_BYTES, "programs lay out what they share by it");

/* The last number given to a set of tables; each set has its own. */
static struct co_a32 last_id;

static bool is_domain(const struct co_domain *d)
{
	return d && co_atomic_load(&d->id, CO_RELAXED);
}

static bool ranges_overlap(uintptr_t p, size_t bytes, uintptr_t q, size_t q_bytes)
{
	return p < q + q_bytes && q < p + bytes;
}

static bool any_hart_can(void)
{
	for (unsigned hart = 0; hart < co_machine.harts; hart++) {
		if (hal_user_possible(hart))
			return true;
	}
	return false;
}

/* Map the pages for registers, privileged, and the stacks. */
static int map_slots(struct co_domain *d, struct hal_map_pool *pool)
{
	int r = 0;

	for (unsigned i = 0; i < d->coroutines && r == 0; i++) {
		uintptr_t page = (uintptr_t)co_confined_at(d, i);
		uintptr_t stack = page + 2 * HAL_PAGE_BYTES;

		r = hal_map_add(pool, d->root, page, HAL_PAGE_BYTES, HAL_MAP_RW);
		r = r ? r
		      : hal_map_add(pool, d->root, stack, co_confined_stack_top(d, i) - stack,
				    HAL_MAP_USER_RW);
	}
	return r;
}

/* The tables have changed: give them a new number, so that harts forget the old ones. */
static void renew(struct co_domain *d, const struct hal_map_pool *pool)
{
	uint32_t id;

	d->tables = pool->next;
	while (!(id = co_atomic_add(&last_id, 1, CO_RELAXED) + 1))
		;
	/* relaxed: a spawn publishes it. */
	co_atomic_store(&d->id, id, CO_RELAXED);
}

int co_domain_init(struct co_domain *d, void *memory, size_t bytes, unsigned coroutines,
		   size_t stack_bytes)
{
	uintptr_t base = (uintptr_t)memory;
	size_t slot = (2 + CO_DOMAIN_STACK_PAGES(stack_bytes)) * (size_t)HAL_PAGE_BYTES;
	struct hal_map_pool pool;
	int r;

	if (!d || !co_spm_shared(d, sizeof(*d)) || !coroutines ||
	    coroutines > CO_DOMAIN_COROUTINES || base % HAL_PAGE_BYTES || bytes % HAL_PAGE_BYTES ||
	    !co_is_programs(base, bytes) || ranges_overlap(base, bytes, (uintptr_t)d, sizeof(*d)))
		return -EINVAL;
	/* No more than half of it is for thread-locals. */
	if (stack_bytes > bytes || stack_bytes < 2 * ((uintptr_t)__tls_bytes + HAL_TLS_TCB_BYTES) ||
	    bytes / slot < coroutines)
		return -EINVAL;
	if (!any_hart_can())
		return -ENOTSUP;
	memset(d, 0, sizeof(*d));
	d->memory = base;
	d->memory_end = base + bytes;
	d->coroutines = coroutines;
	d->slot_bytes = slot;
	d->slots = base + bytes - coroutines * slot;
	d->tables_end = d->slots;
	d->print_limit = CO_DOMAIN_PRINT_BYTES;
	pool = (struct hal_map_pool){ base, d->tables_end };
	d->root = hal_map_new(&pool);
	if (!d->root)
		return -ENOMEM;
	r = hal_user_map(&pool, d->root);
	r = r ? r : map_slots(d, &pool);
	if (r)
		return r;
	for (unsigned i = 0; i < coroutines; i++)
		d->free[i / CO_WORD_BITS].v |= (uintptr_t)1 << i % CO_WORD_BITS;
	renew(d, &pool);
	return 0;
}

int co_domain_share(struct co_domain *d, void *p, size_t bytes, unsigned rights)
{
	uintptr_t base = (uintptr_t)p;
	struct hal_map_pool pool;
	int r;

	if (!is_domain(d) || base % HAL_PAGE_BYTES || !bytes || bytes % HAL_PAGE_BYTES ||
	    !(rights & CO_READ) || rights & ~(unsigned)(CO_READ | CO_WRITE) ||
	    !co_is_programs(base, bytes) ||
	    ranges_overlap(base, bytes, d->memory, d->memory_end - d->memory) ||
	    ranges_overlap(base, bytes, (uintptr_t)d, sizeof(*d)))
		return -EINVAL;
	if (co_atomic_load(&d->alive, CO_ACQUIRE))
		return -EBUSY;
	for (size_t i = 0; i < bytes; i += HAL_PAGE_BYTES) {
		if (co_domain_allows(d, base + i, 1, CO_READ))
			return -EEXIST;
	}
	pool = (struct hal_map_pool){ d->tables, d->tables_end };
	r = hal_map_add(&pool, d->root, base, bytes,
			rights & CO_WRITE ? HAL_MAP_USER_RW : HAL_MAP_USER_R);
	renew(d, &pool);
	return r;
}

bool co_domain_allows(const struct co_domain *d, uintptr_t p, size_t bytes, unsigned rights)
{
	_Static_assert((int)CO_READ == HAL_MAP_READ && (int)CO_WRITE == HAL_MAP_WRITE,
		       "the same bits");
	return hal_map_allows(d->root, p, bytes, rights << HAL_MAP_USER);
}

int co_domain_limit_print(struct co_domain *d, uint32_t bytes)
{
	struct co_waiter *first;

	if (!is_domain(d) || (bytes && bytes < CO_USER_PRINT_MOST))
		return -EINVAL;
	first = co_waitq_lock(&d->print_lock);
	d->print_limit = bytes;
	co_waitq_unlock(&d->print_lock, first);
	return 0;
}

uint64_t co_domain_may_print(struct co_domain *d, uint32_t bytes)
{
	struct co_waiter *first = co_waitq_lock(&d->print_lock);
	uint64_t now = hal_time_now();
	uint64_t until = 0;

	if (now >= d->print_until) {
		d->print_until = now + hal_time_hz() / (1000000 / CO_DOMAIN_PRINT_US);
		d->print_left = d->print_limit;
	}
	if (!d->print_limit)
		until = CO_FOREVER;
	else if (d->print_left < bytes && d->print_limit != UINT32_MAX)
		until = d->print_until;
	else
		d->print_left -= bytes;
	co_waitq_unlock(&d->print_lock, first);
	return until;
}

int co_domain_end(struct co_domain *d)
{
	if (!is_domain(d))
		return -EINVAL;
	if (co_atomic_load(&d->alive, CO_ACQUIRE))
		return -EBUSY;
	co_atomic_store(&d->id, 0, CO_RELAXED);
	return 0;
}

void co_domain_use(const struct co_domain *d, struct co_domain_use *use)
{
	/* relaxed, all: for reports. */
	*use = (struct co_domain_use){
		.alive = co_atomic_load(&d->alive, CO_RELAXED),
		.calls = co_atomic_load(&d->calls, CO_RELAXED),
		.interrupts = co_atomic_load(&d->interrupts, CO_RELAXED),
		.faults = co_atomic_load(&d->faults, CO_RELAXED),
		.changes = co_atomic_load(&d->changes, CO_RELAXED),
		.prints = co_atomic_load(&d->prints, CO_RELAXED),
		.print_waits = co_atomic_load(&d->print_waits, CO_RELAXED),
		.table_bytes = d->tables - d->memory,
	};
}

/* ---- Coroutines ---- */

/* A slot for fn(arg), or NULL. */
static struct co_confined *take_place(struct co_domain *d, co_fn *fn, void *arg)
{
	int slot = co_bits_take(d->free, CO_DOMAIN_WORDS(d->coroutines), 0);
	struct co_confined *page;

	if (slot < 0)
		return NULL;
	co_atomic_add(&d->alive, 1, CO_RELAXED); /* its end releases */
	page = co_confined_at(d, (unsigned)slot);
	page->cleanup.run = NULL;
	page->domain = d;
	page->fn = fn;
	page->arg = arg;
	page->slot = (unsigned)slot;
	page->end = 0;
	return page;
}

bool co_confined_leave(struct co_confined *page)
{
	struct co_domain *d = page->domain;

	co_bits_give(d->free, page->slot);
	/* acq_rel: its place is free; pairs with the last one to leave. */
	return co_atomic_add(&d->alive, (uint32_t)-1, CO_ACQ_REL) == 1;
}

/* Start fn(arg) in a place of the domain: as one of b, unless that is NULL. */
static int spawn_in(struct co_domain *d, struct co **c, struct co_batch *b,
		    const struct co_attr *attr, co_fn *fn, void *arg, intptr_t *result)
{
	unsigned on = attr && attr->on > 0 ? (unsigned)attr->on : 0;
	struct co_confined *page;
	int r;

	if (!(on && on <= co_machine.harts ? hal_user_possible(on - 1) : any_hart_can()))
		return -ENOTSUP;
	page = take_place(d, fn, arg);
	if (!page)
		return -ENOBUFS;
	r = b ? co_batch_spawn(b, attr, co_confined_run, page, result)
	      : co_spawn(c, attr, co_confined_run, page);
	if (r)
		(void)co_confined_leave(page);
	return r;
}

int co_domain_spawn(struct co_domain *d, struct co **c, const struct co_attr *attr, co_fn *fn,
		    void *arg)
{
	CO_ASSERT_THAT(fn, "co_domain_spawn() is given a function");
	return is_domain(d) ? spawn_in(d, c, NULL, attr, fn, arg, NULL) : -EINVAL;
}

int co_domain_spawn_group(struct co_domain *d, struct co_batch *b, unsigned group, co_fn *fn,
			  void *arg, intptr_t *results)
{
	const struct co_group *g;
	int r = 0;

	CO_ASSERT_THAT(fn && b, "co_domain_spawn_group() is given a function and a batch");
	if (!is_domain(d) || group >= co_groups() || !co_group(group)->computes)
		return -EINVAL;
	g = co_group(group);
	for (unsigned i = 0; i < g->computes && r == 0; i++) {
		const struct co_attr attr = { .on = CO_ON_HART(g->compute + i) };

		r = spawn_in(d, NULL, b, &attr, fn, arg, results ? &results[i] : NULL);
	}
	return r;
}
