/*
 * plan.c - see cohart/plan.h.
 *
 * An array's choices are pairs of bytes and cycles saved. Of the relaxed problem, in which a part
 * of a choice may be taken, the best is known: from each array's upper hull of choices take steps
 * in the order of what a byte of them saves (Dyer, Zemel). It bounds what a branch can still
 * bring, and with the last step left out it is the plan to begin with.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/plan.h>

#define CHOICES (CO_PLAN_SIZES + 2)

struct choice {
	size_t taken, buffer;
	uint64_t saved;
	enum co_plan_place place;
};

/* A step on an array's hull: so much more room, so much more saved. */
struct step {
	size_t taken;
	uint64_t saved;
	uint8_t array, to; /* the choice it leads to */
};

struct search {
	const struct co_plan *p;
	unsigned n;
	struct choice choice[CO_PLAN_ARRAYS][CHOICES]; /* by room; the first is main memory */
	uint8_t choices[CO_PLAN_ARRAYS];
	struct step step[CO_PLAN_ARRAYS * (CHOICES - 1)]; /* the best first */
	unsigned steps;
	uint8_t at[CO_PLAN_ARRAYS], best[CO_PLAN_ARRAYS];
	uint64_t best_saved;
};

/* ---- Choices ---- */

#define ENDLESS (UINT64_MAX / (CO_PLAN_ARRAYS + 1)) /* cycles: as many for all have a sum */

/* a * b, ENDLESS at most. */
static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t n;

	return __builtin_mul_overflow(a, b, &n) || n > ENDLESS ? ENDLESS : n;
}

static uint64_t transfers(const struct co_plan *p, uint64_t n, uint64_t bytes)
{
	return product(n, p->start) + product(bytes, p->kib) / 1024;
}

static void offer(struct search *s, unsigned i, struct choice c, uint64_t transfer_cycles)
{
	const struct co_plan *p = s->p;
	uint64_t gain = product(p->array[i].accesses, p->far > p->near ? p->far - p->near : 0);

	if (gain <= transfer_cycles || c.taken > p->budget)
		return;
	c.saved = gain - transfer_cycles;
	s->choice[i][s->choices[i]++] = c;
}

static int by_room(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;

	if (x->taken != y->taken)
		return x->taken < y->taken ? -1 : 1;
	return x->saved > y->saved ? -1 : x->saved < y->saved;
}

static size_t buffer_size(const struct co_plan_array *a, unsigned k)
{
	for (unsigned i = 0; i < CO_PLAN_SIZES; i++) {
		if (a->buffer[i])
			return a->buffer[k];
	}
	return (size_t)512 << k;
}

static void find_choices(struct search *s, unsigned i)
{
	const struct co_plan *p = s->p;
	const struct co_plan_array *a = &p->array[i];
	struct choice *c = s->choice[i];
	unsigned n = 1;

	c[0] = (struct choice){ .place = CO_PLAN_MAIN };
	s->choices[i] = 1;
	/* In once; and out again, for nobody says what is only read. */
	offer(s, i, (struct choice){ .taken = a->bytes, .place = CO_PLAN_WHOLE },
	      transfers(p, 2, product(2, a->bytes)));
	for (unsigned k = 0; k < CO_PLAN_SIZES && a->passes; k++) {
		size_t b = buffer_size(a, k);
		uint64_t times = b ? product(a->passes, (a->bytes - 1) / b + 1) : 0;

		if (b && b < a->bytes && b <= SIZE_MAX / 2)
			offer(s, i,
			      (struct choice){
				      .taken = 2 * b, .buffer = b, .place = CO_PLAN_BUFFERED },
			      transfers(p, times, product(a->passes, a->bytes)));
	}
	qsort(c, s->choices[i], sizeof(*c), by_room);
	/* Without those that take more and save no more. */
	for (unsigned k = 1; k < s->choices[i]; k++) {
		if (c[k].saved > c[n - 1].saved)
			c[n++] = c[k];
	}
	s->choices[i] = (uint8_t)n;
}

/* a * b, in 96 bits. */
static uint64_t times(uint64_t a, uint32_t b, uint32_t *low)
{
	uint64_t lower = (a & UINT32_MAX) * b;

	*low = (uint32_t)lower;
	return (a >> 32) * b + (lower >> 32);
}

/* Does x save more a byte than y? -1: yes, 1: less, 0: as much. */
static int by_byte(const struct step *x, const struct step *y)
{
	uint32_t low_x, low_y;
	uint64_t high_x = times(x->saved, (uint32_t)y->taken, &low_x);
	uint64_t high_y = times(y->saved, (uint32_t)x->taken, &low_y);

	if (high_x != high_y)
		return high_x > high_y ? -1 : 1;
	return low_x > low_y ? -1 : low_x < low_y;
}

