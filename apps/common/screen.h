/*
 * screen.h - a picture in memory, live on the screen of a virtio-gpu device, which QEMU has by
 * -global virtio-mmio.force-legacy=false -device virtio-gpu-device (make run DISPLAY=1).
 *
 * Source: Virtual I/O Device (VIRTIO) 1.2, 5.7 (GPU device).
 */
#ifndef APPS_COMMON_SCREEN_H
#define APPS_COMMON_SCREEN_H

#include <stdint.h>

/*
 * Show pixels, 0xRRGGBB in words, the highest row first, again and again by a coroutine on hart 0,
 * whatever is written there meanwhile.
 * @param pixels  memory of malloc()'s, or static data, for the whole run
 * @return 0; -ENODEV: the machine has no such device; or another negative errno number
 */
int screen_show(uint32_t *pixels, unsigned width, unsigned height);

/* Wait until all that is written is on the screen. @return 0; -EIO, -ETIMEDOUT: the device fails */
int screen_settle(void);

#endif
