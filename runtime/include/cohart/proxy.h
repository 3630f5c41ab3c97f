/*
 * proxy.h - work that a compute hart lets its management hart do.
 *
 * Example
 *	static intptr_t read_sensor(void *arg) { ... on a management hart ... }
 *	...
 *	intptr_t value = co_proxy_call(read_sensor, &request);
 *
 * libc stands on this: printf, fopen, fread, malloc and their kin, called on any hart, end up as calls
 * of the one server on hart 0, where the C library's state is only ever touched.
 * Source: seed E11.
 */
#ifndef COHART_PROXY_H
#define COHART_PROXY_H

#include <stdint.h>

/*
 * Run fn(arg) on hart 0, in its proxy coroutine, and return its result. The group's management hart
 * passes it on. Calls of one coroutine are served in order; errno comes back with the result.
 * @param fn   must not wait for another proxy call
 * @param arg  memory that hart 0 may use (asserted if it looks like a private scratchpad address)
 * Context: coroutine of any hart; on hart 0 it is a plain call. A cancel does not end it.
 * Order: both ways, all that was written before is visible.
 */
intptr_t co_proxy_call(intptr_t (*fn)(void *arg), void *arg);

#endif
