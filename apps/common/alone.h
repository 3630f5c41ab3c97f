/* alone.h - the one hart that computes by itself what all of them do together. */
#ifndef APPS_COMMON_ALONE_H
#define APPS_COMMON_ALONE_H

#include <cohart/coroutine.h>

/*
 * fn(arg) in a coroutine of that name there, with a big stack: on the manager, or if that has no
 * FPU on the first compute hart.
 * @return what fn has returned, an int; or the negative errno number of what could not be started
 * Context: coroutine.
 */
int app_alone(const char *name, co_fn *fn, void *arg);

#endif
