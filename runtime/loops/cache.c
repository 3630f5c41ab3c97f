/*
 * cache.c - see cohart/cache.h.
 *
 * Way w of all sets is a row of entries, and a set's entries are in the order of their use: so the
 * first row answers alone, without a search. A line that is fetched goes to the spare place, while
 * the line that it drives out is written back from its own place, which is the spare one then.
 */
#include <cohart/cache.h>
#include <cohart/detail/cleanup.h>

#include "../core/core.h"
#include "../dma/dma.h"

/* Marks an empty entry: no line begins there, since nothing is mapped in the last page. */
#define NOWHERE (~(uintptr_t)0 - CO_CACHE_LINE_MAX)

struct co_cache {
	size_t line;
	unsigned sets, ways;
	unsigned line_shift;
	unsigned hart;
	bool busy;
	int error;
	unsigned char *spare;
	struct co_dma in, out;
	bool in_part;              /* it lies in the window's part for caches of loops */
	struct co_cleanup cleanup; /* if it does */
	bool writing;              /* `out` is under way, from the spare place */
	struct co_cache_counts counts;
	struct co_cache_entry entry[]; /* ways x sets */
};

#define ENTRY_SHIFT (sizeof(struct co_cache_entry) == 32 ? 5u : 4u)
_Static_assert(sizeof(struct co_cache_entry) == (size_t)1 << ENTRY_SHIFT, "found by a shift");
_Static_assert(sizeof(struct co_cache_entry) <= CO_CACHE_LINE_MIN, "shifts are not negative");

static bool power_of_two(size_t n)
{
	return n && !(n & (n - 1));
}

static size_t header_bytes(const struct co_cache_shape *s)
{
	return co_round_up(sizeof(struct co_cache) +
				   (size_t)s->sets * s->ways * sizeof(struct co_cache_entry),
			   CO_LINE);
}

size_t co_cache_bytes(const struct co_cache_shape *s)
{
	size_t lines;

	if (!power_of_two(s->line) || s->line < CO_CACHE_LINE_MIN || s->line > CO_CACHE_LINE_MAX ||
	    !power_of_two(s->sets) || s->ways < 1 || s->ways > CO_CACHE_WAYS_MAX)
		return 0;
	if (s->sets > BOARD_SPM_BYTES / CO_CACHE_LINE_MIN) /* more than any window has */
		return SIZE_MAX / 2;
	lines = (size_t)s->sets * s->ways + 1; /* one more, the spare place */
	return header_bytes(s) + lines * s->line;
}

static struct co_cache_entry *entry_of(struct co_cache *c, unsigned set, unsigned way)
{
	return &c->entry[way * c->sets + set];
}

static void forget_all(struct co_cache *c)
{
	for (unsigned i = 0; i < c->sets * c->ways; i++)
		c->entry[i].line = c->entry[i].written = NOWHERE;
}

/* Make it in memory that has room for it. */
static struct co_cache *make_cache(void *at, const struct co_cache_shape *shape)
{
	struct co_cache *c = at;
	unsigned char *data = (unsigned char *)at + header_bytes(shape);

	memset(c, 0, sizeof(*c));
	c->line = shape->line;
	c->line_shift = co_bit_number(shape->line);
	c->sets = shape->sets;
	c->ways = shape->ways;
	c->hart = co_executor.hart;
	for (unsigned i = 0; i < c->sets * c->ways; i++)
		c->entry[i].data = data + i * c->line;
	c->spare = data + (size_t)c->sets * c->ways * c->line;
	forget_all(c);
	return c;
}

int co_cache_open(struct co_cache **cache, const struct co_cache_shape *shape)
{
	size_t bytes = co_cache_bytes(shape);
	void *at;

	if (!bytes)
		return -EINVAL;
	at = co_spm_alloc(bytes, CO_LINE);
	if (!at)
		return -ENOMEM;
	*cache = make_cache(at, shape);
	return 0;
}

/* ---- Caches of loops ---- */

/* This hart's part for them is taken. */
static _Thread_local bool part_taken;

/* The coroutine that has it open ends early: its transfers end, then the part is free. */
static void leave_part(struct co_cleanup *cleanup, struct co *of, enum co_cleanup_why why)
{
	struct co_cache *c = co_container_of(cleanup, struct co_cache, cleanup);

	(void)of;
	if (why != CO_CLEANUP_FAULT)
		return; /* nobody opens another there */
	co_counter_wait_shielded(&c->in.own);
	co_counter_wait_shielded(&c->out.own);
	part_taken = false;
}

int co_cache_open_for_loop(struct co_cache **cache, const struct co_cache_shape *shape)
{
	size_t bytes = co_cache_bytes(shape);

	if (!bytes || part_taken || bytes > CO_SPM_CACHES_BYTES(co_executor.self))
		return co_cache_open(cache, shape);
	part_taken = true;
	*cache = make_cache((unsigned char *)co_executor.self + co_executor.self->caches_at, shape);
	(*cache)->in_part = true;
	co_cleanup_add(&(*cache)->cleanup, leave_part);
	return 0;
}

