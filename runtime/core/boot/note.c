/*
 * note.c - the ELF note of every image: whose it is. qemu/run reads it before it boots the image.
 *
 * The linker puts its note of the build (--build-id) beside it. `readelf -n` shows both.
 */
#include <memory.h>

#include <stdint.h>

#include <cohart/cohart.h>

/* What the launcher and the image agree on: the note's form, and the words of the command line. */
enum { NOTE_LAUNCH_1 = 1 };

static const struct {
	uint32_t name_bytes, bytes, type;
	char name[8];
	char board[sizeof(BOARD_NAME)];
	char version[sizeof(CO_VERSION)];
} note __attribute__((used, aligned(4), section(".note.cohart"))) = {
	sizeof("Cohart"), sizeof(note.board) + sizeof(note.version), NOTE_LAUNCH_1, "Cohart",
	BOARD_NAME, CO_VERSION,
};
