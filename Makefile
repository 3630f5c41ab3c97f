# Cohart - a bare-metal runtime for many-core chips. `make help` lists what there is.
BOARD ?= qemu-virt-rv64
APP ?= tour
export O ?= build
V ?= 0

$(if $(FIRMWARE),$(eval override BOARD := $(BOARD:%-$(FIRMWARE)=%)-$(FIRMWARE))) # what is below an image is its board's
ALL_BOARDS := $(notdir $(patsubst %/,%,$(wildcard hal/boards/*/)))
APPS := $(patsubst apps/%.c,%,$(patsubst apps/%/main.c,apps/%.c,$(wildcard apps/*/main.c)) \
	$(wildcard apps/mpi/*.c apps/omp/*.c))
TESTS := $(basename $(notdir $(wildcard tests/test_*.c tests/test_*.cpp)))
TEST_BOARDS := qemu-virt-rv64 qemu-virt-aarch64
TEST_HARTS := 2 5 65
OTHER_HARTS := 5

.DEFAULT_GOAL := all
.SUFFIXES .SECONDARY .DELETE_ON_ERROR:

# sudo make deps run: what is missing is installed first, by root; the rest runs as the tree's owner, so that no file
# of root's is left.
OWNER := $(if $(filter 0,$(shell id -u)),$(filter-out 0,$(shell stat -c %u .)))
DEPS := $(filter deps deps-verify deps-cluster deps-qemu,$(MAKECMDGOALS))
ifneq ($(OWNER)$(DEPS),)
GOALS := $(or $(MAKECMDGOALS),all)
.PHONY: $(GOALS)
.NOTPARALLEL:
$(DEPS): deps%: ; @tools/deps $(*:-%=--%)
$(filter-out $(DEPS),$(GOALS)):
	@$(if $(OWNER),HOME=~$(shell stat -c %U .) \
		setpriv --reuid=$(OWNER) --regid=$(shell stat -c %g .) --clear-groups env) \
		MAKELEVEL=0 $(MAKE) --no-print-directory $@
else

# Building takes all cores, unless -j or a make above says otherwise. Not with goals whose tools call make themselves.
ifeq ($(filter-out all run debug top lines size install,$(MAKECMDGOALS))$(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

# Values reach the shell and make's words: what neither could take is refused here.
sq = '$(subst ','\'',$(1))'
ifneq ($(words x$(subst ',x x,$(or $(O),x x))x),1)
$(error O= wants a path without blanks and quotes, not '$(O)')
endif
$(foreach v,V DEBUG NOCAS FAULTS FP ICOUNT QUICK FULL $(if $(filter command,$(origin DISPLAY)),DISPLAY),\
	$(if $(filter-out 0 1,$($v)),$(error $v='$($v)': it is 0 or 1)))
ifneq ($(or $(firstword $(filter $(ALL_BOARDS),$(BOARD))),-),$(BOARD))
$(error no board '$(BOARD)'; there are: $(ALL_BOARDS))
endif
ifneq ($(or $(firstword $(filter $(APPS),$(APP))),-),$(APP))
$(error no app '$(APP)'; there are: $(APPS))
endif

include hal/boards/$(BOARD)/board.mk
# The C library is served by runtime/io/served and runtime/io/$(LIBC), the host's by the latter alone. A host build
# may have a sanitizer. Each has a folder for what it builds.
LIBC ?= $(firstword $(BOARD_LIBC) picolibc)
ifneq ($(LIBC),$(filter $(LIBC),$(or $(BOARD_LIBC),picolibc)))
$(error no C library '$(LIBC)' on $(BOARD); there is: $(or $(BOARD_LIBC),picolibc))
endif
ifneq ($(filter-out $(BOARD_SANS),$(SAN)),)
$(error no sanitizer '$(SAN)' on $(BOARD); there is: $(or $(BOARD_SANS),none; BOARD=host has some))
endif
ifneq ($(and $(filter 0,$(FP)),$(if $(BOARD_NO_FP),,no)),)
$(error FP=0: $(BOARD) has no build without floating-point registers beside its own (BOARD_NO_FP in board.mk))
endif
$(foreach v,$(BOARD_NO_VARIANTS),$(if $(filter 1,$($v)),$(error $v=1: no such build on $(BOARD), see its board.mk)))
COMPILER ?= gcc
$(if $(filter gcc clang,$(COMPILER)),,$(error no compiler '$(COMPILER)'; there are: gcc clang))
# DEBUG=1: costly checks of callers (channel.h). NOCAS=1: no compare-and-swap, for harts that only add and swap.
# FP=0: no floating-point registers. MONITORS=k: atomics by k harts at once (hal/monitors.h). FAULTS=1: faults are
# injected (runtime/core/inject.h).
VARIANT := $(if $(filter 1,$(DEBUG)),/debug)$(if $(filter 1,$(NOCAS)),/nocas)$(if \
	$(filter 1,$(FAULTS)),/faults)$(MONITORS:%=/monitors%)$(if $(filter 0,$(FP)),/nofp)$(if \
	$(filter clang,$(COMPILER)),/clang)$(if $(filter newlib,$(LIBC)),/newlib)
OUT := $(O)$(SAN:%=/%)$(VARIANT)
B := $(OUT)/$(BOARD)
# Both widths of Arm share a folder. That of few monitors is before all.
ARCH_DIR := $(patsubst %,hal/%,$(MONITORS:%=monitors) $(BOARD_ARCH:%=arch/%) \
	$(if $(filter arm aarch64,$(BOARD_ARCH)),arch/arm_common))
CC := $(if $(filter clang,$(COMPILER)),tools/clang )$(BOARD_CROSS)gcc
Q := $(if $(filter 1,$(V)),,@)
SILENT := $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
# What a rule makes is said, and has a folder, without a process for either: each takes as long as a small assembly.
say = $(if $(filter 1 s,$(V) $(SILENT)),,$(info $()  $(1)	$(2)))$(if $(filter $(@D),$(folders)),,$(shell \
	mkdir -p $(@D))$(eval folders += $(@D)))

CPPFLAGS := -Ihal/boards/$(BOARD) $(ARCH_DIR:%=-I%/include) -Ihal/include -Iruntime/include -Iruntime/io/$(LIBC) \
	$(if $(filter host,$(LIBC)),,-Iruntime/libs/posix/include) $(if $(filter 1,$(DEBUG)),-DCO_DEBUG) \
	$(if $(filter 1,$(NOCAS)),-DCO_NO_CAS) $(if $(filter 1,$(FAULTS)),-DCO_FAULTS) \
	$(if $(filter 0,$(FP)),-DCO_NO_FP) $(MONITORS:%=-DBOARD_MONITORS=%)
TARGET_FLAGS := $(BOARD_CFLAGS) $(if $(filter 0,$(FP)),$(BOARD_NO_FP)) \
	$(if $(filter newlib,$(LIBC)),$(BOARD_NEWLIB),$(BOARD_SPECS:%=--specs=%)) $(SAN:%=-fsanitize=%)
# Nothing reads .eh_frame; without it debuggers get .debug_frame. Linux's compiler wants both options.
NO_UNWIND := -fno-asynchronous-unwind-tables $(if $(filter aarch64,$(BOARD_ARCH)),-fno-unwind-tables)
include linker/program.mk
# Not DWARF 5: where a file begins with a header's function, binutils before 2.42 gives the wrong file (their PR 30783).
STYLE_CFLAGS := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla -Walloca \
	-Wframe-larger-than=2048 -Werror
CFLAGS := $(CODE_CFLAGS) -std=gnu11 -O2 -gdwarf-4 -ffunction-sections -fdata-sections \
	-fno-common -fno-omit-frame-pointer $(STYLE_CFLAGS) $(if $(SAN),$(BOARD_SAN_CFLAGS))
WRAP := -Wl,--wrap=
WRAPS := $(patsubst %,runtime/io/%/libc_wraps,$(if $(filter host,$(LIBC)),,served) $(LIBC))
LDFLAGS := $(TARGET_FLAGS) $(or $(BOARD_LDFLAGS),-nostartfiles) -Wl,--gc-sections,--build-id=sha1,-z,noexecstack \
	-Wl,-z,max-page-size=4096,--no-warn-rwx-segments $(addprefix $(WRAP),$(shell sed 's/#.*//' $(WRAPS)))

# What every image of a board is made of, chosen by folder; libraries that a program links by name are apart.
APART := $(addprefix runtime/libs/,nm6408 mpi omp $(if $(filter host,$(LIBC)),posix))
SRC := $(filter-out $(BOARD_WITHOUT) %/bringup.S,$(wildcard boot/$(BOARD_ARCH)/*.S $(ARCH_DIR:%=%/*.[Sc]) \
	hal/*.c $(patsubst %,hal/boards/%/*.c,$(BOARD) $(BOARD_BASE)))) $(BOARD_DRIVERS:%=hal/drivers/%.c) \
	$(wildcard runtime/*/*.c $(addsuffix /*.c,$(filter-out $(APART) runtime/io/%,$(wildcard runtime/*/*)) \
	runtime/io/$(LIBC) $(if $(filter host,$(LIBC)),,runtime/io/served)))
OBJ := $(addprefix $(B)/obj/,$(addsuffix .o,$(basename $(SRC))))
APP_OBJ = $(patsubst %.c,$(B)/obj/%.o,$(wildcard apps/$(1)/*.c apps/common/*.c))
HARNESS_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/harness/*.c))
STAMP := Makefile linker/link.mk linker/program.mk hal/boards/$(BOARD)/board.mk $(WRAPS)

all: $(patsubst %,$(B)/apps/%.elf,$(filter-out $(BOARD_NO_APPS),$(APPS))) ## build every app of BOARD

# What is counted to the instruction: its ways do not share their ends, which would be a jump, and nothing is
# aligned by instructions that do nothing. It keeps no frame pointers: a backtrace leaves these frames out.
# Channels end in calls, whose arguments are to stay where they came in: so GCC must not look across jumps.
# The loops of memcpy() are not to become calls of memcpy(). The switches of formats are no tables: those are larger.
# And kernels, *_fp.c, are for compute harts: a board whose management hart has no FPU builds them otherwise.
HOT := %/user.c hal/arch/riscv/forward.c hal/arch/host/% hal/boards/% hal/allows.c hal/bytes.c \
	$(patsubst %,runtime/%/%,libs/network libs/nm6408 libs/omp group/message group/team) \
	$(patsubst %,runtime/comm/%/%,channel barrier lane link mailbox sync) \
	$(addsuffix .c,$(addprefix runtime/,core/hart core/machine core/timeline \
	$(addprefix core/memory/,%heap block slab spm stack units) \
	$(addprefix core/sched/,cleanup coroutine counter deadline end executor spawn trace wait) \
	$(addprefix io/,console output print_ring proxy remote) $(addprefix loops/,member parallel schedule) \
	$(addprefix io/served/,format lock memory printf process stdio) \
	$(addprefix libs/mpi/,p2p/p2p request/request request/schedule)))
# The rest of what every image has is small instead, without frame pointers, too: it runs at boot or in reports.
SMALL := $(filter-out $(HOT),$(filter hal/% runtime/core/% runtime/fault/% runtime/io/%,$(SRC)))
HOT_CFLAGS = $(if $(filter $(HOT) $(SMALL),$<),-fomit-frame-pointer) $(if $(findstring io/served,$<),-fno-jump-tables) \
	$(if $(filter $(SMALL),$<),-Os $(if $(filter riscv,$(BOARD_ARCH)),-msave-restore)) \
	$(if $(filter aarch64,$(BOARD_ARCH)),$(if $(filter $(SRC),$<),-mtls-size=12)) \
	$(if $(filter apps/% tests/% $(addprefix runtime/libs/,mpi/% nm6408/% omp/%),$<),$(PROBE_CFLAGS)) \
	$(if $(filter $(HOT),$<),-fno-crossjumping -fno-align-functions -fno-align-jumps -fno-align-loops) \
	$(if $(findstring comm/channel/,$<),-fno-cse-follow-jumps) $(if $(BOARD_ARCH:riscv=),,-malign-data=natural) \
	$(if $(filter runtime/core/sched/end.c,$<),-fno-move-loop-invariants) \
	$(if $(filter hal/bytes.c,$<),-fno-builtin $(if $(filter gcc,$(COMPILER)),-fno-tree-loop-distribute-patterns)) \
	$(if $(filter tests/%,$<),-Wno-unused-parameter) $(if $(filter %_fp.c,$<),$(BOARD_KERNEL_CFLAGS))

# Debug information names sources from the tree's top on. The shell's name of it, as the compiler's: not CURDIR.
RELATIVE := -fdebug-prefix-map="$$PWD"=.

# One clear line where a tool is missing.
$(B)/compiler:
	@tools/deps --need $(lastword $(CC)) $(if $(filter clang,$(COMPILER)),&& tools/deps --need clang)
	@mkdir -p $(@D) && touch $@

$(B)/obj/%.o: %.c $(STAMP) | $(B)/compiler
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(HOT_CFLAGS) $(RELATIVE) -MMD -MP -c $< -o $@

$(B)/obj/%.o: %.cpp $(STAMP) | $(B)/compiler
	$(call say,CXX,$<)
	$(Q)$(BOARD_CROSS)g++ $(CPPFLAGS) $(filter-out -std=% -Wstrict-% -Wmissing-% -Wshadow,$(CFLAGS)) -std=c++17 \
		-fno-exceptions -fno-rtti $(RELATIVE) -MMD -MP -c $< -o $@

$(B)/obj/%.o: %.S $(STAMP) | $(B)/compiler
	$(call say,AS,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(RELATIVE) -MMD -MP -c $< -o $@

include linker/link.mk

.SECONDEXPANSION:
$(B)/apps/%.elf: $$(call APP_OBJ,$$*) $(LIB) $(B)/image.ld
	$(LINK)

$(B)/tests/%.elf: $(HARNESS_OBJ) $(B)/obj/tests/%.o $(LIB) $(B)/image.ld
	$(LINK)

option = $(if $($(1)),--$(2) $(call sq,$($(1))))
RUN = $(WHERE_X_IS) qemu/run --board $(BOARD) $(call option,HARTS,harts) $(call option,TOPOLOGY,topology) \
	$(call option,MEM,mem) $(call option,CONSOLE,console) $(if $(filter 1,$(ICOUNT)),--icount) $(SCREEN) \
	$(call option,LOCALITY,locality) $(call option,DEVICES,devices) $(call option,TRACE,timeline)

# What QEMU loads for --locality, for coverage; BUILD_CC builds for the machine that builds.
BUILD_CC ?= gcc
PLUGIN := $(O)/plugins/locality.so
COVERAGE := $(O)/plugins/coverage.so
$(PLUGIN): $(wildcard qemu/plugins/*.[ch]) hal/include/hal/mark_code.h
$(COVERAGE): qemu/coverage.c qemu/plugins/blocks.h qemu/plugins/qemu_api.h
$(PLUGIN) $(COVERAGE): Makefile
	$(call say,LD,$@)
	$(Q)$(BUILD_CC) -std=gnu11 -O2 -g -fPIC -shared -fvisibility=hidden -Wall -Wextra -Wshadow -Werror \
		-Ihal/arch/host/include -Ihal/include -idirafter runtime/include $(filter %.c,$^) -o $@

PLAN := $(O)/plan
$(PLAN): tools/plan/plan.c Makefile
	$(call say,LD,$@)
	$(Q)$(BUILD_CC) -std=gnu11 -O2 -g -Wall -Wextra -Wshadow -Werror $< -o $@
plan: $(PLAN) ## which arrays belong in a scratchpad: ARRAYS=file BUDGET=bytes; TABLE=1 HEADER=1
	@$(PLAN) $(if $(filter 1,$(HEADER)),--header) $(if $(filter 1,$(TABLE)),--table) \
		 $(call sq,$(BUDGET)) <$(call sq,$(ARRAYS))

run: $(if $(LOCALITY),$(PLUGIN)) $(B)/apps/$(APP).elf ## boot APP on BOARD; HARTS= TOPOLOGY= ARGS='...' ICOUNT=1
	@$(RUN) $(B)/apps/$(APP).elf $(ARGS)

include qemu/cluster/cluster.mk
include tests/tests.mk

# Tools, checks and what they tell. The lines after two # are `make help`.
help: ## this page
	@sed -e '/^include tests/r tests/tests.mk' -e '/^include qemu/r qemu/cluster/cluster.mk' \
		-e '/^include linker.link/r linker/link.mk' Makefile | \
		sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p; s/^## \?/  /p' | expand -t 22
list: ## boards, apps, tests, topologies, profiles
	@tools/list || [ $$? = 141 ] # its reader has seen enough
new-board: ## start a board from one that is like it: NAME=my-board FROM=qemu-virt-rv64
	@tools/new-board $(call sq,$(NAME)) $(call sq,$(FROM))
deps: ## install what running and testing need (Debian, Ubuntu: as root)
deps-verify: ## and what checks, proofs, fuzzers, coverage and the other boards need
deps-qemu: ## and nothing: the QEMU of Debian's backports goes into build/qemu, for QEMU=
check: ## format, layers, limits, headers, static analysis; C=layers runs one, J=n jobs
	@tools/parts check $(foreach c,$(C),$(call sq,$c))
verify: ## models, mutants, disassembly audit, protocols, fuzzers; P=mutants runs one, QUICK=1 FULL=1
	@O=$(O) V=$(V) tools/parts verify $(if $(filter 1,$(FULL)),--full,$(if $(filter 1,$(QUICK)),--quick)) \
		$(foreach p,$(P),$(call sq,$p))
format: ## bring all C into its format
	@tools/sources '*.[ch]' | xargs clang-format -i
debug: $(ELF) ## APP (or T=test) in gdb, which knows coroutines (docs/seeing.md); CORE=file: what a run left
	@$(RUN) $(if $(CORE),--open $(call sq,$(CORE)),--gdb) $(ELF) $(ARGS)
top: $(ELF) ; @$(RUN) --top $(ELF) $(ARGS) ## harts and coroutines of APP (or T=test) while it runs, in this terminal
timeline-report: ; @qemu/timeline/report.py $(call sq,$(or $(FILE),$(error FILE= which?))) ## a report: FILE=
lines: $(ELF) ## function and line of code addresses: ADDRS='0x... 0x...' APP= or T=
	@tools/lines --of '$(BOARD_CROSS)' $(ELF) $(foreach a,$(ADDRS),$(call sq,$a))
size: $(ELF) ; @tools/size '$(BOARD_CROSS)' $(ELF) ## where the bytes of APP (or T=test) go
boot-order: $(ELF) ; @tools/boot-order '$(BOARD_CROSS)' $(ELF) ## the steps of APP (or T=test) from reset to main()
clean: ## remove what was built
	rm -rf $(O)/check $(O)/verify $(foreach b,$(ALL_BOARDS),$(O)/$b $(wildcard $(O)/*/$b $(O)/*/*/$b))
print-%: # a variable's value, for tools/
	@echo $(call sq,$($*))
.PHONY: all run install plan help list new-board deps deps-verify deps-qemu check verify format debug timeline-report \
	lines size boot-order clean top
##
## BOARD=board APP=app    what to build and run (make list)   FIRMWARE=opensbi  below it   O=dir  V=1  where; say all
## HARTS=n TOPOLOGY=t     the machine: 4x(1+64), sw26010, ...   ARGS='words'  the program's, 128 words at most
## T=name CASE=name       one test, one case of it              ICOUNT=1  a run that repeats exactly
## DEBUG=1                a build that looks closer (docs/debugging.md)   TRACE=file  a timeline (docs/seeing.md)
## FAULTS=1 NOCAS=1 MONITORS=k FP=0   faults are injected; harts without compare-and-swap, ... (docs/testing.md)
## COMPILER=clang LIBC=newlib   instead of gcc, picolibc   CONSOLE=semihost  not by UART   MEM=n  MiB of memory
## DEVICES='words' DISPLAY=1   devices to drive, in QEMU's words; a screen   QEMU=path RUNNER=spike  another, or none
## HOST=none FILES='a b' WORDS='w'  no semihosting; files, a command line in the image (docs/porting.md)
## LOCALITY=profile       where accesses go, and what that costs on sw26010, sw26010pro, tilepro64, nm6408
## BOARD=host SAN=thread  a program of this PC, under a sanitizer: thread, address, undefined
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
endif
