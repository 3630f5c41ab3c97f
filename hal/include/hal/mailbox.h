/*
 * mailbox.h - queues in hardware that carry whole messages of words from hart to hart.
 *
 * Each hart receives through HAL_MAILBOX_QUEUES queues of HAL_MAILBOX_WORDS words. The runtime
 * decides where a message goes, which senders wait and which hart to ring; these functions keep
 * messages in order, whole, and within a queue's room.
 *
 * A board whose hardware has these queues defines all of these functions in a driver and names it
 * in BOARD_DRIVERS. They are weak references: where the linker finds none, the runtime keeps the
 * queues in the receivers' scratchpads (runtime/comm/mailbox), which is the same contract in shared
 * memory.
 *
 * A head comes with each message: not 0, and its low 8 bits are the message's size in words.
 */
#ifndef HAL_MAILBOX_H
#define HAL_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HAL_MAILBOX_QUEUES 5
#define HAL_MAILBOX_WORDS 128 /* of a queue, and of the largest message */
#define HAL_MAILBOX_SIZE(head) ((head)&0xff)

#define HAL_MAILBOX_WEAK __attribute__((weak))

/* True if the board has them. Decided when the image is linked. */
#define HAL_MAILBOX_EXISTS() (hal_mailbox_put != NULL)

/*
 * Put a message into a queue of a hart.
 * @param words    HAL_MAILBOX_SIZE(head) of them, 1..HAL_MAILBOX_WORDS
 * @param claimed  hal_mailbox_claim() has got the room for it: it cannot fail
 * @return 0; -EAGAIN: not enough room, nothing was put. While it finds that out, other calls may be
 *         reported in error: a caller that gets -EAGAIN then looks for senders that wait.
 * Context: any. Order: sequentially consistent before the caller's next look (paired with
 * hal_mailbox_look()); release (paired with the receiver's calls). A put that begins when an
 * earlier put, of any sender, has returned puts its message behind the earlier one's.
 */
HAL_MAILBOX_WEAK int hal_mailbox_put(unsigned hart, unsigned queue, uint32_t head,
				     const uintptr_t *words, bool claimed);

/*
 * Take room for a message of n words, for a sender that waits.
 * @return false: there is not enough.
 * Context: any. Order: its look is sequentially consistent, paired with drop, unclaim and a
 * put that failed.
 */
HAL_MAILBOX_WEAK bool hal_mailbox_claim(unsigned hart, unsigned queue, unsigned n);

/* Give it back unused; the caller then looks for senders that wait. Context: any. */
HAL_MAILBOX_WEAK void hal_mailbox_unclaim(unsigned hart, unsigned queue, unsigned n);

/*
 * The oldest message's head in a queue of this hart; 0: the queue is empty. Context: the receiving
 * hart. Order: sequentially consistent, and acquire; paired with put.
 */
HAL_MAILBOX_WEAK uint32_t hal_mailbox_look(unsigned queue);

/* Words from..from+n-1 of the oldest message, which has them; n is not 0. Context: as look. */
HAL_MAILBOX_WEAK void hal_mailbox_read(unsigned queue, unsigned from, uintptr_t *words, unsigned n);

/*
 * Drop the oldest message, of which there is one. Context: as look. Order: sequentially consistent
 * before the caller's look for senders that wait.
 */
HAL_MAILBOX_WEAK void hal_mailbox_drop(unsigned queue);

#endif
