/*
 * machine.c - see machine.h; docs/locality.md says what is modelled and what is not.
 *
 * A hart's clock goes on by one cycle for each instruction, or by what an access costs. Memory
 * keeps the time of the last write of each word: its reader cannot be earlier than that, and the
 * way it takes. A hart that wakes cannot be earlier than the last word that another hart has
 * written to its scratchpad.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "data.h"
#include "section.h"
#include "transfer.h"

#define NOBODY 0x3ffu
#define PAGE 4096u
#define AHEAD 64 /* cycles that a hart may be ahead of the slowest that is awake */

struct hart {
	uint64_t clock; /* at the start of the block, and what its accesses have cost since */
	unsigned block; /* instructions in it */
	unsigned index; /* place among the windows: its number in the image */
	unsigned leader;
	bool known; /* has reported its window */
	bool sleeps;
	bool awake;           /* or rung: about to be */
	struct hart *touched; /* whose window it has accessed last, but its own */
	struct hart *rung;    /* what it has rung, until its next block */
	uint64_t doorbell;    /* when the last word that another wrote to its window was there */
	uint64_t limit;       /* runs until then before it looks how far the others are */
	bool expects_address; /* a mark's address is to come: */
	enum hal_mark_code mark;
	uint64_t mark_clock, mark_insns; /* when its hint began, which may be in an earlier block */
	uint64_t digits;
	uint32_t number;
	struct sections sections;
	struct transfers transfers;
	struct recent recent;
	struct cache cache;
	bool engine;       /* what it executes is an engine's work: no time, no instructions */
	unsigned passed;   /* of this block, in the engine's place */
	uint64_t arriving; /* when the transfer that the engine works on ends */
	uint64_t page;     /* its number, from the last mark */
	uint32_t *own;     /* as page_at, of pages that this hart alone has mapped so: */
	uint64_t own_first, own_pages;
	uint64_t accessed; /* the address of the access, as an offset in memory */
	uint64_t counts[COUNTS];
};

/* The number of the page that lies at each page's address; 0: that page itself. */
static uint32_t *page_at;
/* 10 bits of who wrote a word last, 54 of when that can be seen where it lies. */
static uint64_t *words;
/* Of each line of main memory: the harts that have had it since its last write, and the writer. */
static uint64_t (*copies)[MAX_HARTS / 64];
static uint16_t *line_writer;

static uint64_t windows, windows_end;
static struct hart harts[MAX_HARTS];
static struct hart *by_index[MAX_HARTS];
static struct hart *slowest;
static uint64_t slowest_clock;

struct machine_setup setup;

bool machine_init(void)
{
	uint64_t lines = setup.ram_bytes / setup.profile.line;

	words = calloc(setup.ram_bytes / 8, sizeof(*words));
	page_at = calloc(setup.ram_bytes / PAGE, sizeof(*page_at));
	copies = calloc(lines, sizeof(*copies));
	line_writer = calloc(lines, sizeof(*line_writer));
	for (unsigned i = 0; i < MAX_HARTS; i++)
		harts[i] = (struct hart){ .index = i, .sleeps = true };
	return words && page_at && copies && line_writer &&
	       data_init(setup.ram_bytes / MEMORY_LINE);
}

struct hart *machine_hart(unsigned vcpu)
{
	return &harts[vcpu];
}

static uint64_t now(const struct hart *h, unsigned i)
{
	return h->clock + i;
}

/* The hart cannot be earlier than that. */
static void join(struct hart *h, unsigned i, uint64_t time, uint64_t *counts)
{
	uint64_t t = now(h, i);

	if (t >= time)
		return;
	h->clock += time - t;
	h->counts[COUNT_WAITED] += time - t;
	if (counts) {
		counts[COUNT_WAITED] += time - t;
		counts[COUNT_CYCLES] += time - t;
	}
}

static enum who who(const struct hart *h)
{
	return h->known && h->leader == h->index ? WHO_MANAGE : WHO_COMPUTE;
}

/* Whose window it is; NULL: nobody's, or not reported yet. */
static struct hart *owner_of(uint64_t address)
{
	if (address < windows || address >= windows_end)
		return NULL;
	return by_index[(address - windows) / setup.window_bytes];
}

static enum place place_of(const struct hart *h, const struct hart *owner, uint64_t address)
{
	if (address < windows || address >= windows_end)
		return PLACE_MAIN;
	if (h == owner)
		return PLACE_OWN;
	/* Before a hart has reported its window, hart 0 has work there. */
	if (!owner)
		return PLACE_FAR;
	if (who(owner) == WHO_MANAGE)
		return PLACE_BOSS;
	return owner->leader == h->leader ? PLACE_NEAR : PLACE_FAR;
}

static unsigned distance(unsigned a, unsigned b)
{
	return a > b ? a - b : b - a;
}

