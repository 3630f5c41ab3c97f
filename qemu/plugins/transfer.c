/*
 * transfer.c - see transfer.h.
 *
 * What harts share has a calendar: time is cut into slots, and each has as many cycles to give away
 * as it is long. Harts come a little out of order (their clocks differ by what they may be ahead),
 * so a latecomer finds what is left in slots of the past. All calendars' slots are in one table,
 * found by a hash; where two meet, the older one is forgotten.
 */
#include "transfer.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

#define SLOT 64u         /* cycles */
#define SLOTS (1u << 20) /* of all calendars, that are remembered */
#define WAIT (1u << 16)  /* slots; a longer wait is cut to this */
/* Calendars: of groups' transfers, by their management hart; of groups' accesses; of ports; of
 * words. */
#define SINGLE ((uint64_t)MAX_HARTS)
#define PORTS (2 * SINGLE)
#define WORDS (3 * SINGLE)

struct slot {
	uint64_t calendar;
	uint32_t number; /* which of time's slots it is, so that it may be used again */
	uint32_t taken;
};

static struct slot *slots;

static struct slot *slot_of(uint64_t calendar, uint64_t number)
{
	uint64_t hash = (calendar * 0x9e3779b97f4a7c15u + number) * 0xff51afd7ed558ccdu;
	struct slot *s;

	if (!slots)
		slots = calloc(SLOTS, sizeof(*slots));
	s = &slots[hash >> 44];
	if (s->calendar != calendar || s->number != (uint32_t)number)
		*s = (struct slot){ .calendar = calendar, .number = (uint32_t)number };
	return s;
}

/* Take `cycles` of what is free from `now` on. Returns when the last of them has passed. */
static uint64_t take(uint64_t calendar, uint64_t now, uint64_t cycles)
{
	uint64_t n = now / SLOT;
	uint64_t end = now + cycles;

	for (uint64_t i = 0; cycles && i < WAIT; i++, n++) {
		struct slot *s = slot_of(calendar, n);
		uint64_t had = SLOT - s->taken < cycles ? SLOT - s->taken : cycles;

		s->taken += (uint32_t)had;
		cycles -= had;
		if (had && n * SLOT + s->taken > end)
			end = n * SLOT + s->taken;
	}
	return end;
}

/* Bytes that pass for a row: memory is read and written in whole lines. */
static uint64_t passing(uint64_t bytes)
{
	uint64_t line = setup.profile.dma_line;

	return line ? (bytes + line - 1) / line * line : bytes;
}

static void remember(struct transfers *t, uint64_t now, uint64_t handle, uint64_t end)
{
	unsigned free = TRANSFERS;

	for (unsigned i = 0; i < TRANSFERS; i++) {
		if (t->of[i].end && t->of[i].handle == handle) {
			if (t->of[i].end < end)
				t->of[i].end = end;
			return;
		}
		if (t->of[i].end <= now) /* nobody will be kept waiting by it */
			free = i;
	}
	if (free == TRANSFERS) {
		fprintf(stderr, "locality: a hart has more than %u transfers under way\n",
			TRANSFERS);
		exit(1);
	}
	t->of[free].handle = handle;
	t->of[free].end = end;
}

uint64_t transfer_start(struct transfers *t, unsigned group, uint64_t now, uint64_t handle,
			uint32_t bytes, uint64_t *busy)
{
	const struct profile *p = &setup.profile;
	uint64_t all = (t->rows ? t->rows : 1) * passing(bytes);
	uint64_t from = t->until > now ? t->until : now;
	uint64_t end;

	/* A port has a calendar of its own, where the profile knows ports. */
	if (t->port && p->port_kib)
		end = take(PORTS + t->port, now, all * p->port_kib / 1024) + p->port_start;
	else
		end = take(group, now, all * p->dma_kib / 1024) + p->dma_start;
	t->rows = t->port = 0;
	if (end > from) {
		*busy += end - from;
		t->until = end;
	}
	remember(t, now, handle, end);
	return end;
}

uint64_t transfer_end(struct transfers *t, uint64_t handle)
{
	for (unsigned i = 0; i < TRANSFERS; i++) {
		uint64_t end = t->of[i].end;

		if (!end || t->of[i].handle != handle)
			continue;
		t->of[i].end = 0;
		return end;
	}
	return 0;
}

uint64_t transfer_access(unsigned group, uint64_t now)
{
	uint32_t gap = setup.profile.main_gap;

	return gap ? take(SINGLE + group, now, gap) - now - gap : 0;
}

uint64_t transfer_atomic(uint64_t word, uint64_t now, uint32_t busy)
{
	return take(WORDS + word, now, busy) - now - busy;
}
