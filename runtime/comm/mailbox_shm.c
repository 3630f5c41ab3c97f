/*
 * mailbox_shm.c - hal/mailbox.h for boards without queues in hardware: in the receiver's scratchpad.
 *
 * Weak, so that a board's driver takes its place (hal/mailbox.h).
 */
#include <errno.h>

#include <hal/mailbox.h>

#include "../core/core.h"

#define WEAK __attribute__((weak))

_Static_assert(HAL_MAILBOX_WORDS == CO_MAILQ_WORDS, "the queue is what hal/mailbox.h says");

static struct co_mailq *queue_of(unsigned hart, unsigned queue)
{
	return &co_hart_at(hart)->mail.queue[queue];
}

static struct co_mailq *my_queue(unsigned queue)
{
	return &co_executor.self->mail.queue[queue];
}

WEAK int hal_mailbox_put(unsigned hart, unsigned queue, uint32_t head, const uintptr_t *words,
			 bool claimed)
{
	struct co_mailq *q = queue_of(hart, queue);

	if (!claimed && !co_mailq_claim(q, HAL_MAILBOX_SIZE(head)))
		return -EAGAIN;
	co_mailq_put(q, head, words, HAL_MAILBOX_SIZE(head));
	return 0;
}

WEAK bool hal_mailbox_claim(unsigned hart, unsigned queue, unsigned n)
{
	struct co_mailq *q = queue_of(hart, queue);

	while (co_mailq_room(q, n))
		if (co_mailq_claim(q, n))
			return true;
	return false;
}

WEAK void hal_mailbox_unclaim(unsigned hart, unsigned queue, unsigned n)
{
	co_mailq_unclaim(queue_of(hart, queue), n);
}

WEAK uint32_t hal_mailbox_get(unsigned queue, uintptr_t *words, unsigned max)
{
	struct co_mailq *q = my_queue(queue);
	uint32_t head = co_mailq_peek(q);
	uint32_t n = HAL_MAILBOX_SIZE(head);

	if (head && n <= max) {
		co_mailq_read(q, 0, words, n);
		co_mailq_drop(q, n);
	}
	return head;
}

WEAK uint32_t hal_mailbox_look(unsigned queue)
{
	return co_mailq_look(my_queue(queue));
}

WEAK void hal_mailbox_read(unsigned queue, unsigned from, uintptr_t *words, unsigned n)
{
	co_mailq_read(my_queue(queue), from, words, n);
}

WEAK void hal_mailbox_drop(unsigned queue)
{
	struct co_mailq *q = my_queue(queue);

	co_mailq_drop(q, HAL_MAILBOX_SIZE(co_mailq_peek(q)));
}
