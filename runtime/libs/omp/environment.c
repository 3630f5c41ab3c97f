/*
 * environment.c - OMP_NUM_THREADS and the like. A board has no environment: words of the program's
 * command line that stand first and begin with OMP_ are put into it (main.c).
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "team.h"

struct co_omp_env co_omp_env;

static _Noreturn void wrong(const char *name, const char *value, const char *wanted)
{
	co_omp_die("%s=%s: %s", name, value, wanted);
}

/* The number at *text, from `least` to `most`; *text is behind it then. */
static unsigned long number(const char *name, const char *value, const char **text,
			    unsigned long least, unsigned long most)
{
	char *end;
	unsigned long n;
	char wanted[64];

	errno = 0;
	n = strtoul(*text, &end, 10);
	if (!isdigit((unsigned char)**text) || errno || n < least || n > most) {
		snprintf(wanted, sizeof(wanted), "a number from %lu to %lu", least, most);
		wrong(name, value, wanted);
	}
	*text = end;
	return n;
}

static unsigned long one_number(const char *name, unsigned long least, unsigned long most,
				unsigned long otherwise)
{
	const char *value = getenv(name), *text = value;
	unsigned long n;

	if (!value)
		return otherwise;
	n = number(name, value, &text, least, most);
	if (*text)
		wrong(name, value, "a number, and no more");
	return n;
}

static bool flag(const char *name, bool otherwise)
{
	const char *value = getenv(name);

	if (!value)
		return otherwise;
	if (strcasecmp(value, "true") != 0 && strcasecmp(value, "false") != 0)
		wrong(name, value, "true or false");
	return tolower((unsigned char)*value) == 't';
}

static unsigned list_of_threads(unsigned otherwise)
{
	const char *name = "OMP_NUM_THREADS", *value = getenv(name), *text = value;
	unsigned most = sizeof(co_omp_env.nested) / sizeof(*co_omp_env.nested), i = 0;

	if (!value)
		return otherwise;
	do {
		if (i == most)
			wrong(name, value, "at most 8 numbers");
		co_omp_env.nested[i++] = (unsigned)number(name, value, &text, 1, CO_OMP_THREADS);
	} while (*text++ == ',');
	if (text[-1])
		wrong(name, value, "numbers of threads, with commas between");
	return co_omp_env.nested[0];
}

/* [monotonic:|nonmonotonic:]kind[,chunk] */
static void schedule(void)
{
	static const char *const kinds[] = { "static", "dynamic", "guided", "auto" };
	const char *name = "OMP_SCHEDULE", *value = getenv(name), *text = value;
	struct co_omp_icv *icv = &co_omp_env.icv;

	icv->kind = omp_sched_dynamic;
	icv->chunk = 1;
	if (!value)
		return;
	icv->kind = 0;
	if (strncasecmp(text, "monotonic:", 10) == 0)
		text += 10;
	else if (strncasecmp(text, "nonmonotonic:", 13) == 0)
		text += 13;
	for (unsigned i = 0; i < 4 && !icv->kind; i++) {
		size_t length = strlen(kinds[i]);

		if (strncasecmp(text, kinds[i], length) != 0)
			continue;
		icv->kind = (int)i + 1;
		text += length;
	}
	icv->chunk = icv->kind == omp_sched_dynamic || icv->kind == omp_sched_guided;
	if (icv->kind && *text == ',') {
		text++;
		icv->chunk = (int)number(name, value, &text, 1, INT32_MAX);
	}
	if (!icv->kind || *text)
		wrong(name, value,
		      "static, dynamic, guided or auto; then, if wanted, a comma and a chunk");
}

/* A size with a unit, B, K, M or G; K without one. */
static unsigned stack_bytes(void)
{
	const char *name = "OMP_STACKSIZE", *value = getenv(name), *text = value;
	static const char units[] = "bkmg";
	const char *unit;
	unsigned long n;

	if (!value)
		return CO_STACK_MAIN_BYTES;
	n = number(name, value, &text, 1, 1ul << 30);
	unit = *text ? strchr(units, tolower((unsigned char)*text)) : units + 1;
	if (!unit || (*text && text[1])) {
		wrong(name, value, "a size: a number, and B, K, M or G");
		return 0;
	}
	n = unit - units > 1 ? CO_STACK_BIG_BYTES + 1ul : n << 10 * (unit - units);
	if (n > CO_STACK_BIG_BYTES)
		wrong(name, value, "a thread's stack is of 32 KiB, or of 256 KiB at most");
	return (unsigned)n;
}

