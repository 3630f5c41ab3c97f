/*
 * image.ld.S - where an image lies; the numbers are the board's. Code, constants and data each have
 * pages of their own, so that nothing need be both writable and executable; between the program's
 * data and the runtime's are guard pages, which are not mapped. What follows
 * __image_end (page tables, scratchpads, stacks, heap) is carved at boot, when the number of harts
 * is known.
 */
#include <memory.h>

/* Whose objects: of the runtime's archives, or all others. CMake's are called .obj. */
#define RUNTIME_OBJ(sections) "*libcohart*.a:*"(sections)
#define EXCEPT_RUNTIME EXCLUDE_FILE("*libcohart*.a:*")
#define PROGRAM_OBJ ":*.o*"

/*
 * With CO_PROCESSES each rank has static data of its own (cohart/process.h): the program's, and
 * that of all libraries but what works for every hart: heap, locks, and the locale, which hart 0
 * formats by.
 */
#ifdef CO_PROCESSES
#define SHARED_OBJ(sections) \
	RUNTIME_OBJ(sections) \
	*malloc*.o(sections) *lib?_*lock.*o(sections) *locale*.o(sections) \
	*-reent.o(sections) *lctype*.o(sections) *lnumeric*.o(sections) *lmonetary*.o(sections)
#else
#define SHARED_OBJ(sections) *(sections)
#endif

ENTRY(_start)

PHDRS
{
	text PT_LOAD FLAGS(5);   /* read, execute */
	rodata PT_LOAD FLAGS(4); /* read */
	data PT_LOAD FLAGS(6);   /* read, write */
	tls PT_TLS FLAGS(4);
	note PT_NOTE FLAGS(4);
}

SECTIONS
{
	/*
	 * Variables that each hart has one of (runtime/core/hart_var.h): addresses are offsets, and
	 * no memory of the image is theirs.
	 */
	.hart_vars 0 (INFO) : {
		KEEP(*(.bss.hart_vars_head))
		*(.bss.hart_vars)
		. = ALIGN(64);
		__hart_vars_end = .;
	}
	ASSERT(__hart_vars_end + 4096 <= BOARD_SPM_PUBLIC_BYTES,
	       "a window's public part has no room for the variables of a hart and some heap: enlarge it in memory.h")
	.hart_buffers 0 (INFO) : {
		KEEP(*(.bss.hart_buffers_head))
		*(.bss.hart_buffers)
		. = ALIGN(64);
		__hart_buffers_end = .;
	}

	__ram_base = BOARD_RAM_BASE; /* qemu/cluster looks for it */
	. = BOARD_IMAGE_BASE;

	__text_start = .;
	.text : {
		KEEP(*(.text.bringup)) /* in images of make bringup alone */
		KEEP(RUNTIME_OBJ(.text.boot)) /* a program may have a function boot() */
		/* AArch64's vectors are aligned to 2 KiB: before them what every image has. */
		RUNTIME_OBJ(.text.hal_context* .text.hal_semihost* .text.hal_trap_*)
		RUNTIME_OBJ(.text.hal_map_[a-q]*) /* all of it does not fit */
		RUNTIME_OBJ(.text.hal_vectors)
		RUNTIME_OBJ(.text .text.*)
		/* Where a coroutine may be ended that does not give way: fault/alarm.c. */
		__program_start = .;
		PROGRAM_OBJ(.text .text.*)
		__program_end = .;
		*(.text .text.*)
	} :text
	. = ALIGN(4096);
	__text_end = .;

	__rodata_start = .;
	/* First what is aligned to a page. */
	.rodata : {
		*(.rodata.coarse_map)
		*(.rodata .rodata.* .srodata .srodata.* .got .got.plt)
	} :rodata
	/* Whose image it is: runtime/core/boot/note.c. */
	.note : ALIGN(4) {
		__note_start = .;
		KEEP(*(.note.cohart)) *(.note.gnu.build-id)
	} :rodata :note
	.tests : ALIGN(8) {
		__tests_start = .;
		KEEP(*(SORT_BY_INIT_PRIORITY(.tests.*) .tests))
		__tests_end = .;
	} :rodata
	.guarded : ALIGN(8) {
		__guarded_start = .;
		KEEP(*(co_guarded))
		__guarded_end = .;
	}
	.hooks : ALIGN(8) {
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
	.host_files : ALIGN(8) {
		__host_files_start = .;
		KEEP(*(hal_host_files))
		__host_files_end = .;
	}
	.hart_parts : ALIGN(8) {
		__hart_parts_start = .;
		*(co_hart_parts)
		__hart_parts_end = .;
	}
	.init_array : ALIGN(8) {
		__init_array_start = .;
#ifdef CO_PROCESSES
		__init_array_end = .;
		__rank_init_start = .;
		KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*) .init_array))
		__rank_init_end = .;
		KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*) .fini_array))
		__rank_fini_end = .;
