/*
 * core.h - the parts that most files of the runtime use: machine, scheduler, waits, coroutines,
 * windows.
 */
#ifndef COHART_CORE_H
#define COHART_CORE_H

#include <errno.h>
#include <string.h>

#include "inject.h"
#include "machine.h"
#include "memory/spm.h"
#include "memory/stack.h"
#include "sched/coroutine.h"

#endif
