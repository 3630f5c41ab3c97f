/* count.h - does the instruction counter count instructions? */
#ifndef APPS_COMMON_COUNT_H
#define APPS_COMMON_COUNT_H

#include <stdbool.h>

/* An emulator that counts none shows some clock: ICOUNT=1 has it count. Context: any. */
bool app_can_count(void);

#endif
