/*
 * alloc.c - allocators of omp.h. All memory is the heap's, of whatever memory space. Traits of an
 * allocator change the alignment, the size of its pool, and the behaviour when the pool is full.
 */
#include <stdlib.h>
#include <string.h>

#include "team.h"

/* An allocator of the program's own; a handle is its address. */
struct allocator {
	struct co_mutex mutex;
	size_t align, pool, used; /* bytes; of blocks with their heads */
	uintptr_t fallback;       /* omp_alloctrait_value_t */
	omp_allocator_handle_t other;
};

/* The head of a block, right before it. */
struct block {
	void *memory;
	size_t bytes, all;    /* the program's; with the head */
	struct allocator *of; /* whose pool it is from; NULL: of none */
};

static bool is_between(uintptr_t value, uintptr_t least, uintptr_t most)
{
	return value == omp_atv_default || (value >= least && value <= most);
}

/* Take a trait over. False: its value makes no sense. */
static bool set(struct allocator *a, const omp_alloctrait_t *t)
{
	bool given = t->value != omp_atv_default;

	switch (t->key) {
	case omp_atk_sync_hint:
		return is_between(t->value, omp_atv_contended, omp_atv_private);
	case omp_atk_alignment:
		if (given)
			a->align = t->value;
		return a->align && !(a->align & (a->align - 1));
	case omp_atk_access:
		return is_between(t->value, omp_atv_all, omp_atv_cgroup);
	case omp_atk_pool_size:
		if (given)
			a->pool = t->value;
		return true;
	case omp_atk_fallback:
		if (given)
			a->fallback = t->value;
		return is_between(t->value, omp_atv_default_mem_fb, omp_atv_allocator_fb);
	case omp_atk_fb_data:
		a->other = (omp_allocator_handle_t)t->value;
		return true;
	case omp_atk_pinned: /* all memory is */
		return is_between(t->value, omp_atv_false, omp_atv_true);
	case omp_atk_partition:
		return is_between(t->value, omp_atv_environment, omp_atv_interleaved);
	}
	return false;
}

omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t space, int n,
					  const omp_alloctrait_t traits[])
{
	struct allocator *a = calloc(1, sizeof(*a));

	(void)space;
	if (!a)
		return omp_null_allocator;
	a->align = 1;
	a->pool = SIZE_MAX;
	a->fallback = omp_atv_default_mem_fb;
	for (int i = 0; i < n; i++) {
		if (!set(a, &traits[i])) {
			free(a);
			return omp_null_allocator;
		}
	}
	return (omp_allocator_handle_t)(uintptr_t)a;
}

/* The program's own allocator; NULL: the handle is of one that is always there. */
static struct allocator *own(omp_allocator_handle_t h)
{
	return h > omp_thread_mem_alloc ? (struct allocator *)(uintptr_t)h : NULL;
}

static omp_allocator_handle_t chosen(omp_allocator_handle_t h)
{
	return h ? h : (omp_allocator_handle_t)co_omp_self()->task->icv.alloc;
}

void omp_destroy_allocator(omp_allocator_handle_t h)
{
	free(own(h));
}

void omp_set_default_allocator(omp_allocator_handle_t h)
{
	co_omp_self()->task->icv.alloc = h ? h : omp_default_mem_alloc;
}

omp_allocator_handle_t omp_get_default_allocator(void)
{
	return chosen(omp_null_allocator);
}

/* Take bytes out of the pool, and give `back` back. False: the pool has too few left. */
static bool take(struct allocator *a, size_t bytes, size_t back)
{
	bool fits;

	if (!a)
		return true;
	co_omp_lock(&a->mutex);
	fits = bytes <= a->pool && a->used - back <= a->pool - bytes;
	if (fits)
		a->used += bytes - back;
	co_mutex_unlock(&a->mutex);
	return fits;
}

/* @param old  a block whose place in the pool the new one takes; NULL: none */
static void *try(struct allocator *a, size_t align, size_t bytes, const struct block *old)
{
	size_t before, all, back = old && old->of == a ? old->all : 0;
	struct block *b;
	char *memory, *p;

	if (align < alignof(max_align_t))
		align = alignof(max_align_t);
	before = (sizeof(*b) + align - 1) & ~(align - 1);
	if (__builtin_add_overflow(before, bytes, &all) || all > SIZE_MAX - align ||
	    !take(a, all, back))
		return NULL;
	memory = aligned_alloc(align, (all + align - 1) & ~(align - 1));
	if (!memory) {
		take(a, back, all);
		return NULL;
	}
	p = memory + before;
	b = (struct block *)p - 1;
	*b = (struct block){ memory, bytes, all, a };
	return p;
}

static void *allocate(omp_allocator_handle_t h, size_t align, size_t bytes, const struct block *old)
{
	struct allocator *a = own(chosen(h));
	void *p;

	if (!bytes || !align || align & (align - 1))
		return NULL;
	while (!(p = try(a, a && a->align > align ? a->align : align, bytes, old)) && a) {
		if (a->fallback == omp_atv_null_fb)
			return NULL;
		if (a->fallback == omp_atv_abort_fb)
			co_omp_die("an allocator with fallback abort_fb has no %zu bytes left",
				   bytes);
		a = a->fallback == omp_atv_allocator_fb ? own(a->other) : NULL;
	}
	return p;
}

void *omp_aligned_alloc(size_t align, size_t bytes, omp_allocator_handle_t h)
{
	return allocate(h, align, bytes, NULL);
}

void *omp_alloc(size_t bytes, omp_allocator_handle_t h)
{
	return allocate(h, 1, bytes, NULL);
}

void *omp_aligned_calloc(size_t align, size_t n, size_t bytes, omp_allocator_handle_t h)
{
	size_t all;
	void *p = __builtin_mul_overflow(n, bytes, &all) ? NULL : allocate(h, align, all, NULL);

	return p ? memset(p, 0, all) : NULL;
}

void *omp_calloc(size_t n, size_t bytes, omp_allocator_handle_t h)
{
	return omp_aligned_calloc(1, n, bytes, h);
}

void omp_free(void *p, omp_allocator_handle_t h)
{
	struct block *b;

	(void)h;
	if (!p)
		return;
	b = (struct block *)p - 1;
	take(b->of, 0, b->all);
	free(b->memory);
}

void *omp_realloc(void *p, size_t bytes, omp_allocator_handle_t h, omp_allocator_handle_t freer)
{
	struct block *old = p ? (struct block *)p - 1 : NULL;
	void *new;

	if (!bytes) {
		omp_free(p, freer);
		return NULL;
	}
	if (!h && old && old->of)
		h = (omp_allocator_handle_t)(uintptr_t)old->of;
	new = allocate(h, 1, bytes, old);
	if (!new || !old)
		return new;
	memcpy(new, p, bytes < old->bytes ? bytes : old->bytes);
	if (((struct block *)new - 1)->of == old->of) /* its place in the pool is the new one's */
		free(old->memory);
	else
		omp_free(p, freer);
	return new;
}

GOMP(void *, alloc, size_t align, size_t bytes, uintptr_t h)
{
	void *p = allocate((omp_allocator_handle_t)h, align, bytes ? bytes : 1, NULL);

	if (!p)
		co_omp_die("there is no memory for a variable of %zu bytes with an allocator",
			   bytes);
	return p;
}

GOMP(void, free, void *p, uintptr_t h)
{
	omp_free(p, (omp_allocator_handle_t)h);
}
