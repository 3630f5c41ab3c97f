/* screen.c - see screen.h. A coroutine has the device copy the picture, and show it. */
#include <errno.h>
#include <stddef.h>

#include <cohart/cohart.h>

#include "screen.h"
#include "virtio.h"

#define GPU 16
#define COMMANDS 0 /* its queue */
#define PICTURE 1
#define PERIOD_US 40000
#define WAIT_US 5000000
#define XRGB 2 /* bytes of blue, green, red, and one that is not looked at */

enum { CREATE = 0x101, SCANOUT = 0x103, FLUSH = 0x104, TRANSFER = 0x105, ATTACH = 0x106 };
#define DONE 0x1100

/* A command: what its words are depends on the type. */
struct command {
	uint32_t type, flags, fence[2], context, ring, word[8];
};

static struct {
	uint32_t *pixels;
	unsigned width, height;
	struct virtio device;
	struct virtio_queue queue;
	struct command command, answer;
	struct co_event updated;
	int error;
} screen;

static int ask(const struct command *c, uint32_t words)
{
	uint32_t bytes, head = offsetof(struct command, word);
	const struct virtio_buffer part[] = { { &screen.command, head + words * 4, false },
					      { &screen.answer, head, true } };
	int r = 0;

	screen.command = *c;
	screen.answer.type = 0;
	if (virtio_ask(&screen.device, &screen.queue, part, 2) < 0)
		return -EBUSY;
	while (r == 0 && virtio_take(&screen.queue, &bytes) < 0)
		r = virtio_wait(&screen.device, co_after_us(WAIT_US));
	return r ? r : screen.answer.type == DONE ? 0 : -EIO;
}

static int begin(void)
{
	uint64_t at = (uintptr_t)screen.pixels;
	uint32_t w = screen.width, h = screen.height;
	int r = virtio_find(&screen.device, GPU, 0);

	if (r == 0)
		r = virtio_queue(&screen.device, &screen.queue, COMMANDS);
	if (r)
		return r;
	virtio_begin(&screen.device);
	r = ask(&(struct command){ .type = CREATE, .word = { PICTURE, XRGB, w, h } }, 4);
	if (r == 0)
		r = ask(&(struct command){ .type = ATTACH,
					   .word = { PICTURE, 1, (uint32_t)at, (uint32_t)(at >> 32),
						     w * h * 4 } },
			6);
	if (r == 0)
		r = ask(&(struct command){ .type = SCANOUT, .word = { 0, 0, w, h, 0, PICTURE } },
			6);
	return r;
}

static intptr_t update(void *unused)
{
	const uint32_t w = screen.width, h = screen.height;
	const struct command transfer = { .type = TRANSFER, .word = { 0, 0, w, h, 0, 0, PICTURE } };
	const struct command flush = { .type = FLUSH, .word = { 0, 0, w, h, PICTURE } };
	int r = begin();

	(void)unused;
	while (r == 0) {
		r = ask(&transfer, 8);
		r = r ? r : ask(&flush, 6);
		if (r)
			break;
		co_event_set(&screen.updated);
		r = co_sleep_us(PERIOD_US);
	}
	screen.error = r;
	co_event_set(&screen.updated);
	return r;
}

static int wait_for_update(void)
{
	int r = co_event_wait_until(&screen.updated, co_after_us(WAIT_US));

	return r ? r : screen.error;
}

int screen_show(uint32_t *pixels, unsigned width, unsigned height)
{
	const struct co_attr attr = { .name = "screen", .on = CO_ON_HART(0) };
	struct co *c;
	int r;

	screen.pixels = pixels;
	screen.width = width;
	screen.height = height;
	r = co_spawn(&c, &attr, update, NULL);
	return r ? r : wait_for_update();
}

int screen_settle(void)
{
	int r = 0;

	/* The first update may have begun before the caller's last pixels. */
	for (int i = 0; i < 2 && r == 0; i++) {
		co_event_clear(&screen.updated);
		/* A coroutine that has ended sets the event no more. */
		r = screen.error ? screen.error : wait_for_update();
	}
	return r;
}
