/*
 * state.c - published values of the Lennard-Jones liquid.
 *
 * Source: J. K. Johnson, J. A. Zollweg, K. E. Gubbins, "The Lennard-Jones equation of state
 * revisited", Molecular Physics 78 (1993), 591: table 10, a fit of many simulations.
 */
#include <math.h>

#include "molecules.h"

static const double x[] = {
	0.8623085097507421,   2.976218765822098,      -8.402230115796038,   0.1054136629203555,
	-0.8564583828174598,  1.582759470107601,      0.7639421948305453,   1.753173414312048,
	2.798291772190376e3,  -4.8394220260857657e-2, 0.9963265197721935,   -3.698000291272493e1,
	2.084012299434647e1,  8.305402124717285e1,    -9.574799715203068e2, -1.477746229234994e2,
	6.398607852471505e1,  1.603993673294834e1,    6.805916615864377e1,  -2.791293578795945e3,
	-6.245128304568454,   -8.116836104958410e3,   1.488735559561229e1,  -1.059346754655084e4,
	-1.131607632802822e2, -8.867771540418822e3,   -3.986982844450543e1, -4.689270299917261e3,
	2.593535277438717e2,  -2.694523589434903e3,   -7.218487631550215e2, 1.721802063863269e2,
};

/* The free energy of an atom, beyond an ideal gas's. */
static double free_energy(double density, double t)
{
	double u = 1 / t, uu = u * u, power = density, sum = 0;
	double f = exp(-3 * density * density), g = (1 - f) / 6;
	const double a[] = { x[0] * t + x[1] * sqrt(t) + x[2] + x[3] * u + x[4] * uu,
			     x[5] * t + x[6] + x[7] * u + x[8] * uu,
			     x[9] * t + x[10] + x[11] * u,
			     x[12],
			     x[13] * u + x[14] * uu,
			     x[15] * u,
			     x[16] * u + x[17] * uu,
			     x[18] * uu };
	const double b[] = {
		x[19] + x[20] * u,  x[21] + x[22] * uu, x[23] + x[24] * u,
		x[25] + x[26] * uu, x[27] + x[28] * u,  x[29] + x[30] * u + x[31] * uu
	};

	for (int i = 0; i < 8; i++) {
		sum += a[i] * power / (i + 1);
		power *= density;
	}
	power = 1;
	for (int i = 0; i < 6; i++) {
		sum += b[i] * uu * g;
		power *= density * density;
		g = (2 * (i + 1) * g - f * power) / 6;
	}
	return sum;
}

/* Reduced, of the whole potential; the energy is an atom's, without the kinetic one. */
void state_of_liquid(double density, double t, double *pressure, double *energy)
{
	const double h = 1e-4;
	double by_density = free_energy(density + h, t) - free_energy(density - h, t);
	double by_t = free_energy(density, t + h) - free_energy(density, t - h);

	*pressure = density * t + density * density * by_density / (2 * h);
	*energy = free_energy(density, t) - t * by_t / (2 * h);
}

/* The parts of energy and pressure beyond a cut-off, where g(r) is near 1. */
void tails(double density, double cut, double *pressure, double *energy)
{
	double third = 1 / (cut * cut * cut), ninth = third * third * third;

	*energy = 8 * M_PI / 3 * density * (ninth / 3 - third);
	*pressure = 16 * M_PI / 3 * density * density * (2 * ninth / 3 - third);
}
