/* watch.h - the interface of watch.c. */
#ifndef COHART_FAULT_WATCH_H
#define COHART_FAULT_WATCH_H

#include <stdint.h>

/* Hart 0's own alarm. Context: trap. */
void co_watch_tick(void);
/* A coroutine on this hart has a budget of so many microseconds: look often enough. */
void co_watch_closely(uint32_t us);

#endif
