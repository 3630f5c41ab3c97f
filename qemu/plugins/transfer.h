/*
 * transfer.h - transfers by engines, and accesses that wait for their turn: at a group's main
 * memory, and at a word that others access by atomics.
 */
#ifndef LOCALITY_TRANSFER_H
#define LOCALITY_TRANSFER_H

#include <stdint.h>

#define TRANSFERS 64

/* Of a hart: its transfers that nobody has waited for. */
struct transfers {
	struct {
		uint64_t handle, end;
	} of[TRANSFERS];
	uint64_t rows;  /* of the one that begins next; 0: one */
	uint64_t port;  /* and the port that it is by, + 1; 0: the group's engine */
	uint64_t until; /* when the last of all has ended */
};

/*
 * A transfer begins; those of one handle are waited for together.
 * @param group  whose channel to main memory it goes through: transfers share its speed
 * @param bytes  of a row
 * @param busy   where the cycles are added for which the hart had none under way before
 * @return when it ends
 */
uint64_t transfer_start(struct transfers *t, unsigned group, uint64_t now, uint64_t handle,
			uint32_t bytes, uint64_t *busy);

/* When the transfers of that handle end; 0: there are none. They are waited for then. */
uint64_t transfer_end(struct transfers *t, uint64_t handle);

/* A single access of a compute hart to main memory: how long it waits for others of its group. */
uint64_t transfer_access(unsigned group, uint64_t now);

/*
 * An atomic that arrives at its word then, and keeps it from others for so many cycles.
 * @return how long it waits for others' atomics
 */
uint64_t transfer_atomic(uint64_t word, uint64_t now, uint32_t busy);

#endif
