/*
 * events.c - tasks that end when an event is fulfilled. The output equals libgomp's.
 */
#include <omp.h>
#include <stdio.h>

static int x;

/* What depends on a task with an event begins after both its code and the event. */
static void dependences(void)
{
	int y = 0, wrong = 0;

	x = 0;
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++) {
		omp_event_handle_t event = 0;

#pragma omp task detach(event) depend(out : x)
		{
#pragma omp atomic write
			x = 10;
		}
#pragma omp task depend(in : x) shared(y, wrong)
		{
			wrong += x != 11;
			y++;
		}
#pragma omp task firstprivate(event)
		{
			int seen;

			do { /* the code is done */
#pragma omp taskyield
#pragma omp atomic read
				seen = x;
			} while (seen != 10);
#pragma omp atomic write
			x = 11;
			omp_fulfill_event(event);
		}
#pragma omp taskwait
#pragma omp atomic write
		x = 0;
	}
	printf("dependences: %d, %d wrong\n", y, wrong);
}

/* The event comes before the task's code, from the code itself, or from a task of the group. */
static void orders(void)
{
	int done = 0;

#pragma omp parallel
#pragma omp single
	{
		omp_event_handle_t event = 0;

#pragma omp task detach(event) shared(done)
		{
			omp_fulfill_event(event);
#pragma omp atomic
			done++;
		}
#pragma omp taskwait
#pragma omp taskgroup
		{
#pragma omp task detach(event) shared(done)
			{
#pragma omp atomic
				done++;
			}
#pragma omp task firstprivate(event)
			omp_fulfill_event(event);
		}
#pragma omp task detach(event) shared(done)
		{
#pragma omp atomic
			done++;
		}
		omp_fulfill_event(event);
	}
	printf("orders: %d\n", done);
}

/* A barrier waits for events that tasks of all threads fulfil. */
static void barriers(void)
{
	int done = 0, wrong = 0;

#pragma omp parallel num_threads(4) reduction(+ : wrong)
	for (int i = 1; i <= 10; i++) {
		omp_event_handle_t event = 0;
		int seen;

#pragma omp task detach(event) shared(done)
		{
#pragma omp atomic
			done++;
		}
#pragma omp task firstprivate(event) shared(done)
		{
#pragma omp atomic
			done++;
			omp_fulfill_event(event);
		}
#pragma omp barrier
#pragma omp atomic read
		seen = done;
		wrong += seen != 8 * i;
#pragma omp barrier
	}
	printf("barriers: %d, %d wrong\n", done, wrong);
}

/* A team of one thread: what an event holds up begins later; out of regions, one has its event
 * first. */
static void alone(void)
{
	omp_event_handle_t event = 0;

	x = 1;
#pragma omp parallel num_threads(1)
	{
#pragma omp task detach(event) depend(out : x)
		x *= 2;
#pragma omp task depend(in : x)
		x += 5;
		printf("before: %d\n", x == 7);
		omp_fulfill_event(event);
#pragma omp taskwait
		printf("after: %d\n", x);
	}
#pragma omp task detach(event)
	{
		x *= 3;
		omp_fulfill_event(event);
	}
	printf("out of regions: %d\n", x);
}

static omp_event_handle_t later;

static __attribute__((noinline)) int fulfil_later(void)
{
	volatile unsigned stack[400];
	int changed = 0;

	for (int i = 0; i < 400; i++)
		stack[i] = 7;
	omp_fulfill_event(later);
#pragma omp barrier
	for (int i = 0; i < 400; i++)
		changed += stack[i] != 7;
	return changed;
}

/* A child with an event ends after its parent, in a team of one. */
static void orphan(void)
{
	int done = 0, changed = 0;

#pragma omp parallel num_threads(1)
	{
#pragma omp task shared(later, done)
		{
			omp_event_handle_t event = 0;

#pragma omp task detach(event) shared(done)
			done++;
			later = event;
		}
#pragma omp taskwait
		changed = fulfil_later();
	}
	printf("orphan: %d, %d words of the stack changed\n", done, changed);
}

/* The creator of many tasks goes on when some wait for an event, and fulfils it. */
static void many(void)
{
	int done = 0;

#pragma omp parallel num_threads(2)
#pragma omp single
	{
		omp_event_handle_t event = 0;

#pragma omp task detach(event) depend(out : x)
		x = 1;
		for (int i = 0; i < 90; i++) {
#pragma omp task
			for (volatile int k = 0; k < 10000; k++)
				;
		}
		for (int i = 0; i < 20; i++) {
#pragma omp task shared(done) depend(in : x)
			{
#pragma omp atomic
				done++;
			}
		}
		omp_fulfill_event(event);
	}
	printf("many: %d\n", done);
}

int main(void)
{
	for (int threads = 2; threads < 7; threads += 2) {
		omp_set_num_threads(threads);
		dependences();
		orders();
	}
	barriers();
	alone();
	orphan();
	many();
	return 0;
}
