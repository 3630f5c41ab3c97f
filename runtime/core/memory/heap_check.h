/*
 * heap_check.h - the header and the zones that a build with DEBUG=1 puts around each block of a
 * heap, to find misuse.
 *
 * Two heaps use it: a window's (spm.c) and libc's (io/served/memory_check.c). A block of the heap
 * below becomes
 *
 *   header | zone of 16 bytes | the caller's bytes | zone of 16 to 31 bytes
 *
 * The zones are filled, and so is fresh and freed memory. The last CO_CHECK_KEPT freed blocks are
 * known, so that a second free and writes to them are found. Libc's heap gets them back only after
 * that, since it writes to free memory. A window's heap gets them at once, since a block must lie
 * at one offset in the windows of several harts; its freed blocks are looked at before each
 * allocation. A finding ends the coroutine that called the heap; the damage is mended or forgotten,
 * so that it is reported once.
 *
 * The caller has the heap for itself: its hart, or hart 0 for libc's. Nothing here is in other
 * builds.
 */
#ifndef COHART_HEAP_CHECK_H
#define COHART_HEAP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CO_DEBUG

#define CO_CHECK_KEPT 16

/* Fillings of memory, when it is handed out and when it is freed. */
#define CO_CHECK_FRESH 0xcb
#define CO_CHECK_FREED 0xdb

/* The header of a block. */
struct co_check_block {
	struct co_check_block *next, *prev; /* in the list; the heap below may write here */
	void *raw;                          /* its memory, from the heap below */
	size_t bytes;                       /* that were asked for */
	uintptr_t taken_at;                 /* the program's line, a return address */
	uintptr_t freed_at;
	uintptr_t owner;
	uintptr_t seal; /* of all but the links; says whether it is taken */
};

struct co_check_heap {
	uintptr_t low, high;                            /* where blocks can lie */
	struct co_check_block *first;                   /* taken blocks, the latest first */
	struct co_check_block *kept[CO_CHECK_KEPT + 1]; /* freed last, the oldest first */
	unsigned count;
};

enum co_check_what {
	CO_CHECK_GOOD,
	CO_CHECK_WILD,   /* `at` is no block */
	CO_CHECK_INSIDE, /* `at` is inside of one */
	CO_CHECK_TWICE,  /* it is free already */
	CO_CHECK_PAST,   /* written at `at`, past its end */
	CO_CHECK_BEFORE, /* written at `at`, before its beginning */
	CO_CHECK_AFTER,  /* written at `at`, after it was freed */
	CO_CHECK_HEADER, /* its header is overwritten */
	CO_CHECK_CHAIN,  /* the heap below is damaged at `at` */
};

struct co_check_finding {
	enum co_check_what what;
	const struct co_check_block *block;
	uintptr_t at;
};

/* How much to ask the heap below for; SIZE_MAX: it cannot be. @param align  a power of two, or 0 */
size_t co_check_bytes(size_t bytes, size_t align);

/* The most bytes that fit in a block of `bytes` bytes of the heap below. */
size_t co_check_room(size_t bytes);

/* Make a block in memory from the heap below, and fill it. */
void *co_check_enter(struct co_check_heap *h, void *raw, const struct co_check_block *about,
		     size_t align);

/* The bytes that were asked for. @param p  a taken block */
size_t co_check_size(const void *p);

/*
 * Find and check the header of p, a taken block. Returns NULL if it is no taken block; *f says why.
 */
struct co_check_block *co_check_find(struct co_check_heap *h, void *p, struct co_check_finding *f);

/* Free p, as co_check_find() sees it: it is kept. Returns its header, or NULL. */
struct co_check_block *co_check_free(struct co_check_heap *h, void *p, uintptr_t line,
				     struct co_check_finding *f);

/*
 * Take out the oldest kept block, if there are more than CO_CHECK_KEPT, or any with `all`.
 * @param raw  the memory that the heap below gets back; NULL: the block is damaged and never used
 * again
 * @return false: no block was taken out
 */
bool co_check_evict(struct co_check_heap *h, bool all, void **raw, struct co_check_finding *f);

/* Check the kept blocks, as far as the first finding. */
void co_check_kept(struct co_check_heap *h, struct co_check_finding *f);

/* Forget kept blocks that have memory in [low, high), which the heap below hands out. */
void co_check_forget(struct co_check_heap *h, uintptr_t low, uintptr_t high);

/* The first finding stays. */
void co_check_note(struct co_check_finding *f, enum co_check_what what,
		   const struct co_check_block *b, const void *at);

/* Any taken block of an owner, or NULL. */
void *co_check_owned(const struct co_check_heap *h, uintptr_t owner);

/* The owner of the taken block that holds the address, or 0. */
uintptr_t co_check_owner(const struct co_check_heap *h, uintptr_t at);

/* Check all blocks, taken and kept, as far as the first finding. False: nothing is wrong. */
bool co_check_all(struct co_check_heap *h, struct co_check_finding *f);

/*
 * The line of the program that called: `ra` if that is the program's, else the place of its call
 * that led to the frame.
 */
uintptr_t co_check_line(void *ra, void *frame);
#define CO_CHECK_LINE co_check_line(__builtin_return_address(0), __builtin_frame_address(0))

/* End the coroutine if there is a finding. @param who  the call that found it */
void co_check_report(const char *who, const struct co_check_finding *f);

/* Print the findings about a heap. Context: hart 0, at the end of the run. */
void co_check_end(struct co_check_heap *h, const char *what);

#endif
#endif