#else
		KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*) .init_array))
		__init_array_end = .;
#endif
	}
	. = ALIGN(4096);
	__rodata_end = .;

	/*
	 * Where an address is another word on each hart: see co_boot_hart(). Most images have none.
	 */
	__own_start = .;
	.own : { *(.own) . = ALIGN(4096); } :data
	__own_end = .;
	__data_start = .;
#ifndef CO_PROCESSES
	.data : { EXCEPT_RUNTIME PROGRAM_OBJ(.data .data.*) } :data
#endif
	/* Of these there are copies: cohart/local.h. */
	.per_node : ALIGN(64) {
		__per_node_start = .;
		*(co_per_node)
		. = ALIGN(64);
		__per_node_end = .;
	} :data
	.per_hart : ALIGN(64) {
		__per_hart_start = .;
		*(co_per_hart)
		. = ALIGN(64);
		__per_hart_end = .;
	} :data
	ASSERT(ALIGNOF(.per_node) <= 64 && ALIGNOF(.per_hart) <= 64,
	       "a variable with copies is aligned to more than 64 bytes")
	. = ALIGN(4096);
	__guard_below = .;
	. += 4096;
	/* The runtime's, the C library's, and all that is small. */
	.data_runtime : {
#ifndef CO_PROCESSES
		*(.private)
#endif
		SHARED_OBJ(.data .data.*)
		. = ALIGN(8);
		__global_pointer$ = . + 0x800;
		SHARED_OBJ(.sdata .sdata.*)
	} :data
	/* The thread-locals' first values; each hart has a copy in its private scratchpad. */
	. = ALIGN(64);
	__tls_start = .;
	.tdata : ALIGN(64) {
		EXCLUDE_FILE(PROGRAM_OBJ) *(.tdata .tdata.*)
		__program_tdata = .;
		*(.tdata .tdata.*)
		__program_tdata_end = .;
	} :data :tls
	__tls_init_end = .;
	.tbss : ALIGN(64) {
		/* What each switch uses is first, where one instruction reaches it on RISC-V. */
		*(.tbss.co_executor)
		*errno*(.tbss .tbss.*)
		/* On AArch64 one instruction reaches these (-mtls-size=12 in the Makefile). */
		RUNTIME_OBJ(.tbss .tbss.*)
		__tls_near_end = .;
		EXCLUDE_FILE(PROGRAM_OBJ) *(.tbss .tbss.*)
		__program_tbss = .;
		*(.tbss .tbss.*)
		__program_tbss_end = .;
		. = ALIGN(64);
	} :data :tls
	ASSERT(ALIGNOF(.tdata) <= 64 && ALIGNOF(.tbss) <= 64,
	       "a _Thread_local variable is aligned to more than 64 bytes")
#ifdef __aarch64__
	ASSERT(__tls_near_end - __tls_start + 64 <= 4096,
	       "_Thread_local variables with a first value take too much: more than 1,000 bytes; those without one are not limited")
