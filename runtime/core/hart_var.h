/*
 * hart_var.h - variables that each hart has one of, and all harts may reach.
 *
 * The file that a variable belongs to declares it; boot gives each hart's window a copy, filled
 * with zeros. The address of the variable is an offset: co_hart_var() makes a pointer of it. A
 * buffer, or another large variable, is a CO_HART_BUFFER: where windows are tight (layout.h), it is
 * in the hart's part of main memory.
 *
 * Rules: an image has one variable of a name. There is no initializer. The alignment is CO_LINE at
 * most. A variable that only its own hart uses is a _Thread_local instead.
 *
 * Example
 *	CO_HART_VAR(struct worker, worker);
 *
 *	struct worker *w = co_hart_var(worker, hart);
 */
#ifndef COHART_HART_VAR_H
#define COHART_HART_VAR_H

#include "machine.h"

/* For co_spm_parts(): in no image that does not ask for it. */
struct co_hart_part {
	const char *name;
	const void *variable;
	size_t bytes;
	bool is_buffer;
};
extern const struct co_hart_part __hart_parts_start[], __hart_parts_end[]; /* linker/ */
extern const struct co_hart_part __start_co_hart_parts[] __attribute__((weak));

#define CO_HART_VAR_IN(section_, type, name, is_buffer)                                      \
	__typeof__(type) co_hart_var_##name __attribute__((section(section_)));              \
	static const struct co_hart_part co_hart_part_##name                                 \
		__attribute__((section("co_hart_parts"), used, aligned(sizeof(void *)))) = { \
			#name, &co_hart_var_##name, sizeof(type), is_buffer                  \
		}
#define CO_HART_VAR(type, name) CO_HART_VAR_IN(CO_HART_VARS, type, name, false)
#define CO_HART_BUFFER(type, name) CO_HART_VAR_IN(CO_HART_BUFFERS, type, name, true)
/* In a header, for a variable that several files use. */
#define CO_HART_EXTERN(type, name) extern __typeof__(type) co_hart_var_##name

/* Pointer to a hart's copy; h: its window, which the caller has. Cost: one addition. */
#define co_hart_var(name, hart) co_hart_var_of(name, co_hart_at(hart))
#define co_hart_var_of(name, h)                                                    \
	((__typeof__(co_hart_var_##name) *)((uintptr_t)(h) +                       \
					    (HAL_LOW_ADDRESS(co_hart_var_##name) - \
					     CO_HART_VARS_AT)))
/* Pointer to a hart's copy of a buffer. */
#define co_hart_buffer(name, hart) \
	co_hart_var_of(name, CO_SPM_ROOMY ? (uintptr_t)co_hart_at(hart) : co_main_part(hart))

#endif
