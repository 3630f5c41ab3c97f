/*
 * note.c - the ELF note of every image: whose it is, and a checksum.
 *
 * qemu/run reads both before it boots the image. The 32-bit words of all that is loaded add up
 * to 0: after the link `qemu/run --seal` writes the checksum that this takes. An image that was not
 * sealed has 0 there, and is not checked.
 *
 * The linker puts its note of the build (--build-id) beside it. `readelf -n` shows both.
 */
#include <memory.h>

#include <stddef.h>
#include <stdint.h>

#include <cohart/detail/version.h>

/* What launcher and image agree on: the note's form, and the words of the command line. */
enum { LAUNCH_2 = 2 };

struct note {
	uint32_t name_bytes, bytes, type;
	char name[8];
	char board[sizeof(BOARD_NAME)];
	char version[sizeof(CO_VERSION)];
	uint32_t checksum;
};

static const struct note note __attribute__((used, aligned(4), section(".note.cohart"))) = {
	.name_bytes = sizeof("Cohart"),
	.bytes = sizeof(note) - offsetof(struct note, board),
	.type = LAUNCH_2,
	.name = "Cohart",
	.board = BOARD_NAME,
	.version = CO_VERSION,
};
