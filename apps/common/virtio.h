/*
 * virtio.h - a driver's side of a virtio device on the memory bus: registers, a queue of requests,
 * and the interrupt that says that some are done.
 *
 * QEMU has such devices with -global virtio-mmio.force-legacy=false -device virtio-...-device.
 * Source: Virtual I/O Device (VIRTIO) 1.1, 2.6 (split queues), 3.1 (beginning), 4.2 (memory bus).
 */
#ifndef APPS_COMMON_VIRTIO_H
#define APPS_COMMON_VIRTIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/device.h>
#include <cohart/irq.h>

#define VIRTIO_NET 1
#define VIRTIO_DISK 2
#define VIRTIO_BUFFERS 16 /* of a queue; a power of 2 */

struct virtio {
	volatile uint32_t *reg;
	struct co_irq irq;
};

struct virtio_buffer {
	void *at; /* in memory that every hart may use */
	uint32_t bytes;
	bool write; /* by the device */
};

/* One coroutine at a time uses a queue. The first three are the device's, too. */
struct virtio_queue {
	alignas(16) struct {
		uint64_t at;
		uint32_t bytes;
		uint16_t flags, next;
	} buffer[VIRTIO_BUFFERS];
	struct {
		uint16_t flags, count, first[VIRTIO_BUFFERS], event;
	} asked;
	alignas(4) struct {
		uint16_t flags, count;
		struct {
			uint32_t first, bytes;
		} chain[VIRTIO_BUFFERS];
		uint16_t event;
	} done;
	unsigned number;
	uint16_t seen;   /* of done.count */
	uint16_t free;   /* the first of a list by `next` */
	unsigned unused; /* how many are in it */
};

/*
 * Find the first device of a kind, agree on its features, of the first 32 at most `features`, and
 * open its line for the caller's hart.
 * @return 0; -ENODEV: there is none; -EPROTO: it does not agree; as co_irq_open()
 */
int virtio_find(struct virtio *v, uint32_t kind, uint32_t features);

/* Give the device a queue. @return 0; -EPROTO: it has none of that number, or a smaller one */
int virtio_queue(struct virtio *v, struct virtio_queue *q, unsigned number);

/* All queues are there: let the device begin. */
void virtio_begin(struct virtio *v);

/* Ask: buffers in order, those to be read first. @return its mark; -1: the queue is full */
int virtio_ask(struct virtio *v, struct virtio_queue *q, const struct virtio_buffer *b, unsigned n);

/* The mark of a request that is done, and the bytes that the device has written; -1: none is. */
int virtio_take(struct virtio_queue *q, uint32_t *bytes);

/* Wait until some request may be done. @return as co_irq_wait_until() */
int virtio_wait(struct virtio *v, uint64_t deadline);

/* Stop the device: it touches no memory any more. */
void virtio_end(struct virtio *v);

#endif
