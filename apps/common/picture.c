/*
 * picture.c - see picture.h.
 *
 * Source: Portable Network Graphics Specification (ISO/IEC 15948), RFC 1950 (zlib: stored blocks).
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

#define STORED 65535u /* bytes that a block can have */

/* What is written goes into a CRC, too; the first error stays. */
struct out {
	FILE *file;
	uint32_t crc;
	uint32_t a, b; /* Adler's sums, of what is compressed */
	int error;
};

static uint32_t crc_table[256];

static void make_crc_table(void)
{
	for (uint32_t n = 0; n < 256; n++) {
		uint32_t c = n;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		crc_table[n] = c;
	}
}

static void put(struct out *o, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		o->crc = crc_table[(o->crc ^ p[i]) & 255] ^ o->crc >> 8;
	if (!o->error && fwrite(bytes, 1, n, o->file) != n)
		o->error = errno ? -errno : -EIO;
}

static void put_32(struct out *o, uint32_t n)
{
	put(o, (const uint8_t[]){ n >> 24 & 255, n >> 16 & 255, n >> 8 & 255, n & 255 }, 4);
}

static void chunk(struct out *o, const char *type, uint32_t bytes)
{
	put_32(o, bytes);
	o->crc = 0xffffffff;
	put(o, type, 4);
}

static void end_chunk(struct out *o)
{
	put_32(o, ~o->crc);
}

static void add_sums(struct out *o, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		o->a = (o->a + p[i]) % 65521;
		o->b = (o->b + o->a) % 65521;
	}
}

/* A stored block; the last one says so. */
static void put_block(struct out *o, const uint8_t *p, uint32_t n, bool last)
{
	uint32_t no = ~n;

	put(o, (const uint8_t[]){ last, n & 255, n >> 8 & 255, no & 255, no >> 8 & 255 }, 5);
	put(o, p, n);
	add_sums(o, p, n);
}

/* A row of the file, after its filter: none. */
static void make_row(const struct picture *p, unsigned y, uint8_t *row)
{
	*row++ = 0;
	for (unsigned x = 0; x < p->width * p->scale; x++) {
		if (p->rgb) {
			uint32_t rgb = p->rgb[(size_t)y * p->width + x / p->scale];

			*row++ = rgb >> 16 & 255;
			*row++ = rgb >> 8 & 255;
			*row++ = rgb & 255;
		} else {
			*row++ = p->cells[(size_t)(p->height - 1 - y) * p->width + x / p->scale];
		}
	}
}

/* A row is a block, or some. */
static void put_rows(struct out *o, const struct picture *p, uint32_t wide, uint8_t *row)
{
	uint32_t blocks = (wide + STORED - 1) / STORED, high = p->height * p->scale;

	chunk(o, "IDAT", 2 + high * (wide + 5 * blocks) + 4);
	put(o, (const uint8_t[]){ 0x78, 0x01 }, 2);
	o->a = 1;
	o->b = 0;
	for (unsigned y = 0; y < high; y++) {
		make_row(p, y / p->scale, row);
		for (uint32_t at = 0; at < wide; at += STORED) {
			uint32_t n = wide - at < STORED ? wide - at : STORED;

			put_block(o, row + at, n, y == high - 1 && at + n == wide);
		}
	}
	put_32(o, o->b << 16 | o->a);
	end_chunk(o);
}

int picture_write(const char *path, const struct picture *p)
{
	struct out o = { .file = fopen(path, "wb") };
	uint32_t wide = p->width * p->scale * (p->rgb ? 3 : 1) + 1;
	uint8_t *row = malloc(wide);

	if (!o.file || !row) {
		int error = o.file ? -ENOMEM : errno ? -errno : -EIO;

		if (o.file)
			fclose(o.file);
		free(row);
		return error;
	}
	make_crc_table();
	put(&o, "\x89PNG\r\n\x1a\n", 8);
	chunk(&o, "IHDR", 13);
	put_32(&o, p->width * p->scale);
	put_32(&o, p->height * p->scale);
	put(&o, (const uint8_t[]){ 8, p->rgb ? 2 : 3, 0, 0, 0 }, 5); /* 8 bits each, or a palette */
	end_chunk(&o);
	if (!p->rgb) {
		chunk(&o, "PLTE", 3 * 256);
		put(&o, p->palette, 3 * 256);
		end_chunk(&o);
	}
	put_rows(&o, p, wide, row);
	chunk(&o, "IEND", 0);
	end_chunk(&o);
	free(row);
	errno = EIO;
	if (fclose(o.file) && !o.error)
		o.error = -errno;
	return o.error;
}
