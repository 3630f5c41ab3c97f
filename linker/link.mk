# link.mk - the part of the Makefile that links images, and makes a library of it: docs/library.md.

# process.ld: of images of ranks, each with static data of its own (cohart/process.h).
$(B)/process.ld: LD_FLAGS := -DCO_PROCESSES
$(B)/image.ld $(B)/process.ld: $(or $(BOARD_LD),linker/image.ld.S) $(STAMP) hal/boards/$(BOARD)/memory.h | $(B)/compiler
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(LD_FLAGS) -E -P -x c $< -o $@

# What the toolchain and weak references look for (start files, drivers, the C library's system calls) is linked whole;
# of the rest, what a program calls: an object that nothing refers to is not in the image, nor are its hooks.
BOARD_OBJ := $(filter $(B)/obj/boot/% $(B)/obj/hal/% $(B)/obj/runtime/io/%,$(OBJ))
$(B)/libcohart_board.a: $(BOARD_OBJ)
$(B)/libcohart.a: $(filter-out $(BOARD_OBJ),$(OBJ))
# MPI's calls are a part of the program: an image of ranks is linked with them.
$(B)/libmpi.a: $(patsubst %.c,$(B)/obj/%.o,$(wildcard runtime/mpi/*.c))
$(B)/libcohart_board.a $(B)/libcohart.a $(B)/libmpi.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(BOARD_CROSS)ar qcs $@ $^
LIB := $(B)/libcohart_board.a $(B)/libcohart.a
LINK_LIB = -Wl,--whole-archive -L$(1) -lcohart_board -Wl,--no-whole-archive -lcohart -lm

# main() may be in an archive of the program's.
RANK_LDFLAGS := -Wl,--wrap=main -Wl,-u,main

define LINK
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) $(if $(filter %/process.ld,$^),$(RANK_LDFLAGS)) -T $(filter %.ld,$^) \
		$(filter %.o,$^) $(if $(filter %/libmpi.a,$^),-lmpi) $(call LINK_LIB,$(B)) -o $@ \
		$(if $(BOARD_KERNEL_CFLAGS),&& tools/audit-fp $(BOARD_CROSS) $@ $(OBJ) $(filter %.o,$^))
endef

$(patsubst %.c,$(B)/%.elf,$(wildcard apps/mpi/*.c)): $(B)/%.elf: $(B)/obj/%.o $(B)/libmpi.a $(LIB) $(B)/process.ld
	$(LINK)

# What `make install` puts in place: any C program, from any folder, becomes an image by cohart-cc.
PREFIX ?= /usr/local
install: $(LIB) $(B)/libmpi.a $(B)/image.ld $(B)/process.ld ## cohart-cc, -run, library, headers: PREFIX= DESTDIR=
	@tools/install $(call sq,$(DESTDIR)) $(call sq,$(PREFIX)) \
		$(BOARD) $(B) '$(BOARD_CROSS)' '$(ARCH_DIR)' '$(LIBC)' \
		'$(TARGET_FLAGS) $(filter -D%,$(CPPFLAGS)) -ftls-model=local-exec $(NO_UNWIND) $(PROBE_CFLAGS)' \
		$(call sq,$(filter-out $(TARGET_FLAGS),$(LDFLAGS))) '$(call LINK_LIB,@)'
