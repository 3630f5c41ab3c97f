/* search.c - <search.h>, qsort(), bsearch(). */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/random.h"
#include "say.h"

static int by_int(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int by_byte(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int by_int_r(const void *a, const void *b, void *sign)
{
	return by_int(a, b) * *(int *)sign;
}

static uint64_t hash(const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t h = 1469598103934665603u;

	while (n--)
		h = (h ^ *s++) * 1099511628211u;
	return h;
}

/* Numbers of each kind: random, of few values, sorted, upside down, equal, an organ pipe. */
static void fill(int *v, unsigned n, unsigned kind)
{
	struct test_random r = { kind };

	for (unsigned i = 0; i < n; i++) {
		const int all[] = {
			(int)test_next(&r),          (int)test_below(&r, 4), (int)i, -(int)i, 7,
			(int)(i < n / 2 ? i : n - i)
		};

		v[i] = all[kind];
	}
}

static void sort(void)
{
	static int v[2001];
	static const unsigned sizes[] = { 0, 1, 2, 3, 6, 7, 8, 9, 39, 40, 41, 100, 1000, 2000 };

	for (unsigned i = 0; i < COUNT(sizes) * 6; i++) {
		unsigned n = sizes[i / 6];
		int sign = -1;

		fill(v, n, i % 6);
		v[n] = 12345;
		qsort(v, n, sizeof(v[0]), by_int);
		say("qsort %d %d = %x %d", n, i % 6, hash(v, n * sizeof(v[0])), v[n]);
		qsort_r(v, n, sizeof(v[0]), by_int_r, &sign);
		say("qsort_r %d %d = %x", n, i % 6, hash(v, n * sizeof(v[0])));
		for (unsigned size = 1; size < 14 && n; size += 3) {
			unsigned char *b = (unsigned char *)v;
			unsigned many = (unsigned)(n * sizeof(v[0]) / size);
			bool sorted = true;
			unsigned sum = 0;

			fill(v, n, i % 6);
			qsort(b, many, size, by_byte);
			for (unsigned j = 1; j < many; j++)
				sorted &= b[j * size] >= b[(j - 1) * size];
			for (unsigned j = 0; j < many * size; j++)
				sum += b[j];
			say("qsort.bytes %d %d %d = %d %d", n, i % 6, size, sorted, sum);
		}
	}
}

static void look(void)
{
	static const int v[] = { -5, -1, 0, 3, 3, 3, 8, 100 };
	static const int keys[] = { -6, -5, -4, -1, 0, 3, 7, 8, 100, 101 };

	for (unsigned n = 0; n <= COUNT(v); n++) {
		for (unsigned i = 0; i < COUNT(keys); i++) {
			const int *p = bsearch(&keys[i], v, n, sizeof(v[0]), by_int);

			say("bsearch %d %d = %d", n, keys[i], p ? *p == keys[i] : -1);
		}
	}
}

static unsigned visited, leaves;
static long last;
static bool in_order;

static void visit(const void *node, VISIT when, int depth)
{
	long key = **(char *const *)node;

	visited++;
	(void)depth;
	if (when == leaf)
		leaves++;
	if (when == leaf || when == postorder) {
		in_order &= key >= last;
		last = key;
	}
}

static void forget(void *key)
{
	visited += *(char *)key != 0;
}

static void tree(void)
{
	static char keys[64];
	struct test_random r = { 9 };
	void *root = NULL;

	for (unsigned i = 0; i < 100; i++) {
		char *k = &keys[i % 64];
		char **found;

		*k = (char)(1 + test_below(&r, i < 64 ? 120 : 1));
		if (i >= 64)
			break;
		found = tsearch(k, &root, by_byte);
		say("tsearch %d = %d", i, found ? **found == *k : -1);
	}
	for (unsigned i = 0; i < 120; i++) {
		char k = (char)i;
		char **found;

		if (i % 3 == 0)
			continue;
		found = tfind(&k, &root, by_byte);
		say("tfind %d = %d", i, found ? 1 : 0);
		if (i % 2)
			say("tdelete %d = %d", i, tdelete(&k, &root, by_byte) != NULL);
	}
	visited = leaves = 0;
	last = 0;
	in_order = true;
	twalk(root, visit);
	say("twalk = %d", visited > 0 && leaves > 0);
	visited = 0;
	tdestroy(root, forget);
	say("tdestroy = %d", visited);
}

static void table(void)
{
	/* From the heap: a table may free its keys at its end. */
	static char *names[40], *own_names[40];
	static struct hsearch_data own;

	say("hcreate = %d", hcreate(50) != 0);
	say("hcreate_r = %d", hcreate_r(50, &own) != 0);
	for (int i = 0; i < 40; i++) {
		const char name[] = { (char)('a' + i % 26), (char)('a' + i / 26), 0 };
		ENTRY e = { names[i] = strdup(name), &names[i] }, *found;

		if (i % 3)
			say("hsearch %d = %d", i,
			    (found = hsearch(e, ENTER)) ? found->data == &names[i] : -1);
		e.key = own_names[i] = strdup(name);
		say("hsearch_r %d = %d", i,
		    hsearch_r(e, ENTER, &found, &own) != 0 && found->key == own_names[i]);
	}
	for (int i = 0; i < 40; i++) {
		const char name[] = { (char)('a' + i % 26), (char)('a' + i / 26), 0 };
		ENTRY e = { (char *)name, NULL }, *found = hsearch(e, FIND);

		say("hsearch.find %d = %d", i, found ? found->data == &names[i] : -1);
		found = NULL;
		say("hsearch_r.find %d = %d", i,
		    hsearch_r(e, FIND, &found, &own) && found->data == &names[i]);
	}
	hdestroy();
	hdestroy_r(&own);
}

void cases_search(void)
{
	sort();
	look();
	tree();
	if (has_statics)
		table();
}
