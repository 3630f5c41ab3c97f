/*
 * guarded.h - static data between pages that nobody can touch: what runs over their end, or down
 * from their beginning, faults there, and has not yet written over what is not theirs.
 *
 * Example
 *	CO_GUARDED(struct image, picture);
 *
 *	static void fill(unsigned n)
 *	{
 *		for (unsigned i = 0; i < n; i++)
 *			picture.it.pixel[i] = 0;    // n too large: a fault, not a mystery
 *	}
 *
 * The guard pages are there for hot loops over big arrays, and for what is handed to code that is
 * not quite trusted (and not confined: cohart/confined.h). Where a machine has no page tables for a
 * hart (hart 0 of sifive-u, BOARD=host) the data are there, and the guard pages can be written.
 *
 * Without any of this, a guard page lies between a program's static data and the runtime's (and the
 * C library's), so that no program runs over into these.
 */
#ifndef COHART_GUARDED_H
#define COHART_GUARDED_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#define CO_PAGE_BYTES 4096

/* A page-aligned range of the image that is mapped although its neighbours are not. */
struct co_guarded {
	uintptr_t base;
	size_t bytes; /* whole pages */
};

#define CO_GUARDED_ENTRY section("co_guarded"), used
#define CO_GUARDED_TYPE(type)                                              \
	struct {                                                           \
		alignas(CO_PAGE_BYTES) type it;                            \
		alignas(CO_PAGE_BYTES) unsigned char guard[CO_PAGE_BYTES]; \
	}

/*
 * Define a static object with guard pages: `name.it` is it, all zero at first. For file scope.
 * @param type  any type that a member can have; for an array, a typedef
 * Cost: whole pages for it, one more for the guard page behind it (the one before is its
 * neighbour's),
 *       and an entry of two words; none at run time.
 */
#define CO_GUARDED(type, name)                                                       \
	static CO_GUARDED_TYPE(type) name __attribute__((section(".bss..guarded"))); \
	static const struct co_guarded name##_guarded                                \
		__attribute__((CO_GUARDED_ENTRY)) = { (uintptr_t)&name, CO_GUARDED_BYTES(name) }

/* How many bytes such an object has, rounded up to whole pages: what co_domain_share() wants. */
#define CO_GUARDED_BYTES(name) (sizeof(name) - CO_PAGE_BYTES)

#endif
