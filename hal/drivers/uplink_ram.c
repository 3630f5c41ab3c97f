/*
 * uplink_ram.c - an uplink by shared memory: a process beside the emulator, the carrier, has all of
 * RAM mapped, finds `hal_uplink_ram` by its symbol, and executes descriptors on that memory
 * (qemu/cluster/).
 */
#include <errno.h>

#include "uplink_ram.h"

extern struct uplink_ram hal_uplink_ram;
struct uplink_ram hal_uplink_ram;

static uint32_t submitted, taken; /* descriptors; completions that the caller has */

int hal_uplink_open(struct hal_uplink_job *job)
{
	struct uplink_ram *u = &hal_uplink_ram;

	/* release: the counters, which the start of the image has cleared. */
	co_atomic_store(&u->ready, UPLINK_RAM_READY, CO_RELEASE);
	/* acquire: numbers; pairs with attach_board(), qemu/cluster/board.c. */
	if (!co_atomic_load(&u->attached, CO_ACQUIRE))
		return -EAGAIN;
	*job = (struct hal_uplink_job){ u->board, u->boards };
	return 0;
}

int hal_uplink_submit(const struct hal_uplink_descriptor *d)
{
	struct uplink_ram *u = &hal_uplink_ram;
	struct hal_uplink_descriptor *to = &u->descriptor[submitted % HAL_UPLINK_MOST];

	if (submitted - taken == HAL_UPLINK_MOST)
		return -EAGAIN;
	submitted++;
	to->operation = d->operation; /* the rest is not looked at: this is shorter than a copy */
	to->peer = d->peer;
	to->tag = d->tag;
	to->address = d->address;
	to->bytes = d->bytes;
	to->request = d->request;
	/* release: descriptor and data; pairs with take_descriptors(), qemu/cluster/board.c. */
	co_atomic_store(&u->submitted, submitted, CO_RELEASE);
	return 0;
}

bool hal_uplink_completed(struct hal_uplink_completion *c)
{
	struct uplink_ram *u = &hal_uplink_ram;

	/* acquire: the completion and the data; pairs with complete(), qemu/cluster/board.c. */
	if (co_atomic_load(&u->completed, CO_ACQUIRE) == taken)
		return false;
	*c = u->completion[taken++ % HAL_UPLINK_MOST];
	return true;
}
