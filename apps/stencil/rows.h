/* rows.h - the rows of rows_fp.c, each with vectors and without. */
#ifndef STENCIL_ROWS_H
#define STENCIL_ROWS_H

#include "stencil.h"

row_fn row_madd, row_five, row_nine, row_heat, row_jacobi, row_seven, row_twenty_seven;
row_fn row_fdtd_edge, row_fdtd_y, row_fdtd_x, row_fdtd_z;
row_fn row_shift, row_apply, row_flux, row_shift_scalar, row_apply_scalar, row_flux_scalar;
row_fn row_madd_scalar, row_five_scalar, row_nine_scalar, row_heat_scalar, row_jacobi_scalar;
row_fn row_seven_scalar, row_twenty_seven_scalar;
row_fn row_fdtd_edge_scalar, row_fdtd_y_scalar, row_fdtd_x_scalar, row_fdtd_z_scalar;

/* One step each, as the kernels are defined. */
void plain_madd(const struct space *s, unsigned step);
void plain_five(const struct space *s, unsigned step);
void plain_nine(const struct space *s, unsigned step);
void plain_heat(const struct space *s, unsigned step);
void plain_jacobi(const struct space *s, unsigned step);
void plain_fdtd(const struct space *s, unsigned step);
void plain_seven(const struct space *s, unsigned step);
void plain_twenty_seven(const struct space *s, unsigned step);
void plain_shift(const struct space *s, unsigned step);
void plain_apply(const struct space *s, unsigned step);
void plain_flux(const struct space *s, unsigned step);

#endif
