/*
 * mandelbrot.c - a picture whose points take unequal time: a parallel loop with schedule(runtime).
 *
 * usage: mandelbrot [WIDTH]
 * A PC builds it by gcc -fopenmp mandelbrot.c, too. OMP_SCHEDULE says how the loop is dealt: make
 * run APP=omp/mandelbrot ARGS='OMP_SCHEDULE=dynamic,4 100'
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 500

/* Numbers of 24 bits behind the point: all machines have the same picture. */
#define ONE ((int64_t)1 << 24)

/* Steps until the point escapes; MOST: it does not. */
static int steps_at(int64_t x, int64_t y)
{
	int64_t a = 0, b = 0;
	int n = 0;

	while (n < MOST && a * a + b * b <= 4 * ONE * ONE) {
		int64_t next = (a * a - b * b) / ONE + x;

		b = 2 * a * b / ONE + y;
		a = next;
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	int width = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 160, height = width * 3 / 8;
	long steps = 0;
	int *picture;

	if (argc > 2 || width < 8 || width > 4000) {
		fprintf(stderr, "usage: mandelbrot [WIDTH, 8 to 4000]\n");
		return 2;
	}
	picture = malloc((size_t)width * (size_t)height * sizeof(*picture));
	if (!picture)
		return 1;
#pragma omp parallel for schedule(runtime) collapse(2) reduction(+ : steps)
	for (int row = 0; row < height; row++) {
		for (int column = 0; column < width; column++) {
			int n = steps_at(3 * ONE * column / width - 11 * ONE / 5,
					 12 * ONE / 5 * row / height - 6 * ONE / 5);

			picture[row * width + column] = n;
			steps += n;
		}
	}
	for (int row = 0; row < height; row += height / 20 + 1) {
		for (int column = 0; column < width; column += width / 64 + 1) {
			int n = picture[row * width + column];

			putchar(n == MOST ? '#' : n > 20 ? '+' : n > 6 ? '.' : ' ');
		}
		putchar('\n');
	}
	printf("%d points, %ld steps\n", width * height, steps);
	free(picture);
	return 0;
}