size_t co_cache_bytes_for_loop(const struct co_cache_shape *shape, unsigned hart)
{
	size_t bytes = co_cache_bytes(shape);

	return bytes > CO_SPM_CACHES_BYTES(co_hart_at(hart)) ? bytes : 0;
}

struct co_cache_view co_cache_view(struct co_cache *c)
{
	return (struct co_cache_view){
		.entries = (unsigned char *)c->entry,
		.mask = (uintptr_t)(c->sets - 1) << ENTRY_SHIFT,
		.shift = c->line_shift - ENTRY_SHIFT,
		.line = c->line,
		.cache = c,
	};
}

void co_cache_counts(const struct co_cache *c, struct co_cache_counts *counts)
{
	*counts = c->counts;
}

void co_cache_made(struct co_cache *c, size_t accesses)
{
	c->counts.accesses += accesses;
}

/* ---- Lines ---- */

/* Only the cache's own coroutine accesses it, since transfers wait. */
static void enter(struct co_cache *c)
{
	CO_ASSERT_THAT(c->hart == co_executor.hart,
		       "a cache is used on the hart that has opened it");
	CO_ASSERT_THAT(!c->busy, "a cache is used by one coroutine at a time");
	c->busy = true;
}

/* A cancel must not end it, since the line's place is reused. */
static void finish_copy(struct co_cache *c, struct co_dma *d)
{
	int r = co_dma_finish(d);

	if (r && !c->error)
		c->error = r;
}

static void finish_writing(struct co_cache *c)
{
	if (c->writing)
		finish_copy(c, &c->out);
	c->writing = false;
}

static void write_back(struct co_cache *c, struct co_cache_entry *e)
{
	c->out = (struct co_dma){ .to = (void *)e->written, .from = e->data, .bytes = c->line };
	co_dma_begin(&c->out);
	c->writing = true;
	e->written = NOWHERE;
	c->counts.written_back++;
}

/* Bring in a line in place of *e, the last of its set. */
static void replace(struct co_cache *c, struct co_cache_entry *e, uintptr_t line)
{
	CO_ASSERT_THAT(co_dma_usable(line, c->line, false),
		       "what is read through a cache is in memory that the caller may read");
	finish_writing(c);
	c->in = (struct co_dma){ .to = c->spare, .from = (const void *)line, .bytes = c->line };
	co_dma_begin(&c->in);
	c->spare = e->data;
	if (e->written != NOWHERE)
		write_back(c, e);
	finish_copy(c, &c->in);
	e->line = line;
	e->data = c->in.to;
	c->counts.misses++;
}

/* The entry of a line; makes it the first of its set. */
static struct co_cache_entry *find_line(struct co_cache *c, uintptr_t line, bool store)
{
	unsigned set = (unsigned)(line >> c->line_shift) & (c->sets - 1);
	struct co_cache_entry *first = entry_of(c, set, 0);
	struct co_cache_entry e;
	unsigned way = 0;

	while (way < c->ways - 1 && entry_of(c, set, way)->line != line)
		way++;
	if (entry_of(c, set, way)->line != line)
		replace(c, entry_of(c, set, way), line);
	else if (way)
		c->counts.searches++;
	e = *entry_of(c, set, way);
	for (; way; way--)
		*entry_of(c, set, way) = *entry_of(c, set, way - 1);
	if (store && e.written == NOWHERE) {
		CO_ASSERT_THAT(
			co_dma_usable(line, c->line, true),
			"what is written through a cache is in memory that the caller may write");
		e.written = line;
		c->counts.first_writes++;
	}
	*first = e;
	return first;
}

/* ---- Accesses ---- */

/* Copy between memory at p, through the cache, and `mine`. */
static void copy_lines(struct co_cache *c, uintptr_t p, unsigned char *mine, size_t bytes,
		       bool store)
{
	enter(c);
	while (bytes) {
		size_t at = p & (c->line - 1);
		size_t n = co_least(c->line - at, bytes);
		unsigned char *place = find_line(c, p - at, store)->data + at;

		if (store)
			memcpy(place, mine, n);
		else
			memcpy(mine, place, n);
		p += n;
		mine += n;
		bytes -= n;
	}
	c->busy = false;
}

void co_cache_read(struct co_cache *cache, void *to, const void *from, size_t bytes)
{
	copy_lines(cache, (uintptr_t)from, to, bytes, false);
}

void co_cache_write(struct co_cache *cache, void *to, const void *from, size_t bytes)
{
	copy_lines(cache, (uintptr_t)to, (void *)from, bytes, true); /* it only reads `from` */
}

int co_cache_flush(struct co_cache *c)
{
	enter(c);
	for (unsigned i = 0; i < c->sets * c->ways; i++) {
		if (c->entry[i].written == NOWHERE)
			continue;
		finish_writing(c);
		write_back(c, &c->entry[i]);
	}
	finish_writing(c);
	c->busy = false;
	return c->error;
}

int co_cache_forget(struct co_cache *c)
{
	int r = co_cache_flush(c);

	forget_all(c);
	return r;
}

int co_cache_close(struct co_cache *c)
{
	int r = co_cache_flush(c);

	if (c->in_part) {
		(void)co_cleanup_remove(&c->cleanup);
		part_taken = false;
	} else {
		co_spm_free(c);
	}
	return r;
}
