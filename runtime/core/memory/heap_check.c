/* heap_check.c - see heap_check.h. */
#include "heap_check.h"

#ifdef CO_DEBUG

#include "../core.h"
#include "image.h"
#include "place.h"

#define UNIT ((size_t)16)
#define ZONE_BYTES UNIT
#define ZONE 0xeb
#define BEFORE (sizeof(struct co_check_block) + ZONE_BYTES)
#define REPORTS_AT_END 10

_Static_assert(sizeof(struct co_check_block) % UNIT == 0, "blocks keep the alignment");

/* The first word of a seal, by the block's state. */
enum { TAKEN = 0x7a4b0001, FREED = 0x3c590002 };

static uintptr_t seal_of(const struct co_check_block *b, uintptr_t state)
{
	const uintptr_t field[] = { (uintptr_t)b, (uintptr_t)b->raw, b->bytes,
				    b->taken_at,  b->freed_at,       b->owner };

	for (unsigned i = 0; i < sizeof(field) / sizeof(*field); i++)
		state = state * 33 + field[i];
	return state;
}

static bool is(const struct co_check_block *b, uintptr_t state)
{
	return b->seal == seal_of(b, state);
}

static unsigned char *memory_of(const struct co_check_block *b)
{
	return (unsigned char *)(uintptr_t)b + BEFORE;
}

static struct co_check_block *block_at(const void *p)
{
	return (struct co_check_block *)((uintptr_t)p - BEFORE);
}

size_t co_check_size(const void *p)
{
	return block_at(p)->bytes;
}

static size_t tail_bytes(const struct co_check_block *b)
{
	return -b->bytes % UNIT + ZONE_BYTES;
}

/* Can a block's memory begin there? Then its header can be read. */
static bool can_be(const struct co_check_heap *h, const void *p)
{
	return (uintptr_t)p % UNIT == 0 &&
	       co_range_holds(h->low + BEFORE, h->high, (uintptr_t)p, 0);
}

/* A link, or NULL if it is damaged. */
static struct co_check_block *link_of(const struct co_check_heap *h, struct co_check_block *b)
{
	return b && can_be(h, memory_of(b)) ? b : NULL;
}

/* The next block in the list; NULL behind the last, or if a link is damaged. */
static struct co_check_block *after(const struct co_check_heap *h, const struct co_check_block *b)
{
	struct co_check_block *next = link_of(h, b->next);

	return next && next->prev == b ? next : NULL;
}

/* Take b out of the list, if it is behind `before`. */
static void unlink(struct co_check_heap *h, struct co_check_block *before, struct co_check_block *b)
{
	struct co_check_block *next = after(h, b);

	if (next)
		next->prev = before;
	if (h->first == b)
		h->first = next;
	else if (before && before->next == b)
		before->next = next;
}

size_t co_check_bytes(size_t bytes, size_t align)
{
	size_t more = BEFORE + UNIT - 1 + ZONE_BYTES + (align > UNIT ? align - UNIT : 0);

	if (align > PTRDIFF_MAX || bytes > PTRDIFF_MAX || more + bytes > PTRDIFF_MAX)
		return SIZE_MAX;
	return (bytes + more) / UNIT * UNIT;
}

size_t co_check_room(size_t bytes)
{
	const size_t least = co_check_bytes(0, 0);

	return bytes > least ? (bytes - least) / UNIT * UNIT : 0;
}

static void fill_zones(struct co_check_block *b)
{
	memset(memory_of(b) - ZONE_BYTES, ZONE, ZONE_BYTES);
	memset(memory_of(b) + b->bytes, ZONE, tail_bytes(b));
}

void *co_check_enter(struct co_check_heap *h, void *raw, const struct co_check_block *about,
		     size_t align)
{
	uintptr_t at = (uintptr_t)raw + BEFORE;
	struct co_check_block *b = block_at((void *)(at + -at % (align > UNIT ? align : UNIT)));

	*b = *about;
	b->raw = raw;
	b->next = h->first;
	b->prev = NULL;
	b->seal = seal_of(b, TAKEN);
	if (h->first)
		h->first->prev = b;
	h->first = b;
	fill_zones(b);
	return memset(memory_of(b), CO_CHECK_FRESH, b->bytes);
}

void co_check_note(struct co_check_finding *f, enum co_check_what what,
		   const struct co_check_block *b, const void *at)
{
	if (!f->what)
		*f = (struct co_check_finding){ what, b, (uintptr_t)at };
}

