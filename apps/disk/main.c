/*
 * main.c - read sectors of a disk, as they are, to standard output: a driver of virtio-blk on a
 * compute hart, whose blocks go into its scratchpad and whose interrupts come to it.
 *
 *	make run APP=disk ARGS='0 4' DEVICES='-global virtio-mmio.force-legacy=false
 *		-drive if=none,id=disk,format=raw,file=FILE -device virtio-blk-device,drive=disk'
 *
 * Source: Virtual I/O Device (VIRTIO) 1.1, 5.2 (block device).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#include "../common/virtio.h"

#define SECTOR 512
#define AT_ONCE 4 /* sectors of a request */
#define CAPACITY (0x100 / 4)
#define READ 0
#define WAIT_US 5000000

/* What is read before, and written behind, a request's data. */
struct request {
	uint32_t kind, reserved;
	uint64_t sector;
	volatile uint8_t status;
};

static struct virtio disk;
static struct virtio_queue queue;
static uint64_t first, count;

/* Read `sectors` of them into memory that is the caller's. */
static int read_sectors(struct request *r, void *to, uint64_t sector, uint32_t sectors)
{
	const struct virtio_buffer part[] = {
		{ r, offsetof(struct request, status), false },
		{ to, sectors * SECTOR, true },
		{ (void *)&r->status, 1, true },
	};
	uint32_t bytes;
	int error;

	*r = (struct request){ .kind = READ, .sector = sector, .status = 0xff };
	if (virtio_ask(&disk, &queue, part, 3) < 0)
		return -EBUSY;
	while (virtio_take(&queue, &bytes) < 0) {
		error = virtio_wait(&disk, co_after_us(WAIT_US));
		if (error)
			return error;
	}
	return r->status || bytes != sectors * SECTOR + 1 ? -EIO : 0;
}

static int copy_all(struct request *request, char *block)
{
	uint64_t there = disk.reg[CAPACITY] | (uint64_t)disk.reg[CAPACITY + 1] << 32;
	int r = first > there || count > there - first ? -ERANGE : 0;

	while (r == 0 && count) {
		uint32_t n = count < AT_ONCE ? (uint32_t)count : AT_ONCE;

		r = read_sectors(request, block, first, n);
		if (r == 0 && fwrite(block, SECTOR, n, stdout) != n)
			r = -EIO;
		first += n;
		count -= n;
	}
	return r;
}

static intptr_t drive(void *unused)
{
	char *block = co_spm_alloc(AT_ONCE * SECTOR, SECTOR);
	struct request *request = co_spm_alloc(sizeof(*request), 16);
	int r = block && request ? virtio_find(&disk, VIRTIO_DISK, 0) : -ENOMEM;

	(void)unused;
	if (r)
		return r;
	r = virtio_queue(&disk, &queue, 0);
	if (r == 0) {
		virtio_begin(&disk);
		r = copy_all(request, block);
	}
	virtio_end(&disk);
	co_irq_close(&disk.irq);
	return r;
}

int main(int argc, char **argv)
{
	struct co_attr attr = { .name = "disk" };
	struct co *driver;
	intptr_t r;

	if (argc != 3) {
		fprintf(stderr, "usage: disk FIRST COUNT (sectors of %d bytes)\n", SECTOR);
		return 2;
	}
	first = strtoull(argv[1], NULL, 10);
	count = strtoull(argv[2], NULL, 10);
	if (co_spawn(&driver, &attr, drive, NULL) || co_join(driver, &r))
		return 1;
	if (r) {
		fprintf(stderr, "disk: %s\n", r == -ENODEV ? "there is none" : strerror((int)-r));
		return 1;
	}
	return 0;
}
