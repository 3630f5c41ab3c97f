/*
 * skynet - a tree of coroutines: each starts ten, down to the leaves, and hands up their sum. All
 * that are there at once, a million and more, have stacks of the smallest class.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/options.h"

static const char usage[] =
	"usage: skynet [OPTION]...\n"
	"Add up numbers in a tree of coroutines, ten below each.\n"
	"\n"
	"  -d, --depth=N         levels below the root, 0 to 7 (default 3: 1000 leaves)\n"
	"  -s, --sleepers=N      instead, so many coroutines that sleep at once\n"
	"      --help            print this\n"
	"\n"
	"A depth of 6 wants --coroutines=300000 and MEM=8192.\n";

#define CHILDREN 10
#define SLEEP_US 1000000
#define START_US 20 /* of each */

static unsigned depth = 3, sleepers;

/* What a coroutine is to add up; on its parent's stack. */
struct node {
	uint64_t sum;
	uint32_t first, leaves;
};

static const struct co_attr small = { .name = "node", .stack = CO_STACK_1K };
static struct co_a32 error; /* the first, as a positive number */

static void failed(int r)
{
	co_atomic_store(&error, (uint32_t)-r, CO_RELAXED); /* the joins publish it */
}

static intptr_t node(void *arg);

static __attribute__((noinline)) uint64_t add_up(const struct node *n)
{
	struct node child[CHILDREN];
	struct co_batch batch = { 0 };
	uint32_t leaves = n->leaves / CHILDREN;
	uint64_t sum = 0;
	unsigned i;
	int r = 0;

	for (i = 0; i < CHILDREN && r == 0; i++) {
		child[i] = (struct node){ .first = n->first + i * leaves, .leaves = leaves };
		r = co_batch_spawn(&batch, &small, node, &child[i], NULL);
	}
	if (r)
		failed(r);
	r = co_batch_join(&batch);
	if (r)
		failed(r);
	while (i--)
		sum += child[i].sum;
	return sum;
}

static intptr_t node(void *arg)
{
	struct node *n = arg;

	n->sum = n->leaves > 1 ? add_up(n) : n->first;
	return 0;
}

static struct co_batch all;

static int grow_tree(void)
{
	struct node root = { .leaves = 1 };
	unsigned coroutines = 1;
	uint64_t took;
	int r;

	for (unsigned i = 0; i < depth; i++) {
		root.leaves *= CHILDREN;
		coroutines += root.leaves;
	}
	took = co_now();
	r = co_batch_spawn(&all, &small, node, &root, NULL);
	if (r == 0)
		r = co_batch_join(&all);
	took = co_us(co_now() - took);
	if (r == 0)
		r = -(int)co_atomic_load(&error, CO_RELAXED);
	if (r)
		return r;
	printf("%u coroutines on %u harts: the sum is %" PRIu64 ", in %" PRIu64 " us, %" PRIu64
	       " ns each\n",
	       coroutines, co_harts(), root.sum, took, took * 1000 / coroutines);
	return root.sum == (uint64_t)root.leaves * (root.leaves - 1) / 2 ? 0 : -EPROTO;
}

static intptr_t sleeper(void *arg)
{
	int r = co_sleep_until(*(const uint64_t *)arg);

	if (r)
		failed(r);
	return 0;
}

static int put_to_sleep(void)
{
	static uint64_t end;
	uint64_t begun = co_now(), started;
	int r = 0;

	end = co_after_us(SLEEP_US + sleepers * START_US);
	for (unsigned i = 0; i < sleepers && r == 0; i++) {
		r = co_batch_spawn(&all, &small, sleeper, &end, NULL);
		if (i % 100 == 0)
			co_pause();
	}
	started = co_now();
	if (r)
		failed(r);
	r = co_batch_join(&all);
	if (r == 0)
		r = -(int)co_atomic_load(&error, CO_RELAXED);
	if (r == 0)
		printf("%u coroutines: started in %" PRIu64 " us, all asleep for %" PRId64
		       " us, all awake %" PRIu64 " us later\n",
		       sleepers, co_us(started - begun),
		       end < started ? 0 : (int64_t)co_us(end - started), co_us(co_now() - end));
	return r;
}

int main(int argc, char **argv)
{
	const struct app_option known[] = {
		{ "depth", 'd', .number = &depth, .most = 7 },
		{ "sleepers", 's', .number = &sleepers, .most = 10000000 },
		{ 0 },
	};
	int r = app_options("skynet", usage, known, argc, argv);

	if (r >= 0)
		return r;
	r = sleepers ? put_to_sleep() : grow_tree();
	if (r == 0)
		return 0;
	fprintf(stderr, "skynet: %s\n", strerror(-r));
	return 1;
}
