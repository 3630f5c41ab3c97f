/*
 * user.c - hal/user.h on the host: a program has no level below its own, and says so. Nobody comes
 * further than hal_user_possible().
 */
#include <hal/user.h>

bool hal_user_possible(unsigned hart)
{
	(void)hart;
	return false;
}

int hal_user_map(struct hal_map_pool *pool, uintptr_t root)
{
	(void)pool;
	(void)root;
	return -ENOTSUP;
}

void hal_user_init(struct hal_user *u, uintptr_t root, uintptr_t fn, uintptr_t stack_top,
		   uintptr_t tp, uintptr_t arg)
{
	(void)u;
	(void)root;
	(void)fn;
	(void)stack_top;
	(void)tp;
	(void)arg;
	__builtin_trap();
}

void hal_user_flush(void)
{
}

enum hal_user_stop hal_user_run(struct hal_user *u)
{
	(void)u;
	__builtin_trap();
}

uintptr_t hal_user_number(const struct hal_user *u)
{
	(void)u;
	__builtin_trap();
}

uintptr_t hal_user_argument(const struct hal_user *u, unsigned n)
{
	(void)u;
	(void)n;
	__builtin_trap();
}

void hal_user_answer(struct hal_user *u, uintptr_t result)
{
	(void)u;
	(void)result;
	__builtin_trap();
}

struct hal_trap *hal_user_trap(struct hal_user *u)
{
	(void)u;
	__builtin_trap();
}