/* Cycles of the way from one hart to another, one way. */
static uint32_t way(const struct hart *h, const struct hart *to)
{
	const struct profile *p = &setup.profile;

	if (!to || h == to || !p->grid)
		return 0;
	return p->hop * (distance(h->index % p->grid, to->index % p->grid) +
			 distance(h->index / p->grid, to->index / p->grid));
}

/* The clock of the slowest of the others that are awake. Looked for anew when it has gone on. */
static uint64_t least_of_others(const struct hart *h)
{
	uint64_t least = UINT64_MAX;

	if (slowest && slowest != h && slowest->awake && slowest->clock == slowest_clock)
		return slowest_clock;
	for (unsigned i = 0; i < setup.harts; i++) {
		if (!harts[i].awake || &harts[i] == h || harts[i].clock >= least)
			continue;
		slowest = &harts[i];
		least = slowest_clock = slowest->clock;
	}
	return least;
}

/*
 * A hart that is rung counts as awake at once, though QEMU runs others before it: these would else
 * be far ahead when it reads what they have written. Which one a device rings is not known: it is
 * that whose window was accessed last. QEMU has run it when the hart that rang runs again.
 */
static void ring_sleeper(struct hart *h)
{
	struct hart *to = h->touched;

	if (!to || !to->sleeps)
		return;
	to->awake = true;
	h->rung = to;
	slowest = NULL; /* it may be that one */
}

static void rung_has_run(struct hart *h)
{
	if (h->rung && h->rung->sleeps)
		h->rung->awake = false; /* it was not that one, or it sleeps again */
	h->rung = NULL;
}

bool machine_block(struct hart *h, unsigned n)
{
	h->clock += h->block;
	h->block = h->engine ? 0 : n;
	h->passed = n;
	if (h->engine)
		return false;
	h->counts[COUNT_INSNS] += n;
	rung_has_run(h);
	if (h->sleeps) {
		h->sleeps = false;
		h->awake = true;
		h->limit = 0;
		join(h, 0, h->doorbell, NULL);
		slowest = NULL; /* it may be this one */
	}
	if (h->clock > h->limit) {
		uint64_t least = least_of_others(h);

		h->limit = (least < h->clock ? least : h->clock) + AHEAD;
	}
	return h->clock > h->limit;
}

unsigned machine_cut(struct hart *h, unsigned n)
{
	unsigned less = h->block - n;

	h->passed = n;
	if (h->engine)
		return 0;
	h->block = n;
	h->counts[COUNT_INSNS] -= less;
	return less;
}

void machine_sleep(struct hart *h)
{
	h->sleeps = true;
	h->awake = false;
}

void machine_zero_line(struct hart *h)
{
	h->counts[COUNT_ZEROED]++;
}

static bool has_copy(const struct hart *h, uint64_t line)
{
	return copies[line][h->index / 64] >> h->index % 64 & 1;
}

static void set_copy(const struct hart *h, uint64_t line)
{
	copies[line][h->index / 64] |= (uint64_t)1 << h->index % 64;
}

/*
 * Main memory, and coherent caches where the profile has them: a line is fetched when it is read
 * first, again when another hart has written it, and when others have taken its place.
 * @return what the access costs
 */
static uint64_t main_access(struct hart *h, unsigned i, uint64_t offset, enum kind kind,
			    uint64_t *counts)
{
	uint64_t line = offset / setup.profile.line;
	uint64_t cost = setup.profile.cost[who(h)][PLACE_MAIN].cycles[kind];
	bool has = has_copy(h, line);
	uint32_t hit = cache_access(&h->cache, setup.profile.cache[who(h)], line);
	bool cached = kind == KIND_LOAD && has && hit;
	uint64_t queued;

	if (kind != KIND_STORE && !has && line_writer[line] && line_writer[line] != h->index + 1) {
		h->counts[COUNT_FETCHED]++;
		counts[COUNT_FETCHED]++;
	}
	if (cached)
		cost = hit;
	if (kind != KIND_LOAD) {
		memset(copies[line], 0, sizeof(copies[line]));
		line_writer[line] = (uint16_t)(h->index + 1);
	}
	set_copy(h, line);
	if (!h->known || who(h) == WHO_MANAGE)
		return cost;
	data_access(&h->recent, h->accessed / MEMORY_LINE);
	if (cached)
		return cost;
	queued = transfer_access(h->leader, now(h, i));
	h->counts[COUNT_QUEUED] += queued;
	counts[COUNT_QUEUED] += queued;
	return cost + queued;
}

/* A word comes to a window. */
static void ring(struct hart *owner, const struct hart *h, uint64_t seen)
{
	if (owner && owner != h && owner->doorbell < seen)
		owner->doorbell = seen;
}

