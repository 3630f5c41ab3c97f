/* spm_plan.c - see cohart/spm_plan.h. */
#include <cohart/spm_plan.h>

#include <stdio.h>

#include "../core/core.h"

#define BLANKS " \t\r\n"
#define LINE_BYTES 256

/* The next word; *n is its length, 0 at the end of the line. */
static const char *next_word(const char **at, size_t *n)
{
	const char *word = *at + strspn(*at, BLANKS);

	*n = strcspn(word, BLANKS);
	*at = word + *n;
	return word;
}

static bool next_number(const char **at, size_t *number)
{
	size_t n, value = 0;
	const char *word = next_word(at, &n);

	for (size_t i = 0; i < n; i++) {
		if (word[i] < '0' || word[i] > '9' || value > (UINT32_MAX - 9) / 10)
			return false;
		value = 10 * value + (size_t)(word[i] - '0');
	}
	*number = value;
	return n != 0;
}

const struct co_plan_row *co_plan_of(const struct co_plan *p, const char *name)
{
	for (unsigned i = 0; i < p->rows; i++) {
		if (strcmp(p->row[i].name, name) == 0)
			return &p->row[i];
	}
	return NULL;
}

size_t co_plan_buffer(const struct co_plan *p, const char *name)
{
	const struct co_plan_row *row = co_plan_of(p, name);

	return row ? row->buffer : 0;
}

int co_plan_add(struct co_plan *p, const char *line)
{
	struct co_plan_row row = { .whole = 0 };
	size_t n, rest;
	const char *name = next_word(&line, &n);

	if (n == 0 || *name == '#')
		return 0;
	if (n >= CO_PLAN_NAME || !next_number(&line, &row.whole) ||
	    !next_number(&line, &row.buffer) || (row.whole && row.buffer))
		return -EINVAL;
	(void)next_word(&line, &rest);
	if (rest)
		return -EINVAL;
	memcpy(row.name, name, n);
	if (co_plan_of(p, row.name))
		return -EEXIST;
	if (p->rows == CO_PLAN_ROWS)
		return -ENOSPC;
	p->row[p->rows++] = row;
	return 0;
}

/* Returns 0 or why not; *number counts the lines. */
static int read_lines(struct co_plan *p, FILE *f, unsigned *number)
{
	char line[LINE_BYTES];
	int r = 0;

	while (r == 0 && fgets(line, sizeof(line), f)) {
		++*number;
		r = strchr(line, '\n') || feof(f) ? co_plan_add(p, line) : -EINVAL;
	}
	return r == 0 && ferror(f) ? -EIO : r;
}

int co_plan_read(struct co_plan *p, const char *path, unsigned *line)
{
	FILE *f;
	unsigned number = 0;
	int r;

	memset(p, 0, sizeof(*p));
	f = fopen(path, "r");
	if (!f)
		return -errno;
	r = read_lines(p, f, &number);
	(void)fclose(f); /* it has been read alone */
	if (r)
		memset(p, 0, sizeof(*p));
	if (r && line)
		*line = number;
	return r;
}

int co_plan_array(const struct co_plan *p, const char *name, struct co_spm_array *a,
		  const void *from, size_t bytes)
{
	const struct co_plan_row *row = co_plan_of(p, name);
	int r = co_spm_array_make(a, from, bytes);

	if (r == 0)
		a->stays = !row || bytes > row->whole;
	return r;
}
