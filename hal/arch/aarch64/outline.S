/*
 * outline.S - the packaged C library is compiled with out-of-line atomics: a call that uses LSE or
 * else exclusives, whichever the core has, which libgcc finds out from an operating system. Here it
 * is known when the image is built, so this takes the place of libgcc's: harts that have LSE and
 * only add and swap must meet no exclusive.
 */
#include <hal/asm.h>

/*
 * uint16_t __aarch64_swp2_relax(uint16_t value, uint16_t *p)
 * In: w0 the new value, x1 where. Out: w0 the old value. Clobbers: w2, w3 on cores without LSE.
 * Picolibc's stdio calls it for the character that ungetc() put back.
 */
func __aarch64_swp2_relax
#ifdef __ARM_FEATURE_ATOMICS
	swph	w0, w0, [x1]
#else
	mov	w2, w0
1:	ldxrh	w0, [x1]
	stxrh	w3, w2, [x1]
	cbnz	w3, 1b
#endif
	ret
endfunc __aarch64_swp2_relax
