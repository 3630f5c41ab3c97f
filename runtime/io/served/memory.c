/*
 * memory.c - malloc() and its kin, on any hart: core/memory/main_heap.h, as C wants it. The
 * library's folder says how it spells them (library.h); its own allocator is not linked.
 */
#include "libc_heap.h"

#ifndef CO_DEBUG

static NOINLINE void *none(void)
{
	errno = ENOMEM;
	return NULL;
}

/* Kept apart, so that the short way keeps no registers for it. */
static NOINLINE void *malloc_slowly(size_t bytes)
{
	void *p = co_main_alloc_slowly(bytes);

	return p ? p : none();
}

void *IO_WRAP(malloc, size_t bytes)
{
	void *p = co_main_alloc_fast(bytes);

	return p ? p : malloc_slowly(bytes);
}

void *IO_WRAP(calloc, size_t n, size_t bytes)
{
	size_t all;
	void *p;

	if (__builtin_mul_overflow(n, bytes, &all))
		return none();
	p = co_main_alloc(all);
	return p ? memset(p, 0, all) : none();
}

void IO_WRAP(free, void *p)
{
	if (p)
		co_main_free(p);
}

void *IO_WRAP(realloc, void *p, size_t bytes)
{
	size_t size;
	void *q;

	if (p && !bytes) {
		co_main_free(p);
		return NULL;
	}
	if (p && co_main_resize(p, bytes))
		return p;
	q = co_main_alloc(bytes);
	if (!q)
		return p && bytes <= co_main_size(p) ? p : none();
	if (p) {
		size = co_main_size(p);
		memcpy(q, p, size < bytes ? size : bytes);
		co_main_free(p);
	}
	return q;
}

void *IO_WRAP(memalign, size_t align, size_t bytes)
{
	void *p;

	if (align & (align - 1)) {
		errno = EINVAL;
		return NULL;
	}
	p = co_main_alloc_aligned(align, bytes);
	return p ? p : none();
}

/* For picolibc; newlib's aligned_alloc() itself calls memalign(). */
void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

size_t malloc_usable_size(void *p)
{
	return p ? co_main_size(p) : 0;
}

#endif

/* Bytes that blocks have ever taken, all harts', and what of it they have now. */
struct mallinfo mallinfo(void)
{
	size_t used, unused;

	co_main_count(&used, &unused);
	return (struct mallinfo){ .arena = used, .fordblks = unused, .uordblks = used - unused };
}

/* There is nothing to choose. */
int mallopt(int what, int value)
{
	(void)what;
	(void)value;
	return 0;
}

void malloc_stats(void)
{
	struct mallinfo m = mallinfo();

	fprintf(stderr, "libc's heap: %lu bytes, %lu in use\n", (unsigned long)m.arena,
		(unsigned long)m.uordblks);
}
