/*
 * dot_fp.c - the kernel that computes with floating point: on a board whose management hart has no
 * FPU, files of such names alone are built with it (BOARD_KERNEL_CFLAGS), and compute harts alone
 * come here.
 */
#include "matvec.h"

float dot_float(const float *a, const float *b, unsigned m)
{
	float sum = 0;

	for (unsigned j = 0; j < m; j++)
		sum += a[j] * b[j];
	return sum;
}
