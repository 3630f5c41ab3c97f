/*
 * memory_check.c - libc's heap in a build with DEBUG=1: see core/memory/heap_check.h. Hart 0
 * checks; the caller, on any hart, is ended with a report of the finding.
 */
#include "../../core/memory/heap_check.h"

#ifdef CO_DEBUG

#include "../../core/hook.h"
#include "libc_heap.h"

/* Hart 0's. */
static struct co_check_heap heap;

/* Give kept blocks back to the heap below: the oldest ones, or all. True: there was one. */
static bool evict(bool all, struct co_check_finding *f)
{
	bool any = false;
	void *raw;

	while (co_check_evict(&heap, all, &raw, f)) {
		if (raw)
			co_main_free(raw);
		any = true;
	}
	return any;
}

static void *take_checked(size_t bytes, size_t align, uintptr_t line, struct co_check_finding *f)
{
	const struct co_check_block about = { .bytes = bytes, .taken_at = line };
	size_t more = co_check_bytes(bytes, align);
	void *raw = co_main_alloc(more);

	if (!raw && more != SIZE_MAX && evict(true, f))
		raw = co_main_alloc(more);
	heap.low = co_machine.heap_base;
	heap.high = co_machine.heap_end;
	if (!raw)
		errno = ENOMEM;
	return raw ? co_check_enter(&heap, raw, &about, align) : NULL;
}

static void give(void *p, uintptr_t line, struct co_check_finding *f)
{
	if (co_check_free(&heap, p, line, f))
		evict(false, f);
}

/* A finding travels in the request's words. */
static void put_finding(intptr_t *w, const struct co_check_finding *f)
{
	w[0] = f->what;
	w[1] = (intptr_t)f->block;
	w[2] = (intptr_t)f->at;
}

static void end_caller(const char *who, const intptr_t *w)
{
	const struct co_check_finding f = { (enum co_check_what)w[0],
					    (const struct co_check_block *)w[1], (uintptr_t)w[2] };

	co_check_report(who, &f);
}

static intptr_t serve_take(intptr_t *w)
{
	struct co_check_finding f = { 0 };
	void *p = take_checked((size_t)w[0], (size_t)w[1], (uintptr_t)w[2], &f);

	if (p && w[3])
		memset(p, 0, (size_t)w[0]);
	put_finding(w, &f);
	return (intptr_t)p;
}

static void *call_take(const char *who, size_t bytes, size_t align, uintptr_t line, bool zero)
{
	intptr_t w[IO_WORDS] = { (intptr_t)bytes, (intptr_t)align, (intptr_t)line, zero };
	void *p = (void *)co_io_call_words(serve_take, w);

	end_caller(who, w);
	return p;
}

void *IO_WRAP(malloc, size_t bytes)
{
	return call_take("malloc", bytes, 0, CO_CHECK_LINE, false);
}

void *IO_WRAP(calloc, size_t n, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(n, bytes, &all))
		all = SIZE_MAX;
	return call_take("calloc", all, 0, CO_CHECK_LINE, true);
}

static void *call_memalign(const char *who, size_t align, size_t bytes, uintptr_t line)
{
	if (align & (align - 1)) {
		errno = EINVAL;
		return NULL;
	}
	return call_take(who, bytes, align, line, false);
}

void *IO_WRAP(memalign, size_t align, size_t bytes)
{
	return call_memalign("memalign", align, bytes, CO_CHECK_LINE);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return call_memalign("aligned_alloc", align, bytes, CO_CHECK_LINE);
}

static intptr_t serve_free(intptr_t *w)
{
	struct co_check_finding f = { 0 };

	give((void *)w[0], (uintptr_t)w[1], &f);
	put_finding(w, &f);
	return 0;
}

static void call_free(const char *who, void *p, uintptr_t line)
{
	intptr_t w[IO_WORDS] = { (intptr_t)p, (intptr_t)line };

	co_io_call_words(serve_free, w);
	end_caller(who, w);
}

void IO_WRAP(free, void *p)
{
	if (p)
		call_free("free", p, CO_CHECK_LINE);
}

/* Always to another place, so that a use of the old one is found. */
static intptr_t serve_realloc(intptr_t *w)
{
	struct co_check_finding f = { 0 };
	struct co_check_block *b = co_check_find(&heap, (void *)w[0], &f);
	size_t bytes = (size_t)w[1];
	void *p = b ? take_checked(bytes, 0, (uintptr_t)w[2], &f) : NULL;

	if (p) {
		memcpy(p, (void *)w[0], b->bytes < bytes ? b->bytes : bytes);
		give((void *)w[0], (uintptr_t)w[2], &f);
	}
	put_finding(w, &f);
	return (intptr_t)p;
}

void *IO_WRAP(realloc, void *p, size_t bytes)
{
	intptr_t w[IO_WORDS] = { (intptr_t)p, (intptr_t)bytes, (intptr_t)CO_CHECK_LINE };
	void *q;

	if (!p)
		return call_take("realloc", bytes, 0, (uintptr_t)w[2], false);
	if (!bytes) {
		call_free("realloc", p, (uintptr_t)w[2]);
		return NULL;
	}
	q = (void *)co_io_call_words(serve_realloc, w);
	end_caller("realloc", w);
	return q;
}

size_t malloc_usable_size(void *p)
{
	return p ? co_check_size(p) : 0;
}

static intptr_t serve_check(intptr_t *w)
{
	struct co_check_finding f = { 0 };

	co_check_all(&heap, &f);
	put_finding(w, &f);
	return 0;
}

void co_debug_check_heap(void)
{
	intptr_t w[IO_WORDS] = { 0 };

	co_spm_check();
	co_io_call_words(serve_check, w);
	end_caller("co_debug_check_heap", w);
}

static void check_at_end(void)
{
	co_check_end(&heap, "libc's heap");
}

CO_HOOKS = { .run_ends = check_at_end };

#endif
