/*
 * test_mailbox_driver.c - the cases of mailboxes over queues that a board brings: the functions of
 * hal/mailbox.h as a driver would define them, here over a lock and a list of messages for each
 * queue.
 */
#include <hal/mailbox.h>

/* Their cases are this test's. */
#include "test_mailbox.c"      // NOLINT(bugprone-suspicious-include)
#include "test_mailbox_open.c" // NOLINT(bugprone-suspicious-include)

struct queue {
	struct co_a32 lock;
	unsigned claimed, first, used;
	uint32_t head[HAL_MAILBOX_WORDS];
	uintptr_t words[HAL_MAILBOX_WORDS];
};

static struct queue queues[BOARD_MAX_HARTS][HAL_MAILBOX_QUEUES];
static struct co_a32 calls;

static struct queue *lock(unsigned hart, unsigned queue)
{
	struct queue *q = &queues[hart][queue];

	while (co_atomic_swap(&q->lock, 1, CO_ACQUIRE)) /* pairs with unlock() */
		;
	return q;
}

static void unlock(struct queue *q)
{
	co_atomic_store(&q->lock, 0, CO_RELEASE);
}

static bool claim(struct queue *q, unsigned n)
{
	if (q->claimed + n > HAL_MAILBOX_WORDS)
		return false;
	q->claimed += n;
	return true;
}

bool hal_mailbox_claim(unsigned hart, unsigned queue, unsigned n)
{
	struct queue *q = lock(hart, queue);
	bool fits = claim(q, n);

	unlock(q);
	return fits;
}

void hal_mailbox_unclaim(unsigned hart, unsigned queue, unsigned n)
{
	struct queue *q = lock(hart, queue);

	q->claimed -= n;
	unlock(q);
}

int hal_mailbox_put(unsigned hart, unsigned queue, uint32_t head, const uintptr_t *words,
		    bool claimed)
{
	struct queue *q = lock(hart, queue);
	unsigned n = HAL_MAILBOX_SIZE(head);
	bool fits = claimed || claim(q, n);

	for (unsigned i = 0; fits && i < n; i++) {
		unsigned at = (q->first + q->used++) % HAL_MAILBOX_WORDS;

		q->head[at] = i ? 0 : head;
		q->words[at] = words[i];
	}
	unlock(q);
	/* seq_cst, both a fence for the caller's look and a sign of life. */
	co_atomic_add(&calls, 1, CO_SEQ_CST);
	return fits ? 0 : -EAGAIN;
}

uint32_t hal_mailbox_look(unsigned queue)
{
	struct queue *q = lock(co_hart(), queue);
	uint32_t head = q->used ? q->head[q->first] : 0;

	unlock(q);
	return head;
}

void hal_mailbox_read(unsigned queue, unsigned from, uintptr_t *words, unsigned n)
{
	struct queue *q = lock(co_hart(), queue);

	for (unsigned i = 0; i < n; i++)
		words[i] = q->words[(q->first + from + i) % HAL_MAILBOX_WORDS];
	unlock(q);
}

void hal_mailbox_drop(unsigned queue)
{
	unsigned n = HAL_MAILBOX_SIZE(hal_mailbox_look(queue));
	struct queue *q = lock(co_hart(), queue);

	q->first = (q->first + n) % HAL_MAILBOX_WORDS;
	q->used -= n;
	q->claimed -= n;
	unlock(q);
	co_atomic_add(&calls, 0, CO_SEQ_CST); /* before the caller's look */
}

TEST(messages_go_through_the_driver)
{
	CHECK(co_atomic_load(&calls, CO_RELAXED) > 100);
}
