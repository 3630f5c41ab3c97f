/*
 * wait.c - the model of waiting and waking. Wakers, the clock and cancels against waiters: no
 * wake-up is lost, one that comes to a waiter which has given up goes on to the next, and none
 * reaches a later wait.
 */
/* Sources: scheduler */
#include "core/sched/wait_inline.h"
#include "relacy/machine.h"

/* A lock: the smallest object whose condition one waiter can take from another. */
struct lock {
	struct co_a32 open;
	struct co_waitq queue;
	int inside; /* what it guards */
};

static struct lock lock[2];
static struct co_a32 flag[2];
static struct co_waitq queue[2];
static struct co_a32 over;

static void reset(unsigned threads)
{
	machine_reset(threads);
	memset(lock, 0, sizeof(lock));
	memset(flag, 0, sizeof(flag));
	memset(queue, 0, sizeof(queue));
	memset(&over, 0, sizeof(over));
}

static void reset_noted(unsigned threads)
{
	reset(threads);
	machine_note();
}

static bool is_open(struct lock *l)
{
	return co_atomic_load(&l->open, CO_SEQ_CST) != 0;
}

static bool try_lock(struct lock *l)
{
	if (!co_atomic_swap(&l->open, 0, CO_ACQUIRE))
		return false;
	co_plain_store(&l->inside, co_plain_load(&l->inside) + 1);
	return true;
}

static void release(struct lock *l)
{
	co_plain_store(&l->inside, co_plain_load(&l->inside) + 1);
	co_atomic_store(&l->open, 1, CO_SEQ_CST);
	co_wake_one(&l->queue);
}

static int acquire(struct lock *l, uint64_t deadline)
{
	while (!try_lock(l)) {
		struct co_waiter *w = co_wait_prepare(&l->queue, l, "lock");
		int r = is_open(l) ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (r)
			return try_lock(l) ? 0 : r;
	}
	return 0;
}

static void set(unsigned i)
{
	co_atomic_store(&flag[i], 1, CO_SEQ_CST);
}

static bool is_set(unsigned i)
{
	return co_atomic_load(&flag[i], CO_SEQ_CST) != 0;
}

static int await(unsigned i, uint64_t deadline)
{
	while (!is_set(i)) {
		struct co_waiter *w = co_wait_prepare(&queue[i], NULL, "flag");
		int r = is_set(i) ? co_wait_abandon(w) : co_wait_commit(w, deadline);

		if (r && !is_set(i))
			return r;
	}
	return 0;
}

static void wake_one(unsigned i)
{
	if (i == 0) {
		MODEL_CHECK(await(0, CO_FOREVER) == 0);
		MODEL_CHECK(co_plain_load(&lock[0].inside) == 42);
	} else {
		co_plain_store(&lock[0].inside, 42);
		set(0);
		co_wake_one(&queue[0]);
	}
}

static void wake_all(unsigned i)
{
	if (i < 2) {
		MODEL_CHECK(await(0, CO_FOREVER) == 0);
	} else {
		set(0);
		co_wake_all(&queue[0]);
	}
}

/* A message that has nothing to do with the wait comes as the waker does. */
static struct co_msg message;

static void nothing(struct co_msg *m)
{
}

static void wake_and_message(unsigned i)
{
	if (i < 2) {
		wake_one(i);
		return;
	}
	message.run = nothing;
	co_post(machine_co(0)->hart, &message);
}

/* The holder, and two who want it. */
static void fight(unsigned i)
{
	if (i < 2)
		MODEL_CHECK(acquire(&lock[0], CO_FOREVER) == 0);
	release(&lock[0]);
}

static void fought(void)
{
	MODEL_CHECK(lock[0].inside == 5);
}

/* The caller has given up: its node is in no queue, so that it can enter another. */
static void enter_another(void)
{
	co_wait_abandon(co_wait_prepare(&queue[0], NULL, "another"));
	MODEL_CHECK(!co_waitq_any(&queue[0]));
}

/* One of the two has a deadline: the wake it cannot use must reach the other. */
static void give_up(unsigned i)
{
	if (i == 0) {
		int r;

		machine_hasten();
		r = acquire(&lock[0], MACHINE_DEADLINE);
		MODEL_CHECK(r == 0 || r == -ETIMEDOUT);
		if (r) {
			enter_another();
			return;
		}
	} else if (i == 1) {
		MODEL_CHECK(acquire(&lock[0], CO_FOREVER) == 0);
	}
	release(&lock[0]);
}

