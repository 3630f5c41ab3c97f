/* virtio.c - virtio over the memory bus. virtio.h has the interface. */
#include <errno.h>
#include <string.h>

#include <cohart/hart.h>

#include "virtio.h"

/* Registers, by words: 4.2.2. */
enum {
	MAGIC = 0x000 / 4,
	VERSION = 0x004 / 4,
	KIND = 0x008 / 4,
	DEVICE_FEATURES = 0x010 / 4,
	DEVICE_FEATURES_SELECT = 0x014 / 4,
	DRIVER_FEATURES = 0x020 / 4,
	DRIVER_FEATURES_SELECT = 0x024 / 4,
	QUEUE_SELECT = 0x030 / 4,
	QUEUE_MOST = 0x034 / 4,
	QUEUE_SIZE = 0x038 / 4,
	QUEUE_READY = 0x044 / 4,
	NOTIFY = 0x050 / 4,
	INTERRUPT = 0x060 / 4,
	INTERRUPT_SERVED = 0x064 / 4,
	STATUS = 0x070 / 4,
	BUFFERS = 0x080 / 4, /* addresses: two words each */
	ASKED = 0x090 / 4,
	DONE = 0x0a0 / 4,
};

#define VIRT 0x74726976
/* Status: 2.1. */
#define SEEN 1u
#define DRIVEN 2u
#define AGREED 8u
#define BEGUN 4u
#define MODERN 1u /* feature 32 */
/* Flags of a buffer: 2.6.5. */
#define MORE 1u
#define WRITE 2u

static void set_address(struct virtio *v, unsigned reg, const volatile void *p)
{
	v->reg[reg] = (uint32_t)(uintptr_t)p;
	v->reg[reg + 1] = (uint32_t)((uint64_t)(uintptr_t)p >> 32);
}

static int agree(struct virtio *v, uint32_t features)
{
	v->reg[STATUS] = 0; /* reset */
	v->reg[STATUS] = SEEN;
	v->reg[STATUS] = SEEN | DRIVEN;
	v->reg[DEVICE_FEATURES_SELECT] = 1;
	if (!(v->reg[DEVICE_FEATURES] & MODERN))
		return -EPROTO;
	v->reg[DEVICE_FEATURES_SELECT] = 0;
	features &= v->reg[DEVICE_FEATURES];
	v->reg[DRIVER_FEATURES_SELECT] = 0;
	v->reg[DRIVER_FEATURES] = features;
	v->reg[DRIVER_FEATURES_SELECT] = 1;
	v->reg[DRIVER_FEATURES] = MODERN;
	v->reg[STATUS] = SEEN | DRIVEN | AGREED;
	return v->reg[STATUS] & AGREED ? 0 : -EPROTO;
}

static int open_line(struct virtio *v, unsigned number)
{
	int r = co_irq_open(number, co_hart(), &v->irq);

	if (r)
		virtio_end(v);
	return r;
}

int virtio_find(struct virtio *v, uint32_t kind, uint32_t features)
{
	struct co_device_info d;

	for (unsigned n = 0; co_device_find("virtio,mmio", n, &d) == 0; n++) {
		int r;

		v->reg = d.range[0].registers;
		if (v->reg[MAGIC] != VIRT || v->reg[VERSION] != 2 || v->reg[KIND] != kind)
			continue;
		r = agree(v, features);
		return r ? r : open_line(v, d.line[0]);
	}
	return -ENODEV;
}

int virtio_queue(struct virtio *v, struct virtio_queue *q, unsigned number)
{
	memset(q, 0, sizeof(*q));
	q->number = number;
	q->unused = VIRTIO_BUFFERS;
	for (unsigned i = 0; i < VIRTIO_BUFFERS; i++)
		q->buffer[i].next = (uint16_t)(i + 1);
	v->reg[QUEUE_SELECT] = number;
	if (v->reg[QUEUE_MOST] < VIRTIO_BUFFERS)
		return -EPROTO;
	v->reg[QUEUE_SIZE] = VIRTIO_BUFFERS;
	set_address(v, BUFFERS, q->buffer);
	set_address(v, ASKED, &q->asked);
	set_address(v, DONE, &q->done);
	co_device_order();
	v->reg[QUEUE_READY] = 1;
	return 0;
}

void virtio_begin(struct virtio *v)
{
	v->reg[STATUS] = SEEN | DRIVEN | AGREED | BEGUN;
}

int virtio_ask(struct virtio *v, struct virtio_queue *q, const struct virtio_buffer *b, unsigned n)
{
	uint16_t first = q->free, at = first;

	if (n > q->unused)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		at = i ? q->buffer[at].next : first;
		q->buffer[at].at = (uintptr_t)b[i].at;
		q->buffer[at].bytes = b[i].bytes;
		q->buffer[at].flags = (uint16_t)((i + 1 < n ? MORE : 0) | (b[i].write ? WRITE : 0));
	}
	q->free = q->buffer[at].next;
	q->unused -= n;
	q->asked.first[q->asked.count % VIRTIO_BUFFERS] = first;
	co_device_order(); /* the request is there before the count says so */
	*(volatile uint16_t *)&q->asked.count = (uint16_t)(q->asked.count + 1);
	co_device_order();
	v->reg[NOTIFY] = q->number;
	return first;
}

int virtio_take(struct virtio_queue *q, uint32_t *bytes)
{
	uint16_t first, last;

	if (*(volatile uint16_t *)&q->done.count == q->seen)
		return -1;
	co_device_order(); /* the count before what it counts */
	first = last = (uint16_t)q->done.chain[q->seen % VIRTIO_BUFFERS].first;
	*bytes = q->done.chain[q->seen++ % VIRTIO_BUFFERS].bytes;
	for (q->unused++; q->buffer[last].flags & MORE; q->unused++)
		last = q->buffer[last].next;
	q->buffer[last].next = q->free;
	q->free = first;
	return first;
}

int virtio_wait(struct virtio *v, uint64_t deadline)
{
	int r = co_irq_wait_until(&v->irq, deadline);

	if (r == 0)
		v->reg[INTERRUPT_SERVED] = v->reg[INTERRUPT];
	co_device_order();
	return r;
}

void virtio_end(struct virtio *v)
{
	v->reg[STATUS] = 0;
	while (v->reg[STATUS]) /* it may take a while */
		;
}
