/* rank.h - cohart-rank: one board of a job, a process of MPI. What its files have in common. */
#ifndef COHART_RANK_H
#define COHART_RANK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../hal/drivers/uplink_ram.h"

/* ---- rank.c: the job ---- */
extern int rank_board, rank_boards;

/* Print a line with this board's name, and end all of the job with that code. */
_Noreturn void rank_abort(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- image.c: the image ---- */
struct image {
	uint64_t sum;              /* of all its bytes: boards compare it */
	uint64_t ram_base, uplink; /* addresses; `uplink` 0: it uses none */
	bool has_word;             /* the runtime moves messages, and wants a word that says so */
};

/* Read an ELF image. Returns NULL, or what is wrong with it. */
const char *image_read(const char *file, struct image *image);

/* ---- board.c: the board's memory, its descriptors and completions ---- */

/* Shared with the emulator that is to come; the board's size is not known yet. */
int board_memory(void);
/*
 * Move on: take descriptors, end sends and receives. Returns whether something happened.
 * @param runs  the emulator runs
 */
bool board_progress(const struct image *image, bool runs);
/* Are all descriptors taken? Of a board that runs no more nothing comes then. */
bool board_is_done(void);
/* A board has ended: it receives nothing any more, and sends nothing that is not on its way. */
void board_peer_ended(int board);
#endif
