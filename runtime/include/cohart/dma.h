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
 * What moves: the board's engine, if it has one; else a move hart of the caller's group, or of
 * another group (a topology like 1x(1+62+1)); else the caller, before co_dma_start() returns.
 * co_dma_mover() tells. When a mover's hart is lost, its transfers end with -EHOSTDOWN, and later
 * ones have another mover. Transfers begin in the order in which they arrive (but small ones, which
 * co_dma_copy() moves itself), and several may be under way at a time. Order: none by itself; a
 * flag for others is an atomic store.
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
/* A transfer: rows of bytes, each so far from the one before. Zero-filled is a good start. */
struct co_dma {
	void *to;
	const void *from;
	size_t bytes;       /* of a row; not 0 */
	size_t rows;        /* 0 means 1 */
	size_t to_stride;   /* bytes from row to row, at least `bytes`; 0: dense */
	size_t from_stride; /* the same, but it may be less than `bytes` */
	/* Counts transfers that are under way. Shared memory (asserted); NULL: this one's own. */
	struct co_counter *running;

	struct co_msg msg; /* from here on the runtime's */
	struct co_dma *next;
	struct co *begun_by, *of; /* of: whose memory is read, if it is another's; or NULL */
	struct co_counter own;
	struct co_a32 status;
};

/*
 * Begin a transfer. Until it has ended, `d` is not written, and neither is what it reads and
 * writes.
 * @param d  shared memory (asserted); may be used again when the transfer has been waited for
 * @return 0: it is under way, or done; -EINVAL: no bytes, rows that overlap, or what is read and
 *         what is written do (columns of one array do not); -EFAULT: private scratchpad or a stack
 *         in it, code or constants to write to, no memory. Nothing has begun then.
 * Order: the mover reads what the caller has written before. Cost: a message to the mover.
 */
CO_MUST_CHECK int co_dma_start(struct co_dma *d);

/*
 * @return -EINPROGRESS; 0: all is written; what co_dma_start() has returned if it has not begun;
 *         -EINVAL, -EFAULT: the engine cannot do that, or reach it; -EIO: the engine has failed;
 *         -EHOSTDOWN: the mover's hart is lost, and what was to be written is undefined: if an
 *         engine was at it, it should not be used for anything else. A transfer that has ended may
 *         be waited for, and must be before `d` is used again, unless others count it.
 * Context: any. Order: acquire, after anything but -EINPROGRESS.
 */
CO_MUST_CHECK int co_dma_check(const struct co_dma *d);

/*
 * Wait until it has ended, with all others of its counter.
 * @return as co_dma_check(); -ETIMEDOUT, -ECANCELED: it goes on.
 * Order: acquire; paired with the mover's end.
 */
CO_MUST_CHECK int co_dma_wait(struct co_dma *d);
CO_MUST_CHECK int co_dma_wait_until(struct co_dma *d, uint64_t deadline);

/*
 * Move bytes, and wait for it, which no cancel ends. Up to CO_DMA_SMALL_BYTES in aligned words, in
 * windows' public parts, static data and libc's heap, the caller loads and stores by itself (here,
 * in co_dma_get() and co_dma_put()): at once, so maybe before transfers that were begun earlier.
 * @return as co_dma_start() and co_dma_wait(); -ENOMEM: another hart would move it, and this hart's
 *         heap has no room for a struct co_dma; nothing was moved.
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
 * The same without waiting: fill in `d` but for d->running, and begin. @return as co_dma_start()
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
 * Bring the same rows to the same place in the scratchpads of several harts. (co_move_broadcast()
 * waits, and lets the harts work at it together.)
 * @param each   one for each of them, shared memory, until the transfers have been waited for
 * @param spm    in this hart's scratchpad: where it is in theirs
 * @param harts  n of them, this one or not
 * @param running  counts them all
 * @return 0; an error as from co_dma_start(), of which each[i] then tells: nothing has begun.
 */
CO_MUST_CHECK int co_dma_broadcast_start(struct co_dma *each, void *spm, const void *from,
					 struct co_rows rows, const unsigned *harts, unsigned n,
					 struct co_counter *running);

/*
 * Say in words what d is and what became of it: "1 x 64 bytes from 0x80012340 to 0x8ff0: cannot be
 * written: that is the private scratchpad of hart 3: ...".
 * @return text, cut to that many bytes; 200 are enough.
 */
const char *co_dma_explain(const struct co_dma *d, char *text, size_t bytes);

/*
 * The hart that serves this one's transfers, -1: each caller moves its own. *engine: by an engine.
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
 * No cancel ends one. What is shorter than these the caller moves by itself: starting the others
 * takes longer (docs/data.md). Source: seed B5.
 */

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
CO_END_C
#endif
