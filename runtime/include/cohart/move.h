/*
 * move.h - much memory, copied or filled by all compute harts of the caller's group together.
 *
 * Example
 *	int r = co_move_fill(field, 0, sizeof(field));
 *
 *	if (r == 0)
 *		r = co_move_copy(old, field, sizeof(field));
 *
 * What is shorter than these the caller moves by itself: starting the others takes longer
 * (docs/data.md).
 *
 * Context: coroutine, for every function; no cancel ends one. Source: seed B5.
 */
#ifndef COHART_MOVE_H
#define COHART_MOVE_H

#include <stddef.h>

#include <cohart/dma.h>

/* A compute hart, which has no cache, copies; */
#define CO_MOVE_COPY_BYTES 512
/* a manager does, which has one, and whose group has at least so many compute harts; */
#define CO_MOVE_MANAGER_BYTES 16384
#define CO_MOVE_MANAGER_HARTS 16
/* anybody fills. */
#define CO_MOVE_FILL_BYTES 98304

/*
 * @return 0; -EINVAL: they overlap, or there are no bytes; -EFAULT: memory that others must not
 *         touch, or that is not there, as for co_dma_start(). Nothing has been written then.
 * Order: all is there to be seen by the caller, and by those that it tells.
 */
CO_MUST_CHECK int co_move_copy(void *to, const void *from, size_t bytes);

/* Set bytes to a value. @return 0, -EINVAL, -EFAULT as above. */
CO_MUST_CHECK int co_move_fill(void *to, unsigned char value, size_t bytes);

/*
 * Bring the same bytes to the same place in the scratchpads of all compute harts of the caller's
 * group, and of its manager if that is where the caller runs.
 * @param spm  in this hart's public scratchpad: where it is in theirs
 * @return 0, -EINVAL, -EFAULT as above, and overlap is that with any of these places, but `from`
 *         may be one of them; -EFAULT also if `spm` is not in this hart's scratchpad;
 *         -ENOMEM: its heap has no room for the loop's description. Nothing has been written then.
 */
CO_MUST_CHECK int co_move_broadcast(void *spm, const void *from, size_t bytes);

#endif
