/* spm_array.c - see cohart/spm_array.h. Each hart has a table of its copies in its scratchpad. */
#include <cohart/detail/mark.h>
#include <cohart/spm_array.h>

#include "../core/core.h"
#include "../core/lost.h"
#include "../dma/dma.h"

struct copy {
	struct co_dma in;
	unsigned char data[] __attribute__((aligned(CO_LINE)));
};

static _Thread_local struct held {
	struct co_spm_array *array; /* NULL: free */
	uint32_t version;
	struct copy *copy;
} held[CO_SPM_ARRAYS];

static struct co_a32 versions; /* given so far, to all arrays */

/* A number that no array has had: one may be made where another was that has not been dropped. */
static void set_version(struct co_spm_array *a)
{
	uint32_t v;

	/* relaxed: it orders nothing. */
	while (!(v = co_atomic_add(&versions, 1, CO_RELAXED) + 1))
		continue;
	/* release: a reader of the new number sees the changes; pairs with co_spm_array_get(). */
	co_atomic_store(&a->version, v, CO_RELEASE);
}

static struct held *find_held(const struct co_spm_array *a)
{
	for (unsigned i = 0; i < CO_SPM_ARRAYS; i++) {
		if (held[i].array == a)
			return &held[i];
	}
	return NULL;
}

int co_spm_array_make(struct co_spm_array *a, const void *from, size_t bytes)
{
	CO_ASSERT_SHARED(a, sizeof(*a), "a struct co_spm_array");
	CO_ASSERT_THAT(
		!co_atomic_load(&a->version, CO_RELAXED),
		"an array that is made was not made before, or has been dropped (its memory is zero at first)");
	if (!bytes)
		return -EINVAL;
	if (!co_dma_usable((uintptr_t)from, bytes, false))
		return -EFAULT;
	a->from = from;
	a->bytes = bytes;
	a->stays = false;
	set_version(a);
	return 0;
}

void co_spm_array_renew(struct co_spm_array *a)
{
	set_version(a);
}

/* Make room for this hart's copy; NULL: no room. */
static struct held *hold(struct co_spm_array *a)
{
	struct held *h = find_held(NULL);
	size_t bytes = a->bytes;

	CO_ASSERT_THAT(co_atomic_load(&a->version, CO_RELAXED),
		       "the array has been made, and not been dropped");
	if (!h || bytes > BOARD_SPM_BYTES)
		return NULL;
	/* It outlives the coroutine that was the first to ask for it. */
	h->copy = co_spm_keep(sizeof(*h->copy) + bytes, CO_LINE);
	if (!h->copy)
		return NULL;
	h->array = a;
	h->version = 0;
	h->copy->in = (struct co_dma){ .to = h->copy->data, .from = a->from, .bytes = bytes };
	return h;
}

static void let_go(struct held *h)
{
	co_counter_wait_shielded(&h->copy->in.own);
	co_spm_free(h->copy);
	h->array = NULL;
}

void *co_spm_array_get(struct co_spm_array *a)
{
	struct held *h = find_held(a);
	struct co_dma *in;

	if (h && (h->copy->in.from != a->from || h->copy->in.bytes != a->bytes)) {
		let_go(h); /* the copy is of an earlier array at this address */
		h = NULL;
	}

	if (!h && a->stays)
		return (void *)(uintptr_t)a->from;
	if (!h)
		h = hold(a);
	if (!h)
		return NULL;
	in = &h->copy->in;
	for (;;) {
		uint32_t version;

		/* Wait for a transfer of another coroutine; its version may be older. */
		co_counter_wait_shielded(&in->own);
		if (co_dma_check(in) == -EINPROGRESS)
			continue; /* another waiter has begun the next transfer */
		version = co_atomic_load(&a->version, CO_ACQUIRE);
		if (h->version == version)
			break;
		h->version = version;
		co_dma_begin(in);
	}
	co_mark_dma_wait(&in->own);
	if (co_dma_check(in) == 0)
		return h->copy->data;
	h->version = 0; /* the next caller tries again */
	return NULL;
}

static intptr_t drop_copy(void *arg)
{
	struct co_spm_array *a = arg;
	struct held *h = find_held(a);

	if (h)
		let_go(h);
	return 0;
}

int co_spm_array_drop(struct co_spm_array *a)
{
	int r = 0;

	CO_ASSERT_SHARED(a, sizeof(*a), "a struct co_spm_array");
	for (unsigned hart = 0; hart < co_machine.harts && r == 0; hart++) {
		const struct co_attr attr = { .name = "drop", .on = CO_ON_HART(hart) };

		if (!co_hart_lost(hart)) /* a lost hart's scratchpad is left alone */
			r = co_batch_spawn(&a->drops, &attr, drop_copy, a, NULL);
	}
	co_counter_wait_shielded(&a->drops.running);
	if (r == 0)
		co_atomic_store(&a->version, 0, CO_RELAXED);
	return r;
}
