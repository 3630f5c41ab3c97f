/*
 * dma.h - moving memory while the caller does something else.
 *
 * Example
 *	static struct co_dma in;       // shared memory: not on a stack in the scratchpad
 *
 *	in = (struct co_dma){ .to = tile, .from = image, .bytes = 64, .rows = 64,
 *			      .to_stride = 64, .from_stride = width };
 *	int r = co_dma_start(&in);
 *	... work on something else ...
 *	if (r == 0)
 *		r = co_dma_wait(&in);
 *
 * The mover is the board's engine, if it has one; else a move hart of the caller's group, or of
 * another group (a topology like 1x(1+62+1)); else the caller, before co_dma_start() returns.
 * co_dma_mover() returns the mover's hart. When that hart is lost, its transfers end with
 * -EHOSTDOWN, and later transfers have another mover. A mover begins transfers in the order in
 * which they arrive, and several may be under way at a time; co_dma_copy() moves few bytes by
 * itself. Order: none by itself; a flag for another hart is an atomic store.
 *
 * Context: coroutine, for every function that does not say otherwise.
 * Source: seeds E10, B5, D1.
 */
#ifndef COHART_DMA_H
#define COHART_DMA_H

#include <cohart/coroutine.h>
#include <cohart/detail/base.h>
#include <cohart/detail/wait.h>
#include <cohart/detail/waitq.h>

CO_BEGIN_C
/* A transfer: rows of bytes at equal distances. Zero-filled is a good start. */
struct co_dma {
	void *to;
	const void *from;
	size_t bytes;       /* of a row; not 0 */
	size_t rows;        /* 0 means 1 */
	size_t to_stride;   /* bytes from row to row, at least `bytes`; 0: dense */
	size_t from_stride; /* bytes from row to row, maybe less than `bytes`; 0: dense */
	/* Counts transfers that are under way. Shared memory (asserted); NULL: `own`. */
	struct co_counter *running;

	struct co_msg msg; /* from here on the runtime's */
	struct co_dma *next;
	struct co *begun_by, *of; /* of: a second coroutine, whose memory is read; or NULL */
	struct co_counter own;
	struct co_a32 status;
};

/*
 * Begin a transfer. Until it has ended, the program must not write `d`, the source or the
 * destination.
 * @param d  shared memory (asserted); may be used again when the transfer has been waited for
 * @return 0: under way, or done; -EINVAL: no bytes, or rows of the destination overlap one another
 *         or the source (columns of one array do not overlap); -EFAULT: the memory is private
 *         scratchpad or a stack in it, code or constants to write to, or no memory. Nothing has
 *         begun on error.
 * Order: the mover sees the caller's earlier writes. Cost: a message to the mover.
 */
CO_MUST_CHECK int co_dma_start(struct co_dma *d);

/*
 * Look at a transfer's status.
 * @return -EINPROGRESS; 0: all is written; the error of co_dma_start() if it has not begun;
 *         -EINVAL, -EFAULT: the engine cannot do this transfer, or not reach the memory; -EIO:
 *         the engine has failed; -EHOSTDOWN: the mover's hart is lost, and the destination's
 *         contents are undefined; if an engine moved it, that memory should get no other use. Also
 *         a transfer that has ended must be waited for before `d` is used again, unless d->running
 *         counts it.
 * Context: any. Order: acquire, after anything but -EINPROGRESS.
 */
CO_MUST_CHECK int co_dma_check(const struct co_dma *d);

/*
 * Wait until a transfer has ended, and all transfers that its counter counts.
 * @return as co_dma_check(); -ETIMEDOUT, -ECANCELED: the transfer goes on.
 * Order: acquire; paired with the mover's end.
 */
CO_MUST_CHECK int co_dma_wait(struct co_dma *d);
CO_MUST_CHECK int co_dma_wait_until(struct co_dma *d, uint64_t deadline);

/*
 * Move bytes, and wait until they are moved; no cancel ends the wait. Up to CO_DMA_SMALL_BYTES in
 * aligned words, in windows' public parts, static data and libc's heap, are moved by the caller's
 * own loads and stores (also in co_dma_get() and co_dma_put()): at once, so maybe before transfers
 * that were begun earlier.
 * @return as co_dma_start() and co_dma_wait(); -ENOMEM: another hart would move the bytes, and this
 *         hart's heap has no room for a struct co_dma; nothing was moved.
 */
#define CO_DMA_SMALL_BYTES 16
CO_MUST_CHECK int co_dma_copy(void *to, const void *from, size_t bytes);

/* ---- Between main memory and a scratchpad ---- */

/* Rows in main memory; in the scratchpad they are dense. */
struct co_rows {
	size_t bytes, rows, stride;
};
#define CO_BYTES(n) co_rows_of((n), 1, 0)
#define CO_ROWS(n, rows, stride) co_rows_of((n), (rows), (stride))

