/*
 * network.h - a circuit-switched network: ports of cores, and switches between them.
 *
 * Each core has HAL_NETWORK_PORTS ports, and core n is hart n. A port sends and receives at the
 * same time; for each way it has registers of its own: where the words lie, how many, and how rows
 * of them follow each other. A switch connects its ports: what comes in at one goes out at another.
 * What a port sends goes over its wire, and over switches as they are set, into the memory that the
 * port at the other end has been started with; it begins when both have been started, and waits for
 * a route that is not whole yet. Which wires there are is a table: hal/network_wires.h.
 *
 * A board whose chip has such a network defines all of these functions in a driver and names it in
 * BOARD_DRIVERS. They are weak references: where the linker finds none, harts stand in for ports
 * (runtime/data/network), with the board's engine or move harts. tests/network/hardware/model.c has
 * the registers in memory, and a hart that moves at once what it starts.
 *
 * What is left is the runtime's: who uses which port and switch when, waits, harts that are lost.
 * It calls a port's functions on the port's core alone, but for hal_network_left().
 *
 * Example: 16 words in rows of four from every second row, by port 0
 *	struct hal_network_block b = { .at = (uintptr_t)from, .words = 16, .row = 4, .gap = 4 };
 *	int r = hal_network_start(core, HAL_NETWORK_SEND, 0, &b);
 *
 *	while (r == 0 && (r = hal_network_check(core, HAL_NETWORK_SEND, 0)) == -EINPROGRESS)
 *		hal_irq_wait();
 *
 * Source: seed D.
 */
#ifndef HAL_NETWORK_H
#define HAL_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#define HAL_NETWORK_CORES 21
#define HAL_NETWORK_PORTS 4 /* of a core */
#define HAL_NETWORK_SWITCHES 16
#define HAL_NETWORK_SWITCH_PORTS 4

#define HAL_NETWORK_WEAK __attribute__((weak))

/* True if the board has one. Decided when the image is linked. */
#define HAL_NETWORK_EXISTS() (hal_network_start != NULL)

enum hal_network_way { HAL_NETWORK_SEND, HAL_NETWORK_RECV };

/* Words of 64 bits in rows, with so many left out between two; row 0: one after the other. */
struct hal_network_block {
	uintptr_t at; /* aligned to a word, in memory that every hart may use */
	uint32_t words, row, gap;
};

/*
 * Ready this core's ports: nothing is under way. Their interrupts, one for each transfer that is
 * over, end hal_irq_wait() on this hart from now on.
 * @return 0; 1: they have none, and the runtime looks every millisecond (so a hart whose port waits
 *         is not taken to be stuck); -ENODEV: they do not answer, and must not be used.
 * Context: each core once, while it boots.
 */
HAL_NETWORK_WEAK int hal_network_init(unsigned core);

/*
 * Start one way of a port: write its registers.
 * @return 0; -EINVAL: words or rows that it cannot do; -EBUSY: it has been started, and
 *         hal_network_check() has not said that it is over. Nothing has changed then.
 * Order: what this core could see before is what the port reads (the driver does what caches and
 * write buffers need).
 */
HAL_NETWORK_WEAK int hal_network_start(unsigned core, enum hal_network_way way, unsigned port,
				       const struct hal_network_block *block);

/*
 * How is it going?
 * @return -EINPROGRESS; 0: all has been sent, or is here; -EMSGSIZE: it is over, and as many words
 *         have passed as the shorter side was to move; -EIO, -EFAULT: an error, and what was to be
 *         written is undefined. The port is free after any answer but the first, which are given
 *         once. Acknowledges the port's interrupt.
 * Order: after another answer than -EINPROGRESS, this core's reads see what was written.
 */
HAL_NETWORK_WEAK int hal_network_check(unsigned core, enum hal_network_way way, unsigned port);

/*
 * So many words are left of what it has been started with, a moment ago; else 0. What gets less
 * from look to look, or is 0 and has not been checked, is not taken to be stuck. Context: any.
 */
HAL_NETWORK_WEAK uint32_t hal_network_left(unsigned core, enum hal_network_way way, unsigned port);

/*
 * End what has been started there, at this side, in the middle if need be: it is free, and nothing
 * of it accesses memory any more, for which it waits. The other side, if it has been started, stays
 * so, or ends with an error.
 */
HAL_NETWORK_WEAK void hal_network_stop(unsigned core, enum hal_network_way way, unsigned port);

/*
 * Connect a switch: what comes in at `in` goes out at `out` from now on; where either was connected
 * otherwise, that is cut. What is under way over it goes on or not, as the chip has it.
 * @param in, out  0..HAL_NETWORK_SWITCH_PORTS-1, not the same
 * Context: any core, one at a time.
 */
HAL_NETWORK_WEAK void hal_network_switch(unsigned number, unsigned in, unsigned out);

#endif
