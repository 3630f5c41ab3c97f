/*
 * network_wires.h - which port of the network is wired to which: a table of the chip, nm6408.def.
 *
 * A place is a port of a core, a port of a switch, or a link to another chip.
 */
#ifndef HAL_NETWORK_WIRES_H
#define HAL_NETWORK_WIRES_H

#include <hal/network.h>

enum {
	HAL_NETWORK_SWITCHES_FROM = HAL_NETWORK_CORES * HAL_NETWORK_PORTS,
	HAL_NETWORK_LINKS_FROM =
		HAL_NETWORK_SWITCHES_FROM + HAL_NETWORK_SWITCHES * HAL_NETWORK_SWITCH_PORTS,
	HAL_NETWORK_PLACES = HAL_NETWORK_LINKS_FROM + 4
};

#define HAL_NETWORK_AT_CORE(core, port) ((core)*HAL_NETWORK_PORTS + (port))
#define HAL_NETWORK_AT_SWITCH(number, port) \
	(HAL_NETWORK_SWITCHES_FROM + (number)*HAL_NETWORK_SWITCH_PORTS + (port))

/* NMPUij, which is next to switch LCij. */
#define HAL_NETWORK_NODE(i, j) (2 + 5 * (i) + (j))

/* leads_to[place]: the place to which its wire leads, + 1; 0: no wire. */
static inline void hal_network_wire(uint8_t leads_to[HAL_NETWORK_PLACES])
{
/* Cores and switches by their names in the table. */
#define CENTRE 0
#define CPU(i) (1 + 5 * (i))
#define NMPU(i, j) HAL_NETWORK_NODE(i, j)
#define LC(i, j) (4 * (i) + (j))
#define CP_CP(a, b, c, d) { HAL_NETWORK_AT_CORE(a, b), HAL_NETWORK_AT_CORE(c, d) },
#define CP_LC(a, b, c, d) { HAL_NETWORK_AT_CORE(a, b), HAL_NETWORK_AT_SWITCH(c, d) },
#define LC_LC(a, b, c, d) { HAL_NETWORK_AT_SWITCH(a, b), HAL_NETWORK_AT_SWITCH(c, d) },
#define LC_EL(a, b, c) { HAL_NETWORK_AT_SWITCH(a, b), HAL_NETWORK_LINKS_FROM + (c) },
	static const uint8_t wires[][2] = {
#include <hal/nm6408.def>
	};
#undef CENTRE
#undef CPU
#undef NMPU
#undef LC
#undef CP_CP
#undef CP_LC
#undef LC_LC
#undef LC_EL

	for (size_t i = 0; i < sizeof(wires) / sizeof(wires[0]); i++) {
		leads_to[wires[i][0]] = (uint8_t)(wires[i][1] + 1);
		leads_to[wires[i][1]] = (uint8_t)(wires[i][0] + 1);
	}
}

#endif