static inline struct co_rows co_rows_of(size_t bytes, size_t rows, size_t stride)
{
	struct co_rows r = { bytes, rows, stride };

	return r;
}

/*
 * Bring rows into a scratchpad, take them back out. @return as co_dma_copy()
 *
 * Example
 *	r = co_dma_get(tile, &image[y][x], CO_ROWS(64, 16, sizeof(*image)));
 */
CO_MUST_CHECK int co_dma_get(void *spm, const void *from, struct co_rows rows);
CO_MUST_CHECK int co_dma_put(void *to, const void *spm, struct co_rows rows);

/*
 * Begin to bring rows in, or to take them out: fill in all of `d` but d->running, and start it.
 * @return as co_dma_start()
 *
 * Example
 *	struct co_dma *d = ...;                // two, in shared memory
 *	d[0].running = d[1].running = &tiles;  // one wait for both
 *	r = co_dma_get_start(&d[0], a, from_a, CO_BYTES(4096));
 *	if (r == 0)
 *		r = co_dma_get_start(&d[1], b, from_b, CO_BYTES(4096));
 *	...
 *	co_counter_wait(&tiles);
 */
CO_MUST_CHECK int co_dma_get_start(struct co_dma *d, void *spm, const void *from,
				   struct co_rows rows);
CO_MUST_CHECK int co_dma_put_start(struct co_dma *d, void *to, const void *spm,
				   struct co_rows rows);

/*
 * Begin to bring rows to one place in the scratchpads of several harts. (co_move_broadcast() waits,
 * and lets the harts work together.)
 * @param each     n transfers, in shared memory, until they have been waited for
 * @param spm      the place, as an address in this hart's scratchpad
 * @param harts    n harts, with or without the caller's
 * @param running  counts all n transfers
 * @return 0; an error of co_dma_start(): nothing has begun, and co_dma_check(&each[i]) tells which
 *         transfers have failed.
 */
CO_MUST_CHECK int co_dma_broadcast_start(struct co_dma *each, void *spm, const void *from,
					 struct co_rows rows, const unsigned *harts, unsigned n,
					 struct co_counter *running);

/*
 * Write as text what d moves, and its status: "1 x 64 bytes from 0x80012340 to 0x8ff0: cannot be
 * written: that is the private scratchpad of hart 3: ...".
 * @return text, cut to `bytes` bytes; 200 are enough.
 */
const char *co_dma_explain(const struct co_dma *d, char *text, size_t bytes);

/*
 * @param engine  set to whether an engine moves; NULL: not wanted
 * @return the hart that serves the calling hart's transfers; -1: each caller moves its own.
 */
int co_dma_mover(bool *engine);

/*
 * ---- All compute harts of the caller's group together: much memory, copied or filled ----
 *
 * Example
 *	int r = co_move_fill(field, 0, sizeof(field));
 *
 *	if (r == 0)
 *		r = co_move_copy(old, field, sizeof(field));
 *
 * No cancel ends one. Below these limits the caller moves all bytes by itself, since starting the
 * compute harts would take longer (docs/data.md). Source: seed B5.
 */

/* Least bytes of a copy by a compute hart, which has no cache. */
#define CO_MOVE_COPY_BYTES 512
/* Least bytes of a copy by a manager, which has a cache, and least compute harts of its group. */
#define CO_MOVE_MANAGER_BYTES 16384
#define CO_MOVE_MANAGER_HARTS 16
/* Least bytes of a fill. */
#define CO_MOVE_FILL_BYTES 98304

/*
 * Copy bytes.
 * @return 0; -EINVAL: source and destination overlap, or there are no bytes; -EFAULT: as
 *         co_dma_start(). Nothing has been written on error.
 * Order: the caller sees all bytes, and so does every hart that it synchronises with afterwards.
 */
CO_MUST_CHECK int co_move_copy(void *to, const void *from, size_t bytes);

/* Set bytes to a value. @return 0; -EINVAL: no bytes; -EFAULT: as co_move_copy() */
CO_MUST_CHECK int co_move_fill(void *to, unsigned char value, size_t bytes);

/*
 * Bring bytes to one place in the scratchpads of all compute harts of the caller's group, and of
 * its manager if the caller runs there.
 * @param spm  the place, as an address in this hart's public scratchpad
 * @return 0; -EINVAL: no bytes, or `from` overlaps a destination without being one; -EFAULT: as
 *         co_move_copy(), also if `spm` is not in this hart's scratchpad; -ENOMEM: this hart's heap
 *         has no room for the loop's description. Nothing has been written on error.
 */
CO_MUST_CHECK int co_move_broadcast(void *spm, const void *from, size_t bytes);
CO_END_C
#endif
