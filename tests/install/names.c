/* names.c - a program with functions that are called as a runtime's could be: its own are meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

static unsigned calls;

#define OWN(name)        \
	void name(void); \
	void name(void)  \
	{                \
		calls++; \
	}

OWN(io_call)
OWN(io_transfer)
OWN(io_console_write)
OWN(io_format)
OWN(tile_get)
OWN(tile_put)
OWN(tile_wait)
OWN(machine_name)
OWN(machine_trap)
OWN(trap_entry)
OWN(trap_handler)
OWN(take)
OWN(kill_all)
OWN(boot)
OWN(spawn)
OWN(fault)
OWN(panic)
OWN(console)
OWN(serve)

static void (*const own[])(void) = {
	io_call,      io_transfer, io_console_write, io_format,    tile_get,
	tile_put,     tile_wait,   machine_name,     machine_trap, trap_entry,
	trap_handler, take,        kill_all,         boot,         spawn,
	fault,        panic,       console,          serve
};
#define NAMES (sizeof(own) / sizeof(own[0]))

/* Even what the library has a version of. */
int memcmp(const void *one, const void *other, size_t n)
{
	const unsigned char *a = one, *b = other;

	for (; n && *a == *b; n--)
		a++, b++;
	return n ? *a - *b : 0;
}

static intptr_t work(void *arg)
{
	char *text = malloc(100); /* by way of hart 0 */

	if (!text)
		return 1;
	snprintf(text, 100, "hello from hart %u, %d", co_hart(), *(int *)arg);
	puts(text);
	free(text);
	return fflush(stdout);
}

static int tell(struct co_member *me, void *arg)
{
	int all[] = { co_member_rank(me) ? 0 : *(int *)arg, 0 };
	int r = co_broadcast(me, 0, all, sizeof(all));

	return r ? r : all[0] - *(int *)arg;
}

int main(void)
{
	static struct co_team team;
	static int two = 2;
	struct co *c;
	intptr_t result;

	if (co_spawn(&c, &(struct co_attr){ .on = CO_ON_HART(co_harts() - 1) }, work, &two) ||
	    co_join(c, &result) || result || calls || co_team_run(&team, tell, &two))
		return 1;
	for (unsigned i = 0; i < NAMES; i++)
		own[i]();
	return calls == NAMES ? 42 : 1;
}