/* The first byte that is not as filled, or NULL. */
static const unsigned char *written(const unsigned char *p, size_t bytes, unsigned char fill)
{
	for (size_t i = 0; i < bytes; i++) {
		if (p[i] != fill)
			return p + i;
	}
	return NULL;
}

/* Check a block whose seal is right, and mend it. */
static void check_zones(struct co_check_block *b, struct co_check_finding *f)
{
	unsigned char *p = memory_of(b);
	const unsigned char *at = written(p + b->bytes, tail_bytes(b), ZONE);

	if (at)
		co_check_note(f, CO_CHECK_PAST, b, at);
	for (size_t i = 1; i <= ZONE_BYTES && !f->what; i++) {
		if (p[-(ptrdiff_t)i] != ZONE)
			co_check_note(f, CO_CHECK_BEFORE, b, p - i);
	}
	fill_zones(b);
}

/* Check the zones, and the bytes, of a block that is kept after its free. */
static void check_kept(struct co_check_block *b, struct co_check_finding *f)
{
	const unsigned char *at;

	if (!is(b, FREED)) {
		co_check_note(f, CO_CHECK_HEADER, b, NULL);
		return;
	}
	at = written(memory_of(b), b->bytes, CO_CHECK_FREED)
		     ?: written(memory_of(b) + b->bytes, tail_bytes(b), ZONE)
		     ?: written(memory_of(b) - ZONE_BYTES, ZONE_BYTES, ZONE);
	if (at)
		co_check_note(f, CO_CHECK_AFTER, b, at);
	memset(memory_of(b), CO_CHECK_FREED, b->bytes);
	fill_zones(b);
}

/*
 * p has no header of a taken block: note whether the header is damaged, p lies inside of a block,
 * or p is wild.
 */
static void explain(struct co_check_heap *h, const void *p, struct co_check_finding *f)
{
	struct co_check_block *before = NULL, *b = h->first;

	for (; b && !f->what; before = b, b = link_of(h, b->next)) {
		if (memory_of(b) == p) {
			co_check_note(f, CO_CHECK_HEADER, b, NULL);
			unlink(h, before, b);
		} else if (b->prev != before) {
			break;
		} else if (is(b, TAKEN) && (uintptr_t)p - (uintptr_t)memory_of(b) < b->bytes) {
			co_check_note(f, CO_CHECK_INSIDE, b, p);
		}
	}
	co_check_note(f, CO_CHECK_WILD, NULL, p);
}

struct co_check_block *co_check_find(struct co_check_heap *h, void *p, struct co_check_finding *f)
{
	struct co_check_block *b = block_at(p);

	if (can_be(h, p) && is(b, TAKEN)) {
		check_zones(b, f);
		return b;
	}
	if (can_be(h, p) && is(b, FREED))
		co_check_note(f, CO_CHECK_TWICE, b, p);
	else
		explain(h, p, f);
	return NULL;
}

struct co_check_block *co_check_free(struct co_check_heap *h, void *p, uintptr_t line,
				     struct co_check_finding *f)
{
	struct co_check_block *b = co_check_find(h, p, f);

	if (!b)
		return NULL;
	unlink(h, link_of(h, b->prev), b);
	b->freed_at = line;
	b->seal = seal_of(b, FREED);
	memset(p, CO_CHECK_FREED, b->bytes);
	h->kept[h->count++] = b;
	return b;
}

static void drop_record(struct co_check_heap *h, unsigned i)
{
	h->count--;
	memmove(h->kept + i, h->kept + i + 1, (h->count - i) * sizeof(*h->kept));
}

bool co_check_evict(struct co_check_heap *h, bool all, void **raw, struct co_check_finding *f)
{
	struct co_check_finding mine = { 0 };
	struct co_check_block *b = h->kept[0];

	if (h->count <= (all ? 0 : CO_CHECK_KEPT))
		return false;
	drop_record(h, 0);
	check_kept(b, &mine);
	*raw = mine.what ? NULL : b->raw;
	co_check_note(f, mine.what, mine.block, (void *)mine.at);
	return true;
}

void co_check_kept(struct co_check_heap *h, struct co_check_finding *f)
{
	for (unsigned i = 0; i < h->count && !f->what; i++) {
		check_kept(h->kept[i], f);
		if (f->what == CO_CHECK_HEADER)
			drop_record(h, i);
	}
}

void co_check_forget(struct co_check_heap *h, uintptr_t low, uintptr_t high)
{
	for (unsigned i = h->count; i--;) {
		const struct co_check_block *b = h->kept[i];

		if ((uintptr_t)b < high && low < (uintptr_t)memory_of(b) + b->bytes + tail_bytes(b))
			drop_record(h, i);
	}
}

