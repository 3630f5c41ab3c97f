/*
 * profile.c - see profile.h.
 *
 * A line is `compute PLACE LOAD STORE ATOMIC BUSY DELIVER`, or with `manage`; `compute-cache BYTES
 * WAYS CYCLES` or `manage-cache`, for each level, the nearest first, after `line`; or `NAME
 * NUMBER`. What follows a # is for people. A management hart costs what a compute hart does where
 * nothing is said, but for caches.
 */
#include "profile.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const place_names[PLACES] = { "own", "near", "boss", "far", "main" };

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{ "line", offsetof(struct profile, line) },
	{ "device", offsetof(struct profile, device) },
	{ "grid", offsetof(struct profile, grid) },
	{ "hop", offsetof(struct profile, hop) },
	{ "dma-start", offsetof(struct profile, dma_start) },
	{ "dma-kib", offsetof(struct profile, dma_kib) },
	{ "dma-line", offsetof(struct profile, dma_line) },
	{ "port-start", offsetof(struct profile, port_start) },
	{ "port-kib", offsetof(struct profile, port_kib) },
	{ "main-gap", offsetof(struct profile, main_gap) },
};

static bool read_cost(const char *line, enum who who, struct profile *p)
{
	char name[16];
	unsigned n[5];
	char more;

	if (sscanf(line, "%*s %15s %u %u %u %u %u %c", name, &n[0], &n[1], &n[2], &n[3], &n[4],
		   &more) != 6)
		return false;
	for (unsigned i = 0; i < PLACES; i++) {
		if (strcmp(name, place_names[i]) == 0) {
			p->cost[who][i] = (struct cost){ { n[0], n[1], n[2] }, n[3], n[4], true };
			return true;
		}
	}
	return false;
}

static bool is_power(unsigned n)
{
	return n && !(n & (n - 1));
}

static bool read_cache(const char *line, struct cache_level *levels, uint32_t line_bytes)
{
	struct cache_level c;
	char more;

	if (sscanf(line, "%*s %u %u %u %c", &c.bytes, &c.ways, &c.cycles, &more) != 3 || !c.cycles)
		return false;
	/* As many sets as a power of two. */
	if (!c.ways || c.bytes % (c.ways * line_bytes) ||
	    !is_power(c.bytes / (c.ways * line_bytes)))
		return false;
	for (unsigned i = 0; i < CACHE_LEVELS; i++) {
		if (!levels[i].bytes) {
			levels[i] = c;
			return true;
		}
	}
	return false;
}

static bool read_number(const char *line, struct profile *p)
{
	char name[32];
	unsigned n;
	char more;

	if (sscanf(line, "%31s %u %c", name, &n, &more) != 2)
		return false;
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcmp(name, numbers[i].name) == 0) {
			*(uint32_t *)((char *)p + numbers[i].offset) = n;
			return true;
		}
	}
	return false;
}

static bool read_line(char *line, struct profile *p)
{
	line[strcspn(line, "#\n")] = '\0';
	if (line[strspn(line, " \t")] == '\0')
		return true;
	if (strncmp(line, "compute ", 8) == 0)
		return read_cost(line, WHO_COMPUTE, p);
	if (strncmp(line, "manage ", 7) == 0)
		return read_cost(line, WHO_MANAGE, p);
	if (strncmp(line, "compute-cache ", 14) == 0)
		return read_cache(line, p->cache[WHO_COMPUTE], p->line);
	if (strncmp(line, "manage-cache ", 13) == 0)
		return read_cache(line, p->cache[WHO_MANAGE], p->line);
	return read_number(line, p) && is_power(p->line) && p->line >= 8;
}

bool profile_read(const char *path, struct profile *p)
{
	char line[256];
	FILE *f = fopen(path, "r");

	if (!f) {
		fprintf(stderr, "locality: %s: %s\n", path, strerror(errno));
		return false;
	}
	*p = (struct profile){ .line = 64 };
	for (unsigned n = 1; fgets(line, sizeof(line), f); n++) {
		if (read_line(line, p))
			continue;
		fprintf(stderr, "locality: %s:%u: this is no line of a profile: '%s'\n", path, n,
			line);
		fclose(f);
		return false;
	}
	fclose(f);
	for (unsigned i = 0; i < PLACES; i++) {
		if (!p->cost[WHO_COMPUTE][i].given) {
			fprintf(stderr, "locality: %s: no line 'compute %s'\n", path,
				place_names[i]);
			return false;
		}
		if (!p->cost[WHO_MANAGE][i].given)
			p->cost[WHO_MANAGE][i] = p->cost[WHO_COMPUTE][i];
	}
	return true;
}
