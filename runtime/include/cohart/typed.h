/*
 * typed.h - channels that know the type of their elements, in C: others do not compile.
 *
 * Example
 *	CO_CHANNEL_OF(numbers, int, 16);       // a static channel of 16 ints
 *	...
 *	int r = co_send(&numbers, 42);         // a value; 4.2 is refused by the compiler
 *	int x;
 *	r = co_recv(&numbers, &x);             // a double * is refused
 *	co_chan_close(&numbers.chan);          // all the rest is the plain channel's
 *
 * For functions that are given one: `union ints CO_CHAN_TYPE(int);`, then CO_CHANNEL_IN(union ints,
 * numbers, int, 16), and `union ints *` as parameter.
 *
 * To send: the element's very type; where that is an integer, any integer type that is not larger,
 * or a constant, which is converted as by an assignment. To receive: a pointer to the very type.
 * The calls are co_chan_send() and its kin: return (0 or a negative errno number), context, order
 * and cost are theirs. The channel is evaluated once, and so is a value.
 */
#ifndef COHART_TYPED_H
#define COHART_TYPED_H

#include <cohart/channel.h>

#ifndef __cplusplus /* which has co_channel<T, n> */

/* CO_CHANNEL_OF() with a type that has a name: kind is a union of CO_CHAN_TYPE(type). */
#define CO_CHANNEL_IN(kind, name, type, count)                                                   \
	alignas(CO_LINE) static unsigned char name##_buffer[CO_CHAN_BYTES(sizeof(type), count)]; \
	static kind name = { CO_CHAN(name##_buffer, sizeof(type), count, CO_MPMC,                \
				     CO_CLAIM_DEFAULT) }

/* Pass on a result that, as that of co_chan_send(), must be looked at. */
CO_MUST_CHECK static inline int co_typed_result(int r)
{
	return r;
}

/* The body of a union: the channel, and the type of its elements, which takes no more room. */
#define CO_CHAN_TYPE(type)                  \
	{                                   \
		struct co_chan chan;        \
		__typeof__(type) *element_; \
	}

/*
 * A static channel of `count` elements, 0 (sender and receiver meet) to CO_CHAN_CAPACITY_MAX, open
 * and empty: MPMC. Two of them are of different types, even with equal element types.
 */
#define CO_CHANNEL_OF(name, type, count) CO_CHANNEL_IN(union CO_CHAN_TYPE(type), name, type, count)

/* clang-format off */
#define CO_IS_INTEGER(v) \
	_Generic((v), _Bool: 1, char: 1, signed char: 1, unsigned char: 1, short: 1, \
		 unsigned short: 1, int: 1, unsigned: 1, long: 1, unsigned long: 1, \
		 long long: 1, unsigned long long: 1, default: 0)
/* clang-format on */

#define CO_MAY_SEND(element, v)                                                     \
	(CO_SAME_TYPE(element, v) || (CO_IS_INTEGER(element) && CO_IS_INTEGER(v) && \
				      (sizeof(v) <= sizeof(element) || __builtin_constant_p(v))))

#define CO_TYPED_SEND(call, c, v, ...)                                                            \
	co_typed_result(__extension__({                                                           \
		_Static_assert(CO_MAY_SEND(*(c)->element_, v), "the channel is of another type"); \
		__typeof__(*(c)->element_) co_v_ = (v);                                           \
		call(&(c)->chan, &co_v_, ##__VA_ARGS__);                                          \
	}))

#define CO_SAME_TYPE(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))

#define CO_TYPED_RECV(call, c, p, ...)                                                            \
	co_typed_result(__extension__({                                                           \
		_Static_assert(CO_SAME_TYPE((c)->element_, p), "the channel is of another type"); \
		call(&(c)->chan, p, ##__VA_ARGS__);                                               \
	}))

/*
 * c: the address of a CO_CHANNEL_OF() or CO_CHANNEL_IN() channel; v: a value, not its address; p:
 * where the element goes. deadline: a time of cohart/time.h; it returns -ETIMEDOUT then. _try_:
 * -EAGAIN, without a wait.
 */
#define co_send(c, v) CO_TYPED_SEND(co_chan_send, c, v)
#define co_try_send(c, v) CO_TYPED_SEND(co_chan_try_send, c, v)
#define co_send_until(c, v, deadline) CO_TYPED_SEND(co_chan_send_until, c, v, deadline)
#define co_recv(c, p) CO_TYPED_RECV(co_chan_recv, c, p)
#define co_try_recv(c, p) CO_TYPED_RECV(co_chan_try_recv, c, p)
#define co_recv_until(c, p, deadline) CO_TYPED_RECV(co_chan_recv_until, c, p, deadline)

#endif
#endif
