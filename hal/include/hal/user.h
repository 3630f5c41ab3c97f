/*
 * user.h - code that runs without privilege (U-mode, EL0, User mode), on tables of its own.
 *
 * A struct hal_user is one flow of unprivileged code: its registers while the runtime runs.
 * hal_user_run() goes down into it and comes back, like a call that returns, when it traps: the
 * runtime's stack, thread pointer and tables are then as before. Nothing of the runtime is mapped
 * meanwhile but the few instructions of the crossing, and the struct, for the crossing alone.
 *
 * The crossing changes tables twice, and flushes nothing: on a hart that tells maps apart by number
 * (ASID), maps of code without privilege have a number of their own. Before another map runs under
 * that number comes hal_user_flush().
 *
 *	HAL_USER_BYTES  of a struct hal_user; it lies in pages that no code without privilege sees
 *
 *	uintptr_t hal_user_call(uintptr_t number, uintptr_t a, uintptr_t b, uintptr_t c,
 *				uintptr_t d)
 *		inline (hal_arch/user.h), for code without privilege: trap, as a call that the
 *		runtime answers
 *
 * Example
 *	hal_user_init(u, root, (uintptr_t)fn, stack_top, tp, (uintptr_t)arg);
 *	while (hal_user_run(u) == HAL_USER_CALL)
 *		hal_user_answer(u, serve(hal_user_number(u), hal_user_argument(u, 0)));
 */
#ifndef HAL_USER_H
#define HAL_USER_H

#include <stdbool.h>
#include <stdint.h>

#include <hal/guard.h>
#include <hal/trap.h>
#include <hal_arch/user.h>

struct hal_user;

/* The call that code without privilege makes by returning from its first function. */
#define HAL_USER_RETURN 0

/* Why hal_user_run() came back. */
enum hal_user_stop {
	HAL_USER_CALL,      /* it wants something, and goes on after hal_user_answer() */
	HAL_USER_INTERRUPT, /* a doorbell, a device or a timer; it goes on where it was */
	HAL_USER_FAULT,     /* hal_user_trap() has the reason; it goes on only to fault again */
};

/* Can a hart run code without privilege on tables of its own? Context: any, once boot is over. */
bool hal_user_possible(unsigned hart);

/*
 * Map what all code without privilege may see: the image's code, to execute and read, and its
 * constants; and for the runtime alone, the memory that the crossing needs beside the struct.
 * @return as hal_map_add()
 */
int hal_user_map(struct hal_map_pool *pool, uintptr_t root);

/*
 * Begin a flow that calls fn(arg) on an empty stack; when that returns it makes the call
 * HAL_USER_RETURN with the result.
 * @param u     all 0
 * @param root  the map it runs on, which has *u for the runtime
 * @param tp    its thread pointer
 */
void hal_user_init(struct hal_user *u, uintptr_t root, uintptr_t fn, uintptr_t stack_top,
		   uintptr_t tp, uintptr_t arg);

/*
 * Go down, and come back by a trap.
 * Context: a hart where hal_user_possible(), exceptions masked. They are not masked in the flow:
 * pending ones come at once.
 */
enum hal_user_stop hal_user_run(struct hal_user *u);

/* Discard this hart's cached translations of the map that ran without privilege last. */
void hal_user_flush(void);

/* Of a call: its number, its arguments 0..3, and its result. */
uintptr_t hal_user_number(const struct hal_user *u);
uintptr_t hal_user_argument(const struct hal_user *u, unsigned n);
void hal_user_answer(struct hal_user *u, uintptr_t result);

/* Its registers, as in a fault of the runtime's. */
struct hal_trap *hal_user_trap(struct hal_user *u);

#endif
