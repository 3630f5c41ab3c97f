/* machine.c - the machine as boot found it. */
#include "machine.h"

struct co_machine co_machine;

const char *co_board(void)
{
	return hal_board.name;
}
