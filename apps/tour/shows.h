/*
 * shows.h - the stops of the tour, one file each. All return 0 or a negative errno number.
 */
#ifndef TOUR_SHOWS_H
#define TOUR_SHOWS_H

/* The harts, their groups and roles, and what lies in a scratchpad. */
void show_machine(void);

int show_coroutines(void);
int show_channels(void);
int show_scratchpads(void);
int show_proxy(void);
int show_stacks(void);
/* With --break: not one of the stops. */
int show_faults(void);

#endif
