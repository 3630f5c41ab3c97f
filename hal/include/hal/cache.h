/*
 * cache.h - make memory visible to readers that do not snoop: harts with their caches still off,
 * DMA. On coherent boards these cost nothing.
 */
#ifndef HAL_CACHE_H
#define HAL_CACHE_H

#include <stddef.h>

/* Write back what any hart holds of [p, p + bytes); readers past the caches then see it. */
void hal_cache_clean(const void *p, size_t bytes);

/*
 * Write back and forget what any hart holds of [p, p + bytes), of whole lines: every hart then
 * sees later writes of engines. For drivers of engines; coherent architectures do not have it.
 */
void hal_cache_flush(const void *p, size_t bytes);

#endif
