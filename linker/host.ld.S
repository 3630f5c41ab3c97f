/*
 * host.ld.S - what the host's own linker script lacks: the cases of tests side by side, RAM after
 * all else, and the names that the runtime knows the image's parts by (__data_start is there
 * already).
 */
#include <memory.h>

SECTIONS
{
	.tests : {
		__tests_start = .;
		KEEP(*(SORT_BY_INIT_PRIORITY(.tests.*) .tests))
		__tests_end = .;
	}
	.guarded : {
		__guarded_start = .;
		KEEP(*(co_guarded))
		__guarded_end = .;
	}
	.hooks : {
		__hooks_start = .;
		KEEP(*(co_hooks))
		*(co_hooks_*)
		__hooks_end = .;
		__panic_start = .;
		KEEP(*(co_panic))
		__panic_end = .;
		__options_start = .;
		KEEP(*(co_room_options))
		__options_end = .;
	}
	.hart_parts : {
		__hart_parts_start = .;
		*(co_hart_parts)
		__hart_parts_end = .;
	}
}
INSERT AFTER .rodata;

SECTIONS
{
	.copies : ALIGN(64) {
		__per_node_start = .;
		*(co_per_node)
		. = ALIGN(64);
		__per_node_end = .;
		__per_hart_start = .;
		*(co_per_hart)
		. = ALIGN(64);
		__per_hart_end = .;
	}
}
INSERT AFTER .data;

SECTIONS
{
	.program : {
		__program_start = .;
		"*/obj/apps/*.o"(.text .text.*)
		"*/obj/tests/*.o"(.text .text.*)
		__program_end = .;
	}
}
INSERT AFTER .text;

SECTIONS
{
	.ram (NOLOAD) : ALIGN(4096) {
		__image_end = .;
		. += BOARD_RAM_BYTES;
	}
}
INSERT AFTER .bss;

__text_start = __executable_start;
__text_end = etext;
__rodata_start = etext;
__rodata_end = ADDR(.data);

/* The C library lays thread-locals out and runs constructors: none are left for boot. */
__tls_start = ADDR(.data);
__tls_init_bytes = 0;
__tls_bytes = 0;
__program_tls_bytes = 0;
__thread_locals_shared = 0;
__guard_below = ADDR(.data);
__guard_above = ADDR(.data);
__program_bss_start = ADDR(.data);
__own_start = 0;
__own_end = 0;
__private_start = __image_end;
__private_bss_start = __image_end;
__private_end = __image_end;
__private_bytes = 0;
__init_array_start = 0;
__init_array_end = 0;
