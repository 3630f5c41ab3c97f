/*
 * new.c - operator new and operator delete in all their forms, on malloc(). Each form calls another
 * as the standard says: where a program replaces a form, the forms that call it use the
 * replacement.
 */
#include <malloc.h>
#include <stdlib.h>

#include <cohart/atomic.h>
#include <cohart/debug.h>

#include "cxx.h"

/* A name with size_t in it, which is unsigned long or unsigned int. */
#if SIZE_MAX > UINT32_MAX
#define SIZED(before, after) before##m##after
#else
#define SIZED(before, after) before##j##after
#endif

#define NEW SIZED(_Znw, )
#define NEW_ARRAY SIZED(_Zna, )
#define NEW_NOTHROW SIZED(_Znw, RKSt9nothrow_t)
#define NEW_ARRAY_NOTHROW SIZED(_Zna, RKSt9nothrow_t)
#define NEW_ALIGNED SIZED(_Znw, St11align_val_t)
#define NEW_ARRAY_ALIGNED SIZED(_Zna, St11align_val_t)
#define NEW_ALIGNED_NOTHROW SIZED(_Znw, St11align_val_tRKSt9nothrow_t)
#define NEW_ARRAY_ALIGNED_NOTHROW SIZED(_Zna, St11align_val_tRKSt9nothrow_t)
#define DELETE _ZdlPv
#define DELETE_ARRAY _ZdaPv
#define DELETE_NOTHROW _ZdlPvRKSt9nothrow_t
#define DELETE_ARRAY_NOTHROW _ZdaPvRKSt9nothrow_t
#define DELETE_SIZED SIZED(_ZdlPv, )
#define DELETE_ARRAY_SIZED SIZED(_ZdaPv, )
#define DELETE_ALIGNED _ZdlPvSt11align_val_t
#define DELETE_ARRAY_ALIGNED _ZdaPvSt11align_val_t
#define DELETE_ALIGNED_NOTHROW _ZdlPvSt11align_val_tRKSt9nothrow_t
#define DELETE_ARRAY_ALIGNED_NOTHROW _ZdaPvSt11align_val_tRKSt9nothrow_t
#define DELETE_SIZED_ALIGNED SIZED(_ZdlPv, St11align_val_t)
#define DELETE_ARRAY_SIZED_ALIGNED SIZED(_ZdaPv, St11align_val_t)

typedef void handler_fn(void);

extern const char _ZSt7nothrow;
REPLACEABLE const char _ZSt7nothrow; /* std::nothrow */
static struct co_aword handler;      /* a handler_fn *, for all harts */

/* std::set_new_handler() */
REPLACEABLE handler_fn *_ZSt15set_new_handlerPFvvE(handler_fn *fn)
{
	/* acq_rel: releases the handler's data; pairs with the load below. */
	return (handler_fn *)co_atomic_swap(&handler, (uintptr_t)fn, CO_ACQ_REL);
}

/* std::get_new_handler() */
REPLACEABLE handler_fn *_ZSt15get_new_handlerv(void)
{
	/* acquire: pairs with the swap above. */
	return (handler_fn *)co_atomic_load(&handler, CO_ACQUIRE);
}

/* @return NULL: there is no memory, and no handler that could find some */
static void *allocate(size_t bytes, size_t align)
{
	handler_fn *find_some;
	void *p;

	bytes += !bytes;
	while (!(p = align > alignof(max_align_t) ? memalign(align, bytes) : malloc(bytes)) &&
	       (find_some = _ZSt15get_new_handlerv()))
		find_some();
	return p;
}

static void *must_allocate(size_t bytes, size_t align)
{
	void *p = allocate(bytes, align);

	if (!p)
		co_panic("operator new: there is no memory for %lu bytes", (unsigned long)bytes);
	return p;
}

/* ---- new ---- */

static void *new_of(size_t bytes)
{
	return must_allocate(bytes, 0);
}

