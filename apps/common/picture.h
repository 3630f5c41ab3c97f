/* picture.h - write a PNG without compression. */
#ifndef APPS_COMMON_PICTURE_H
#define APPS_COMMON_PICTURE_H

#include <stdint.h>

/* Pixels are `cells` with a palette, the lowest row first, or `rgb`, the highest row first. */
struct picture {
	unsigned width, height;
	unsigned scale;              /* each is a square of so many of the file's */
	const uint8_t *cells;        /* numbers of the palette's 256 */
	const uint8_t (*palette)[3]; /* red, green, blue */
	const uint32_t *rgb;         /* NULL; or instead: 0xRRGGBB */
};

/* @return 0 or a negative errno number */
int picture_write(const char *path, const struct picture *p);

#endif
