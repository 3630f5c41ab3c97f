/*
 * option.h - options of the command line that a room declares for itself. An image that the file is
 * not in leaves the word to the program.
 *
 * Example
 *	unsigned co_well_depth = 8;
 *	CO_OPTION = { .word = "--depth=", .value = &co_well_depth, .most = 1000,
 *		      .unit = "metres, at most 1000" };
 */
#ifndef COHART_CORE_OPTION_H
#define COHART_CORE_OPTION_H

struct co_option {
	const char *word; /* its end is '=': a number follows; else *value becomes 1 */
	unsigned *value;  /* read and written at boot, before any hook is called */
	unsigned most;    /* of the number */
	const char *unit; /* of the number, for a complaint */
};

/* One a file. With this alignment the linker puts them side by side, as an array. */
#define CO_OPTION                            \
	static const struct co_option option \
		__attribute__((section("co_room_options"), used, aligned(sizeof(void *))))

extern const struct co_option __options_start[], __options_end[]; /* linker/ */

#endif
