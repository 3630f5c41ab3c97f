/*
 * proxy.h - work that a hart lets hart 0 do.
 *
 * Example
 *	static intptr_t read_sensor(void *arg)       // on hart 0
 *	{
 *		struct reading *r = arg;
 *
 *		return sensor_read(r->channel, &r->value);
 *	}
 *	...
 *	struct reading *r = co_spm_alloc(sizeof(*r), 8); // where hart 0 can see it
 *	intptr_t err = co_proxy_call(read_sensor, r);
 *
 * A compute hart does no I/O itself. libc stands on this: printf, fopen, fread, malloc and their
 * kin, called on any hart, end up as calls of the proxy on hart 0, where alone the C library's
 * state is touched (docs/libc.md).
 * Source: seed E11.
 */
#ifndef COHART_PROXY_H
#define COHART_PROXY_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/*
 * Run fn(arg) on hart 0, in its proxy coroutine, and return its result.
 *
 * Calls are served one at a time in the order of their arrival, calls of one coroutine in the order
 * made; output that was printed before a call is out before fn runs. The caller's errno goes along
 * and comes back as fn has left it. Output that fn writes to the console belongs to the caller's
 * lines.
 * @param fn   may use libc and call on (that is a plain call then); while it waits, nobody is
 *             served
 * @param arg  handed on; if it points to memory, then to some that hart 0 may use: main memory or a
 *             public scratchpad (asserted), not a stack in a scratchpad
 * @return what fn returned
 * Context: coroutine (asserted), any hart; on hart 0 it is a plain call, from anywhere. A cancel
 * does not end the wait.
 * Order: fn sees all that was written before the call, the caller all that fn wrote (release and
 * acquire of the inboxes, both ways).
 * Cost: 794 instructions (row proxy_call) of both harts, which sleep in between (rv64).
 */
intptr_t co_proxy_call(intptr_t (*fn)(void *arg), void *arg);
CO_END_C
#endif
