/*
 * semihost.h - asking the debugger or the emulator for files, the command line and an exit.
 *
 * Source: Arm "Semihosting for AArch32 and AArch64" 2.0; "RISC-V Semihosting" 0.4.
 * Context: management harts (one call stops the hart until the host has answered), or any hart that
 * is about to stop. Every function returns 0 or a count, or a negative errno number.
 */
#ifndef HAL_SEMIHOST_H
#define HAL_SEMIHOST_H

#include <stddef.h>
#include <stdint.h>

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
 * File modes are the numbers of the standard: "r" 0, "rb" 1, "r+" 2, "r+b" 3, "w" 4, ... "a+b" 11.
 */
int hal_semihost_open(const char *path, unsigned mode);
int hal_semihost_close(int handle);
/* Bytes moved: fewer than asked at the end of a file (read) or on a full device (write). */
intptr_t hal_semihost_read(int handle, void *buf, size_t bytes);
intptr_t hal_semihost_write(int handle, const void *buf, size_t bytes);
/* Absolute position from the start of the file. */
int hal_semihost_seek(int handle, size_t offset);
intptr_t hal_semihost_length(int handle);
int hal_semihost_remove(const char *path);
int hal_semihost_rename(const char *from, const char *to);
/* Seconds since 1970-01-01 as the host has it. */
int64_t hal_semihost_time(void);
/* The command line, NUL-terminated, cut at `bytes`. Returns its length, -E2BIG if it was longer. */
int hal_semihost_cmdline(char *buf, size_t bytes);
/* End the run. On a board without a host behind it, halts. */
_Noreturn void hal_semihost_exit(int code);

#endif
