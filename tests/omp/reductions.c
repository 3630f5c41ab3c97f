/*
 * reductions.c - reductions in which tasks take part, and scans. The output equals libgomp's.
 */
#include <omp.h>
#include <stdio.h>

struct pair {
	long sum, most;
};

static void add(struct pair *to, const struct pair *from)
{
	to->sum += from->sum;
	if (from->most > to->most)
		to->most = from->most;
}

#pragma omp declare reduction(pairs         \
			      : struct pair \
			      : add(&omp_out, &omp_in)) initializer(omp_priv = { 0, -1 })

/* A tree of tasks, each of which adds to what its group reduces. */
static void tree(long depth, long number, long *count, struct pair *p)
{
#pragma omp task in_reduction(+ : count[:3]) in_reduction(pairs : p[:1])
	{
		count[number % 3]++;
		p->sum += number;
		if (number > p->most)
			p->most = number;
		if (depth) {
			tree(depth - 1, 2 * number, count, p);
			tree(depth - 1, 2 * number + 1, count, p);
		}
	}
}

static void groups(void)
{
	long count[3] = { 10, 20, 30 };
	struct pair p = { 0, -1 };

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : count) task_reduction(pairs : p)
		tree(7, 1, count, &p);
	}
	printf("groups: %ld %ld %ld, sum %ld, most %ld\n", count[0], count[1], count[2], p.sum,
	       p.most);
}

/* A group in a group: tasks of the inner one reduce for both. */
static void nested(void)
{
	long a = 0, b = 0;

#pragma omp parallel
#pragma omp master
#pragma omp taskgroup task_reduction(+ : a)
	for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : a) shared(b)
		{
			long c = 0;

			a += 100;
#pragma omp taskgroup task_reduction(+ : c)
			for (int k = 0; k < 10; k++) {
#pragma omp task in_reduction(+ : a, c)
				{
					a++;
					c += k;
				}
			}
#pragma omp atomic
			b += c;
		}
	}
	printf("nested: %ld %ld\n", a, b);
}

static void regions_and_loops(void)
{
	long a = 1, b = 2, c = 3, d = 4, e = 5;

#pragma omp parallel reduction(task, + : a)
	{
#pragma omp single nowait
		for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : a)
			a += i;
		}
#pragma omp for reduction(task, + : b) schedule(dynamic, 3)
		for (int i = 0; i < 50; i++) {
#pragma omp task in_reduction(+ : b)
			b += i;
		}
#pragma omp for reduction(task, + : c)
		for (unsigned long long i = 0; i < 60; i++) {
#pragma omp task in_reduction(+ : c)
			c += (long)i;
		}
#pragma omp sections reduction(task, + : d)
		{
#pragma omp section
			{
#pragma omp task in_reduction(+ : d)
				d += 1000;
			}
#pragma omp section
			d += 7;
		}
#pragma omp scope reduction(task, + : e)
		{
			if (omp_get_thread_num() == 0) {
#pragma omp task in_reduction(+ : e)
				e += 11;
			}
		}
	}
	printf("regions and loops: %ld %ld %ld %ld %ld\n", a, b, c, d, e);
}

static void loops_of_tasks(void)
{
	long a = 0, b = 0;

#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop reduction(+ : a) grainsize(7)
		for (int i = 0; i < 1000; i++)
			a += i;
#pragma omp taskgroup task_reduction(+ : b)
		{
#pragma omp taskloop in_reduction(+ : b) nogroup
			for (unsigned long long i = 0; i < 500; i++)
				b += (long)i;
		}
#pragma omp taskloop reduction(+ : a)
		for (int i = 10; i < 5; i++)
			a += i;
	}
	printf("loops of tasks: %ld %ld\n", a, b);
}

/* Prefix sums: each thread's part waits for the parts of earlier threads. */
static void scans(void)
{
	static long in[300], with[300], without[300];
	long a = 0, b = 0;

	for (int i = 0; i < 300; i++)
		in[i] = i * i % 17;
#pragma omp parallel for reduction(inscan, + : a)
	for (int i = 0; i < 300; i++) {
		a += in[i];
#pragma omp scan inclusive(a)
		with[i] = a;
	}
#pragma omp parallel
#pragma omp for reduction(inscan, + : b)
	for (int i = 0; i < 300; i++) {
		without[i] = b;
#pragma omp scan exclusive(b)
		b += in[i];
	}
	for (int i = 0; i < 300; i += 77)
		printf("scan %d: %ld %ld\n", i, with[i], without[i]);
}

static void conditional(void)
{
	int last = -1;

#pragma omp parallel for lastprivate(conditional : last) schedule(dynamic, 2)
	for (int i = 0; i < 200; i++) {
		if (i % 9 == 4)
			last = i;
	}
	printf("the last that is written: %d\n", last);
}

int main(void)
{
	for (int threads = 1; threads < 7; threads++) {
		omp_set_num_threads(threads);
		groups();
		nested();
		regions_and_loops();
		loops_of_tasks();
		scans();
		conditional();
	}
	return 0;
}