/* One of the two is cancelled. */
static void cancel(unsigned i)
{
	if (i == 0) {
		int r = acquire(&lock[0], CO_FOREVER);

		MODEL_CHECK(r == 0 || r == -ECANCELED);
		if (r) {
			enter_another();
			return;
		}
	} else if (i == 1) {
		MODEL_CHECK(acquire(&lock[0], CO_FOREVER) == 0);
	} else if (i == 2) {
		co_atomic_or(&machine_co(0)->refs, CO_HANDLE, CO_RELAXED);
		co_cancel(machine_co(0));
		return;
	}
	release(&lock[0]);
}

/*
 * Two cancel a coroutine of the same hart each, the second one of which runs nothing. One message
 * is for both, or the second comes when the first was taken.
 */
static void cancel_two(unsigned i)
{
	struct co *c = i == 2 ? machine_co(0) + 1 : machine_co(0);

	if (i == 0) {
		MODEL_CHECK(await(0, CO_FOREVER) == -ECANCELED);
		return;
	}
	co_atomic_or(&c->refs, CO_HANDLE, CO_RELAXED);
	co_cancel(c);
}

static struct co_batch batch;

/* A cancel of a batch notifies hart 0, too, which no model has. */
static void in_batch(unsigned threads)
{
	struct co_hart *h = co_hart_at(0);

	reset(threads);
	memset(h, 0, sizeof(*h));
	co_inbox_init(&h->inbox);
	batch = (struct co_batch){ 0 };
	machine_co(0)->batch = &batch;
}

/* The batch of a coroutine is cancelled, and another coroutine of its hart, as in cancel_two(). */
static void cancel_batch(unsigned i)
{
	if (i == 0) {
		MODEL_CHECK(await(0, CO_FOREVER) == -ECANCELED);
	} else if (i == 1) {
		co_atomic_or(&(machine_co(0) + 1)->refs, CO_HANDLE, CO_RELAXED);
		co_cancel(machine_co(0) + 1);
	} else {
		co_batch_cancel(&batch);
	}
}

/* The first wait may end by the clock while its waker is on the way; the second is another's. */
static void later_wait(unsigned i)
{
	if (i == 0) {
		struct co_waiter *w;

		machine_hasten();
		(void)await(0, MACHINE_DEADLINE);
		w = co_wait_prepare(&queue[1], NULL, "the second");
		if (is_set(1)) {
			co_wait_abandon(w);
		} else {
			MODEL_CHECK(co_wait_commit(w, CO_FOREVER) == 0);
			MODEL_CHECK(is_set(1));
		}
	} else {
		set(i - 1);
		co_wake_one(&queue[i - 1]);
	}
}

/* One waits for either lock, another for the second. */
static void take_any(void)
{
	struct co_wait_any any;
	int woken = -1;
	unsigned got;

	for (;;) {
		for (got = 0; got < 2 && !try_lock(&lock[got]); got++)
			;
		if (woken >= 0 && (unsigned)woken != got)
			co_wake_one(&lock[woken].queue);
		if (got < 2)
			break;
		co_wait_any_begin(&any, NULL, "either");
		for (got = 0; got < 2; got++) {
			MODEL_CHECK(co_wait_any_enter(&any, &lock[got].queue));
			if (is_open(&lock[got]))
				break;
		}
		woken = co_wait_any_commit(&any, got < 2, CO_FOREVER);
	}
	release(&lock[got]);
}

static void either(unsigned i)
{
	if (i == 0) {
		take_any();
	} else if (i == 1) {
		MODEL_CHECK(acquire(&lock[1], CO_FOREVER) == 0);
		release(&lock[1]);
	} else {
		release(&lock[i - 2]);
	}
}

/* A waiter that says that it waits, and a waker that so claims it, twice. */
static void claim(unsigned i)
{
	for (int n = 1; n < 3 && i < 2; n++) {
		if (i == 0) {
			co_wait_prepare(NULL, NULL, "work");
			/* release: the wait is armed. */
			co_atomic_store(&flag[0], 1, CO_RELEASE);
			(void)co_wait_sleep(machine_co(0), CO_FOREVER);
			MODEL_CHECK(co_plain_load(&lock[0].inside) == n);
		} else {
			while (!co_atomic_swap(&flag[0], 0, CO_ACQUIRE))
				model_yield();
			co_plain_store(&lock[0].inside, n);
			co_wake_claimed(machine_co(0));
		}
	}
	if (i == 2) {
		message.run = nothing;
		co_post(1, &message);
	}
}

