/*
 * halo.c - atoms that leave, and copies of atoms near borders, put into the neighbours' windows:
 * along one axis after the other, so that six messages reach all 26 neighbours.
 */
#include <string.h>

#include "molecules.h"

/* A part that is its own neighbour copies; others wait for both neighbours, before and after. */
static void exchange(struct part *p, int d, const int bytes[2], const MPI_Aint to[2])
{
	if (p->dims[d] == 1) {
		for (int s = 0; s < 2; s++)
			memcpy((char *)p->at + to[1 - s], p->out[s], (size_t)bytes[s]);
		return;
	}
	MPI_Win_post(p->group[d], 0, p->win);
	MPI_Win_start(p->group[d], 0, p->win);
	for (int s = 0; s < 2; s++)
		MPI_Put(p->out[s], bytes[s], MPI_BYTE, p->neighbour[d][s], to[1 - s], bytes[s],
			MPI_BYTE, p->win);
	MPI_Win_complete(p->win);
	MPI_Win_wait(p->win);
}

/* How a place is written beyond the left (0) or the right border. */
static int64_t shift(const struct part *p, int d, int side)
{
	if (side)
		return p->coords[d] == p->dims[d] - 1 ? -BOX : 0;
	return p->coords[d] == 0 ? BOX : 0;
}

static void take(struct part *p, const struct mover *m)
{
	for (int i = 0; i < m->id; i++) {
		if (p->n == p->most) {
			p->trouble |= NO_ROOM;
			return;
		}
		p->at[p->n] = m[1 + i].at;
		p->v[p->n] = m[1 + i].v;
		p->id[p->n++] = (int)m[1 + i].id;
	}
}

static void leave(struct part *p, int d, int i, int side, int n[2])
{
	struct mover *m = (struct mover *)p->out[side] + 1 + n[side];

	if (n[side] == p->movers_most) {
		p->trouble |= NO_ROOM;
		return;
	}
	*m = (struct mover){ .at = p->at[i], .v = p->v[i], .id = p->id[i] };
	m->at.x[d] += shift(p, d, side);
	n[side]++;
}

void halo_move(struct part *p)
{
	char *base = (char *)p->at;
	const MPI_Aint to[2] = { (char *)p->movers - base,
				 (char *)(p->movers + 1 + p->movers_most) - base };

	for (int d = 0; d < 3; d++) {
		int n[2] = { 0, 0 }, bytes[2], stay = 0;

		for (int i = 0; i < p->n; i++) {
			int64_t x = p->at[i].x[d];

			if (x < p->low[d] || x >= p->high[d]) {
				leave(p, d, i, x >= p->high[d], n);
				continue;
			}
			p->at[stay] = p->at[i];
			p->v[stay] = p->v[i];
			p->id[stay++] = p->id[i];
		}
		p->n = stay;
		for (int s = 0; s < 2; s++) {
			((struct mover *)p->out[s])->id = n[s];
			bytes[s] = (1 + n[s]) * (int)sizeof(struct mover);
		}
		exchange(p, d, bytes, to);
		take(p, p->movers);
		take(p, p->movers + 1 + p->movers_most);
	}
}

/* Atoms of a list near a border of axis d. */
static void pick(struct part *p, int d, int from, int n, int count[2])
{
	for (int i = from; i < from + n; i++) {
		int64_t x = p->at[i].x[d];

		for (int s = 0; s < 2; s++) {
			struct place *out = (struct place *)p->out[s] + 1 + count[s];

			if (s ? x < p->high[d] - p->reach : x >= p->low[d] + p->reach)
				continue;
			if (count[s] == p->slot_most[d]) {
				p->trouble |= NO_ROOM;
				continue;
			}
			*out = p->at[i];
			out->x[d] += shift(p, d, s);
			count[s]++;
		}
	}
}

void halo_copy(struct part *p)
{
	for (int d = 0; d < 3; d++) {
		int n[2] = { 0, 0 }, bytes[2];
		MPI_Aint to[2];

		pick(p, d, 0, p->n, n);
		for (int e = 0; e < d; e++) {
			for (int s = 0; s < 2; s++)
				pick(p, d, p->slot[e][s] + 1, (int)p->at[p->slot[e][s]].x[0], n);
		}
		for (int s = 0; s < 2; s++) {
			((struct place *)p->out[s])->x[0] = n[s];
			bytes[s] = (1 + n[s]) * (int)sizeof(struct place);
			to[s] = (MPI_Aint)p->slot[d][s] * (MPI_Aint)sizeof(struct place);
		}
		exchange(p, d, bytes, to);
	}
}

void halo_init(struct part *p)
{
	MPI_Group all;

	MPI_Comm_group(p->comm, &all);
	for (int d = 0; d < 3; d++) {
		MPI_Cart_shift(p->comm, d, 1, &p->neighbour[d][0], &p->neighbour[d][1]);
		MPI_Group_incl(all, p->neighbour[d][0] == p->neighbour[d][1] ? 1 : 2,
			       p->neighbour[d], &p->group[d]);
	}
	MPI_Group_free(&all);
}
