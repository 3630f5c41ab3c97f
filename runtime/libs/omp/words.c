/* words.c - variables of the environment that are the first words of the command line. */
#include <stdlib.h>
#include <string.h>

#include "team.h"

/* What of the environment the program may be given by words. */
static const char *const names[] = {
	"OMP_NUM_THREADS", "OMP_SCHEDULE",           "OMP_DYNAMIC",
	"OMP_NESTED",      "OMP_PROC_BIND",          "OMP_PLACES",
	"OMP_STACKSIZE",   "OMP_MAX_ACTIVE_LEVELS",  "OMP_MAX_TASK_PRIORITY",
	"OMP_WAIT_POLICY", "OMP_THREAD_LIMIT",       "OMP_CANCELLATION",
	"OMP_DISPLAY_ENV", "OMP_DEFAULT_DEVICE",     "OMP_TARGET_OFFLOAD",
	"OMP_NUM_TEAMS",   "OMP_TEAMS_THREAD_LIMIT", "OMP_ALLOCATOR",
};

static void put(char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strlen(names[i]) != length || strncmp(word, names[i], length) != 0)
			continue;
		if (setenv(names[i], word + length + 1, 1))
			co_omp_die("%s: there is no memory for it", names[i]);
		return;
	}
	co_omp_die("%s: there is no such variable: OMP_NUM_THREADS, OMP_SCHEDULE, ... "
		   "(docs/openmp.md)",
		   word);
}

int co_omp_words(int argc, char **argv)
{
	int n = 1;

	while (n < argc && strncmp(argv[n], "OMP_", 4) == 0 && strchr(argv[n], '=')) {
		put(argv[n], (size_t)(strchr(argv[n], '=') - argv[n]));
		n++;
	}
	argv[n - 1] = argv[0];
	co_omp_environment();
	return n - 1;
}