static int by_steepness(const void *a, const void *b)
{
	const struct step *x = a, *y = b;
	int order = by_byte(x, y);

	/* Of one array in their order. */
	return order ? order : x->array != y->array ? x->array - y->array : x->to - y->to;
}

static struct step step_of(const struct choice *c, unsigned array, unsigned from, unsigned to)
{
	return (struct step){
		.taken = c[to].taken - c[from].taken,
		.saved = c[to].saved - c[from].saved,
		.array = (uint8_t)array,
		.to = (uint8_t)to,
	};
}

/* The steps of an array's upper hull. */
static void find_steps(struct search *s, unsigned i)
{
	const struct choice *c = s->choice[i];
	uint8_t hull[CHOICES] = { 0 };
	unsigned n = 1;

	for (unsigned k = 1; k < s->choices[i]; k++) {
		while (n > 1) {
			struct step last = step_of(c, i, hull[n - 2], hull[n - 1]);
			struct step next = step_of(c, i, hull[n - 1], k);

			if (by_byte(&last, &next) < 0)
				break;
			n--; /* it lies under the line from the one before */
		}
		hull[n++] = (uint8_t)k;
	}
	for (unsigned k = 1; k < n; k++)
		s->step[s->steps++] = step_of(c, i, hull[k - 1], hull[k]);
}

/* ---- Search ---- */

/* The most that arrays from `first` on can save in that room, if parts could be taken. */
static uint64_t bound_of(const struct search *s, unsigned first, size_t room)
{
	uint64_t saved = 0;

	for (unsigned i = 0; i < s->steps; i++) {
		const struct step *t = &s->step[i];

		if (t->array < first)
			continue;
		if (t->taken > room) {
			uint64_t rest = t->saved % t->taken;

			return saved + t->saved / t->taken * room + rest * room / t->taken;
		}
		saved += t->saved;
		room -= t->taken;
	}
	return saved;
}

/* Take whole steps as long as they fit, and after the first that does not, none of that array. */
static void take_steps(struct search *s)
{
	uint64_t closed = 0;
	size_t room = s->p->budget;

	for (unsigned i = 0; i < s->steps; i++) {
		const struct step *t = &s->step[i];
		uint64_t bit = (uint64_t)1 << t->array;

		if (closed & bit)
			continue;
		if (t->taken > room) {
			closed |= bit;
			continue;
		}
		room -= t->taken;
		s->best[t->array] = t->to;
		s->best_saved += t->saved;
	}
}

/* Try all that the bound does not rule out. Returns false if that takes more than so many steps. */
static bool branch(struct search *s, uint32_t steps)
{
	size_t room[CO_PLAN_ARRAYS + 1] = { s->p->budget };
	uint64_t saved[CO_PLAN_ARRAYS + 1] = { 0 };
	uint8_t left[CO_PLAN_ARRAYS]; /* choices that are to be tried, from the largest down */
	unsigned level = 0;

	for (bool down = true;;) {
		if (down && level == s->n) {
			if (saved[level] > s->best_saved) {
				s->best_saved = saved[level];
				memcpy(s->best, s->at, s->n);
			}
			down = false;
		}
		if (down && saved[level] + bound_of(s, level, room[level]) > s->best_saved) {
			left[level] = s->choices[level];
		} else {
			do {
				if (level-- == 0)
					return true;
			} while (!left[level]);
		}
		if (!steps--)
			return false;
		s->at[level] = --left[level];
		const struct choice *c = &s->choice[level][s->at[level]];

		down = c->taken <= room[level];
		room[level + 1] = room[level] - (down ? c->taken : 0);
		saved[level + 1] = saved[level] + c->saved;
		level++;
	}
}

static void write_down(struct co_plan *p, const struct search *s)
{
	p->taken = 0;
	p->saved = 0;
	for (unsigned i = 0; i < p->arrays; i++) {
		const struct choice *c = &s->choice[i][s->best[i]];

		p->array[i].place = c->place;
		p->array[i].chosen = c->buffer;
		p->array[i].taken = c->taken;
		p->array[i].saved = c->saved;
		p->taken += c->taken;
		p->saved += c->saved;
	}
}

