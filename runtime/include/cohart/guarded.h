/*
 * guarded.h - static objects between guard pages.
 *
 * Example
 *	typedef uint8_t table[100000];
 *	CO_GUARDED(table, squares);
 *
 *	squares.it[i] = (uint8_t)(i * i); // i >= 100000 faults within a page
 */
#ifndef COHART_GUARDED_H
#define COHART_GUARDED_H

#include <cohart/detail/base.h>

#define CO_PAGE_BYTES 4096

/* A page-aligned range of the image that is mapped although its neighbours are not. */
struct co_guarded {
	uintptr_t base;
	size_t bytes; /* whole pages */
};

/*
 * Define a static object, `name.it`, between guard pages; all zero at first. An access that runs
 * over its end, or down from its beginning, faults before it reaches another object. For file
 * scope: for objects that are shared with a domain, and for hot loops over big arrays. On a hart
 * without page tables (hart 0 of sifive-u, BOARD=host) the guard pages exist, but can be written. A
 * guard page lies between a program's static data and the runtime's in any case.
 * @param type  any type that a member can have; for an array, a typedef
 * Cost: whole pages for the object, a guard page behind it (the guard page before it belongs to its
 * neighbour), and an entry of two words; nothing at run time.
 */
#define CO_GUARDED(type, name)                                                       \
	static CO_GUARDED_TYPE(type) name __attribute__((section(".bss..guarded"))); \
	static const struct co_guarded name##_guarded                                \
		__attribute__((CO_GUARDED_ENTRY)) = { (uintptr_t)&name, CO_GUARDED_BYTES(name) }

#define CO_GUARDED_ENTRY section("co_guarded"), used
#define CO_GUARDED_TYPE(type)                                              \
	struct {                                                           \
		alignas(CO_PAGE_BYTES) type it;                            \
		alignas(CO_PAGE_BYTES) unsigned char guard[CO_PAGE_BYTES]; \
	}

/* Bytes of a guarded object, in whole pages. */
#define CO_GUARDED_BYTES(name) (sizeof(name) - CO_PAGE_BYTES)

#endif
