/* place.h - what an address belongs to. */
#ifndef COHART_CORE_PLACE_H
#define COHART_CORE_PLACE_H

#include "../core.h"

/* Append the part of memory that an address is in, as " (the image's data)", if it is known. */
void co_text_place(struct co_text *t, uintptr_t address);

/* Does it belong to the program: static data, libc's heap, a public heap? Context: any. */
bool co_is_programs(uintptr_t p, size_t bytes);

/*
 * Where on c's stack, from sp on, the program's code has called the runtime's or a library's: the
 * place of the return address, or NULL. It is found by the frame records from fp on, if they lead
 * there, or else by the words that follow. c may be NULL, fp any value.
 */
const uintptr_t *co_program_call(const struct co *c, uintptr_t sp, uintptr_t fp, uintptr_t high);

#endif
