/*
 * outline.S - the packaged C library is compiled with out-of-line atomics: a call that uses LSE or
 * else exclusives, whichever the core has. These cores have LSE, and harts that only add and swap
 * must meet no exclusive, so this takes the place of libgcc's.
 */
#include <hal/asm.h>

/*
 * uint16_t __aarch64_swp2_relax(uint16_t value, uint16_t *p)
 * In: w0 the new value, x1 where. Out: w0 the old value. Clobbers: none.
 * The one that picolibc's stdio calls, for the character that ungetc() put back.
 */
func __aarch64_swp2_relax
	swph	w0, w0, [x1]
	ret
endfunc __aarch64_swp2_relax
