/*
 * release.c - what a coroutine held that is no more.
 */
#include "../core/core.h"
#include "release.h"

void co_comm_release(struct co *c)
{
	co_mutexes_release(c);
	co_seats_release(c);
}