/* What an atomic does is seen when it is answered; a posted one waits for its word's turn there. */
static void wrote(struct hart *h, unsigned i, uint64_t word, struct hart *owner,
		  const struct cost *cost, enum access access)
{
	uint64_t seen = now(h, i);

	if (access != ACCESS_ATOMIC)
		seen += cost->deliver + way(h, owner);
	if (access == ACCESS_POSTED)
		seen += transfer_atomic(word, seen, cost->busy);
	words[word] = seen << 10 | h->index;
	ring(owner, h, seen);
}

/* Every instruction costs a cycle: what an access costs beyond it. */
static void charge(struct hart *h, uint64_t cycles, uint64_t *counts)
{
	uint64_t more = cycles ? cycles - 1 : 0;

	h->clock += more;
	counts[COUNT_CYCLES] += more;
}

static void take_mark(struct hart *h, unsigned i, uint64_t address);

/* The address of the memory that the hart has mapped at an address. */
static uint64_t memory_at(struct hart *h, uint64_t address)
{
	uint64_t offset = address - setup.ram, page = offset / PAGE;
	uint32_t at;

	h->accessed = offset;
	if (offset >= setup.ram_bytes)
		return address;
	at = page - h->own_first < h->own_pages ? h->own[page - h->own_first] : page_at[page];
	return at ? setup.ram + at * (uint64_t)PAGE + offset % PAGE : address;
}

/* An engine's access: what it writes is there when the transfer has ended. */
static void engine_access(struct hart *h, uint64_t address, bool store)
{
	uint64_t offset = address - setup.ram;
	struct hart *owner = owner_of(address);

	if (offset >= setup.ram_bytes || !store)
		return;
	words[offset / 8] = h->arriving << 10 | h->index;
	ring(owner, h, h->arriving);
	if (owner)
		return;
	memset(copies[offset / setup.profile.line], 0, sizeof(*copies));
	line_writer[offset / setup.profile.line] = (uint16_t)(h->index + 1);
}

bool machine_engine(const struct hart *h)
{
	return h->engine;
}

void machine_ring(struct hart *h, uint64_t *counts)
{
	h->counts[COUNT_DEVICE]++;
	counts[COUNT_DEVICE]++;
	charge(h, setup.profile.device, counts);
	ring_sleeper(h);
}

/* What a load, a store or an atomic costs the hart. */
static uint64_t price(struct hart *h, unsigned i, uint64_t offset, struct hart *owner,
		      enum place place, enum kind kind, uint64_t *counts)
{
	const struct cost *cost = &setup.profile.cost[who(h)][place];
	uint64_t cycles = place == PLACE_MAIN ? main_access(h, i, offset, kind, counts)
					      : cost->cycles[kind];
	uint64_t queued;

	if (kind != KIND_STORE)
		cycles += 2 * way(h, owner);
	if (kind != KIND_ATOMIC)
		return cycles;
	queued = transfer_atomic(offset / 8, now(h, i) + cycles / 2, cost->busy);
	h->counts[COUNT_QUEUED] += queued;
	counts[COUNT_QUEUED] += queued;
	return cycles + queued;
}

bool machine_access(struct hart *h, unsigned i, uint64_t address, bool store, enum access access,
		    uint64_t *counts)
{
	uint64_t offset;
	enum kind kind = access == ACCESS_ATOMIC ? KIND_ATOMIC : store ? KIND_STORE : KIND_LOAD;
	struct hart *owner;
	enum place place;
	uint64_t word;

	if (h->expects_address) {
		take_mark(h, i, address);
		return false;
	}
	address = memory_at(h, address);
	offset = address - setup.ram;
	if (h->engine) {
		engine_access(h, address, store);
		return false;
	}
	if (offset >= setup.ram_bytes) {
		machine_ring(h, counts);
		return true;
	}
	owner = owner_of(address);
	if (owner && owner != h)
		h->touched = owner;
	place = place_of(h, owner, address);
	word = offset / 8;
	/* The store of an atomic is a part of it: counted and paid with its load. */
	if (kind != KIND_ATOMIC || !store) {
		h->counts[COUNT_ACCESS + place * KINDS + kind]++;
		counts[COUNT_ACCESS + place * KINDS + kind]++;
		charge(h, price(h, i, offset, owner, place, kind, counts), counts);
		if (kind != KIND_STORE && words[word] && (words[word] & NOBODY) != h->index)
			join(h, i, words[word] >> 10, counts);
	}
	if (store)
		wrote(h, i, word, owner, &setup.profile.cost[who(h)][place], access);
	return false;
}

/* Instructions that the hart has begun before the one at place i of its block. */
static uint64_t insns_before(const struct hart *h, unsigned i)
{
	return h->counts[COUNT_INSNS] - h->block + i;
}

static void take_window(struct hart *h, uint64_t address)
{
	h->index = (unsigned)((address - windows) / setup.window_bytes) % MAX_HARTS;
	by_index[h->index] = h;
	h->known = true;
}

