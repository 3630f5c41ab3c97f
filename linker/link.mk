# link.mk - the part of the Makefile that links images, and makes a library of it: docs/library.md.

# process.ld: of images of ranks, each with static data of its own (cohart/process.h).
$(B)/process.ld: LD_FLAGS := -DCO_PROCESSES
$(B)/image.ld $(B)/process.ld: $(or $(BOARD_LD),linker/image.ld.S) $(STAMP) hal/boards/$(BOARD)/memory.h | $(B)/compiler
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(LD_FLAGS) -E -P -x c $< -o $@

# What the toolchain, weak references, CO_HOOKS_OF() and qemu/run look for (start files, drivers, the C library's
# system calls, traps, the image's note) is linked whole; of the rest, what a program calls: an object that nothing
# refers to is not in the image, nor are its hooks.
BOARD_OBJ := $(filter-out %/hal/device.o %/io/remote.o %/picolibc/lock.o %/picolibc/memory_stream.o %/served/atexit.o \
	%/served/quick_exit.o %/served/thread_locals.o,\
	$(filter $(addprefix $(B)/obj/,\
	boot/% hal/% runtime/fault/fault.o runtime/fault/stuck.o runtime/io/% runtime/core/boot/note.o),$(OBJ)))
$(B)/libcohart_board.a: $(BOARD_OBJ)
$(B)/libcohart.a: $(filter-out $(BOARD_OBJ),$(OBJ))
# MPI's calls are a part of the program: an image of ranks is linked with them.
MPI_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard runtime/libs/mpi/*/*.c))
$(B)/libmpi.a: $(MPI_OBJ)
# So are the message libraries for NM6408MP.
$(B)/libbfskn.a: $(patsubst %.c,$(B)/obj/%.o,$(wildcard runtime/libs/nm6408/*.c))
# And what compilers call for OpenMP: of such a program main() is a thread (runtime/libs/omp/main.c).
OMP_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard runtime/libs/omp/*.c))
$(B)/libomp.a: $(OMP_OBJ)
$(B)/libcohart_board.a $(B)/libcohart.a $(B)/libmpi.a $(B)/libbfskn.a $(B)/libomp.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(BOARD_CROSS)ar qcs $@ $^
LIB := $(B)/libcohart_board.a $(B)/libcohart.a
# The C library calls functions of ours, of which a program may know nothing: mkstemp() calls newlib's stat().
LINK_LIB = -Wl,--whole-archive -L$(1) -lcohart_board -Wl,--no-whole-archive \
	$(if $(filter host,$(LIBC)),-lcohart -lm,-Wl,--start-group -lcohart -lc -lm -Wl,--end-group)

# Apps are anybody's: they get warnings, as a program outside of this tree. Ours keep our style: tools/check-apps.
APP_CFLAGS := $(filter-out $(STYLE_CFLAGS),$(CFLAGS)) -Wall -Wextra -Wno-unused-parameter
# apps/NAME/cflags: options of its own, for all its files.
$(B)/obj/apps/%.o: CFLAGS = $(APP_CFLAGS) $(FRAME_LIMIT) $(addprefix @,$(wildcard $(<D)/cflags))
$(foreach f,$(wildcard apps/*/cflags),$(eval $(patsubst %.c,$(B)/obj/%.o,$(wildcard $(dir $f)*.c)): $f))

# main() may be in an archive of the program's.
RANK_LDFLAGS := -Wl,--wrap=main -Wl,-u,main
OMP_CFLAGS := -Wp,-fopenmp
OMP_CFLAGS := $(if $(filter clang,$(COMPILER)),-fopenmp=libomp,$(OMP_CFLAGS))
OMP_LDFLAGS := $(RANK_LDFLAGS) -Wl,-u,__wrap_main
# Of an image of ranks each one's main() is thread 0.
OMP_RANK_LDFLAGS := $(RANK_LDFLAGS) -Wl,-u,co_omp_in_ranks

define LINK
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) $(if $(filter %/process.ld,$^),$(RANK_LDFLAGS)) \
		$(if $(filter %/libomp.a,$^),$(if $(filter %/process.ld,$^),$(OMP_RANK_LDFLAGS),$(OMP_LDFLAGS))) \
		-T $(filter %.ld,$^) \
		$(filter %.o,$^) $(foreach l,mpi bfskn omp,$(if $(filter %/lib$l.a,$^),-l$l)) \
		$(call LINK_LIB,$(B)) -o $@ \
		$(if $(BOARD_QEMU),&& qemu/run --seal $@) \
		$(if $(BOARD_KERNEL_CFLAGS),&& tools/audit-fp $(BOARD_CROSS) $@ $(OBJ) $(filter %.o,$^))
endef

$(patsubst %.c,$(B)/%.elf,$(wildcard apps/mpi/*.c)): $(B)/%.elf: $(B)/obj/%.o $(B)/libmpi.a $(LIB) $(B)/process.ld
	$(LINK)
MPI_APPS := molecules turbulence
$(foreach a,$(MPI_APPS),$(eval $(B)/apps/$a.elf: $(call APP_OBJ,$a)))
$(MPI_APPS:%=$(B)/apps/%.elf): $(B)/libmpi.a $(LIB) $(B)/process.ld
	$(LINK)

# Programs with OpenMP.
$(B)/obj/apps/omp/%.o $(B)/obj/apps/render/%.o $(B)/obj/tests/omp/%.o: PROBE_CFLAGS += $(OMP_CFLAGS)
$(patsubst %.c,$(B)/%.elf,$(wildcard apps/omp/*.c)): $(B)/%.elf: $(B)/obj/%.o $(B)/libomp.a $(LIB) $(B)/image.ld
	$(LINK)
$(B)/apps/render.elf: $(B)/libomp.a

# And one that uses the message libraries.
$(B)/apps/matmul.elf: $(B)/libbfskn.a

# FILES= and WORDS= are linked into the apps, for where no host has files and a command line: hal/host.h.
$(foreach v,FILES WORDS,$(if $(filter environment,$(origin $v)),$(eval $v :=)))
EMBED := $(CC) $(CPPFLAGS) $(CFLAGS) -c -x c
ifneq ($(and $(BOARD_QEMU),$(FILES)$(WORDS)$(wildcard $(B)/embedded.c)),)
$(B)/embedded.c: always
	@mkdir -p $(@D)
	@tools/embed $(call sq,$(WORDS)) $(foreach f,$(FILES),$(call sq,$f)) >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(B)/embedded.o: $(B)/embedded.c $(FILES)
	$(Q)$(EMBED) $< -o $@
$(APPS:%=$(B)/apps/%.elf): $(B)/embedded.o
.PHONY: always
endif

# What `make install` puts in place: any C program, from any folder, becomes an image by cohart-cc.
PREFIX ?= /usr/local
INSTALLED := $(LIB) $(addprefix $(B)/,libmpi.a libbfskn.a libomp.a image.ld process.ld)
install: $(INSTALLED) ## cohart-cc, -run, -test, library, headers: PREFIX= DESTDIR=
	@tools/install $(call sq,$(DESTDIR)) $(call sq,$(PREFIX)) \
		$(BOARD) $(B) '$(BOARD_CROSS)' '$(ARCH_DIR) $(patsubst -I%,%,$(filter -I%,$(BOARD_CFLAGS)))' '$(LIBC)' \
		'$(filter-out -I%,$(PROGRAM_CFLAGS)) $(filter -D%,$(CPPFLAGS))' '$(BOARD_KERNEL_CFLAGS)' \
		$(call sq,$(filter-out $(TARGET_FLAGS),$(LDFLAGS))) '$(call LINK_LIB,@)'
