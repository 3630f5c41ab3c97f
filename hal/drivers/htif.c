/* htif.c - the end of Spike. htif.h has the interface. */
#include <stdalign.h>

#include "htif.h"

/*
 * The simulator finds both words by their symbols in the image. It takes a command out of the
 * first, and would answer in the second.
 */
alignas(64) volatile uint64_t tohost;
alignas(64) volatile uint64_t fromhost;

void hal_htif_end(uintptr_t by, int code)
{
	(void)by;
	fromhost = 0;
	tohost = (uint64_t)(uint32_t)code << 1 | 1; /* system call "exit" of device 0 */
}