void *co_check_owned(const struct co_check_heap *h, uintptr_t owner)
{
	for (const struct co_check_block *b = h->first; b; b = after(h, b)) {
		if (is(b, TAKEN) && b->owner == owner)
			return memory_of(b);
	}
	return NULL;
}

uintptr_t co_check_owner(const struct co_check_heap *h, uintptr_t at)
{
	for (const struct co_check_block *b = h->first; b; b = after(h, b)) {
		if (is(b, TAKEN) && at - (uintptr_t)memory_of(b) < b->bytes)
			return b->owner;
	}
	return 0;
}

bool co_check_all(struct co_check_heap *h, struct co_check_finding *f)
{
	struct co_check_block *before = NULL, *b = h->first;

	for (; b && !f->what; before = b, b = b->next) {
		if (is(b, TAKEN) && b->prev == before && (!b->next || link_of(h, b->next))) {
			check_zones(b, f);
		} else {
			co_check_note(f, CO_CHECK_HEADER, b, NULL);
			unlink(h, before, b); /* further ones may be out of the list */
		}
	}
	co_check_kept(h, f);
	return f->what;
}

uintptr_t co_check_line(void *ra, void *frame)
{
	const uintptr_t *call = NULL;
	struct co_stack_place p;

	if (!co_image_program((uintptr_t)ra - 1) && co_stack_find((uintptr_t)frame, &p))
		call = co_program_call(co_executor.current, (uintptr_t)frame, (uintptr_t)frame,
				       p.high);
	return call ? *call : (uintptr_t)ra;
}

/* Append the cause of a finding. */
static void add_cause(struct co_text *t, const struct co_check_finding *f)
{
	static const char *const text[] = {
		[CO_CHECK_TWICE] = "a block that is free already",
		[CO_CHECK_PAST] = "a block has been written past its end, at byte",
		[CO_CHECK_BEFORE] = "a block has been written before its beginning, at byte",
		[CO_CHECK_AFTER] = "a block has been written after it was freed, at byte",
		[CO_CHECK_HEADER] = "what lies before a block has been overwritten",
	};
	size_t before;

	if (f->what == CO_CHECK_CHAIN) {
		co_text_add(t, "the heap is damaged at 0x%lx", (unsigned long)f->at);
		return;
	}
	if (f->what == CO_CHECK_WILD || f->what == CO_CHECK_INSIDE) {
		co_text_add(t, "0x%lx is %s", (unsigned long)f->at,
			    f->block ? "inside of a block" : "no block of this heap");
		before = t->used;
		if (!f->block)
			co_text_place(t, f->at);
		if (f->at - co_machine.heap_base < co_machine.heap_end - co_machine.heap_base &&
		    t->used == before && !f->block)
			co_text_add(t, " (libc's heap)");
		return;
	}
	co_text_add(t, "%s", text[f->what]);
	if (f->at && f->what != CO_CHECK_TWICE)
		co_text_add(t, " %ld", (long)(f->at - (uintptr_t)memory_of(f->block)));
}

static void add_finding(struct co_text *t, const struct co_check_finding *f)
{
	const struct co_check_block *b = f->block;

	add_cause(t, f);
	if (!b)
		return;
	if (!is(b, TAKEN) && !is(b, FREED)) {
		co_text_add(t, "\n  it is at 0x%lx", (unsigned long)(uintptr_t)memory_of(b));
		return;
	}
	co_text_add(t, "\n  block of %lu bytes at 0x%lx, allocated at 0x%lx",
		    (unsigned long)b->bytes, (unsigned long)(uintptr_t)memory_of(b),
		    (unsigned long)b->taken_at - 1); /* in the call */
	if (b->freed_at)
		co_text_add(t, ", freed at 0x%lx", (unsigned long)b->freed_at - 1);
}

void co_check_report(const char *who, const struct co_check_finding *f)
{
	char buf[256] =
		""; /* all of it, for the backtrace: older calls have left their addresses */
	struct co_text t = { buf, sizeof(buf), 0 };

	if (!f->what)
		return;
	add_finding(&t, f);
	co_fail("%s: %s", who, buf);
}

void co_check_end(struct co_check_heap *h, const char *what)
{
	char buf[256];

	for (unsigned i = 0; i < REPORTS_AT_END; i++) {
		struct co_check_finding f = { 0 };
		struct co_text t = { buf, sizeof(buf), 0 };

		if (!co_check_all(h, &f))
			return;
		add_finding(&t, &f);
		co_report("cohart: at the end, in %s: %s", what, buf);
	}
}

#endif