static void *new_aligned(size_t bytes, size_t align)
{
	return must_allocate(bytes, align);
}

extern __typeof__(new_of) NEW REPLACEABLE __attribute__((alias("new_of")));
extern __typeof__(new_aligned) NEW_ALIGNED REPLACEABLE __attribute__((alias("new_aligned")));

static void *new_array(size_t bytes)
{
	return NEW(bytes);
}

static void *new_array_aligned(size_t bytes, size_t align)
{
	return NEW_ALIGNED(bytes, align);
}

extern __typeof__(new_array) NEW_ARRAY REPLACEABLE __attribute__((alias("new_array")));
extern __typeof__(new_array_aligned) NEW_ARRAY_ALIGNED REPLACEABLE
	__attribute__((alias("new_array_aligned")));

/* Forms that return NULL. They call a program's own form without nothrow instead of ours. */

REPLACEABLE void *NEW_NOTHROW(size_t bytes, const void *nothrow)
{
	(void)nothrow;
	return NEW == new_of ? allocate(bytes, 0) : NEW(bytes);
}

REPLACEABLE void *NEW_ALIGNED_NOTHROW(size_t bytes, size_t align, const void *nothrow)
{
	(void)nothrow;
	return NEW_ALIGNED == new_aligned ? allocate(bytes, align) : NEW_ALIGNED(bytes, align);
}

REPLACEABLE void *NEW_ARRAY_NOTHROW(size_t bytes, const void *nothrow)
{
	return NEW_ARRAY == new_array ? NEW_NOTHROW(bytes, nothrow) : NEW_ARRAY(bytes);
}

REPLACEABLE void *NEW_ARRAY_ALIGNED_NOTHROW(size_t bytes, size_t align, const void *nothrow)
{
	return NEW_ARRAY_ALIGNED == new_array_aligned ? NEW_ALIGNED_NOTHROW(bytes, align, nothrow)
						      : NEW_ARRAY_ALIGNED(bytes, align);
}

/* ---- delete ---- */

REPLACEABLE void DELETE(void *p)
{
	free(p);
}

REPLACEABLE void DELETE_ALIGNED(void *p, size_t align)
{
	(void)align;
	free(p);
}

REPLACEABLE void DELETE_ARRAY(void *p)
{
	DELETE(p);
}

REPLACEABLE void DELETE_ARRAY_ALIGNED(void *p, size_t align)
{
	DELETE_ALIGNED(p, align);
}

/* A form that ignores its last argument calls the form without it. */
#define STANDS_ON(form, on, arguments, passed, unused) \
	REPLACEABLE void form arguments                \
	{                                              \
		(void)(unused);                        \
		on passed;                             \
	}

STANDS_ON(DELETE_SIZED, DELETE, (void *p, size_t bytes), (p), bytes)
STANDS_ON(DELETE_ARRAY_SIZED, DELETE_ARRAY, (void *p, size_t bytes), (p), bytes)
STANDS_ON(DELETE_NOTHROW, DELETE, (void *p, const void *nothrow), (p), nothrow)
STANDS_ON(DELETE_ARRAY_NOTHROW, DELETE_ARRAY, (void *p, const void *nothrow), (p), nothrow)
STANDS_ON(DELETE_SIZED_ALIGNED, DELETE_ALIGNED, (void *p, size_t bytes, size_t align), (p, align),
	  bytes)
STANDS_ON(DELETE_ARRAY_SIZED_ALIGNED, DELETE_ARRAY_ALIGNED, (void *p, size_t bytes, size_t align),
	  (p, align), bytes)
STANDS_ON(DELETE_ALIGNED_NOTHROW, DELETE_ALIGNED, (void *p, size_t align, const void *nothrow),
	  (p, align), nothrow)
STANDS_ON(DELETE_ARRAY_ALIGNED_NOTHROW, DELETE_ARRAY_ALIGNED,
	  (void *p, size_t align, const void *nothrow), (p, align), nothrow)
