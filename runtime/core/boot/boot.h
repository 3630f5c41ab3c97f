/* boot.h - the parts of boot.c that read text: topology_text.c and options.c. */
#ifndef COHART_CORE_BOOT_H
#define COHART_CORE_BOOT_H

#include "../core.h"

/*
 * Fill in harts and groups, these as far as they begin within m->room. Returns NULL, or an error
 * message.
 */
const char *co_topology_parse(const char *text, struct co_machine *m);
void co_topology_default(unsigned harts, struct co_machine *m);
/* Drop all but the first `harts`, which fit in m's tables. Returns NULL, or an error message. */
const char *co_topology_shrink(unsigned harts, struct co_machine *m);
/* Read the command line and remove the runtime's options from it. */
void co_options_read(int *argc, char ***argv);

#endif