/* A page of all harts' map or, by a hart that has reported its window, of its own: in sequence. */
static void map_page(struct hart *h, uint64_t address)
{
	uint32_t at = (uint32_t)((address - setup.ram) / PAGE);

	if (h->page >= setup.ram_bytes / PAGE)
		return;
	if (!h->known) {
		page_at[h->page] = at;
		return;
	}
	if (!h->own_pages)
		h->own_first = h->page;
	h->own = realloc(h->own, (h->own_pages + 1) * sizeof(*h->own));
	h->own[h->own_pages++] = at;
}

static void dma_start(struct hart *h, uint64_t handle, uint64_t clock)
{
	h->counts[COUNT_MOVED] += (h->transfers.rows ? h->transfers.rows : 1) * h->number;
	h->arriving = transfer_start(&h->transfers, h->leader, clock, handle, h->number,
				     &h->counts[COUNT_MOVING]);
}

static void dma_wait(struct hart *h, unsigned i, uint64_t handle)
{
	uint64_t before = h->clock;

	join(h, i, transfer_end(&h->transfers, handle), NULL);
	h->counts[COUNT_UNHID] += h->clock - before;
}

/* From the next instruction on, an engine's work is done by this hart's instructions. */
static void engine_begin(struct hart *h, unsigned i)
{
	h->counts[COUNT_INSNS] -= h->block - (i + 1);
	h->block = i + 1;
	h->engine = true;
}

/* From the next instruction on, it works again, no later than when the engine began. */
static void engine_end(struct hart *h, unsigned i)
{
	if (!h->engine)
		return;
	h->engine = false;
	h->clock = h->clock + h->block - (i + 1);
	h->block = h->passed;
	h->counts[COUNT_INSNS] += h->passed - (i + 1);
}

static void take_mark(struct hart *h, unsigned i, uint64_t address)
{
	uint64_t counts[COUNTS];

	h->expects_address = false;
	memcpy(counts, h->counts, sizeof(counts));
	counts[COUNT_INSNS] = h->mark_insns;
	counts[COUNT_CYCLES] = h->mark_clock;
	switch (h->mark) {
	case HAL_MARK_WINDOWS:
		windows = address;
		break;
	case HAL_MARK_WINDOWS_END:
		windows_end = address;
		break;
	case HAL_MARK_HART:
		take_window(h, address);
		break;
	case HAL_MARK_LEADER:
		h->leader = (unsigned)((address - windows) / setup.window_bytes);
		break;
	case HAL_MARK_NUMBER:
		h->digits = address;
		h->number = 0;
		break;
	case HAL_MARK_DIGIT:
		h->number = h->number * 16 + (uint32_t)(address - h->digits);
		break;
	case HAL_MARK_BEGIN:
		section_begin(&h->sections, address, counts);
		break;
	case HAL_MARK_END:
		section_end(&h->sections, address, h->number, counts);
		break;
	case HAL_MARK_DMA_START:
		dma_start(h, address, counts[COUNT_CYCLES]);
		break;
	case HAL_MARK_DMA_ROWS:
		h->transfers.rows = h->number;
		break;
	case HAL_MARK_PORT:
		h->transfers.port = h->number + 1;
		break;
	case HAL_MARK_DMA_MOVE:
		engine_begin(h, i);
		break;
	case HAL_MARK_DMA_MOVED:
		engine_end(h, i);
		break;
	case HAL_MARK_PAGE:
		h->page = (address - setup.ram) / PAGE;
		break;
	case HAL_MARK_PAGE_AT:
		map_page(h, address);
		break;
	case HAL_MARK_DMA_WAIT:
		dma_wait(h, i, address);
		break;
	default:
		break;
	}
}

void machine_mark(struct hart *h, unsigned i, enum hal_mark_code code)
{
	h->expects_address = true;
	h->mark = code;
	h->mark_clock = now(h, i);
	h->mark_insns = insns_before(h, i);
}

unsigned machine_section(const struct hart *h)
{
	return h->sections.depth ? h->sections.open[h->sections.depth - 1].number : 0;
}

void machine_write(FILE *f)
{
	for (unsigned i = 0; i < setup.harts; i++) {
		struct hart *h = by_index[i];
		uint64_t counts[COUNTS];

		if (!h)
			continue;
		memcpy(counts, h->counts, sizeof(counts));
		counts[COUNT_CYCLES] = now(h, h->block);
		fprintf(f, "hart %u %s", i, who(h) == WHO_MANAGE ? "manage" : "compute");
		for (unsigned c = 0; c < COUNTS; c++)
			fprintf(f, " %llu", (unsigned long long)counts[c]);
		fprintf(f, "\n");
		sections_write(f, i, &h->sections);
	}
	data_write(f, setup.ram);
}
