/*
 * note.c - the ELF note of every image: whose it is. qemu/run reads it before it boots the image.
 *
 * The linker puts its note of the build (--build-id) beside it. `readelf -n` shows both.
 */
#include <memory.h>

#include <stdint.h>

#include <cohart/detail/version.h>

/* What launcher and image agree on: the note's form, and the words of the command line. */
enum { LAUNCH_1 = 1 };

struct note {
	uint32_t name_bytes, bytes, type;
	char name[8];
	char board[sizeof(BOARD_NAME)];
	char version[sizeof(CO_VERSION)];
};

static const struct note note __attribute__((used, aligned(4), section(".note.cohart"))) = {
	.name_bytes = sizeof("Cohart"),
	.bytes = sizeof(note.board) + sizeof(note.version),
	.type = LAUNCH_1,
	.name = "Cohart",
	.board = BOARD_NAME,
	.version = CO_VERSION,
};
