/* forces_fp.c - forces between atoms by linked cells, and the steps of velocity Verlet. */
#include <string.h>

#include "molecules.h"

double cube_root(double x)
{
	double root = x > 1 ? x : 1;

	/* Newton's, from above: it falls until rounding ends that. The library's differs by
	 * machine. */
	for (;;) {
		double less = (2 * root + x / (root * root)) / 3;

		if (less >= root)
			return root;
		root = less;
	}
}

/* The cell along an axis, from 1 on; 0 and the last are of neighbours' atoms. */
static int cell_of(const struct part *p, int d, int64_t x)
{
	int cell;

	if (x < p->low[d])
		return 0;
	if (x >= p->high[d])
		return p->cells[d] + 1;
	cell = (int)((double)(x - p->low[d]) * p->cells[d] / (double)(p->high[d] - p->low[d]));
	return 1 + (cell < p->cells[d] ? cell : p->cells[d] - 1);
}

static void link_atoms(struct part *p, int from, int n, bool own)
{
	for (int i = from; i < from + n; i++) {
		const int64_t *x = p->at[i].x;
		int cell = (cell_of(p, 0, x[0]) * (p->cells[1] + 2) + cell_of(p, 1, x[1])) *
				   (p->cells[2] + 2) +
			   cell_of(p, 2, x[2]);

		/* It has crossed a whole part in one step. */
		if (p->ghost[cell] == own) {
			p->trouble |= TOO_FAR;
			continue;
		}
		p->next[i] = p->head[cell];
		p->head[cell] = i;
	}
}

static void link_all(struct part *p)
{
	int cells = (p->cells[0] + 2) * (p->cells[1] + 2) * (p->cells[2] + 2);

	memset(p->head, 0xff, (size_t)cells * sizeof(*p->head));
	link_atoms(p, 0, p->n, true);
	for (int d = 0; d < 3; d++) {
		for (int s = 0; s < 2; s++)
			link_atoms(p, p->slot[d][s] + 1, (int)p->at[p->slot[d][s]].x[0], false);
	}
}

static void count_distance(struct part *p, double r2, int64_t pairs)
{
	int bin = 0;

	r2 *= p->law.bins;

	/* Without a root: the bin's edges are multiples of cut / BINS. */
	for (int half = 64; half; half /= 2) {
		if (bin + half < BINS && r2 >= (double)((bin + half) * (bin + half)))
			bin += half;
	}
	p->bins[bin] += pairs;
}

/* The force of the atoms of a list on atom i, and on themselves if they are this rank's. */
static void pull(struct part *p, const struct law *law, int i, int list, int64_t pairs)
{
	const int64_t *a = p->at[i].x;
	int64_t *fa = p->force[i].x;

	for (int j = list; j >= 0; j = p->next[j]) {
		const int64_t *b = p->at[j].x;
		double x = (double)(a[0] - b[0]), y = (double)(a[1] - b[1]);
		double z = (double)(a[2] - b[2]), r2 = x * x + y * y + z * z, inverse, six, w, f;
		int64_t fx, fy, fz;

		if (r2 >= law->cut2)
			continue;
		r2 *= law->unit2;
		if (r2 < law->nearest2) {
			p->trouble |= TOO_NEAR;
			r2 = law->nearest2;
		}
		inverse = law->one / r2;
		six = inverse * inverse * inverse;
		w = law->w * six * (six + six - law->one);
		f = w * inverse * law->force;
		fx = (int64_t)(x * f);
		fy = (int64_t)(y * f);
		fz = (int64_t)(z * f);
		fa[0] += fx;
		fa[1] += fy;
		fa[2] += fz;
		if (pairs == 2) {
			p->force[j].x[0] -= fx;
			p->force[j].x[1] -= fy;
			p->force[j].x[2] -= fz;
		}
		p->sums.potential += pairs * (int64_t)(law->u * six * (six - law->one));
		p->sums.virial += pairs * (int64_t)(w * law->scale);
		p->sums.pairs += pairs;
		if (p->bins)
			count_distance(p, r2, pairs);
	}
}

/* An own cell with itself, with half of its neighbours, and with all that are not this rank's. */
static void pull_cell(struct part *p, const struct law *law, int cell)
{
	for (int i = p->head[cell]; i >= 0; i = p->next[i]) {
		pull(p, law, i, p->next[i], 2);
		for (int k = 0; k < 26; k++) {
			int other = cell + p->around[k];

			if (p->ghost[other])
				pull(p, law, i, p->head[other], 1);
			else if (k >= 13)
				pull(p, law, i, p->head[other], 2);
		}
	}
}

void forces(struct part *p)
{
	int across = (p->cells[1] + 2) * (p->cells[2] + 2), along = p->cells[2] + 2;

	link_all(p);
	memset(p->force, 0, (size_t)p->n * sizeof(*p->force));
	p->sums.potential = p->sums.virial = p->sums.pairs = 0;
	for (int x = 1; x <= p->cells[0]; x++) {
		for (int y = 1; y <= p->cells[1]; y++) {
			for (int z = 1; z <= p->cells[2]; z++)
				pull_cell(p, &p->law, x * across + y * along + z);
		}
	}
}

/* Half a step's change of the velocities. */
void kick(struct part *p)
{
	double by = p->step / 2 / SCALE;

	for (int i = 0; i < p->n; i++) {
		for (int d = 0; d < 3; d++)
			p->v[i].v[d] += (double)p->force[i].x[d] * by;
	}
}

void drift(struct part *p)
{
	double by = p->step / p->unit, most = (double)BOX / 8;

	for (int i = 0; i < p->n; i++) {
		for (int d = 0; d < 3; d++) {
			double way = p->v[i].v[d] * by;

			if (!(way < most && way > -most)) {
				p->trouble |= TOO_FAR;
				way = 0;
			}
			p->at[i].x[d] += (int64_t)way;
		}
	}
}

void scale(struct part *p, double by)
{
	for (int i = 0; i < p->n; i++) {
		for (int d = 0; d < 3; d++)
			p->v[i].v[d] *= by;
	}
}

/* FNV-1a, by words: of an atom's number, place and velocity; 40 bits, so that a sum has room. */
static int64_t hash_of(const struct part *p, int i)
{
	uint64_t sum = 14695981039346656037u, word;

	sum = (sum ^ (uint64_t)p->id[i]) * 1099511628211u;
	for (int d = 0; d < 3; d++) {
		sum = (sum ^ (uint64_t)p->at[i].x[d]) * 1099511628211u;
		memcpy(&word, &p->v[i].v[d], sizeof(word));
		sum = (sum ^ word) * 1099511628211u;
		sum ^= sum >> 29;
	}
	return (int64_t)(sum >> 24);
}

/* All ranks' sums, for each of them. */
void add_up(struct part *p)
{
	struct sums *s = &p->sums;

	s->kinetic = s->hash = 0;
	memset(s->momentum, 0, sizeof(s->momentum));
	for (int i = 0; i < p->n; i++) {
		const double *v = p->v[i].v;

		s->kinetic += (int64_t)((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * SCALE);
		for (int d = 0; d < 3; d++)
			s->momentum[d] += (int64_t)(v[d] * SCALE);
		s->hash += hash_of(p, i);
	}
	s->atoms = p->n;
	for (int k = 0; k < 3; k++)
		s->trouble[k] = p->trouble >> k & 1;
	MPI_Allreduce(s, &p->all, (int)(sizeof(*s) / sizeof(int64_t)), MPI_INT64_T, MPI_SUM,
		      p->comm);
}
