/*
 * network.h - a circuit-switched network: ports of cores, and switches between them.
 *
 * Each core has HAL_NETWORK_PORTS ports, and core n is hart n. A port sends and receives at once;
 * for each way it has registers of its own: where the words lie, how many, and how rows of them
 * follow each other. A switch connects its ports: words that come in at one go out at another. A
 * port's words go over its wire, and over switches as they are set, into the memory that the
 * receiving port has been started with; a transfer begins when both have been started, and waits
 * for a route that is not whole yet. The wires are a table: hal/network_wires.h.
 *
 * A board whose chip has this network defines all of these functions in a driver and names it in
 * BOARD_DRIVERS. They are weak references: where the linker finds none, harts stand in for ports
 * (runtime/libs/network), with the board's engine or move harts. tests/network/hardware/model.c has
 * the registers in memory, and a hart that moves at once the words that it starts.
 *
 * The runtime does the rest: who uses which port and switch when, waits, harts that are lost. It
 * calls a port's functions on the port's core alone, but for hal_network_left().
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

/* Words of 64 bits in rows of `row` words, with `gap` words between two; row 0: without gaps. */
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
 * Order: the port reads memory as this core saw it before (the driver handles caches and write
 * buffers).
 */
HAL_NETWORK_WEAK int hal_network_start(unsigned core, enum hal_network_way way, unsigned port,
				       const struct hal_network_block *block);

/*
 * How is it going?
 * @return -EINPROGRESS; 0: all has been sent, or is here; -EMSGSIZE: it is over, and as many words
 *         have passed as the shorter side was to move; -EIO, -EFAULT: an error, and the contents of
 *         the destination are undefined. Any answer but -EINPROGRESS is given once and frees the
 *         port. Acknowledges the port's interrupt.
 * Order: after another answer than -EINPROGRESS, this core's reads see the received words.
 */
HAL_NETWORK_WEAK int hal_network_check(unsigned core, enum hal_network_way way, unsigned port);

/*
 * Words of the started transfer that were left a moment ago; 0: none, or no transfer. A transfer is
 * not taken to be stuck if its number falls from look to look, or is 0 and has not been checked.
 * Context: any.
 */
HAL_NETWORK_WEAK uint32_t hal_network_left(unsigned core, enum hal_network_way way, unsigned port);

/*
 * End the transfer at this side, in the middle if need be. Waits until its accesses to memory are
 * over; the port is then free. A start at the opposite side stays in force, or ends with an error.
 */
HAL_NETWORK_WEAK void hal_network_stop(unsigned core, enum hal_network_way way, unsigned port);

/*
 * Connect a switch: words that come in at `in` go out at `out` from now on; earlier connections of
 * either are cut. Whether a transfer under way over it goes on depends on the chip.
 * @param in, out  0..HAL_NETWORK_SWITCH_PORTS-1, different
 * Context: any core, one at a time.
 */
HAL_NETWORK_WEAK void hal_network_switch(unsigned number, unsigned in, unsigned out);

#endif
