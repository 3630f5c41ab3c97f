/*
 * cache.h - making memory visible to what does not snoop: harts that have their caches off yet,
 * DMA. On coherent boards these cost nothing.
 */
#ifndef HAL_CACHE_H
#define HAL_CACHE_H

#include <stddef.h>

/* Write back what any hart holds of [p, p + bytes); readers past the caches then see it. */
void hal_cache_clean(const void *p, size_t bytes);

/*
 * Write back and forget what any hart holds of [p, p + bytes), of whole lines: what others write to
 * memory afterwards is seen. For drivers of engines; of coherent architectures none has it.
 */
void hal_cache_flush(const void *p, size_t bytes);

#endif
