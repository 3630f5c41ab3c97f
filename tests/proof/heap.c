/*
 * heap.c - the heap as it ships, after what is proved of it.
 *
 * Options: -wp-model Typed+nat
 * Machines: gcc_x86_64
 * Options: -warn-unsigned-overflow -warn-unsigned-downcast -warn-signed-downcast
 * Options: -inline-calls put,tell_next,used_by
 * Options: -wp-skip-fct put,tell_next,used_by,co_heap_free_of
 * Wrong: runtime/core/memory/heap.c split same | s/rest < 2/rest < 1/
 * Wrong: runtime/core/memory/heap.c join length | s/units += AT(h, b + AT.*$/units += 1;/
 * Wrong: runtime/core/memory/heap.c join_before next | s/if (before \&\& /if (/
 * Wrong: runtime/core/memory/heap.c find found | s/units >= 1 + gap/units >= gap/
 */
#include "../../runtime/core/memory/heap.h"

#include "heap.h"

#include "../../runtime/core/memory/heap.c"
