/*
 * transfer.c - see transfer.h.
 *
 * What harts share has a calendar: time is cut into slots, and each has as many cycles to give away
 * as it is long. Harts come a little out of order (their clocks differ by what they may be ahead),
 * so who comes late finds what is left in slots of the past.
 */
#include "transfer.h"

#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

#define SLOT 64u         /* cycles */
#define SLOTS (1u << 16) /* that are remembered; who would wait longer waits so long */
#define GROUPS MAX_HARTS /* by their management hart */

struct slot {
	uint32_t number; /* which of time's slots it is, so that it may be used again */
	uint32_t taken;
};

/* Of each group, made when it is used first: one for transfers, one for single accesses. */
static struct slot *channel[GROUPS], *access_[GROUPS];

/* Take `cycles` of what is free from `now` on. Returns when the last of them has passed. */
static uint64_t take(struct slot **calendar, uint64_t now, uint64_t cycles)
{
	uint64_t n = now / SLOT;
	uint64_t end = now + cycles;

	if (!*calendar)
		*calendar = calloc(SLOTS, sizeof(**calendar));
	for (uint64_t i = 0; cycles && i < SLOTS; i++, n++) {
		struct slot *s = &(*calendar)[n % SLOTS];
		uint64_t had;

		if (s->number != (uint32_t)n)
			*s = (struct slot){ .number = (uint32_t)n };
		had = SLOT - s->taken < cycles ? SLOT - s->taken : cycles;
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
	uint64_t end = take(&channel[group], now, all * p->dma_kib / 1024) + p->dma_start;
	uint64_t from = t->until > now ? t->until : now;

	t->rows = 0;
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

	return gap ? take(&access_[group], now, gap) - now - gap : 0;
}
