/*
 * mark.h - instructions that do nothing, for a plug-in of the emulator to see.
 *
 * hal_mark_at(code, p) is a hint that carries the code and the load of a byte at p: a plug-in sees
 * the hint and the address. A hart computes the hint to no effect and drops the byte. A machine
 * that nobody watches (this PC) has none.
 *
 * void hal_mark_at(enum hal_mark_code code, const void *p)
 *	@param code  a constant
 *	@param p     must be readable
 *	Context: any. Order: none for the hart; the compiler moves no access across it.
 *	Cost: 2 instructions.
 */
#ifndef HAL_MARK_H
#define HAL_MARK_H

#include <hal/mark_code.h>
#include <hal_arch/mark.h>

#endif