int co_plan_make(struct co_plan *p)
{
	struct search *s = (struct search *)p->work;

	_Static_assert(sizeof(struct search) <= sizeof(p->work), "CO_PLAN_WORK");
	if (p->arrays > CO_PLAN_ARRAYS || p->budget > UINT32_MAX / 2)
		return -EINVAL;
	for (unsigned i = 0; i < p->arrays; i++) {
		if (!p->array[i].bytes)
			return -EINVAL;
	}
	if (!p->far && !p->near && !p->start && !p->kib) {
		p->far = 278;
		p->near = 4;
		p->start = 435;
		p->kib = 44;
	}
	memset(s, 0, sizeof(*s));
	s->p = p;
	s->n = p->arrays;
	for (unsigned i = 0; i < s->n; i++) {
		find_choices(s, i);
		find_steps(s, i);
	}
	qsort(s->step, s->steps, sizeof(*s->step), by_steepness);
	p->bound = bound_of(s, 0, p->budget);
	take_steps(s);
	p->exact = branch(s, p->steps ? p->steps : 100000);
	write_down(p, s);
	if (p->exact)
		p->bound = p->saved;
	return 0;
}

/* ---- Text ---- */

static unsigned percent(uint64_t part, uint64_t all)
{
	return all < UINT64_MAX / 100 ? (unsigned)(all ? part * 100 / all : 100)
				      : (unsigned)(part / (all / 100));
}

static void sum_line(const struct co_plan *p, char *line)
{
	int n = snprintf(line, CO_PLAN_LINE, "in all: %zu of %zu bytes, %llu cycles saved",
			 p->taken, p->budget, (unsigned long long)p->saved);

	if (p->exact)
		snprintf(line + n, CO_PLAN_LINE - (size_t)n, "; nothing saves more");
	else
		snprintf(line + n, CO_PLAN_LINE - (size_t)n, "; %u %% of what is possible, or more",
			 percent(p->saved, p->bound));
}

bool co_plan_line(const struct co_plan *p, unsigned i, char line[CO_PLAN_LINE])
{
	const struct co_plan_array *a = &p->array[i];
	char where[48];

	if (i > p->arrays)
		return false;
	if (i == p->arrays) {
		sum_line(p, line);
		return true;
	}
	if (a->place == CO_PLAN_MAIN)
		snprintf(where, sizeof(where), "main memory");
	else if (a->place == CO_PLAN_WHOLE)
		snprintf(where, sizeof(where), "scratchpad, whole");
	else
		snprintf(where, sizeof(where), "scratchpad, 2 buffers of %zu", a->chosen);
	snprintf(line, CO_PLAN_LINE, "%-16.*s %9zu bytes  %-29s %7zu bytes  %12llu cycles saved",
		 CO_PLAN_NAME, a->name, a->bytes, where, a->taken, (unsigned long long)a->saved);
	return true;
}

/* One number after spaces; NULL if there is none. */
static const char *number(const char *text, unsigned long long *n)
{
	char *end;

	text += strspn(text, " \t");
	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*n = strtoull(text, &end, 10);
	return errno ? NULL : end;
}

/* A line up to its end. @return 1: an array; 0: nothing; -EINVAL */
static int read_line(const char *line, size_t length, struct co_plan_array *a)
{
	char text[CO_PLAN_LINE];
	const char *at = text + sizeof("array") - 1;
	unsigned long long n[3] = { 0 };
	size_t name;

	if (length >= sizeof(text))
		return -EINVAL;
	memcpy(text, line, length);
	text[length] = '\0';
	text[strcspn(text, "#\r")] = '\0';
	if (!text[strspn(text, " \t")])
		return 0;
	if (strncmp(text, "array", sizeof("array") - 1) != 0 || (*at != ' ' && *at != '\t'))
		return -EINVAL;
	at += strspn(at, " \t");
	name = strcspn(at, " \t");
	if (!name || name >= CO_PLAN_NAME)
		return -EINVAL;
	*a = (struct co_plan_array){ .bytes = 0 };
	memcpy(a->name, at, name);
	at += name;
	for (unsigned i = 0; i < 3; i++) {
		at = number(at, &n[i]);
		if (!at)
			return -EINVAL;
	}
	if (at[strspn(at, " \t")] || !n[0] || n[0] > SIZE_MAX || n[2] > UINT32_MAX)
		return -EINVAL;
	a->bytes = (size_t)n[0];
	a->accesses = n[1];
	a->passes = (uint32_t)n[2];
	return 1;
}

int co_plan_read(const char *text, struct co_plan_array *array, unsigned *n, unsigned *bad)
{
	unsigned had = 0;

	for (unsigned line = 1; *text; line++) {
		size_t length = strcspn(text, "\n");
		struct co_plan_array a;
		int r = read_line(text, length, &a);

		if (r < 0) {
			*bad = line;
			return r;
		}
		if (r && had == *n)
			return -ENOSPC;
		if (r)
			array[had++] = a;
		text += length + (text[length] == '\n');
	}
	*n = had;
	return 0;
}
