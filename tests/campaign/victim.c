/*
 * victim.c - work of the kinds that firmware does: loops over arrays, calls, pointers, text. What
 * may be damaged is each function whose name begins with "victim_", all in this file.
 */
#include <stddef.h>

#include "victim.h"

static uint32_t victim_next(struct job *j)
{
	j->seed ^= j->seed << 13;
	j->seed ^= j->seed >> 17;
	j->seed ^= j->seed << 5;
	return j->seed;
}

static __attribute__((noinline)) void victim_fill(struct job *j)
{
	for (unsigned i = 0; i < VICTIM_KEYS; i++)
		j->key[i] = victim_next(j);
	for (unsigned y = 0; y < VICTIM_SIDE; y++) {
		for (unsigned x = 0; x < VICTIM_SIDE; x++) {
			j->a[y][x] = (int32_t)(victim_next(j) % 2001) - 1000;
			j->b[y][x] = (int32_t)(victim_next(j) % 2001) - 1000;
		}
	}
}

static void victim_sift(uint32_t *key, unsigned at, unsigned n)
{
	unsigned child;

	for (; (child = 2 * at + 1) < n; at = child) {
		uint32_t k = key[at];

		if (child + 1 < n && key[child + 1] > key[child])
			child++;
		if (k >= key[child])
			return;
		key[at] = key[child];
		key[child] = k;
	}
}

static __attribute__((noinline)) void victim_sort(uint32_t *key, unsigned n)
{
	for (unsigned i = n / 2; i-- > 0;)
		victim_sift(key, i, n);
	for (unsigned last = n - 1; last > 0; last--) {
		uint32_t top = key[0];

		key[0] = key[last];
		key[last] = top;
		victim_sift(key, 0, last);
	}
}

static __attribute__((noinline)) void victim_multiply(struct job *j)
{
	for (unsigned y = 0; y < VICTIM_SIDE; y++) {
		for (unsigned x = 0; x < VICTIM_SIDE; x++) {
			int32_t sum = 0;

			for (unsigned k = 0; k < VICTIM_SIDE; k++)
				sum += j->a[y][k] * j->b[k][x];
			j->product[y][x] = sum;
		}
	}
}

static char *victim_put_number(char *to, const char *end, uint32_t n)
{
	char digits[10];
	unsigned count = 0;

	do {
		digits[count++] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	while (count && to < end)
		*to++ = digits[--count];
	return to;
}

static __attribute__((noinline)) void victim_write_out(struct job *j)
{
	char *at = j->text;
	const char *end = j->text + VICTIM_TEXT - 1;

	for (unsigned i = 0; i < VICTIM_KEYS && at < end; i += 16) {
		at = victim_put_number(at, end, j->key[i]);
		if (at < end)
			*at++ = ' ';
	}
	*at = 0;
}

static uint32_t victim_mix(uint32_t sum, const void *data, size_t bytes)
{
	const unsigned char *p = data;

	while (bytes--)
		sum = (sum ^ *p++) * 16777619u;
	return sum;
}

intptr_t victim_run(void *job)
{
	struct job *j = job;
	uint32_t sum = 2166136261u;

	victim_fill(j);
	j->pause();
	victim_sort(j->key, VICTIM_KEYS);
	j->pause();
	victim_multiply(j);
	j->pause();
	victim_write_out(j);
	sum = victim_mix(sum, j->key, sizeof(j->key));
	sum = victim_mix(sum, j->product, sizeof(j->product));
	j->digest = victim_mix(sum, j->text, sizeof(j->text));
	return 0;
}
