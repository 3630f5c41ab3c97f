/*
 * molecules.h - atoms of a periodic box, in parts, one a rank.
 *
 * Whatever is added up is a whole number: then the order makes no difference, and neither does the
 * number of ranks, to the last bit. A place is in 2^-50 of the box's side, and what forces,
 * energies and momenta are summed in is 2^-38 of the reduced unit.
 */
#ifndef APPS_MOLECULES_H
#define APPS_MOLECULES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define BOX ((int64_t)1 << 50)
#define SCALE 274877906944.0 /* 2^38 */
#define BINS 125             /* of g(r), up to the cut-off */

struct place {
	int64_t x[3];
};

struct velocity {
	double v[3];
};

/* An atom on its way to another rank. */
struct mover {
	struct place at;
	struct velocity v;
	int64_t id;
};

struct options {
	unsigned atoms, steps, settle, report, frames;
	double density, temperature, step, cut;
	const char *out;
	bool published;
};

/* Reasons why a run cannot go on. */
enum { TOO_NEAR = 1, TOO_FAR = 2, NO_ROOM = 4 };

/* Sums over atoms, of which pairs count twice: the pairs of two ranks are seen by both. */
struct sums {
	int64_t kinetic, momentum[3]; /* the former is of v * v */
	int64_t potential, virial, pairs;
	int64_t atoms, hash, trouble[3];
};

/* Constants of the pairs' loop: a floating-point immediate would be a load from main memory. */
struct law {
	double cut2, nearest2; /* squares: of the cut-off in places' units, of the least distance */
	double unit2, force, scale, one, w, u, bins;
};

struct part {
	MPI_Comm comm;
	int rank, ranks, dims[3], coords[3], neighbour[3][2];
	double side, unit; /* of the box; of a place's unit */
	struct law law;
	double cut, step;               /* the cut-off; the time step */
	int64_t low[3], high[3], reach; /* this part's borders; the cut-off in places' units */

	/* Atoms: those of this rank, then six slots of neighbours', each behind a place with their
	 * number. */
	int n, most, slot[3][2], slot_most[3];
	struct place *at;
	struct velocity *v;
	struct place *force;
	int *id;

	MPI_Win win;
	MPI_Group group[3];
	struct mover *movers; /* two slots, from the left and from the right */
	int movers_most;
	void *out[2];

	int cells[3], *head, *next; /* with a layer of neighbours' cells around */
	char *ghost;
	int around[26];
	struct sums sums, all; /* of this rank's atoms; of all ranks', after add_up() */
	int64_t *bins;         /* NULL: pairs are not sorted by distance */
	unsigned trouble;
};

/* part.c: returns NULL, or the error's text. */
const char *part_init(struct part *p, const struct options *o);
void part_fill(struct part *p, const struct options *o);

/* halo.c: atoms that have left go to their ranks; copies of those near a border go to the
 * neighbours. */
void halo_init(struct part *p);
void halo_move(struct part *p);
void halo_copy(struct part *p);

/* forces_fp.c */
void forces(struct part *p);
void kick(struct part *p);
void drift(struct part *p);
void scale(struct part *p, double by);
void add_up(struct part *p);
double cube_root(double x);

/* state.c: Johnson's equation of state, of the whole Lennard-Jones potential. */
void state_of_liquid(double density, double t, double *pressure, double *energy);
void tails(double density, double cut, double *pressure, double *energy);

/* output.c */
void write_frame(struct part *p, FILE *file, unsigned atoms, double time);
void write_distribution(const int64_t *bins, unsigned samples, const struct options *o, FILE *file);
double highest(const int64_t *bins, unsigned samples, const struct options *o, double from,
	       double to, double *r);

#endif
