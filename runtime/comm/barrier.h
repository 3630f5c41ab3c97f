/*
 * barrier.h - what the files of barriers know of each other.
 */
#ifndef COHART_COMM_BARRIER_H
#define COHART_COMM_BARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include <cohart/barrier.h>

/* The machine's barrier that has its first seat there; false: none has. */
bool co_barrier_of_seat(uintptr_t seat, struct co_barrier *b);

#endif
