/* part.c - this rank's part of the box, its memory, and its atoms at the start. */
#include <math.h>
#include <string.h>

#include "../common/machine.h"
#include "molecules.h"

#define NEAREST 0.5 /* no atoms are nearer unless the time step is too long */

/* Places of a part for that many atoms: a liquid is even, the planes of a crystal are not. */
static int room(double volume, double density)
{
	return (int)(volume * density * 1.25) + 48;
}

static const char *cut_box(struct part *p, const struct options *o)
{
	static char wrong[160];
	double width;

	for (int d = 0; d < 3; d++) {
		p->low[d] = BOX * p->coords[d] / p->dims[d];
		p->high[d] = BOX * (p->coords[d] + 1) / p->dims[d];
		width = p->side / p->dims[d];
		p->cells[d] = (int)(width / o->cut);
		if (p->cells[d] < 1) {
			snprintf(
				wrong, sizeof(wrong),
				"parts for %d x %d x %d ranks are %.2f wide, less than the cut-off "
				"of %g: more atoms, fewer ranks or a number with small factors",
				p->dims[0], p->dims[1], p->dims[2], width, o->cut);
			return wrong;
		}
	}
	return NULL;
}

/* Slots for six neighbours, behind this rank's atoms; returns as many places as that makes. */
static int place_slots(struct part *p, const struct options *o)
{
	double wide[3];
	int at;

	for (int d = 0; d < 3; d++)
		wide[d] = p->side / p->dims[d];
	p->most = room(wide[0] * wide[1] * wide[2], o->density);
	p->movers_most = p->most / 8 + 16;
	at = p->most;
	for (int d = 0; d < 3; d++) {
		p->slot_most[d] = room(wide[0] * wide[1] * wide[2] / wide[d] * o->cut, o->density);
		wide[d] += 2 * o->cut;
		for (int s = 0; s < 2; s++) {
			p->slot[d][s] = at;
			at += 1 + p->slot_most[d];
		}
	}
	return at;
}

static bool get_all(struct part *p, int places)
{
	size_t cells =
		((size_t)p->cells[0] + 2) * ((size_t)p->cells[1] + 2) * ((size_t)p->cells[2] + 2);
	size_t movers = (1 + (size_t)p->movers_most) * sizeof(struct mover);
	size_t copies = (1 + (size_t)p->slot_most[2]) * sizeof(struct place),
	       most = (size_t)p->most;
	size_t bytes = (size_t)places * sizeof(struct place);

	for (int d = 0; d < 2; d++) {
		if ((1 + (size_t)p->slot_most[d]) * sizeof(struct place) > copies)
			copies = (1 + (size_t)p->slot_most[d]) * sizeof(struct place);
	}
	p->at = get_memory(bytes + 2 * movers);
	p->force = get_memory(most * sizeof(*p->force));
	p->next = get_memory((size_t)places * sizeof(*p->next));
	p->head = get_memory(cells * sizeof(*p->head));
	p->v = get_memory(most * sizeof(*p->v));
	p->out[0] = get_memory(copies > movers ? copies : movers);
	p->out[1] = get_memory(copies > movers ? copies : movers);
	p->id = get_memory(most * sizeof(*p->id));
	p->ghost = get_memory(cells);
	p->movers = (struct mover *)(p->at + places);
	if (!p->at || !p->force || !p->next || !p->head || !p->v || !p->out[0] || !p->out[1] ||
	    !p->id || !p->ghost)
		return false;
	if (p->ranks > 1) /* one alone copies, and has no window by Open MPI 4.1 */
		MPI_Win_create(p->at, (MPI_Aint)(bytes + 2 * movers), 1, MPI_INFO_NULL, p->comm,
			       &p->win);
	return true;
}

