/*
 * rank.c - in an image of ranks each one's main() is thread 0, and its words are taken before. The
 * linker has the name (cohart-mpicc -fopenmp): other images do not have this file.
 */
#include "team.h"

extern const char co_omp_in_ranks[1];
const char co_omp_in_ranks[1];

__attribute__((constructor)) static void begin(int argc, char **argv)
{
	int words = co_omp_words(argc, argv);

	for (int i = 0; i + words <= argc; i++)
		argv[i] = argv[i + words];
}
