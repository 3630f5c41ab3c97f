/* mark.h - hal/mark.h for this PC: nobody looks. */
#ifndef HAL_ARCH_MARK_H
#define HAL_ARCH_MARK_H

#define hal_mark_at(code, p) ((void)(code), (void)(p))

#endif
