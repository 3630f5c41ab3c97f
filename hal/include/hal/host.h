/*
 * host.h - from outside of the machine: a command line, files, a clock, and an end of the run.
 *
 * A host is a debugger or an emulator that answers calls of semihosting; a program on a PC is its
 * own. A board need not have one: hal_host_find() finds out whether one answers. Without a host
 * the command line comes from the device tree or the image, hal_board.end ends the run, and there
 * are no files and no time.
 *
 * Every function returns 0 or a count, or a negative errno number.
 * Context: management hart 0, which stops until the host has answered; hal_host_exit(): any hart.
 */
#ifndef HAL_HOST_H
#define HAL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hal_trap;

/* Ask the host something without effect: a call that traps is answered by nobody. First in C. */
void hal_host_find(void);

/* Did a host answer hal_host_find()? Context: any hart. */
bool hal_host_answers(void);

/*
 * For co_trap(). Was it hal_host_find()'s call that trapped? True: there is no host, and the trap
 * is to return.
 */
bool hal_host_trapped(struct hal_trap *t);

/*
 * The command line, NUL-terminated, the image's name first. Without a host the name is "image", and
 * the words are hal_board.words, or hal_built_in_words if that is NULL.
 * @return its length; -E2BIG if `bytes` are too few
 */
int hal_host_command_line(char *buf, size_t bytes);

/* Words that were linked into the image (make WORDS=, cohart-cc --words); NULL: none were. */
extern const char hal_built_in_words[] __attribute__((weak));

/*
 * End the run. Without a host the last line of the console has the code's low 8 bits, then the
 * board ends the run, or else the hart halts.
 */
_Noreturn void hal_host_exit(int code);
#define HAL_HOST_EXIT_LINE "\ncohart: exit code " /* and up to three digits and "\n" */

/* Seconds since 1970-01-01 as the host has it; -ENOSYS without a host. */
int64_t hal_host_time(void);

/*
 * Files, if a host answers; a board may be without these functions. Modes are numbered as the
 * standard lists them: "r" 0, "rb" 1, "r+" 2, "r+b" 3, "w" 4, ... "a+b" 11.
 */
#define HAL_MAYBE __attribute__((weak))
int hal_host_open(const char *path, unsigned mode) HAL_MAYBE;
int hal_host_close(int handle) HAL_MAYBE;
/* Bytes moved: fewer than asked at the end of a file (read) or on a full device (write). */
intptr_t hal_host_read(int handle, void *buf, size_t bytes) HAL_MAYBE;
intptr_t hal_host_write(int handle, const void *buf, size_t bytes) HAL_MAYBE;
/* Absolute position from the start of the file. */
int hal_host_seek(int handle, size_t offset) HAL_MAYBE;
intptr_t hal_host_length(int handle) HAL_MAYBE;
int hal_host_remove(const char *path) HAL_MAYBE;
int hal_host_rename(const char *from, const char *to) HAL_MAYBE;

/* A file that is linked into the image (make FILES=, cohart-cc --files); the linker has a list. */
struct hal_host_file {
	const char *name;
	const char *start, *end;
};
extern const struct hal_host_file __host_files_start[], __host_files_end[];

#endif