/* Which cells are neighbours', and where the 26 around one are. */
static void lay_out_cells(struct part *p)
{
	int wide[3], n = 0;

	for (int d = 0; d < 3; d++)
		wide[d] = p->cells[d] + 2;
	for (int i = 0; i < wide[0] * wide[1] * wide[2]; i++) {
		int z = i % wide[2], y = i / wide[2] % wide[1], x = i / wide[2] / wide[1];

		p->ghost[i] = x == 0 || y == 0 || z == 0 || x == wide[0] - 1 || y == wide[1] - 1 ||
			      z == wide[2] - 1;
	}
	for (int i = 0; i < 27; i++) {
		int by = ((i / 9 - 1) * wide[1] + i / 3 % 3 - 1) * wide[2] + i % 3 - 1;

		if (i != 13)
			p->around[n++] = by;
	}
}

const char *part_init(struct part *p, const struct options *o)
{
	const int periods[3] = { 1, 1, 1 };
	const char *wrong;
	int places;

	MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
	MPI_Dims_create(p->ranks, 3, p->dims);
	MPI_Cart_create(MPI_COMM_WORLD, 3, p->dims, periods, 0, &p->comm);
	MPI_Comm_rank(p->comm, &p->rank);
	MPI_Cart_coords(p->comm, p->rank, 3, p->coords);
	p->side = cube_root(o->atoms / o->density);
	p->unit = p->side / (double)BOX;
	p->cut = o->cut;
	p->law = (struct law){ .cut2 = o->cut * o->cut / p->unit / p->unit,
			       .nearest2 = NEAREST * NEAREST,
			       .unit2 = p->unit * p->unit,
			       .force = p->unit * SCALE,
			       .scale = SCALE,
			       .one = 1,
			       .w = 24,
			       .u = 4 * SCALE,
			       .bins = BINS * BINS / (o->cut * o->cut) };
	p->reach = (int64_t)(o->cut / p->unit) + 1;
	if (p->side < 2 * o->cut)
		return "the box is narrower than twice the cut-off: more atoms";
	wrong = cut_box(p, o);
	if (wrong)
		return wrong;
	places = place_slots(p, o);
	if (!get_all(p, places)) {
		fprintf(stderr, "molecules: rank %d has no memory for %d atoms\n", p->rank, places);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	lay_out_cells(p);
	halo_init(p);
	return NULL;
}

/* A number from -1 to 1, near Gauss's curve, by an atom's number and an axis. */
static double chance(int id, int d)
{
	uint64_t x = ((uint64_t)id * 3 + (uint64_t)d + 1) * 0x9e3779b97f4a7c15u, sum = 0;

	for (int i = 0; i < 12; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		sum += x >> 32;
	}
	return ((double)sum / 4294967296.0 - 6) / 6;
}

/* Atoms of a crystal, face-centred cubic, whose momenta add up to nothing. */
void part_fill(struct part *p, const struct options *o)
{
	static const int basis[4][3] = { { 0, 0, 0 }, { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, 0 } };
	int side = (int)(cube_root(o->atoms / 4.0) + 0.5), of[3];
	int64_t x[3];

	p->n = 0;
	for (int id = 0; id < (int)o->atoms; id++) {
		bool here = true;

		of[0] = id / 4 / side / side;
		of[1] = id / 4 / side % side;
		of[2] = id / 4 % side;
		for (int d = 0; d < 3; d++) {
			x[d] = BOX / (4 * side) * (4 * of[d] + 2 * basis[id % 4][d] + 1);
			here = here && x[d] >= p->low[d] && x[d] < p->high[d];
		}
		if (!here)
			continue;
		if (p->n == p->most) {
			p->trouble |= NO_ROOM;
			break;
		}
		memcpy(p->at[p->n].x, x, sizeof(x));
		for (int d = 0; d < 3; d++)
			p->v[p->n].v[d] = chance(id, d);
		p->id[p->n++] = id;
	}
	add_up(p);
	for (int i = 0; i < p->n; i++) {
		for (int d = 0; d < 3; d++)
			p->v[i].v[d] -= (double)p->all.momentum[d] / SCALE / o->atoms;
	}
}