static int binding(void)
{
	static const char *const words[] = { "false", "true", "master", "close", "spread" };
	const char *name = "OMP_PROC_BIND", *value = getenv(name);

	if (!value)
		return omp_proc_bind_true;
	for (int i = 0; i < 5; i++) {
		size_t length = strlen(words[i]);

		if (strncasecmp(value, words[i], length) == 0 &&
		    (!value[length] || value[length] == ','))
			return i;
	}
	if (strncasecmp(value, "primary", 7) == 0)
		return omp_proc_bind_master;
	wrong(name, value, "false, true, master, primary, close or spread");
}

static uintptr_t allocator(void)
{
	static const char *const names[] = { "default", "large_cap", "const", "high_bw",
					     "low_lat", "cgroup",    "pteam", "thread" };
	const char *name = "OMP_ALLOCATOR", *value = getenv(name);
	char whole[32];

	if (!value)
		return omp_default_mem_alloc;
	for (unsigned i = 0; i < 8; i++) {
		snprintf(whole, sizeof(whole), "omp_%s_mem_alloc", names[i]);
		if (strcasecmp(value, whole) == 0)
			return i + 1;
	}
	wrong(name, value, "omp_default_mem_alloc, or another one of omp.h");
}

static void read_environment(void)
{
	struct co_omp_icv *icv = &co_omp_env.icv;

	icv->threads = list_of_threads(co_omp_places());
	icv->levels = flag("OMP_NESTED", false) || co_omp_env.nested[1] ? INT32_MAX : 1;
	icv->levels = (unsigned)one_number("OMP_MAX_ACTIVE_LEVELS", 0, INT32_MAX, icv->levels);
	icv->dynamic = flag("OMP_DYNAMIC", false);
	schedule();
	icv->alloc = allocator();
	icv->limit = (unsigned)one_number("OMP_THREAD_LIMIT", 1, CO_OMP_THREADS, CO_OMP_THREADS);
	co_omp_env.teams = (unsigned)one_number("OMP_NUM_TEAMS", 1, INT32_MAX, 0);
	co_omp_env.teams_limit =
		(unsigned)one_number("OMP_TEAMS_THREAD_LIMIT", 1, CO_OMP_THREADS, 0);
	co_omp_env.stack_bytes = stack_bytes();
	co_omp_env.bind = binding();
	co_omp_env.cancels = flag("OMP_CANCELLATION", false);
	co_omp_env.priority = (int)one_number("OMP_MAX_TASK_PRIORITY", 0, INT32_MAX, 0);
}

static void show(const char *name, unsigned long value)
{
	fprintf(stderr, "  [host] %s = '%lu'\n", name, value);
}

/* Settings, by the environment or without one. `more`: the machine's, too. */
void omp_display_env(int more)
{
	static const char *const kinds[] = { "", "STATIC", "DYNAMIC", "GUIDED", "AUTO" };
	static const char *const binds[] = { "FALSE", "TRUE", "PRIMARY", "CLOSE", "SPREAD" };
	const struct co_omp_icv *icv = &co_omp_env.icv;

	co_omp_environment();
	fprintf(stderr, "OPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '201511'\n");
	show("OMP_NUM_THREADS", icv->threads);
	fprintf(stderr, "  [host] OMP_SCHEDULE = '%s,%d'\n", kinds[icv->kind], icv->chunk);
	fprintf(stderr, "  [host] OMP_DYNAMIC = '%s'\n", icv->dynamic ? "TRUE" : "FALSE");
	fprintf(stderr, "  [host] OMP_PROC_BIND = '%s'\n", binds[co_omp_env.bind]);
	fprintf(stderr, "  [host] OMP_CANCELLATION = '%s'\n",
		co_omp_env.cancels ? "TRUE" : "FALSE");
	show("OMP_MAX_ACTIVE_LEVELS", icv->levels);
	show("OMP_THREAD_LIMIT", icv->limit);
	show("OMP_NUM_TEAMS", co_omp_env.teams);
	show("OMP_TEAMS_THREAD_LIMIT", co_omp_env.teams_limit);
	show("OMP_STACKSIZE", co_omp_env.stack_bytes);
	show("OMP_MAX_TASK_PRIORITY", (unsigned long)co_omp_env.priority);
	if (more)
		show("compute harts", co_omp_places());
	fprintf(stderr, "OPENMP DISPLAY ENVIRONMENT END\n");
}

void co_omp_environment(void)
{
	static struct co_once once;
	int r = co_once(&once, read_environment);

	if (r)
		co_omp_give_up(r);
}
