/* place.h - the description of an address, for reports. */
#ifndef COHART_CORE_PLACE_H
#define COHART_CORE_PLACE_H

#include "../core.h"

/* Append the part of memory that an address is in, as " (the image's data)", if it is known. */
void co_text_place(struct co_text *t, uintptr_t address);

/*
 * Where on c's stack, from sp on, the program's code has called the runtime's or a library's: the
 * place of the return address, or NULL. c may be NULL.
 */
const uintptr_t *co_program_call(const struct co *c, uintptr_t sp, uintptr_t high);

#endif
