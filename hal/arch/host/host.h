/*
 * host.h - declarations that the files of this folder share, and that a board of the host uses.
 */
#ifndef HAL_ARCH_HOST_H
#define HAL_ARCH_HOST_H

#include <hal/asm.h>
#include <hal/context.h>

/* The program's name and its words, as the launcher gave them; NULL at the end. */
extern char **hal_host_words;

/* start.S: where the image begins. */
_Noreturn void hal_host_start(void);

/* Start a thread that runs co_boot_hart(rec). Returns 0 or a negative errno number. */
int hal_host_start_thread(const struct hal_boot *rec);

/* Take the first word if it begins with `name`; return its text behind the name, else NULL. */
const char *hal_host_take_word(const char *name);

/* Faults of this thread go to co_trap(), on a stack of their own. */
void hal_host_take_faults(void);

/* switch.S */
int hal_host_swap(int result, struct hal_context *from, const struct hal_context *to, void *fiber);
_Noreturn void hal_host_enter(int result, const struct hal_context *to);
_Noreturn void hal_host_first_step(void);
/* context.c: calls entry() on a new stack; it does not return. */
void hal_host_begin(void (*entry)(void));

#endif
