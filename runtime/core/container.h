/* container.h - from a part of a struct to the struct. */
#ifndef CO_CORE_CONTAINER_H
#define CO_CORE_CONTAINER_H

#include <stddef.h>
#include <stdint.h>

/* The struct of that type whose `member` lies at `part`. */
#define co_container_of(part, type, member) ((type *)((uintptr_t)(part)-offsetof(type, member)))

#endif
