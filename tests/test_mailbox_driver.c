/*
 * test_mailbox_driver.c - the cases of mailboxes over queues that a board brings: the functions of
 * hal/mailbox.h as a driver would define them, here over a lock and a list of messages for each
 * queue.
 */
#include <hal/board.h>
#include <hal/mailbox.h>

#include "../runtime/core/lf/waitq.h"

/* Their cases are this test's. */
#include "test_mailbox.c"      // NOLINT(bugprone-suspicious-include)
#include "test_mailbox_open.c" // NOLINT(bugprone-suspicious-include)

struct queue {
	struct co_waitq lock; /* its lock alone is used */
	unsigned claimed, first, used;
	uint32_t head[HAL_MAILBOX_WORDS];
	uintptr_t words[HAL_MAILBOX_WORDS];
};

static struct queue queues[BOARD_MAX_HARTS][HAL_MAILBOX_QUEUES];
static struct co_a32 calls;

static struct queue *lock(unsigned hart, unsigned queue)
{
	struct queue *q = &queues[hart][queue];

	co_waitq_lock(&q->lock);
	return q;
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

	co_waitq_unlock(&q->lock, NULL);
	return fits;
}

void hal_mailbox_unclaim(unsigned hart, unsigned queue, unsigned n)
{
	struct queue *q = lock(hart, queue);

	q->claimed -= n;
	co_waitq_unlock(&q->lock, NULL);
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
	co_waitq_unlock(&q->lock, NULL);
	/* seq_cst, both a fence for the caller's look and a sign of life. */
	co_atomic_add(&calls, 1, CO_SEQ_CST);
	return fits ? 0 : -EAGAIN;
}

uint32_t hal_mailbox_look(unsigned queue)
{
	struct queue *q = lock(co_hart(), queue);
	uint32_t head = q->used ? q->head[q->first] : 0;

	co_waitq_unlock(&q->lock, NULL);
	return head;
}

void hal_mailbox_read(unsigned queue, unsigned from, uintptr_t *words, unsigned n)
{
	struct queue *q = lock(co_hart(), queue);

	for (unsigned i = 0; i < n; i++)
		words[i] = q->words[(q->first + from + i) % HAL_MAILBOX_WORDS];
	co_waitq_unlock(&q->lock, NULL);
}

void hal_mailbox_drop(unsigned queue)
{
	unsigned n = HAL_MAILBOX_SIZE(hal_mailbox_look(queue));
	struct queue *q = lock(co_hart(), queue);

	q->first = (q->first + n) % HAL_MAILBOX_WORDS;
	q->used -= n;
	q->claimed -= n;
	co_waitq_unlock(&q->lock, NULL);
	co_atomic_add(&calls, 0, CO_SEQ_CST); /* before the caller's look */
}

uint32_t hal_mailbox_get(unsigned queue, uintptr_t *words, unsigned max)
{
	uint32_t head = hal_mailbox_look(queue);

	if (head && HAL_MAILBOX_SIZE(head) <= max) {
		hal_mailbox_read(queue, 0, words, HAL_MAILBOX_SIZE(head));
		hal_mailbox_drop(queue);
	}
	return head;
}

TEST(messages_go_through_the_driver)
{
	CHECK(co_atomic_load(&calls, CO_RELAXED) > 100);
}