/* A transfer of a coroutine's memory ends: as finish_by(), dma.c. */
static void transferring(unsigned threads)
{
	reset(threads);
	co_atomic_store(&machine_co(0)->transfers, 1, CO_RELAXED);
}

static void transfer(unsigned i)
{
	if (i == 0) {
		co_await_transfers(machine_co(0));
		MODEL_CHECK(co_plain_load(&lock[0].inside) == 42);
	} else {
		co_plain_store(&lock[0].inside, 42);
		co_atomic_add(&machine_co(0)->transfers, -1u, CO_RELEASE);
	}
}

/* Two of these are of one hart. */
OF_ONE_HART(fight_of_one_hart, fight, 0, 1)
OF_ONE_HART(fight_with_holder, fight, 0, 2)
OF_ONE_HART(give_up_of_one_hart, give_up, 0, 1)
OF_ONE_HART(cancel_of_one_hart, cancel, 0, 1)
OF_ONE_HART(either_of_one_hart, either, 0, 1)
OF_ONE_HART(either_with_holder, either, 0, 3)

const struct model models[] = {
	{ "a waker, a waiter", 2, reset, wake_one, .bound = 4 },
	{ "a waker, a waiter, a message", 3, reset, wake_and_message, .bound = 2 },
	{ "a waker of two", 3, reset, wake_all, .bound = 2 },
	{ "two want what one has", 3, reset, fight, fought, .bound = 2 },
	{ "one of two gives up at its deadline", 3, reset, give_up, .bound = 2 },
	{ "one of two is cancelled", 4, reset, cancel, .bound = 2 },
	{ "two of a hart are cancelled", 3, reset, cancel_two, .bound = 2 },
	{ "one of a batch that is cancelled, and one of its hart", 3, in_batch, cancel_batch,
	  .bound = 2 },
	{ "a later wait on another queue", 3, reset, later_wait, .bound = 2 },
	{ "one claims a waiter, and a message", 3, reset, claim, .bound = 2 },
	{ "one waits for either of two", 4, reset, either, .bound = 2 },
	{ "two of a hart want what one has", 2, reset, fight_of_one_hart, fought, .bound = 3 },
	{ "one has what one of its hart wants", 2, reset, fight_with_holder, fought, .bound = 3 },
	{ "one of two of a hart gives up", 2, reset, give_up_of_one_hart, .bound = 2 },
	{ "one of two of a hart is cancelled", 3, reset, cancel_of_one_hart, .bound = 2 },
	{ "either of two, and one of them, of a hart", 3, reset, either_of_one_hart, .bound = 2 },
	{ "either of two, of which its hart has one", 3, reset, either_with_holder, .bound = 2 },
	{ "one waits for a transfer", 2, transferring, transfer, .bound = 2 },
	{ "a waker, a waiter, noted", 2, reset_noted, wake_one, .bound = 4 },
	{ "a waker, a waiter, a message, noted", 3, reset_noted, wake_and_message, .bound = 2 },
	{ "a waker of two, noted", 3, reset_noted, wake_all, .bound = 2 },
	{ "two want what one has, noted", 3, reset_noted, fight, fought, .bound = 2 },
	{ "one of two gives up at its deadline, noted", 3, reset_noted, give_up, .bound = 2 },
	{ "one of two is cancelled, noted", 4, reset_noted, cancel, .bound = 2 },
	{ "a later wait on another queue, noted", 3, reset_noted, later_wait, .bound = 2 },
	{ "one claims a waiter, and a message, noted", 3, reset_noted, claim, .bound = 2 },
	{ "one waits for either of two, noted", 4, reset_noted, either, .bound = 2 },
	{ "two of a hart want what one has, noted", 2, reset_noted, fight_of_one_hart, fought,
	  .bound = 3 },
	{ "one of two of a hart is cancelled, noted", 3, reset_noted, cancel_of_one_hart,
	  .bound = 2 },
	{ 0 },
};
