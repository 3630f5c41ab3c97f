/*
 * uplink.h - the way out of a board, to the boards of its job: descriptors go out, completions come
 * in. A carrier, outside of the machine, executes descriptors.
 *
 * A board with an uplink defines all of these functions in a driver, and names it in BOARD_DRIVERS.
 * They are weak references: an image for a board without an uplink links, too.
 *
 * A send is matched with a receive by board and tag. Messages from one board with one tag are
 * received in the order in which they were sent; the receives of a tag all name one board, or all
 * name any. A send waits for its receive for as long as it takes: a board that receives slowly
 * holds up its senders, and nothing is lost.
 *
 * No interrupt comes: a caller that waits looks at hal_uplink_completed() from time to time.
 *
 * Context: one hart, which calls all of it.
 */
#ifndef HAL_UPLINK_H
#define HAL_UPLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HAL_UPLINK_WEAK __attribute__((weak))

#define HAL_UPLINK_MOST 64             /* descriptors under way */
#define HAL_UPLINK_TAG_MOST 0x3fffffff /* of tags */
#define HAL_UPLINK_BYTES_MOST INT32_MAX
#define HAL_UPLINK_ANY UINT32_MAX /* as a receive's peer: any board */

enum hal_uplink_operation { HAL_UPLINK_SEND = 1, HAL_UPLINK_RECEIVE = 2 };

struct hal_uplink_descriptor {
	uint32_t operation;
	uint32_t peer; /* another board of the job, of 0 to boards - 1 */
	uint32_t tag;
	uint32_t zero;    /* not looked at */
	uint64_t address; /* physical, of RAM; left alone until the completion */
	uint64_t bytes;   /* of a send; the room of a receive */
	uint64_t request; /* the caller's, returned by the completion */
	uint64_t zeros[3];
};

/* No errno numbers: both sides may number these in their own way. */
enum hal_uplink_error {
	HAL_UPLINK_DONE,
	HAL_UPLINK_REFUSED, /* operation, peer or tag is invalid, or memory is no RAM: no effect */
	HAL_UPLINK_CUT_OFF, /* a receive: the message was longer than the room */
	HAL_UPLINK_ENDED,   /* the peer has ended, and has not received, or sent, the message */
	HAL_UPLINK_FAILED,  /* the transport has */
};

struct hal_uplink_completion {
	uint64_t request;
	uint64_t bytes;     /* of the message that was received */
	uint32_t peer, tag; /* of that message */
	uint32_t error;     /* enum hal_uplink_error */
	uint32_t zero;
};

struct hal_uplink_job {
	unsigned board, boards; /* the caller's number; their number */
};

/*
 * Attach to the job. The first call says that this board is ready.
 * @return 0; -EAGAIN: the carrier has not answered yet: call again. A board that is in no job gets
 *         no answer.
 */
HAL_UPLINK_WEAK int hal_uplink_open(struct hal_uplink_job *job);

/*
 * Begin a send or a receive.
 * @return 0: it will have a completion; -EAGAIN: HAL_UPLINK_MOST are under way.
 * Order: the carrier sees all that the caller wrote before.
 */
HAL_UPLINK_WEAK int hal_uplink_submit(const struct hal_uplink_descriptor *d);

/*
 * Take the oldest completion. They come in any order.
 * @return false: none has come.
 * Order: the caller sees the data that were received.
 */
HAL_UPLINK_WEAK bool hal_uplink_completed(struct hal_uplink_completion *c);

#endif
