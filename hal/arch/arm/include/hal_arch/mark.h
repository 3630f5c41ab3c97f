/* mark.h - hal/mark.h for 32-bit Arm: the hint as ARM state encodes it. */
#ifndef HAL_ARCH_MARK_H
#define HAL_ARCH_MARK_H

#define hal_mark_at(code, p)                                        \
	__asm__ volatile(".inst 0xe320f000 + %c0\n\tldrb r12, [%1]" \
			 :                                          \
			 : "i"(HAL_MARK_HINT_ARM + (code)), "r"(p)  \
			 : "r12", "memory")

#endif