#endif
	__tls_init_bytes = SIZEOF(.tdata);
	/* cohart/hart.h */
	__thread_locals_shared = DEFINED(co_thread_locals_shared);
	__program_tls_bytes = ABSOLUTE(__program_tdata_end - __program_tdata +
				       __program_tbss_end - __program_tbss);
	__tls_bytes = ALIGN(SIZEOF(.tdata), 64) + SIZEOF(.tbss);

	. = ALIGN(64);
	__bss_start = .;
	.bss_runtime (NOLOAD) : {
		/* Hart 0's, errno and the like, until C has made its own. */
		__boot_tls = .;
		. += 64 + __tls_bytes;
		SHARED_OBJ(.sbss .sbss.*)
		RUNTIME_OBJ(.bss .bss.* COMMON)
#ifdef CO_PROCESSES
		SHARED_OBJ(.bss .bss.* COMMON)
#else
		EXCLUDE_FILE(PROGRAM_OBJ) *(.bss .bss.* COMMON)
#endif
	} :data
	. = ALIGN(4096);
	__guard_above = .;
	. += 4096;
	.bss (NOLOAD) : {
		/*
		 * Each with a guard page of its own behind it: cohart/guarded.h. Two dots:
		 * .bss.guarded is the section of a variable of that name.
		 */
		*(.bss..guarded)
		. = ALIGN(4096);
		__program_bss_start = .;
#ifndef CO_PROCESSES
		*(.bss .bss.* COMMON)
#endif
	} :data
	. = ALIGN(4096);
	__bss_end = .;
	/* What each rank has a copy of, at this address: local.c. Most images have nothing. */
	__private_start = .;
#ifdef CO_PROCESSES
	.private : { *(.private) *(.data .data.* .sdata .sdata.*) } :data
	__private_bss_start = .;
	/* Never empty: by this section qemu/run knows an image of ranks. */
	.private_bss (NOLOAD) : { *(.sbss .sbss.* .bss .bss.* COMMON) . += 8; } :data
	. = ALIGN(4096);
	__private_end = .;
	. += 4096; /* a guard page */
#else
	__private_bss_start = .;
	__private_end = .;
#endif
	__private_bytes = ABSOLUTE(__private_end - __private_start);
	__image_end = .;

	/*
	 * There is one formatter and one scanner (docs/libc.md). Newlib's names of those without
	 * floating point are other names of the same; a function that has its own is not linked.
	 */
#define SAME(name, as) PROVIDE(__wrap_##name = __wrap_##as);
	SAME(iprintf, printf) SAME(fiprintf, fprintf)
	SAME(viprintf, vprintf) SAME(vfiprintf, vfprintf)
	SAME(siprintf, sprintf) SAME(sniprintf, snprintf)
	SAME(vsiprintf, vsprintf) SAME(vsniprintf, vsnprintf)
	SAME(asiprintf, asprintf) SAME(vasiprintf, vasprintf)
	SAME(diprintf, dprintf) SAME(vdiprintf, vdprintf)
	SAME(iscanf, scanf) SAME(fiscanf, fscanf) SAME(siscanf, sscanf)
	SAME(viscanf, vscanf) SAME(vfiscanf, vfscanf) SAME(vsiscanf, vsscanf)
	ASSERT(!DEFINED(__dtoa_engine) && !DEFINED(__ftoa_engine) && !DEFINED(__atof_engine) &&
	       !DEFINED(_dtoa_r) && !DEFINED(_strtod_l) && !DEFINED(_svfprintf_r) &&
	       !DEFINED(__svfscanf_r) && !DEFINED(_vfwprintf_r),
	       "ecvt(), fcvt(), asnprintf() and formatted wide characters are none of Cohart's: use snprintf(), sscanf() (docs/libc.md)")

	/DISCARD/ : {
		/* Backtraces go by frame pointers, debuggers by .debug_frame. */
		*(.eh_frame .eh_frame.*)
		*(.comment .note .note.* .gnu.* .interp .dynamic .dynsym .dynstr .hash)
		*(.ARM.exidx* .ARM.extab*)
	}
}
