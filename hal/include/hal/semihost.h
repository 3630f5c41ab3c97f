/*
 * semihost.h - asking the debugger or the emulator: the call itself, and what hal/host.c asks.
 *
 * hal/drivers/semihost.c has the functions, and the files of host.h; a board need not have it.
 * Source: Arm "Semihosting for AArch32 and AArch64" 2.0; "RISC-V Semihosting" 0.4.
 */
#ifndef HAL_SEMIHOST_H
#define HAL_SEMIHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hal_trap;

enum hal_semihost_op {
	HAL_SYS_OPEN = 0x01,
	HAL_SYS_CLOSE = 0x02,
	HAL_SYS_WRITE = 0x05,
	HAL_SYS_READ = 0x06,
	HAL_SYS_SEEK = 0x0a,
	HAL_SYS_FLEN = 0x0c,
	HAL_SYS_REMOVE = 0x0e,
	HAL_SYS_RENAME = 0x0f,
	HAL_SYS_TIME = 0x11,
	HAL_SYS_ERRNO = 0x13,
	HAL_SYS_GET_CMDLINE = 0x15,
	HAL_SYS_EXIT_EXTENDED = 0x20,
};

/*
 * The trap itself (hal/arch/<arch>/semihost.S): op and its argument block; returns the host's
 * result.
 */
intptr_t hal_semihost(uintptr_t op, void *arg);

/*
 * Has hal_semihost()'s instruction trapped? True: the trap is to return behind it
 * (hal/arch/<arch>).
 */
bool hal_semihost_trapped(struct hal_trap *t);

/* As in host.h. hal_semihost_exit() returns if nobody answers. */
int hal_semihost_command_line(char *buf, size_t bytes) __attribute__((weak));
int64_t hal_semihost_time(void) __attribute__((weak));
void hal_semihost_exit(int code) __attribute__((weak));

#endif
